"""The report on many categories: what it says, that it needs nothing else, and what it looks like in a browser."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lowshot
from lowshot import InputError, report
from lowshot.charts.confusion import confusions
from lowshot.class_evaluation import ClassEvaluation
from lowshot.labelling import Desk
from lowshot.report.class_facts import gather_classes
from lowshot.report.writing import page

from ..browsers import expect, new_context
from ..web.classes import any_number, birds

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def labelled(folder: Path, **more: Any) -> ClassEvaluation:
    evaluation, _ = birds(folder, **{"classes": 20, "labels": 60, **more})
    assert isinstance(evaluation, ClassEvaluation)
    return evaluation


def test_the_facts_are_those_of_the_evaluation(tmp_path: Path) -> None:
    evaluation = labelled(tmp_path)
    before = evaluation.history
    done: list[tuple[int, int]] = []
    facts = gather_classes(evaluation, confidence=0.9, advance=lambda *step: done.append(step))
    assert facts.estimate == evaluation.estimate(confidence=0.9)
    assert facts.table == evaluation.table(confidence=0.9)
    assert facts.path.points[-1].estimate == facts.estimate
    assert done[-1] == (25, 25)
    assert facts.measures[0].name == "f1_macro"
    assert all(one.estimate is not None for one in facts.measures)
    assert len(facts.labelled) == 60
    assert sum(one.items for one in confusions(evaluation.pool, evaluation.snapshot(), most=1000)) == sum(
        row.right is False for row in facts.labelled
    )
    assert evaluation.history == before, "nothing changes"


def test_the_page_is_one_file_with_every_category(tmp_path: Path) -> None:
    evaluation = labelled(tmp_path, question="Which bird is it?")
    paths = report.write(evaluation, tmp_path / "report.html", pictures=True)
    assert [path.name for path in paths] == ["report.html", "report-estimate.png", "report-categories.png"]
    text = paths[0].read_text()
    shown = re.findall(r'<tr[^>]* data-name="([^"]*)" data-value="([^"]*)"', text)
    assert sorted(name for name, _ in shown) == sorted(map(str, evaluation.pool.categories))
    assert [float(value) for _, value in shown] == sorted(float(value) for _, value in shown)
    assert f"<h1>Macro F1 is {evaluation.estimate().value:.3f}; between" in text
    assert "Which bird is it?" in text
    for absent in ("Thresholds", "along the ranking", "Check it by hand", "predicted positive"):
        assert absent not in text
    without_plotly = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?\s*(https?:)?//""", without_plotly)


