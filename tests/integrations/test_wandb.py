"""Evaluations in Weights & Biases, offline: what it writes for a later upload."""

import sys
import time
from datetime import UTC, datetime
from functools import partial
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
from lowshot.report import write
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


@pytest.mark.slow
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


def artifacts(found: list[Any]) -> list[list[str]]:
    """The files of each."""
    kept = [one.artifact for one in found if one.WhichOneof("record_type") == "artifact"]
    return [sorted(file.path for file in one.manifest.contents) for one in kept if one.type == "evaluation"]


def test_a_report_is_sent_also_without_new_labels(offline: Path, tmp_path: Path) -> None:
    evaluation = under_way()
    (tmp_path / "mine.html").write_text("<p>mine")
    with module("wandb").init(project="birds"):
        for report in (False, False, True, True, False, tmp_path / "mine.html"):
            log(evaluation, report=report)
    written = records(offline)
    assert artifacts(written) == [["estimate.json"], *[["estimate.json", "report.html"]] * 2]
    numbers, first, second = history(written)
    assert numbers == gather(evaluation).metrics
    assert set(first) == set(second) == {"report"}, "no number is logged twice"
    assert len(list(offline.glob("wandb/offline-run-*/files/media/html/*.html"))) == 2


def test_when_a_report_was_written_is_no_change(offline: Path, tmp_path: Path) -> None:
    evaluation = under_way()
    with module("wandb").init(project="birds"):
        for day in (1, 2):
            clock = partial(datetime, 2026, 1, day, tzinfo=UTC)
            (path,) = write(evaluation, tmp_path / f"{day}.html", clock=clock)
            log(evaluation, report=path)
    assert len(artifacts(records(offline))) == 1


def test_files_that_could_not_be_sent_are_sent_the_next_time(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb, evaluation = module("wandb"), under_way()

    def failing(*_: Any, **__: Any) -> None:
        raise wandb.Error("the disk is full")

    with wandb.init(project="birds"):
        with monkeypatch.context() as patch:
            patch.setattr(wandb.Artifact, "add_dir", failing)
            with pytest.raises(ServiceError, match="the disk is full"):
                log(evaluation, report=False)
        for _ in range(2):
            log(evaluation, report=False)
    written = records(offline)
    assert artifacts(written) == [["estimate.json"]]
    assert history(written) == [gather(evaluation).metrics], "the numbers were there before"


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
            InputError, match=r"without another evaluation or model: it has lowshot.seed = 1, and this one has 2"
        ):
            log(under_way(seed=2), report=False)
        with pytest.raises(InputError, match="project must be left out where there is a run already: got 'birds'"):
            log(under_way(seed=1), project="birds")
        assert (dict(run.summary), dict(run.config)) == before


@pytest.mark.usefixtures("offline")
def test_another_evaluation_of_the_same_pool(tmp_path: Path) -> None:
    """Pool, seed, metric and sampler are the same."""
    crows, herons = (Evaluation(pool_of(), store=str(tmp_path / "birds.db"), name=name) for name in ("crows", "herons"))
    with module("wandb").init(project="birds") as run:
        log(crows, report=False)
        before = dict(run.summary), dict(run.config)
        with pytest.raises(InputError, match=r"it has lowshot.evaluation = crows, and this one has herons"):
            log(herons, report=False)
        assert (dict(run.summary), dict(run.config)) == before
        log(herons, report=False, prefix="herons/")
        log(crows, report=False)
        assert run.summary["herons/lowshot.evaluation"] == "herons"


@pytest.mark.usefixtures("offline")
def test_a_password_of_the_server_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "http://ann:{}@127.0.0.1:8080/ann/birds/runs/1"
    with module("wandb").init(project="birds") as run:
        monkeypatch.setattr(type(run), "url", page.format("secret"))
        assert log(under_way(), report=False).where == page.format("***")


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
