"""Results as plain data, in a notebook and as a plot: one set of keys at every door."""

import json
import math
import re
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from matplotlib import pyplot
from matplotlib.figure import Figure

import lowshot
from lowshot import Estimate, Interval, MissingExtra, Plan, Reach, Table, Weighted, markup, report
from lowshot.tasks import finish, simulated
from lowshot.web import Shown, make_app

from .helpers import found, invoke

# Programs read these: a key may be added, never renamed or removed.
INTERVAL = {"low", "high", "confidence", "half_width"}
ESTIMATE = INTERVAL | {
    "metric",
    "value",
    "variance",
    "standard_error",
    "labels",
    "skipped",
    "waiting",
    "waiting_for",
    "reach",
    "text",
    "reason",
    "warning",
}
PLAN = {"half_width", "low", "likely", "high", "labels", "most", "margin", "text"}
OLD_COMMAND = ESTIMATE - {"half_width", "reach", "text"}
OLD_API = ESTIMATE - {"variance", "skipped", "reach"} | {"wanted_half_width", "stop"}
NASTY = "<script>alert(1)</script>"


def words(html: str) -> str:
    """What people read of it."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def labelled(sampler: str = "acis", budget: int = 60, **more: Any) -> lowshot.Evaluation:
    task = simulated()
    evaluation = lowshot.Evaluation(task.pool, sampler=sampler, **more)
    finish(evaluation, task.labels, budget)
    return evaluation


@pytest.mark.parametrize("sampler", ["curve", "acis", "topk"])
@pytest.mark.parametrize("budget", [0, 60, 400])
def test_an_estimate_as_plain_data(sampler: str, budget: int) -> None:
    estimate = labelled(sampler, budget).estimate()
    found = json.loads(json.dumps(estimate.to_dict(), allow_nan=False))
    assert set(found) == ESTIMATE
    assert found["value"] == (estimate.value if estimate.defined else None)
    assert (found["variance"], found["standard_error"]) == (estimate.variance, estimate.standard_error)
    for name in ("low", "high", "confidence"):
        assert found[name] == getattr(estimate.interval, name, None)
    assert found["half_width"] == (estimate.interval and estimate.interval.width / 2)
    assert found["reach"] == {**vars(estimate.reach), "share": estimate.reach.share}
    assert found["text"] == str(estimate)


def test_what_is_undefined_is_none() -> None:
    blank = Estimate("f1", math.nan, math.nan, Interval(math.nan, math.inf), 0, Reach(0, 9)).to_dict()
    assert [blank[name] for name in ("value", "variance", "standard_error", "low", "high", "half_width")] == [None] * 6
    assert blank["confidence"] == 0.95


def test_a_plan_and_weights_as_plain_data() -> None:
    plan = Plan(0.05, 120, 180, 260, labels=30, most=3000)
    assert plan.to_dict() == {**vars(plan), "text": str(plan)}
    weighted = labelled().weights()
    found = json.loads(json.dumps(weighted.to_dict(), allow_nan=False))
    assert {name: len(column) for name, column in found.items()} == dict.fromkeys(
        ("items", "labels", "predictions", "weights"), len(weighted.items)
    )
    assert found["weights"] == weighted.weights.tolist()


def test_commands_print_these_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    task = simulated()
    rows = "".join(f"{number},{score!r}\n" for number, score in enumerate(task.pool.scores.tolist()))
    Path("pool.csv").write_text(f"id,score\n{rows}")

    found("start", "birds.db", "--pool", "pool.csv", "--id", "id", "--score", "score", "--threshold", "0.5")
    assert set(found("estimate", "birds.db")) == ESTIMATE | {"name"} > OLD_COMMAND
    gate = invoke("estimate", "birds.db", "--at-least", "0.5", "--json")
    assert set(json.loads(gate.stdout)) == ESTIMATE | {"name", "at_least", "verdict"}
    assert set(found("status", "birds.db")["evaluations"][0]["estimate"]) == ESTIMATE
    assert set(found("plan", "birds.db", "--half-width", "0.2")) == PLAN | {"name"}


def test_api_and_page_send_these_keys(tmp_path: Path) -> None:
    evaluation = labelled(store=tmp_path / "birds.db")
    page = make_app(evaluation, Shown("text", lambda item: [("text", str(item))]), solo=True)
    client = TestClient(page, base_url="http://127.0.0.1:8484", client=("127.0.0.1", 50000))
    found = client.get("/api/v1/estimate").json()
    assert set(found) == ESTIMATE | {"wanted_half_width", "stop"} > OLD_API
    shown = client.get("/api/owner/state").json()["estimate"]
    assert shown.pop("meaning").startswith("This is the value for all 400 items")
    assert found == shown
    assert {**found, **evaluation.estimate().to_dict()} == found
    point = client.get("/api/owner/history").json()["points"][-1]
    assert point == {name: found[name] for name in ("labels", "value", "low", "high")}


def test_results_in_a_notebook() -> None:
    estimate = Estimate("f1", 0.5, 0.01, Interval(0.31, 0.69, 0.9), 1200, Reach(600, 50_000), reason=NASTY)
    html = estimate._repr_html_()
    assert words(html) == f"0.500 f1 0 1 90 % interval 0.310 to 0.690 from 1,200 labels {NASTY}"
    assert "<script" not in html
    plan = Plan(0.05, 120, 180, 260, labels=30, most=3000)._repr_html_()
    ahead = "typically 180, nine of ten runs at most 260"
    assert words(plan) == f"about 180 labels in total 0 260 for an interval of ± 0.05 {ahead} 30 labels so far"
    enough = Plan(0.05, 20, 25, 28, labels=30, most=3000)._repr_html_()
    assert words(enough) == "30 labels are enough 0 30 for an interval of ± 0.05 30 labels so far"


def test_the_bar_of_an_estimate() -> None:
    """A share is on an axis from 0 to 1; a count on one that ends with it; nothing is drawn of what is undefined."""
    share = Estimate("f1", 0.5, 0.01, Interval(0.25, 0.75), 9, Reach(6, 9))._repr_html_()
    line, dot = re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)"', share)[1], re.findall(r'<circle cx="([\d.]+)"', share)
    start, end = 6.0, markup.WIDE - 6.0  # of the axis
    at = [(float(x) - start) / (end - start) for x in (*line, *dot)]
    assert at == pytest.approx([0.25, 0.75, 0.5], abs=0.05 / (end - start), rel=0), "places have one decimal"
    count = Estimate("tp", 120.0, 1.0, Interval(100, 140), 9, Reach(6, 9))._repr_html_()
    assert "120 tp 0 140 95 % interval" in words(count)
    nothing = Estimate("f1", math.nan, None, None, 0, Reach(6, 9), reason="no labels yet")._repr_html_()
    assert "<svg" not in nothing
    assert words(nothing) == "undefined f1 from 0 labels no labels yet"


def test_a_long_table_in_a_notebook_says_how_many_more_rows_it_has() -> None:
    rows = tuple({"camera": f"c{n}", "value": 0.5, "low": 0.4, "high": 0.6, "labels": 4} for n in range(200))
    table = Table("f1", 0.95, 70, rows, by="camera")
    html = table._repr_html_()
    assert html.count("<tr>") == 1 + markup.ROWS
    assert "180 more rows: see to_frame()" in html
    assert table.to_html().count("<tr>") == 201
    assert "more row" not in table.to_html()


@pytest.mark.parametrize("make", [lambda: Weighted([1], *[np.ones(1)] * 3), lambda: Table("f1", 0.95, 0, ())])
def test_a_frame_needs_pandas(make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"a data frame needs pandas: pip install 'lowshot\[notebook\]'; or use \."):
        make().to_frame()


def test_weights_as_a_frame() -> None:
    weighted = labelled().weights()
    frame = weighted.to_frame()
    assert frame.columns.tolist() == ["item", "label", "prediction", "weight"]
    assert frame["weight"].tolist() == weighted.weights.tolist()


def test_weights_in_a_notebook() -> None:
    column = np.ones(12)
    html = Weighted([NASTY, *range(11)], column, column, column / 12)._repr_html_()
    assert html.count("<tr>") == 11, "a header and the first ten rows"
    assert "2 more rows" in html
    assert "<script" not in html


def test_an_evaluation_in_a_notebook() -> None:
    evaluation = labelled()
    html = evaluation._repr_html_()
    assert "400 items" in html
    assert html.endswith(evaluation.estimate()._repr_html_())


@pytest.mark.parametrize("sampler", ["curve", "acis", "topk"])
def test_a_plot_shows_the_estimates_against_labels(sampler: str) -> None:
    evaluation = labelled(sampler)
    ax = Figure().subplots()
    assert evaluation.plot(ax) is ax
    (line,) = ax.get_lines()
    points = report.gather(evaluation).path
    assert line.get_xdata().tolist() == [point.labels for point in points]
    assert line.get_ydata().tolist() == pytest.approx([point.estimate.value for point in points], nan_ok=True)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("labels", "F1")
    now = evaluation.estimate()
    assert line.get_xydata()[-1].tolist() == [60, now.value]
    if now.interval is None:
        assert not ax.collections
    else:
        (band,) = ax.collections
        corners = band.get_paths()[0].vertices.tolist()
        assert [60, now.interval.low] in corners
        assert [60, now.interval.high] in corners


def test_a_plot_on_axes_of_its_own() -> None:
    """From known labels alone there is one point; its interval is a line, as an area would have no width."""
    ax = lowshot.Evaluation(simulated().pool, sampler="curve", known=dict.fromkeys(range(5), 1)).plot()
    try:
        assert ax.get_lines()[0].get_xdata().tolist() == [0]
        assert len(ax.collections[0].get_segments()) == 1
    finally:
        pyplot.close(ax.figure)


def test_a_plot_changes_nothing() -> None:
    evaluation = labelled()
    before = evaluation.history
    evaluation.plot(Figure().subplots())
    assert evaluation.history == before


def test_a_plot_needs_labels_and_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(lowshot.InputError, match=r"a plot needs labels: .* label some items first"):
        lowshot.Evaluation(simulated().pool).plot()
    monkeypatch.delitem(sys.modules, "lowshot.charts.png", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(lowshot.MissingExtra, match=r"a plot needs matplotlib.*: pip install 'lowshot\[plots\]'"):
        labelled(budget=5).plot()


SLICED = (
    {"camera": "<north>", "value": 0.5, "low": 0.2, "high": 0.8, "labels": 4, "items": 1200, "below": 0.7},
    {"camera": 7, "value": None, "low": None, "high": None, "labels": 0, "items": 3, "below": None, "reason": "empty"},
)


def test_a_table_by_something_else_names_it_and_shows_counts_the_line_and_notes() -> None:
    table = Table("f1", 0.9, 70, SLICED, by="camera", below=0.6)
    assert str(table).splitlines() == [
        "camera   f1         90 % interval   below 0.6  labels  items  note",
        "<north>  0.500      0.200 to 0.800  70 %       4       1,200",
        "7        undefined                  undefined  0       3      empty",
    ]
    assert table.names == ["<north>", 7]
    assert "&lt;north&gt;" in table._repr_html_()
    plain = table.to_dict()
    assert (plain["by"], plain["below"], plain["rows"][1]["camera"]) == ("camera", 0.6, 7)
    assert table.to_frame()["camera"].tolist() == ["<north>", 7]


def test_a_table_by_model_shows_neither_labels_nor_notes() -> None:
    row = {"model": "v1", "value": 0.5, "low": 0.4, "high": 0.6, "labels": 70, "reason": "said elsewhere", "best": 1.0}
    assert str(Table("f1", 0.95, 70, (row,))).splitlines()[0] == "model  f1     95 % interval   best"


def test_a_table_without_rows_has_a_header() -> None:
    assert str(Table("f1", 0.95, 70, (), by="camera")) == "camera  f1  95 % interval"
