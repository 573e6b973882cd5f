"""`lowshot log`: evaluations of a store in MLflow, whose runs are in a folder, and in Weights & Biases, offline."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ..helpers import found, good, invoke, refused
from ..needed import module
from ..trackers import offline_wandb, quiet, records
from .birds import begin, label_everything

pytestmark = [pytest.mark.usefixtures("birds"), pytest.mark.xdist_group("mlflow")]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    address = (tmp_path / "runs").as_uri()
    quiet(monkeypatch, MLFLOW_TRACKING_URI=address)
    mlflow = module("mlflow")
    mlflow.set_tracking_uri(address)  # another test may have set one
    return mlflow.MlflowClient()


@pytest.mark.slow
def test_a_command_continues_the_run_of_its_evaluation(client: Any) -> None:
    begin()
    first = found("log", "birds.db", "--to", "mlflow", "--experiment", "birds", "--no-report")
    assert first["metrics"] == {"labels": 0.0}
    label_everything(1)
    printed = good("log", "birds.db", "--to", "mlflow", "--experiment", "birds").stdout.splitlines()
    estimate = found("estimate", "birds.db")
    assert printed[0] == estimate["text"]
    assert printed[1] == f"run {first['run_id']}"
    (experiment,) = [one for one in client.search_experiments() if one.name == "birds"]
    (run,) = client.search_runs([experiment.experiment_id])
    assert (run.info.run_id, run.info.status) == (first["run_id"], "FINISHED")
    assert run.data.metrics["f1"] == estimate["value"]
    assert [one.step for one in client.get_metric_history(run.info.run_id, "labels")] == [0, estimate["labels"]]
    report = Path(client.download_artifacts(run.info.run_id, "lowshot/report.html")).read_text()
    assert "pool.parquet" in report, "the report says what the store knows about the pool"
    other = found("log", "birds.db", "--to", "mlflow", "--experiment", "others", "--no-report")
    assert other["run_id"] != first["run_id"]


def test_options_and_a_run_that_is_named(client: Any) -> None:
    begin()
    label_everything(1)
    experiment = client.create_experiment("mine")
    run = client.create_run(experiment).info.run_id
    arguments = ("--run-id", run, "--metric", "recall", "--metric", "tp", "--prefix", "val_", "--no-report")
    answer = found("log", "birds.db", "--to", "mlflow", *arguments, "--confidence", "0.8")
    assert answer["run_id"] == run
    data = client.get_run(run).data
    assert (
        data.metrics["val_recall_low"]
        == found("estimate", "birds.db", "--metric", "recall", "--confidence", "0.8")["low"]
    )
    assert "val_tp" in data.metrics
    assert data.tags["val_lowshot.confidence"] == "0.8"
    assert client.get_run(run).info.status == "RUNNING", "a run that is named is not ended"


@pytest.mark.slow
def test_what_is_refused(client: Any) -> None:
    begin()
    for message, arguments in (
        ("--metric must be one of f1", ("--metric", "accuracy")),
        ("--model must be", ("--model", "v3")),
        ("--prefix must be letters", ("--prefix", "../")),
        ("--experiment must be left out with --run-id", ("--run-id", "f" * 32, "--experiment", "birds")),
        (r"MLflow did not take the evaluation: Run .* not found", ("--run-id", "f" * 32)),
    ):
        refused(message, "log", "birds.db", "--to", "mlflow", *arguments)
    elsewhere = ("--to", "wandb", "--tracking-uri", "http://127.0.0.1")
    refused("--tracking-uri must be left out with --to wandb", "log", "birds.db", *elsewhere)
    (default,) = client.search_experiments()
    assert client.search_runs([default.experiment_id]) == [], "no run is made for what cannot be logged"


@pytest.mark.usefixtures("client")
def test_a_password_in_the_address_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    result = invoke("log", "birds.db", "--to", "mlflow", "--tracking-uri", "http://ann:secret@127.0.0.1:9")
    assert result.exit_code == 2
    assert "http://ann:***@127.0.0.1:9" in result.stderr
    assert "secret" not in result.output


@pytest.mark.slow
def test_weights_and_biases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    label_everything(1)
    with offline_wandb(monkeypatch, tmp_path):
        answer = found("log", "birds.db", "--to", "wandb", "--experiment", "birds", "--no-report")
        written = records(tmp_path)
    (run,) = [one.run for one in written if one.WhichOneof("record_type") == "run"]
    assert (run.run_id, run.project) == (answer["run_id"], "birds")
    assert answer["metrics"]["f1"] == found("estimate", "birds.db")["value"]


@pytest.fixture
def light_client(client: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """MLflow without what databases need, also where all of it is installed."""
    monkeypatch.setitem(sys.modules, "alembic.migration", None)
    monkeypatch.delitem(sys.modules, "mlflow.store.db.utils", raising=False)
    monkeypatch.delitem(sys.modules, "mlflow.store.tracking.sqlalchemy_store", raising=False)
    return client


@pytest.mark.usefixtures("light_client")
@pytest.mark.parametrize(
    ("address", "shown"),
    [("sqlite:///mlflow.db", "sqlite:///mlflow.db"), ("postgresql://ann:secret@host/runs", r"ann:\*\*\*@host/runs")],
)
def test_a_database_that_the_light_client_cannot_open(address: str, shown: str) -> None:
    begin()
    refused(
        rf"{shown} is a database, for which MLflow's light client needs alembic.*: pip install mlflow; or log to a"
        " server, such as http://127.0.0.1:5000, or to a folder, such as file:runs with MLFLOW_ALLOW_FILE_STORE=true",
        *("log", "birds.db", "--to", "mlflow", "--tracking-uri", address),
    )


@pytest.mark.usefixtures("light_client")
def test_the_default_address_is_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has named no address learns which one MLflow uses."""
    monkeypatch.setattr(module("mlflow"), "get_tracking_uri", lambda: "sqlite:///mlflow.db")
    monkeypatch.setattr("mlflow.tracking._tracking_service.utils.get_tracking_uri", lambda: "sqlite:///mlflow.db")
    begin()
    refused("sqlite:///mlflow.db is a database, for which", "log", "birds.db", "--to", "mlflow")