def test_names_are_text(tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    pool = lowshot.ClassPool([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], classes=[script, "b&b"], ids=["<i>", "y", "z"])
    evaluation = lowshot.Evaluation(pool)
    evaluation.tell(evaluation.ask(3), ["b&b"] * 3)
    assert isinstance(evaluation, ClassEvaluation)
    text = page(gather_classes(evaluation))
    assert script not in text
    assert "<i>" not in text
    assert "b&amp;b" in text
    assert script not in evaluation._repr_html_()


def test_any_number_of_classes(tmp_path: Path) -> None:
    evaluation, truth = any_number(tmp_path)
    assert isinstance(evaluation, ClassEvaluation)
    for item in evaluation.ask(20):
        there = truth[evaluation.pool.position(item)]
        evaluation.tell([item], [[name for name, flag in zip(evaluation.pool.categories, there, strict=True) if flag]])
    facts = gather_classes(evaluation)
    wrong = [row for row in facts.labelled if row.right is False]
    assert wrong
    assert all(row.predicted != row.label for row in wrong)
    assert all(row.label == row.predicted.replace("nothing", "none of these") for row in facts.labelled if row.right)
    assert "What is confused" in page(facts)


def test_answers_that_say_little(tmp_path: Path) -> None:
    evaluation = labelled(tmp_path, labels=0)
    items = evaluation.ask(6)
    evaluation.tell(items[:2], [None, lowshot.OTHER])
    evaluation.tell(items[2:4], [0, 1], category="heron")
    facts = gather_classes(evaluation)
    assert [row.label for row in facts.labelled] == ["cannot tell", "none of these", "not heron", "heron"]
    assert facts.labelled[0].right is None
    assert facts.labelled[1].right is False
    assert "answered &#39;cannot tell&#39;" in page(facts)


def test_agreement_is_about_categories(tmp_path: Path) -> None:
    evaluation = labelled(tmp_path, labels=0)
    desk = Desk(evaluation, wanted=2)
    items = {person: desk.take(person, 3) for person in ("ann", "bob")}
    assert items["ann"] == items["bob"]
    for person, words in (("ann", ("heron", "crow", "wren")), ("bob", ("heron", "crow", lowshot.OTHER))):
        for item, word in zip(items[person], words, strict=True):
            desk.answer(person, item, word)
    facts = gather_classes(evaluation)
    assert facts.agreed is not None
    assert (facts.agreed.items, facts.agreed.same, facts.agreed.disputes) == (3, pytest.approx(2 / 3), 1)
    assert "Agreement between annotators" in page(facts)


@pytest.mark.parametrize(
    ("goal", "words"),
    [(None, "the average over all classes"), ("each", "each class"), (["heron", "crow"], "heron, crow")],
)
def test_the_goal_in_words(tmp_path: Path, goal: Any, words: str) -> None:
    evaluation = labelled(tmp_path, labels=12, goal=goal)
    assert gather_classes(evaluation).origin.goal == words


def test_refusals(tmp_path: Path) -> None:
    evaluation = labelled(tmp_path, labels=0)
    with pytest.raises(InputError, match="a report needs labels"):
        report.write(evaluation, tmp_path / "report.html")
    with pytest.raises(InputError, match=r"margin must be left out with many classes: got 0\.1"):
        report.write(evaluation, tmp_path / "report.html", margin=0.1)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("goal", [None, "each", ["heron", "crow"]])
def test_plots_and_notebooks(tmp_path: Path, goal: Any) -> None:
    from matplotlib.figure import Figure

    evaluation = labelled(tmp_path, labels=30, goal=goal)
    ax = Figure().subplots()
    assert evaluation.plot(ax) is ax
    assert ax.get_ylabel() == "Macro F1"
    rows = Figure().subplots()
    assert evaluation.plot(rows, by="category") is rows
    assert len(rows.get_yticklabels()) == 20
    text = evaluation._repr_html_()
    assert "f1_macro" in text
    lowest = min(evaluation.table().rows, key=lambda row: row["value"])
    assert str(lowest["category"]) in text
    assert "10 more categories" in text


def test_in_a_browser(chromium: "Browser", tmp_path: Path) -> None:
    """Rows can be found and sorted; on a phone nothing is cut off; without scripts all rows are there."""
    (path,) = report.write(labelled(tmp_path, classes=40), tmp_path / "report.html")
    complaints: list[str] = []
    for scripts in (True, False):
        context = new_context(chromium, viewport={"width": 375, "height": 667}, java_script_enabled=scripts)
        tab = context.new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(path.as_uri())
        rows = tab.locator(".dots tbody tr")
        expect(rows).to_have_count(40)
        expect(rows.first).to_be_visible()
        if not scripts:
            expect(tab.locator(".dots-tools")).to_be_hidden()
            context.close()
            continue
        assert tab.evaluate("document.documentElement.scrollWidth") <= 375
        tab.get_by_label("Find a category").fill("owl")
        expect(tab.locator(".dots tbody tr:visible")).to_have_count(1)
        expect(tab.locator(".dots-count")).to_have_text("1 of 40")
        tab.get_by_label("Find a category").fill("")
        tab.get_by_label("Order").select_option("name")
        expect(rows.first).to_contain_text("baba ba")
        tab.get_by_label("Order").select_option("highest")
        values = [float(value) for value in rows.evaluate_all("rows => rows.map((row) => row.dataset.value)")]
        assert values == sorted(values, reverse=True)
        context.close()
    assert complaints == []
