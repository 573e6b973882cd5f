"""What the owner's page says in numbers: counts that add up, precision and recall, slices, missing pictures, files."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import lowshot
from lowshot import Evaluation
from lowshot.labelling.counts import Counts
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from ..helpers import good
from .classes import WORDS, birds
from .models import several
from .people import GREY, OWNER, TOKEN, browser, say, take


def owner_of(app: Any) -> Any:
    eve = browser(app)
    eve.get("/owner", params={"token": OWNER})
    return eve


def test_every_number_agrees(evaluation: Evaluation, shown: Shown) -> None:
    """On the owner's page, on the overview, and for programs: asked = labels + pending, and so on."""
    app = make_app(evaluation, shown, owner_token=OWNER)
    ann, bob, eve = browser(app, "ann"), browser(app, "bob"), owner_of(app)
    for answer in ("yes", "no", "cannot tell"):
        say(ann, take(ann)[0], answer)
    for _ in range(2):
        say(bob, take(bob)[0])
    counts = eve.get("/api/owner/state").json()["counts"]
    assert counts["text"].startswith("5 labels: 2 count, 1 is “cannot tell”, 2 wait for 3 earlier items; ")
    assert counts["answered"] == counts["counted"] + counts["cannot_tell"] + counts["waiting"] == evaluation.labels
    assert counts["asked"] == counts["answered"] + counts["pending"]
    assert counts["pending"] == len(evaluation.pending)
    (mine,) = eve.get("/api/owner/overview").json()["evaluations"]
    assert (mine["labels"], mine["pending"], mine["asked"]) == (5, counts["pending"], counts["asked"])
    assert counts["text"].startswith(f"{mine['counts']}; ")
    status = eve.get("/api/v1/status").json()
    assert {name: status[name] for name in ("asked", "counted", "cannot_tell", "waiting", "pending")} == {
        name: counts[name] for name in ("asked", "counted", "cannot_tell", "waiting", "pending")
    }
    assert (status["labels"], eve.get("/api/v1/estimate").json()["labels"]) == (5, 2)


def test_labels_that_all_wait_are_not_called_none(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path)
    items = evaluation.ask(3)
    evaluation.tell(items[1:], ["owl", "kite"])
    state = owner_of(make_app(evaluation, WORDS, owner_token=OWNER)).get("/api/owner/state").json()
    assert state["estimate"]["reason"] == "all 2 labels wait for an earlier item"
    assert str(Counts.of(evaluation.snapshot())) == "2 labels: all wait for an earlier item; 1 item asked has no label"


