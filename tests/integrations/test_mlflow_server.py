"""Evaluations on a real MLflow server: what its REST API gives back, and what its page shows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from lowshot import Evaluation, Pool
from lowshot.errors import ServiceError
from lowshot.integrations.logged import gather
from lowshot.integrations.mlflow import log
from lowshot.tasks import finish

from ..browsers import expect, new_context
from ..helpers import found as answered
from ..helpers import good
from ..needed import module
from ..small_evaluations import SCORES, TRUTH
from ..trackers import quiet, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CAMERAS = ["north", "south", "east"] * 4
V2 = [0.9, 0.6, 0.3, 0.8, 0.55, 0.7, 0.2, 0.4, 0.1, 0.35, 0.15, 0.05]


class Server:
    """Requests to the REST API, without MLflow's own client."""

    def __init__(self, address: str, client: httpx2.Client) -> None:
        self.address, self._client = address, client

    def get(self, what: str, **wanted: Any) -> Any:
        response = self._client.get(f"/api/2.0/mlflow/{what}", params=wanted)
        assert response.is_success, response.text
        return response.json()

    def data(self, run: str) -> dict[str, dict[str, Any]]:
        found = self.get("runs/get", run_id=run)["run"]["data"]
        return {
            kind: {one["key"]: one["value"] for one in found.get(kind, [])} for kind in ("metrics", "params", "tags")
        }

    def points(self, run: str, name: str) -> list[tuple[int, float]]:
        found = self.get("metrics/get-history", run_id=run, metric_key=name)["metrics"]
        return sorted((int(one.get("step", 0)), float(one["value"])) for one in found)

    def files(self, run: str, folder: str = "lowshot") -> list[str]:
        return [one["path"] for one in self.get("artifacts/list", run_id=run, path=folder)["files"]]

    def download(self, run: str, path: str) -> str:
        response = self._client.get("/get-artifact", params={"run_id": run, "path": path})
        assert response.is_success, response.text
        return response.text


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("mlflow")) as address, httpx2.Client(base_url=address, timeout=300) as client:
        yield Server(address, client)


@pytest.fixture(autouse=True)
def mlflow(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    quiet(monkeypatch)
    found = module("mlflow")
    found.set_tracking_uri(server.address)
    return found


def two_models(labels: int) -> Evaluation:
    pool = Pool({"v1 (old)": SCORES, "v2": V2}, threshold=0.5, slices={"camera": CAMERAS})
    return finish(Evaluation(pool, goal=("v1 (old)", "v2")), TRUTH, labels)


def test_what_is_logged_comes_back(server: Server, mlflow: Any) -> None:
    mlflow.set_experiment("birds")
    evaluation = two_models(4)
    with mlflow.start_run():
        mlflow.log_params({"seed": 17, "depth": 3})  # of the training
        first = log(evaluation, report=False)
        values = [(4, first.logged.metrics["v2/f1"])]
        finish(evaluation, TRUTH, 9)
        for _ in range(2):
            found = log(evaluation)
        values.append((9, found.logged.metrics["v2/f1"]))
    data, wanted = server.data(found.run_id), gather(evaluation)
    assert data["metrics"] == pytest.approx(wanted.metrics, rel=1e-12)
    assert {name: data["params"][name] for name in wanted.params} == {
        name: str(value) for name, value in wanted.params.items()
    }
    assert data["params"]["seed"] == "17"
    assert data["tags"]["lowshot.verdict"] == evaluation.compare("v1 (old)", "v2").verdict
    assert server.points(found.run_id, "v2/f1") == values, "one point per number of labels"
    assert set(server.files(found.run_id)) == {
        f"lowshot/{name}"
        for name in ("estimate.json", "report.html", "slices-v1 _old-camera.csv", "slices-v2-camera.csv")
    }
    assert json.loads(server.download(found.run_id, "lowshot/estimate.json")) == wanted.results
    report = server.download(found.run_id, "lowshot/report.html")
    assert report.lower().startswith("<!doctype html>")
    assert evaluation.pool.fingerprint in report
    assert found.where == f"{server.address}/#/experiments/1/runs/{found.run_id}"


def test_undefined_and_then_defined(server: Server, mlflow: Any) -> None:
    evaluation = two_models(0)
    run = log(evaluation).run_id
    assert server.data(run)["metrics"] == {"labels": 0}
    assert "no label" in server.data(run)["tags"]["lowshot.reason"]
    assert server.files(run) == ["lowshot/estimate.json"]
    finish(evaluation, TRUTH, 12)
    log(evaluation, run_id=run, report=False)
    assert "lowshot.reason" not in server.data(run)["tags"]
    assert server.data(run)["metrics"]["v2/f1"] == evaluation.estimate(model="v2").value


def test_thirty_models_are_more_than_one_request_takes(server: Server) -> None:
    scores = {f"a model with a long name, number {number}": SCORES for number in range(30)}
    evaluation = finish(Evaluation(Pool(scores, threshold=0.5)), TRUTH, 12)
    found = log(evaluation, metric=["f1", "precision"], report=False)
    data = server.data(found.run_id)
    assert data["metrics"] == pytest.approx(found.logged.metrics)
    assert len(data["metrics"]) > 200
    assert data["params"]["lowshot.models"].endswith("...")


def test_a_run_that_is_not_there(server: Server) -> None:
    with pytest.raises(ServiceError, match=r"MLflow did not take the evaluation: .*Run.*f{32}.*not found"):
        log(two_models(4), run_id="f" * 32, report=False)


def test_the_command(server: Server, mlflow: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It continues the run of an evaluation, also one that failed."""
    monkeypatch.chdir(tmp_path)
    good("sample", "birds")
    good("start", "birds.db", "--pool", "birds/scores.csv", "--id", "path", "--score", "score", "--threshold", "0.5")
    where = ("--to", "mlflow", "--tracking-uri", server.address, "--experiment", "commands")
    first = answered("log", "birds.db", *where)
    assert first["metrics"] == {"labels": 0.0}
    good("ask", "birds.db", "--count", "20", "-o", "items.csv")
    answers = dict(line.split(",") for line in Path("birds/labels.csv").read_text().splitlines())
    items = [line.split(",")[0] for line in Path("items.csv").read_text().splitlines()[1:]]
    Path("told.csv").write_text("id,label\n" + "".join(f"{item},{answers[item]}\n" for item in items))
    good("tell", "birds.db", "told.csv")
    mlflow.MlflowClient().set_terminated(first["run_id"], "FAILED")
    second = answered("log", "birds.db", *where, "--metric", "recall")
    assert second["run_id"] == first["run_id"]
    assert server.get("runs/get", run_id=first["run_id"])["run"]["info"]["status"] == "FINISHED"
    recall = answered("estimate", "birds.db", "--metric", "recall")
    assert server.points(first["run_id"], "labels") == [(0, 0), (recall["labels"], recall["labels"])]
    assert server.points(first["run_id"], "recall") == [(recall["labels"], recall["value"])]
    assert "scores.csv" in server.download(first["run_id"], "lowshot/report.html")


def test_the_page_shows_the_run(server: Server, chromium: "Browser") -> None:
    found = log(two_models(9), report=False)
    page = new_context(chromium).new_page()
    page.route(lambda address: not address.startswith(server.address), lambda route: route.abort())
    page.goto(found.where)
    expect(page.get_by_text("f1_difference_low").first).to_be_visible()
    expect(page.get_by_text("lowshot.pool").first).to_be_visible()
