"""Trackers of experiments in folders of their own, which tell nobody anything."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..needed import module
from ..trackers import offline_wandb, quiet


@pytest.fixture
def tracking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of MLflow whose runs are in a folder."""
    quiet(monkeypatch)
    mlflow = module("mlflow")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    return mlflow.MlflowClient()


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which Weights & Biases keeps runs."""
    with offline_wandb(monkeypatch, tmp_path):
        yield tmp_path