def test_precision_and_recall_beside_f1(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    items = evaluation.ask(30)
    evaluation.tell(items, [int(task.labels[evaluation.pool.position(item)]) for item in items])
    eve = owner_of(make_app(evaluation, shown, owner_token=OWNER))
    (found,) = eve.get("/api/owner/measures").json()["models"]
    assert [one["name"] for one in found["measures"]] == ["f1", "precision", "recall"]
    for one in found["measures"]:
        known = evaluation.estimate(one["name"])
        assert known.interval is not None
        assert (one["value"], one["low"], one["high"]) == (known.value, known.interval.low, known.interval.high)
    recall = evaluation.estimate("recall").interval
    assert recall is not None
    ends = f"{round(100 * recall.low)} to {round(100 * recall.high)}"
    assert found["measures"][2]["meaning"] == f"Of 100 positives in the pool, {ends} are found."


def test_measures_of_several_models_and_slices(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, "best", slices={"camera": ["north", "south"] * 1000})
    eve = owner_of(make_app(evaluation, shown, owner_token=OWNER))
    found = eve.get("/api/owner/measures").json()["models"]
    assert [one["model"] for one in found] == ["v1", "v2"]
    table = evaluation.table(metric="precision")
    assert [one["measures"][1]["value"] for one in found] == [row["value"] for row in table.rows]
    assert eve.get("/api/owner/models").json()["leader"].startswith("v2 is the best of 2 models with probability ")
    page = eve.get("/owner").text
    assert "<option>camera</option>" in page
    chart = eve.get("/api/owner/slices", params={"by": "camera", "model": "v2"}).json()["chart"]
    assert "north" in chart
    refused = eve.get("/api/owner/slices", params={"by": "lens", "model": "v2"})
    assert (refused.status_code, "camera" in refused.json()["message"]) == (422, True)


def test_a_class_evaluation_has_averages_beside_it(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, labels=30)
    (found,) = owner_of(make_app(evaluation, WORDS, owner_token=OWNER)).get("/api/owner/measures").json()["models"]
    assert [one["name"] for one in found["measures"]] == ["f1_macro", "precision_macro", "recall_macro"]
    assert found["measures"][2]["value"] == evaluation.estimate("recall_macro").value


def test_missing_pictures_are_counted_until_they_are_there(evaluation: Evaluation, shown: Shown, root: Path) -> None:
    gone = [root / f"stroller-{number}.png" for number in range(0, 400, 2)]
    for path in gone:
        path.unlink()
    (root / "stroller-1.png").write_bytes(b"no picture")
    app = make_app(evaluation, shown, owner_token=OWNER)
    ann, eve = browser(app, "ann"), owner_of(app)
    items = [str(app.state.site.item(one["item"])) for one in take(ann)]
    eve.get("/api/owner/state")
    app.state.site.missing.looking.join()
    found = eve.get("/api/owner/state").json()["missing"]
    missing = [item for item in items if (root / item) in gone]
    assert (found["asked"], found["of_asked"], found["of_sampled"]) == (len(missing), 3, 200)
    assert 60 < found["sampled"] < 140, "half of 200 that are drawn from 400"
    assert len(found["paths"]) == 5
    for path in [*gone, root / "stroller-1.png"]:
        path.write_bytes(GREY)
    while (found := eve.get("/api/owner/state").json()["missing"]) is not None:
        assert found["sampled"] < 140, "some are looked for again per request"


def test_the_owner_sees_what_items_are(evaluation: Evaluation) -> None:
    """Texts are shortened in tables; all of a text comes for one item, to the owner alone."""
    long = "<b>offer</b> " * 100
    app = make_app(evaluation, Shown("text", lambda item: [("text", long)]), owner_token=OWNER)
    ann, eve = browser(app, "ann"), owner_of(app)
    item = take(ann)[0]
    say(ann, item)
    (row,) = eve.get("/api/owner/state").json()["answers"]
    assert row["fields"][0]["value"] == f"{long[:400].rstrip()}…"
    whole = eve.get("/api/owner/item", params={"item": row["item"]}).json()
    assert (whole["id"], whole["fields"][0]["value"]) == (row["id"], long)
    assert eve.get("/api/owner/item", params={"item": "another"}).status_code == 422
    assert ann.get("/api/owner/item", params={"item": row["item"]}).status_code == 401


def test_files_are_for_the_owner(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER)
    ann, eve = browser(app), owner_of(app)
    ann.get("/", params={"token": TOKEN})
    ann.post("/api/name", json={"name": "ann"})
    for _ in range(4):
        say(ann, take(ann)[0], "cannot tell" if evaluation.labels == 3 else "yes")
    paths = ("/api/owner/labels", "/api/owner/report")
    assert [ann.get(path).status_code for path in paths] == [401, 401]
    labels, report = (eve.get(path) for path in paths)
    assert labels.headers["content-disposition"] == 'attachment; filename="evaluation-labels.csv"'
    rows = list(csv.DictReader(io.StringIO(labels.text)))
    assert [row["label"] for row in rows] == ["1", "1", "1", "cannot tell"]
    assert [row["id"] for row in rows] == list(evaluation.history["labels"])
    assert {(row["annotator"], row["price"]) for row in rows} == {("ann", "20 €")}
    assert report.headers["content-disposition"] == 'attachment; filename="evaluation-report.html"'
    assert report.text.startswith("<!doctype html>")
    assert eve.get("/api/owner/report").content == report.content, "kept until labels change"


def test_a_report_without_its_extra(evaluation: Evaluation, shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pictures: bool) -> None:
        raise lowshot.MissingExtra("a report needs plotly: pip install 'lowshot[report]'")

    monkeypatch.setattr("lowshot.report.writing.refuse_missing_extra", refuse)
    page = owner_of(make_app(evaluation, shown, owner_token=OWNER)).get("/owner").text
    assert "pip install &#39;lowshot[report]&#39;" in page
    assert 'disabled aria-describedby="no-report"' in page


def test_the_file_of_labels_is_what_export_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lowshot.cli.opening import open_evaluation
    from lowshot.cli.showing import shown_of

    monkeypatch.chdir(tmp_path)
    Path("pool.csv").write_text("id,score,title\n" + "".join(f"m{n},{n / 50},offer {n}\n" for n in range(50)))
    good("start", "m.db", "--pool", "pool.csv", "--score", "score", "--threshold", "0.5", "--field", "title")
    opened = open_evaluation("m.db", None)
    app = make_app(opened.evaluation, shown_of(opened), solo=True)
    ann = browser(app, "ann")
    for _ in range(3):
        say(ann, take(ann)[0])
    assert ann.get("/api/owner/labels").text == good("export", "m.db").stdout
