"""Evaluations in MLflow, whose runs are in a folder: what is logged, and what stays as it was."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lowshot
from lowshot import Evaluation, InputError
from lowshot.errors import ServiceError
from lowshot.integrations.logged import Options, gather
from lowshot.integrations.mlflow import _where, log, log_to_own_run, run_of
from lowshot.tasks import finish

from ..needed import module
from ..small_evaluations import TRUTH, pool_of, under_way

pytestmark = pytest.mark.xdist_group("mlflow")  # importing it takes seconds: one process does


def metrics(client: Any, run_id: str, name: str) -> list[tuple[int, float]]:
    return [(one.step, one.value) for one in client.get_metric_history(run_id, name)]


def files(client: Any, run_id: str, folder: str = "lowshot") -> dict[str, Path]:
    return {
        Path(one.path).name: Path(client.download_artifacts(run_id, one.path))
        for one in client.list_artifacts(run_id, folder)
    }


def test_the_active_run_has_what_is_gathered(tracking: Any) -> None:
    mlflow, evaluation = module("mlflow"), under_way(seed=3)
    with mlflow.start_run() as active:
        mlflow.log_param("seed", 17)  # of the training
        found = log(evaluation)
        assert mlflow.active_run() is not None, "the run goes on"
    assert found.run_id == active.info.run_id
    run, wanted = tracking.get_run(found.run_id), gather(evaluation)
    assert run.data.metrics == wanted.metrics
    assert run.data.params == {"seed": "17", **{name: str(value) for name, value in wanted.params.items()}}
    tags = {name: text for name, text in run.data.tags.items() if name.startswith("lowshot.")}
    assert tags == {name: text for name, text in wanted.notes.items() if text is not None}
    assert metrics(tracking, found.run_id, "f1") == [(4, wanted.metrics["f1"])]
    written = files(tracking, found.run_id)
    assert set(written) == {"estimate.json", "report.html"}
    assert json.loads(written["estimate.json"].read_text()) == wanted.results
    assert "<title>" in written["report.html"].read_text()


def test_without_an_active_run_a_new_one_is_finished(tracking: Any) -> None:
    found = log(under_way(), report=False)
    assert module("mlflow").active_run() is None
    assert tracking.get_run(found.run_id).info.status == "FINISHED"
    assert set(files(tracking, found.run_id)) == {"estimate.json"}
    assert found.to_dict()["metrics"]["labels"] == 4
    assert log(under_way(), report=False).run_id != found.run_id


def test_logging_again_makes_a_curve_and_nothing_twice(tracking: Any) -> None:
    evaluation = Evaluation(pool_of())
    run = log(evaluation, report=False).run_id
    tags = tracking.get_run(run).data.tags
    assert tags["lowshot.reason"] == evaluation.estimate().reason
    assert "f1" not in tracking.get_run(run).data.metrics, "undefined is not logged as a number"
    values = []
    for labels in (4, 8):
        finish(evaluation, TRUTH, labels)
        values.append((labels, evaluation.estimate().value))
        for _ in range(2):
            log(evaluation, run_id=run, report=False)
    assert metrics(tracking, run, "f1") == values
    assert metrics(tracking, run, "labels") == [(0, 0.0), (4, 4.0), (8, 8.0)]
    assert "lowshot.reason" not in tracking.get_run(run).data.tags, "it is gone with its cause"


def test_a_corrected_label_changes_the_value_of_its_step(tracking: Any) -> None:
    evaluation = finish(Evaluation(pool_of()), TRUTH, 12)
    run = log(evaluation, report=False).run_id
    before = evaluation.estimate().value
    evaluation.correct(0, 0)
    log(evaluation, run_id=run, report=False)
    assert metrics(tracking, run, "f1") == [(12, before), (12, evaluation.estimate().value)]
    assert tracking.get_run(run).data.metrics["f1"] == evaluation.estimate().value


def test_another_evaluation_needs_a_prefix(tracking: Any) -> None:
    run = log(under_way(seed=1), report=False).run_id
    before = tracking.get_run(run).to_dictionary()
    with pytest.raises(
        InputError, match=r"run .* without another evaluation or model: it has lowshot.seed = 1, and this one has 2"
    ):
        log(under_way(seed=2), run_id=run, report=False)
    assert tracking.get_run(run).to_dictionary() == before
    log(under_way(seed=2), run_id=run, report=False, prefix="second/")
    data = tracking.get_run(run).data
    assert (data.params["lowshot.seed"], data.params["second/lowshot.seed"]) == ("1", "2")
    assert set(data.metrics) >= {"f1", "second/f1"}
    assert set(files(tracking, run, "second/lowshot")) == {"estimate.json"}


def test_another_evaluation_of_the_same_pool_needs_a_prefix(tracking: Any, tmp_path: Path) -> None:
    """Pool, seed, metric and sampler are the same: name, question or beginning tell them apart."""

    def stored(folder: str, name: str, **options: Any) -> Evaluation:
        (tmp_path / folder).mkdir(exist_ok=True)
        return Evaluation(pool_of(), store=str(tmp_path / folder / "birds.db"), name=name, seed=1, **options)

    crows = stored("first", "crows", question="Is it a crow?")
    run = log(crows, report=False).run_id
    before = tracking.get_run(run).to_dictionary()
    for other, told in (
        (stored("first", "herons"), "lowshot.evaluation = crows, and this one has herons"),
        (stored("second", "crows"), "lowshot.began = .*, and this one has .*"),
    ):
        with pytest.raises(
            InputError, match=rf"run {run} must be a run without another evaluation or model: it has {told};"
        ):
            log(other, run_id=run, report=False)
    assert tracking.get_run(run).to_dictionary() == before
    log(stored("first", "herons"), run_id=run, report=False, prefix="herons/")
    log(crows, run_id=run, report=False)
    tags = tracking.get_run(run).data.tags
    assert (tags["lowshot.evaluation"], tags["herons/lowshot.evaluation"]) == ("crows", "herons")


def test_a_report_that_was_written_before(tracking: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("<p>mine")
    found = log(under_way(), report=tmp_path / "mine.html")
    assert files(tracking, found.run_id)["report.html"].read_text() == "<p>mine"
    with pytest.raises(InputError, match=r"report must be True, False or a file that exists: got 'gone.html'"):
        log(under_way(), report="gone.html")


def test_names_with_signs_and_tables_arrive(tracking: Any) -> None:
    scores = pool_of().scores
    cameras = {"where?": ["a", "b"] * 6}
    pool = lowshot.Pool({"v/1": scores, "v 2 (new)": scores**2}, threshold=0.5, slices=cameras)
    found = log(finish(Evaluation(pool, goal=("v/1", "v 2 (new)")), TRUTH, 8), report=False)
    data = tracking.get_run(found.run_id).data
    assert {"v_1/f1", "v 2 _new/f1", "f1_difference", "labels"} <= set(data.metrics)
    assert data.tags["lowshot.verdict"] == found.logged.notes["lowshot.verdict"]
    assert set(files(tracking, found.run_id)) == {
        "estimate.json", "slices-v_1-where.csv", "slices-v 2 _new-where.csv",
    }  # fmt: skip


def test_what_cannot_be_logged(tracking: Any) -> None:
    mlflow = module("mlflow")
    with pytest.raises(ServiceError, match=r"MLflow did not take the evaluation: Run .*123.* not found"):
        log(under_way(), run_id="123", report=False)
    with pytest.raises(InputError, match="run_id must be given with client: got none"):
        log(under_way(), client=tracking)
    with pytest.raises(InputError, match="metric must be one of"), mlflow.start_run() as run:
        log(under_way(), metric="accuracy")
    assert tracking.get_run(run.info.run_id).data.metrics == {}


def test_without_mlflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(lowshot.MissingExtra, match=r"logging to MLflow needs mlflow: pip install 'lowshot\[mlflow\]'"):
        log(under_way())


def test_the_run_of_a_stored_evaluation_is_found_again(tracking: Any, tmp_path: Path) -> None:
    store = str(tmp_path / "birds.db")
    evaluation = Evaluation(pool_of(), store=store, name="it's birds")

    def logged(one: Evaluation, experiment: str = "birds") -> str:
        with run_of(one, tracking.tracking_uri, experiment) as (client, run):
            return log(one, client=client, run_id=run, report=False).run_id

    first = logged(evaluation)
    assert tracking.get_run(first).info.status == "FINISHED"
    finish(evaluation, TRUTH, 4)
    assert logged(Evaluation(pool_of(), store=store, name="it's birds")) == first
    assert metrics(tracking, first, "labels") == [(0, 0.0), (4, 4.0)]
    assert logged(evaluation, "others") != first
    assert logged(Evaluation(pool_of(), store=store, name="others")) != first
    with pytest.raises(InputError), run_of(under_way(), tracking.tracking_uri, "failed") as (_, run):
        log(under_way(), metric="accuracy")
    assert tracking.get_run(run).info.status == "FAILED"


def failing(*_: Any, **__: Any) -> None:
    from mlflow.exceptions import MlflowException

    raise MlflowException("the disk is full")


@pytest.mark.parametrize("method", ["log_batch", "log_artifacts"])  # the first and the last that is sent
def test_a_run_that_failed_or_was_killed_is_finished_later(
    tracking: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    from mlflow import MlflowClient

    evaluation = Evaluation(pool_of(), store=str(tmp_path / "birds.db"), name="birds")

    def logged() -> str:
        return log_to_own_run(evaluation, Options(report=False), tracking.tracking_uri, None).run_id

    with monkeypatch.context() as patch:
        patch.setattr(MlflowClient, method, failing)
        with pytest.raises(ServiceError, match="the disk is full"):
            logged()
    (failed,) = tracking.search_runs(["0"])
    assert failed.info.status == "FAILED"
    assert logged() == failed.info.run_id, "the same run"
    assert tracking.get_run(failed.info.run_id).info.status == "FINISHED"
    tracking.update_run(failed.info.run_id, status="RUNNING")  # as kill -9 leaves it
    assert logged() == failed.info.run_id
    assert tracking.get_run(failed.info.run_id).info.status == "FINISHED"


def test_a_run_of_somebody_else_is_not_ended(tracking: Any, tmp_path: Path) -> None:
    mlflow = module("mlflow")

    def status_after(evaluation: Evaluation, run: str) -> str:
        found = log_to_own_run(evaluation, Options(report=False), tracking.tracking_uri, None)
        assert found.run_id == run, "it is found again"
        return str(tracking.get_run(run).info.status)

    theirs, ours = (Evaluation(pool_of(), store=str(tmp_path / "birds.db"), name=name) for name in ("theirs", "ours"))
    with mlflow.start_run() as training:
        log(theirs, report=False)
        assert status_after(theirs, training.info.run_id) == "RUNNING"
    tracking.set_terminated(training.info.run_id, "FAILED")
    assert status_after(theirs, training.info.run_id) == "FAILED", "it is the training that failed"
    own = log_to_own_run(ours, Options(report=False), tracking.tracking_uri, None).run_id
    with mlflow.start_run(run_id=own):
        assert status_after(ours, own) == "RUNNING", "somebody continues it"


@pytest.mark.parametrize("kind", ["metrics", "params"])
def test_errors_are_told_also_with_asynchronous_logging(
    tracking: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Metrics are sent in requests of their own."""
    from mlflow.store.tracking.file_store import FileStore

    original, run = FileStore.log_batch, tracking.create_run("0").info.run_id

    def log_batch(store: Any, run_id: str, metrics: Any, params: Any, tags: Any) -> None:
        if {"metrics": metrics, "params": params}[kind]:
            failing()
        original(store, run_id, metrics, params, tags)

    monkeypatch.setenv("MLFLOW_ENABLE_ASYNC_LOGGING", "true")
    monkeypatch.setattr(FileStore, "log_batch", log_batch)
    with pytest.raises(ServiceError, match="the disk is full"):
        log(under_way(), run_id=run, report=False)


