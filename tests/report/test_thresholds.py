"""The section about thresholds of a report."""

from pathlib import Path
from typing import Any

import pytest

from lowshot import Evaluation, Pool, Threshold, report
from lowshot.report.details import settings
from lowshot.report.sentences import chosen, headline
from lowshot.report.writing import page
from lowshot.tasks import finish, simulated

from ..browsers import expect, new_context
from ..test_several import scores_of

HEADING = "<h2>Thresholds</h2>"


def labelled(goal: Any = None, labels: int = 12, sampler: str = "curve", **more: Any) -> Evaluation:
    task = simulated()
    pool = Pool(task.pool.scores, task.pool.predictions, **more)
    return finish(Evaluation(pool, goal=goal, sampler=sampler), task.labels, labels)


def several(goal: Any, **more: Any) -> Evaluation:
    scores, truth = scores_of(items=2000, share=0.03, lifts=(2.0, 3.0))
    return finish(Evaluation(Pool(scores, threshold=2.0, **more), goal=goal), truth, 12)


def test_a_threshold_goal() -> None:
    evaluation = labelled(Threshold(recall=0.9))
    facts = report.gather(evaluation, confidence=0.9)
    assert facts.choice == evaluation.choose_threshold()
    assert facts.thresholds is not None
    assert facts.thresholds.confidence == 0.9
    assert facts.thresholds.rows == evaluation.thresholds(confidence=0.9).rows
    html = page(facts)
    assert html.count(HEADING) == html.count('class="choice"') == html.count('class="thresholds"') == 1
    assert f'<p class="cut-threshold">{facts.choice.threshold:.6g}</p>' in html
    assert headline(facts).startswith("F1 is ")
    assert "chose the items to label for a threshold with recall of at least 0.9" in chosen(facts)
    assert ("Goal", "a threshold with recall of at least 0.9") in settings(facts)


def test_a_threshold_of_one_of_several() -> None:
    evaluation = several(Threshold(recall=0.9, model="v2"))
    facts = report.gather(evaluation)
    assert headline(facts).startswith("F1 of v2 is ")
    assert "for a threshold of v2 with recall of at least 0.9" in chosen(facts)
    assert facts.choice is not None
    assert facts.choice.model == "v2"
    html = page(facts)
    assert html.count(HEADING) == 1
    assert "precision and recall of v2 of what each threshold keeps" in html


@pytest.mark.slow
def test_other_goals_of_one_model() -> None:
    """The curve without a choice."""
    for evaluation in (labelled(), several("v2"), labelled(levels=40, head=100)):
        facts = report.gather(evaluation)
        assert facts.choice is None
        html = page(facts)
        assert html.count(HEADING) == html.count('class="thresholds"') == 1
        assert 'class="choice"' not in html


@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [
        lambda: labelled(sampler="acis"),
        lambda: several(None),
        lambda: several(("v1", "v2")),
        lambda: several("v2", levels=40, head=100),
    ],
    ids=["sampler", "each", "pair", "large pool"],
)
def test_where_there_are_none(made: Any) -> None:
    facts = report.gather(made())
    assert (facts.thresholds, facts.choice) == (None, None)
    html = page(facts)
    assert HEADING not in html
    assert "cut-slider" not in html


def test_only_answers_that_do_not_count() -> None:
    evaluation = labelled(Threshold(recall=0.9), labels=0)
    evaluation.tell(evaluation.ask(2), [None, None])
    facts = report.gather(evaluation)
    assert facts.thresholds is None
    assert "No threshold: all answers so far are &#x27;cannot tell&#x27;" in page(facts)


def test_the_slider_moves(tmp_path: Path, chromium: Any) -> None:
    """In a browser, from a file, beside the figures of the report."""
    evaluation = labelled(Threshold(recall=0.9))
    (path,) = report.write(evaluation, tmp_path / "report.html")
    context = new_context(chromium)
    reader = context.new_page()
    complaints: list[str] = []
    reader.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    reader.on("pageerror", lambda error: complaints.append(str(error)))
    reader.goto(path.as_uri())
    slider = reader.get_by_role("slider", name="Move the threshold")
    slider.press("Home")
    shown = reader.locator(".thresholds .cut-numbers dd")
    expect(shown.nth(1)).to_have_text("1")
    slider.press("End")
    expect(shown.nth(1)).to_have_text(f"{len(evaluation.pool):,}")
    context.close()
    assert complaints == []
