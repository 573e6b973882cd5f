"""Evaluations in Weights & Biases, offline: what it writes for a later upload."""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
import lowshot.integrations.wandb
from lowshot import ClassPool, Evaluation, InputError
from lowshot.errors import ServiceError
from lowshot.integrations.logged import gather
from lowshot.integrations.wandb import ANSWER_S, _settings, log
from lowshot.tasks import finish

from ..needed import module
from ..small_evaluations import TRUTH, pool_of, under_way
from ..trackers import of_items, records

pytestmark = pytest.mark.xdist_group("wandb")


def history(found: list[Any]) -> list[dict[str, Any]]:
    """The rows that were logged, without times."""
    rows = [of_items(one.history.item) for one in found if one.WhichOneof("record_type") == "history"]
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in rows]


def config(found: list[Any]) -> dict[str, Any]:
    return {
        name: value
        for one in found
        for given in (one.run.config, one.config)
        for name, value in of_items(given.update).items()
    }


def test_a_run_has_what_is_gathered(offline: Path) -> None:
    evaluation = Evaluation(pool_of())
    with module("wandb").init(project="birds") as run:
        log(evaluation, report=False)
        assert "f1" not in dict(run.summary)
        assert run.summary["lowshot.reason"] == evaluation.estimate().reason
        for labels in (4, 8):
            finish(evaluation, TRUTH, labels)
            for _ in range(2):
                found = log(evaluation, report=labels == 8)
        assert found.run_id == run.id
        assert run.summary["lowshot.reason"] == "", "it is gone with its cause"
    written, wanted = records(offline), gather(evaluation)
    assert {name: value for name, value in config(written).items() if name in wanted.params} == wanted.params
    none, four, eight = history(written)
    assert none == {"labels": 0.0}
    assert four["labels"] == 4
    assert {name: eight[name] for name in wanted.metrics} == wanted.metrics, "and nothing was logged twice"
    assert eight["report"]["_type"] == "html-file"
    steps = [one.metric for one in written if one.WhichOneof("record_type") == "metric"]
    assert {one.name for one in steps if one.step_metric == "labels"} == {"f1", "f1_low", "f1_high"}
    kinds = [one.artifact.type for one in written if one.WhichOneof("record_type") == "artifact"]
    assert kinds.count("evaluation") == 3
    reports = list(offline.glob("wandb/offline-run-*/files/media/html/*.html"))
    assert len(reports) == 1
    assert "<title>" in reports[0].read_text()


def test_tables_of_a_new_run(offline: Path) -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, size=300)
    pool = ClassPool(random.normal(size=(300, 3)) + 2 * np.eye(3)[truth], classes=["heron", "crow", "wren"])
    evaluation = finish(Evaluation(pool), [pool.categories[place] for place in truth], 40)
    found = log(evaluation, project="birds", prefix="val/", report=False)
    assert module("wandb").run is None, "the new run is finished"
    (row,) = history(records(offline))
    assert row["val/f1_macro"] == evaluation.estimate().value
    assert (row["val/categories"]["_type"], row["val/categories"]["nrows"]) == ("table-file", 3)
    assert found.where in {str(path) for path in (offline / "wandb").glob("offline-run-*")}


def test_what_cannot_be_logged(offline: Path) -> None:
    with module("wandb").init(project="birds") as run:
        log(under_way(seed=1), report=False)
        before = dict(run.summary), dict(run.config)
        with pytest.raises(
            InputError, match=r"without another evaluation: it has lowshot.seed = 1, and this one has 2"
        ):
            log(under_way(seed=2), report=False)
        with pytest.raises(InputError, match="project must be left out where there is a run already: got 'birds'"):
            log(under_way(seed=1), project="birds")
        assert (dict(run.summary), dict(run.config)) == before


def test_a_server_that_does_not_answer(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens on port 9. The client would try for 90 seconds, and speak of settings that a command lacks."""
    for name, value in {"MODE": "online", "BASE_URL": "http://127.0.0.1:9", "API_KEY": "0" * 40}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    monkeypatch.setattr(lowshot.integrations.wandb, "ANSWER_S", 1)
    module("wandb").teardown()  # it has read its settings
    before = time.monotonic()
    with pytest.raises(ServiceError) as raised:
        log(under_way(), report=False)
    assert time.monotonic() - before < 60
    said = str(raised.value)
    assert said.startswith("Weights & Biases at http://127.0.0.1:9 did not take the evaluation: ")
    assert "set WANDB_MODE=offline, log again, and upload the run with `wandb sync`" in said
    assert "Settings(" not in said


def test_the_environment_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = module("wandb")
    assert _settings(wandb).init_timeout == ANSWER_S
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "300")
    assert "init_timeout" not in _settings(wandb).model_fields_set


def test_without_wandb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(lowshot.MissingExtra, match=r"needs wandb: pip install 'lowshot\[wandb\]'"):
        log(under_way())