def test_a_password_of_the_place_of_files_is_not_told(tracking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlflow.MlflowClient.log_artifacts", lambda *_: None)  # there is no such host
    experiment = tracking.create_experiment("birds", artifact_location="sftp://ann:secret@host/runs")
    run = tracking.create_run(experiment).info.run_id
    found = log(under_way(), run_id=run, report=False)
    assert found.where == f"sftp://ann:***@host/runs/{run}/artifacts"


def test_the_place_of_files_on_windows() -> None:
    place = "file:///C:/Users/ann/runs"
    client: Any = SimpleNamespace(tracking_uri="file:///C:/Users/ann")
    run: Any = SimpleNamespace(info=SimpleNamespace(artifact_uri=place))
    assert _where(client, run) == place


def test_a_server_that_is_gone_in_the_middle(tracking: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first error is told, and not that the run cannot be ended, either."""
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    def gone(*_: Any, **__: Any) -> None:
        raise MlflowException("the server is gone")

    monkeypatch.setattr(MlflowClient, "set_terminated", gone)
    with pytest.raises(InputError), run_of(under_way(), tracking.tracking_uri) as (client, run):
        log(under_way(), client=client, run_id=run, metric="accuracy")
    with pytest.raises(ServiceError, match="the server is gone"), run_of(under_way(), tracking.tracking_uri):
        pass
    monkeypatch.setattr(MlflowClient, "log_artifacts", lambda *_: Path("/nowhere/a").mkdir())
    with pytest.raises(ServiceError, match=r"MLflow did not take the evaluation: .*/nowhere/a"):
        log(under_way(), client=client, run_id=run)
