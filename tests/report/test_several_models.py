"""Reports about several models: side by side, verdicts, and nothing that is true of one model only."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, InputError, Pool, report
from lowshot.goal import Goal
from lowshot.report.details import by_hand, doubt, verdict
from lowshot.report.facts import ReportFacts
from lowshot.report.sentences import headline, limits, promises
from lowshot.report.writing import page
from lowshot.tasks import finish

from ..test_several import f1, scores_of
from .test_report import NASTY, without_plotly


def labelled(
    goal: Goal | None = None, models: int = 2, budget: int = 40, items: int = 1000, **more: Any
) -> tuple[Evaluation, Any]:
    scores, truth = scores_of(items=items, share=0.05, lifts=(2.0, 3.0, 1.0, 2.5)[:models])
    return finish(Evaluation(Pool(scores, threshold=2.0), goal=goal, **more), truth, budget), truth


@pytest.fixture(scope="module")
def pair() -> ReportFacts:
    return report.gather(labelled(("v1", "v2"))[0])


@pytest.fixture(scope="module")
def each() -> ReportFacts:
    return report.gather(labelled(models=3)[0])


@pytest.mark.slow
def test_a_pair(pair: ReportFacts) -> None:
    evaluation, _ = labelled(("v1", "v2"))
    now = evaluation.compare("v1", "v2")
    assert now.interval is not None
    assert pair.estimate is None
    assert pair.comparison == now
    assert headline(pair).startswith("v2 is better than v1: the difference of F1 is 0.")
    assert headline(pair).endswith("with 95\N{NO-BREAK SPACE}% confidence; 40 labels")
    assert verdict(pair, now).startswith("v2 is better than v1. F1 is 0.")
    assert "v2 is better than v1 with probability" in verdict(pair, now)
    shown = page(pair)
    assert headline(pair) in shown
    assert "<h2>v2 against v1</h2>" in shown
    for section in ("The models side by side", "Each model against the number of labels", "What a verdict promises"):
        assert section in shown
    for section in ("Other metrics from the same labels", "The estimate against the number of labels"):
        assert section not in shown


def test_the_difference_is_what_it_was(pair: ReportFacts) -> None:
    """Each point is what an evaluation that stopped there says."""
    evaluation, _ = labelled(("v1", "v2"))
    assert pair.models is not None
    path = pair.models.difference
    assert path is not None
    assert (path.baseline, path.candidate, len(path.points)) == ("v1", "v2", 25)
    history = evaluation.snapshot()
    for point in path.points:
        then = evaluation.at(history.until(point.labels)).compare("v1", "v2")
        assert point.estimate == then
    stopped, _ = labelled(("v1", "v2"), budget=32)
    by_labels = {point.labels: point.estimate for point in path.points}
    assert by_labels[32] == stopped.compare("v1", "v2")


@pytest.mark.slow
def test_models_side_by_side(pair: ReportFacts) -> None:
    evaluation, _ = labelled(("v1", "v2"))
    assert pair.models is not None
    for one, row in zip(pair.models.every, evaluation.table().rows, strict=True):
        assert (one.name, one.best) == (row["model"], row["best"])
        assert one.predicted == evaluation.pool.view(one.name).predicted_positives
        assert [measure.name for measure in one.measures] == ["f1", "precision", "recall", "tp", "fp", "fn"]
        assert one.measures[2].estimate == evaluation.estimate("recall", model=one.name)
    assert [one.name for one in pair.models.paths] == ["v1", "v2"]
    for one in pair.models.paths:
        assert one.path.points[-1].estimate == evaluation.estimate(model=one.name)


@pytest.mark.slow
def test_each_and_best(each: ReportFacts) -> None:
    """The model that is most likely the best is compared with the others."""
    evaluation, _ = labelled(models=3)
    assert each.models is not None
    assert each.comparison is None
    assert each.models.difference is None
    lead = max(evaluation.table().rows, key=lambda row: row["best"])["model"]
    assert each.models.leader.name == lead
    others = [name for name in ("v1", "v2", "v3") if name != lead]
    assert each.models.others == [evaluation.compare(name, lead) for name in others]
    told = rf"{lead} is the best of 3 models with probability .*; F1 from 0\.\d+ to 0\.\d+; 40 labels"
    assert re.fullmatch(told, headline(each))
    shown = page(each)
    assert f"<h2>{lead} against the others</h2>" in shown
    assert "Each of the 2 comparisons is judged by itself" in shown
    best = report.gather(labelled("best", models=3, budget=10)[0])
    assert "for the best model" in page(best)


@pytest.mark.slow
def test_one_of_several() -> None:
    """The report of v2, with its place among the others."""
    evaluation, _ = labelled("v2", models=3, budget=20)
    facts = report.gather(evaluation)
    assert facts.estimate == evaluation.estimate(model="v2")
    assert facts.path[-1].estimate == evaluation.estimate(model="v2")
    assert headline(facts).startswith("F1 of v2 is ")
    assert facts.models is not None
    assert facts.models.others == [evaluation.compare(name, "v2") for name in ("v1", "v3")]
    assert {row.item for row in facts.table if row.predicted} == {
        row.item for row in facts.table if evaluation.pool.view("v2").predicted(np.array([row.position]))[0]
    }
    shown = page(facts)
    assert "The estimate against the number of labels" in shown
    assert "Each model against the number of labels" not in shown
    assert "<h2>v2 against the others</h2>" in shown


def test_a_model_with_a_helper() -> None:
    scores, truth = scores_of(items=1000, share=0.05)
    pool = Pool(scores["v1"], threshold=2.0, helpers={"clip": scores["v2"]})
    evaluation = finish(Evaluation(pool), truth, 20)
    facts = report.gather(evaluation)
    assert facts.estimate == evaluation.estimate()
    assert facts.models is None
    assert facts.by_hand is not None
    assert facts.by_hand.groups == ()
    assert by_hand(facts)[0].startswith("The estimate uses many curves")
    shown = page(facts)
    assert "<dt>Scores that help</dt><dd>clip</dd>" in shown
    assert "The groups" not in shown
    assert "What a verdict promises" not in shown
    assert promises(facts) == []


def test_sums_by_hand_are_left_out(pair: ReportFacts) -> None:
    """Groups of one ranking do not add up to an average over several rankings, nor do those of several models."""
    assert pair.by_hand is None
    assert by_hand(pair)[0].startswith("Estimates of several models are averages over many curves")
    scores, truth = scores_of(items=1000, share=0.05)
    pool = Pool(scores["v1"], threshold={"strict": 2.5, "lax": 1.5})
    facts = report.gather(finish(Evaluation(pool), truth, 20))
    assert by_hand(facts) == by_hand(pair)
    for found in (pair, facts):
        assert "That is the estimate" not in page(found)
        assert "The groups" not in page(found)


def test_everything_is_labelled() -> None:
    evaluation, truth = labelled(("v1", "v2"), budget=60, items=60)
    facts = report.gather(evaluation)
    scores = scores_of(items=60, share=0.05)[0]
    gap = f1(scores["v2"] >= 2, truth) - f1(scores["v1"] >= 2, truth)
    assert facts.comparison is not None
    assert facts.comparison.value == pytest.approx(gap)
    assert headline(facts).endswith("nothing is left to estimate; 60 labels")
    assert by_hand(facts)[0].startswith("Every item that matters is labelled: tp, fp and fn of each model")
    assert not any("Repeated looks" in limit for limit in limits(facts))
    assert facts.models is not None
    for one in facts.models.every:
        exact = {measure.name: measure.estimate.value for measure in one.measures if measure.estimate is not None}
        assert exact["f1"] == pytest.approx(exact["tp"] / (exact["tp"] + 0.5 * exact["fp"] + 0.5 * exact["fn"]))
    assert page(facts)


def test_identical_models_are_tied() -> None:
    scores, truth = scores_of(items=500, share=0.05)
    same = {"v1": scores["v1"], "copy": scores["v1"]}
    facts = report.gather(finish(Evaluation(Pool(same, threshold=2.0), goal=("v1", "copy")), truth, 20))
    assert headline(facts).startswith("copy and v1 are tied: F1 is the same; nothing is left to estimate")
    assert "Note: both models predict the same items positive" in page(facts)


def test_a_margin() -> None:
    evaluation, _ = labelled(("v1", "v2"), budget=20)
    facts = report.gather(evaluation, margin=0.9)
    assert headline(facts).startswith("v2 and v1 are tied within 0.9: ")
    assert "“Tied” means that the difference is smaller than 0.9" in page(facts)
    assert facts.models is not None
    assert facts.models.difference is not None
    assert set(facts.models.difference.levels) == {0.0, -0.9, 0.9}
    with pytest.raises(InputError, match=r"margin must be a number from 0 to 1: got 2"):
        report.gather(evaluation, margin=2)


def test_undecided() -> None:
    facts = report.gather(labelled(("v1", "v2"), budget=3)[0])
    assert headline(facts).startswith("Undecided between v2 and v1: the difference of F1 is ")
    assert "“Undecided” does not mean that the models are equally good" in page(facts)


def test_cannot_tell_only() -> None:
    scores, _ = scores_of(items=500)
    for goal in (("v1", "v2"), "best", "v1", None):
        evaluation = Evaluation(Pool(scores, threshold=2.0), goal=goal)
        evaluation.tell(evaluation.ask(3), [None] * 3)
        facts = report.gather(evaluation)
        assert "not known yet" in headline(facts)
        assert "3 labels: all are “cannot tell”." in page(facts)


def test_labels_to_check_change_the_difference(pair: ReportFacts) -> None:
    evaluation, _ = labelled(("v1", "v2"))
    before, most = evaluation.compare("v1", "v2").value, pair.doubts[0]
    evaluation.correct(most.row.item, 1 - (most.row.label or 0))
    after = evaluation.compare("v1", "v2").value
    assert (most.value, most.change) == (pytest.approx(after), pytest.approx(after - before))
    assert "the difference of F1" in doubt(pair)


@pytest.mark.slow
def test_labels_to_check_name_the_model_that_changes_most(each: ReportFacts) -> None:
    evaluation, _ = labelled(models=3)
    before = {name: evaluation.estimate(model=name).value for name in ("v1", "v2", "v3")}
    most = each.doubts[0]
    evaluation.correct(most.row.item, 1 - (most.row.label or 0))
    change = {name: evaluation.estimate(model=name).value - value for name, value in before.items()}
    assert most.of == max(change, key=lambda name: abs(change[name]))
    assert most.change == pytest.approx(change[most.of])
    assert f"would change F1 of {most.of} by" in doubt(each)


def test_along_the_ranking(pair: ReportFacts, each: ReportFacts) -> None:
    """Items by who predicts them; ranks are those of the ranking that the last round was drawn from."""
    assert [line.kind.name for line in pair.calibration] == [
        "predicted by both",
        "predicted by v1 only",
        "predicted by v2 only",
        "predicted by neither",
    ]
    assert {line.kind.name for line in each.calibration} <= {f"predicted by {who}" for who in ("all", "some", "none")}
    for facts in (pair, each):
        for line in facts.calibration:
            assert np.all((line.value >= 0) & (line.value <= 1))
            assert np.all(np.diff(line.rank) > 0)
        assert [row.rank for row in facts.table] == sorted({row.rank for row in facts.table})
        assert facts.histogram.counts.sum() == len(facts.table) == 40
    evaluation, _ = labelled(("v1", "v2"))
    design = evaluation.snapshot().rounds[-1].design
    ranking = evaluation.view.joint.rankings[design.ranking]  # type: ignore[attr-defined]
    assert pair.table[0].rank == ranking.rank(np.array([pair.table[0].position]))[0]
    for row in pair.table:
        flags = [evaluation.pool.view(name).predicted(np.array([row.position]))[0] == 1 for name in ("v1", "v2")]
        assert row.predicted_by == tuple(name for name, flag in zip(("v1", "v2"), flags, strict=True) if flag)
        assert row.predicted == any(flags)


@pytest.mark.slow
def test_a_model_that_came_later(tmp_path: Path) -> None:
    """Its rounds were drawn for another evaluation: there is no design to show, and nothing fails."""
    scores, truth = scores_of(items=1000, share=0.05)
    old = finish(Evaluation(Pool(scores["v1"], threshold=2.0), store=tmp_path / "birds.db"), truth, 20)
    new = old.with_model("v2", scores["v2"], threshold=2.0, goal=("model", "v2"))
    facts = report.gather(new)
    assert facts.calibration == []
    assert facts.comparison == new.compare("model", "v2")
    assert "v2 against model" in page(facts)
    finish(new, truth, 25)
    assert report.gather(new).calibration != []


def test_what_limits_say(pair: ReportFacts) -> None:
    evaluation, _ = labelled(("v1", "v2"), budget=10, settings={"anytime": True})
    often, once = (" ".join(limits(facts)) for facts in (report.gather(evaluation), pair))
    assert "Repeated looks" in once
    assert "Repeated looks" not in often
    assert "target='population'" not in once + often, "a difference has no such target"


def test_a_large_pool() -> None:
    """Items in groups: ranks and lines are those of one example per cell."""
    scores, truth = scores_of(items=3000, share=0.05)
    pool = Pool(scores, threshold=2.0, levels=50, head=200)
    evaluation = finish(Evaluation(pool, goal=("v1", "v2")), truth, 20)
    facts = report.gather(evaluation)
    assert facts.comparison == evaluation.compare("v1", "v2")
    assert facts.origin.predicted == {name: int((scores[name] >= 2).sum()) for name in ("v1", "v2")}
    assert facts.calibration != []
    assert facts.histogram.counts.sum() == 20
    assert "v2 against v1" in page(facts)


def test_confidence(pair: ReportFacts) -> None:
    evaluation, _ = labelled(("v1", "v2"), budget=20)
    facts = report.gather(evaluation, confidence=0.8)
    assert facts.comparison == evaluation.compare("v1", "v2", confidence=0.8)
    assert "above 0 and “worse” only if it is below 0" in promises(facts)[0]
    assert "at most 20 of 100 evaluations" in promises(facts)[0]
    assert "at most 5 of 100 evaluations" in promises(pair)[0]


def test_names_are_text(tmp_path: Path) -> None:
    scores, truth = scores_of(items=500, share=0.05)
    names = (f"{NASTY}$a$b", "_v2")
    pool = Pool(dict(zip(names, scores.values(), strict=True)), threshold=2.0)
    evaluation = finish(Evaluation(pool, goal=names), truth, 10)
    written = report.write(evaluation, tmp_path / "report.html", pictures=True)
    html = without_plotly(written[0].read_text("utf-8"))
    assert NASTY not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert len(re.findall("<script[ >]", html)) == html.count("</script>") == html.count("Plotly.newPlot(") + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("goal", "names"),
    [(("v1", "v2"), ["difference", "models"]), ("best", ["models"]), ("v2", ["estimate"]), (None, ["models"])],
)
def test_files(goal: Goal | None, names: list[str], tmp_path: Path) -> None:
    evaluation, _ = labelled(goal, models=3, budget=8)
    written = report.write(evaluation, tmp_path / "report.html", pictures=True)
    assert [path.name for path in written] == [
        "report.html",
        *(f"report-{name}.png" for name in [*names, "calibration", "draws"]),
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written[1:])
    html = without_plotly(written[0].read_text("utf-8"))
    assert not re.search(r"""(src|href|url)\s*[=(]""", html)
    assert html.count("Plotly.newPlot(") == 3 + len(names) + 1


def test_nothing_changes() -> None:
    evaluation, _ = labelled(("v1", "v2"), budget=10)
    before = evaluation.history
    report.gather(evaluation)
    assert evaluation.history == before
    assert evaluation.ask(5) == labelled(("v1", "v2"), budget=10)[0].ask(5)


def test_progress(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    evaluation, _ = labelled(("v1", "v2"), budget=20)
    report.write(evaluation, tmp_path / "report.html", advance=lambda done, steps: seen.append((done, steps)))
    assert seen == [(done, 40) for done in range(1, 41)]
