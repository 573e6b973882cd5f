"""Reports: the facts are those of the evaluation, and the page shows them as text and loads nothing."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from plotly.offline import get_plotlyjs

import lowshot
from lowshot import report
from lowshot.labelling import Desk
from lowshot.report.details import agreement, by_hand
from lowshot.report.origin import agreed
from lowshot.report.sentences import headline
from lowshot.report.writing import page
from lowshot.tasks import Task, finish, simulated

SAMPLERS = ("curve", "acis", "topk", "rand", "sawade", "iso")
NASTY = "<script>alert(1)</script>"


def labelled(sampler: str = "curve", budget: int = 60, **more: object) -> lowshot.Evaluation:
    task = simulated()
    evaluation = lowshot.Evaluation(task.pool, sampler=sampler, **more)  # type: ignore[arg-type]
    finish(evaluation, task.labels, budget)
    return evaluation


def without_plotly(html: str) -> str:
    """The page without the library in it, which names hosts in texts that are never loaded."""
    assert html.count(get_plotlyjs()) == 1
    return html.replace(get_plotlyjs(), "")


@pytest.mark.parametrize("sampler", SAMPLERS)
class TestFacts:
    def test_the_path_ends_at_the_estimate(self, sampler: str) -> None:
        evaluation = labelled(sampler)
        facts = report.gather(evaluation)
        assert facts.path[-1].labels == evaluation.labels == 60
        assert facts.path[-1].estimate == facts.estimate == evaluation.estimate()
        assert len(facts.path) == 25
        assert [point.labels for point in facts.path] == sorted({point.labels for point in facts.path})

    def test_the_path_is_what_an_evaluation_that_stops_earlier_says(self, sampler: str) -> None:
        by_labels = {point.labels: point.estimate for point in report.gather(labelled(sampler)).path}
        for budget in (36, 48):
            stopped = labelled(sampler, budget).estimate()
            assert by_labels[budget].value == pytest.approx(stopped.value, abs=1e-12, nan_ok=True)
            assert by_labels[budget].interval == stopped.interval

    def test_every_label_is_counted_once(self, sampler: str) -> None:
        facts = report.gather(labelled(sampler))
        assert facts.histogram.counts.sum() == len(facts.table) == 60
        assert facts.histogram.items.sum() == facts.origin.items
        assert all(row.round > 0 for row in facts.table)
        assert [row.rank for row in facts.table] == sorted(row.rank for row in facts.table)

    def test_lines_are_probabilities(self, sampler: str) -> None:
        facts = report.gather(labelled(sampler))
        for line in facts.calibration + facts.probabilities:
            assert np.all((line.value >= 0) & (line.value <= 1))
            assert np.all(np.diff(line.rank) > 0)
        assert bool(facts.probabilities) == (sampler not in ("curve", "topk"))

    def test_nothing_changes(self, sampler: str) -> None:
        evaluation = labelled(sampler)
        before = evaluation.history
        report.gather(evaluation)
        assert evaluation.history == before
        assert evaluation.ask(5) == labelled(sampler).ask(5)


def test_measures_without_an_interval() -> None:
    facts = report.gather(labelled("topk"))
    assert {measure.name for measure in facts.measures} >= {"f1", "precision", "recall", "tp", "fp", "fn", "prevalence"}
    assert all(measure.estimate is not None and measure.estimate.interval is None for measure in facts.measures)
    assert "without an interval" in headline(facts)


def test_what_draws_for_precision_cannot_tell() -> None:
    facts = report.gather(labelled("acis", 20, metric="precision"))
    found = {measure.name: measure for measure in facts.measures}
    assert found["precision"].estimate == facts.estimate
    assert found["recall"].estimate is None
    assert "cannot be estimated" in found["recall"].reason
    assert "cannot be estimated" in page(facts)


def test_weights_are_those_of_the_evaluation() -> None:
    evaluation = labelled("acis")
    weighted = evaluation.weights()
    found = {row.item: row.weight for row in report.gather(evaluation).table if row.weight is not None}
    assert found == pytest.approx(dict(zip(weighted.items, weighted.weights.tolist(), strict=True)))


@pytest.mark.parametrize(("sampler", "seed"), [("curve", 2), ("sawade", 3)])
def test_a_planted_wrong_label_is_found(sampler: str, seed: int) -> None:
    """An item far down that is called positive by mistake, among more labels than are tried.

    With these seeds it is among the 60 labels that are tried; it need not be.
    """
    task = simulated(items=4000, positives=60, strays=0)
    evaluation = lowshot.Evaluation(task.pool, sampler=sampler, seed=seed)
    finish(evaluation, task.labels, 150)
    facts = report.gather(evaluation)
    wrong = next(row for row in reversed(facts.table) if row.label == 0)
    evaluation.correct(wrong.item, 1)
    found = report.gather(evaluation)
    assert found.tried == 60
    doubt = next(doubt for doubt in found.doubts if doubt.change > 0)
    assert doubt.row.item == wrong.item
    assert doubt.value == facts.estimate.value


def test_answers_that_nobody_could_give_and_labels_known_before() -> None:
    task = simulated()
    evaluation = lowshot.Evaluation(task.pool, known={0: 0, 1: 0})
    items = evaluation.ask(10)
    evaluation.tell(items, [None, *task.answer(items[1:])])
    facts = report.gather(evaluation)
    counts = facts.counts
    assert (counts.asked, counts.answered, counts.cannot_tell, counts.counted, counts.known) == (10, 10, 1, 9, 2)
    assert facts.histogram.rounds == ("known", "round 1")
    assert facts.path[-1].estimate == evaluation.estimate()
    html = page(facts)
    assert headline(facts).endswith("; 9 labels and 2 known before")
    assert "10 labels: 9 count, 1 is “cannot tell”; 2 known before." in html
    assert "The interval allows for either label of an item answered &#39;cannot tell&#39;." in html
    assert "Here every answer counts as a label, 10 in all" in html


def test_known_labels_that_were_drawn_at_random() -> None:
    known = lowshot.Known({0: 0, 200: 0}, drawn="uniform")
    html = page(report.gather(lowshot.Evaluation(simulated().pool, known=[known, {2: 0}])))
    assert "0 labels and 3 known before, 2 of them drawn at random" in html
    assert "no labels yet; 3 known before, 2 of them drawn at random" in html


def test_known_labels_alone() -> None:
    facts = report.gather(lowshot.Evaluation(simulated().pool, known={0: 0, 1: 0}))
    assert [point.labels for point in facts.path] == [0]
    assert page(facts)


def test_a_correction_is_part_of_the_past() -> None:
    evaluation = labelled("topk", 20)
    first = report.gather(evaluation)
    evaluation.correct(first.table[0].item, 1 - (first.table[0].label or 0))
    facts = report.gather(evaluation)
    assert [point.labels for point in facts.path[:20]] == list(range(1, 21))
    assert [point.estimate for point in facts.path[:20]] == [point.estimate for point in first.path]
    assert facts.path[-1].estimate == evaluation.estimate() != first.estimate


def test_in_a_store(tmp_path: Path) -> None:
    evaluation = labelled("acis", 30, store=tmp_path / "birds.db")
    again = lowshot.Evaluation(simulated().pool, store=tmp_path / "birds.db")
    mine, other = report.gather(labelled("acis", 30)), report.gather(again)
    assert repr(mine.path) == repr(other.path) == repr(report.gather(evaluation).path)  # NaN does not equal itself
    assert (mine.table, mine.doubts, mine.measures) == (other.table, other.doubts, other.measures)


def test_name_and_question(tmp_path: Path) -> None:
    named = labelled("acis", 10, store=tmp_path / "birds.db", name="spring", question="Is it a <crow>?")
    shown = page(report.gather(named))
    assert "lowshot report on spring," in shown
    assert shown.count("Is it a &lt;crow&gt;?") == 2  # at the top, and among the settings
    assert "Is it a <crow>?" not in shown
    memory = page(report.gather(labelled("acis", 10)))
    assert "lowshot report, 20" in memory
    assert "The question" not in memory


def test_agreement(tmp_path: Path) -> None:
    """Ann and Bob answer ten items and differ on three of them; Eve decides one."""
    task = simulated()
    desk = Desk(lowshot.Evaluation(task.pool, store=tmp_path / "birds.db"), wanted=2)
    items = desk.take("ann", 10)
    assert desk.take("bob", 10) == items
    assert agreed(desk.evaluation) is None
    for number, item in enumerate(items):
        (label,) = task.answer([item])
        desk.answer("ann", item, label)
        desk.answer("bob", item, 1 - label if number < 3 else label)
    desk.decide("eve", items[0], 1)
    facts = report.gather(desk.evaluation)
    assert facts.agreed is not None
    assert (facts.agreed.people, facts.agreed.items, facts.agreed.same, facts.agreed.disputes) == (2, 10, 0.7, 2)
    assert facts.agreed.kappa == desk.agreement().kappa
    shown = page(facts)
    assert "2 people answered, 10 items by two or more. 70\N{NO-BREAK SPACE}% of the pairs" in shown
    assert "People disagree on 2 items: the owner has to decide." in shown
    assert "Agreement between annotators" not in page(report.gather(labelled("acis", 10)))


def test_labels_that_wait() -> None:
    """Draws count in their order, up to the first without a label."""
    task = simulated()
    evaluation = lowshot.Evaluation(task.pool)
    first, *rest = evaluation.ask(10)
    evaluation.tell(rest, task.answer(rest))
    facts = report.gather(evaluation)
    assert headline(facts).endswith("; 0 labels")
    assert "9 labels: all wait for an earlier item; 1 item asked has no label. Waiting labels count once" in page(facts)
    evaluation.tell([first], task.answer([first]))
    facts = report.gather(evaluation)
    assert (facts.counts.waiting, facts.counts.counted, str(facts.counts)) == (0, 10, "10 labels")


def test_everybody_says_the_same(tmp_path: Path) -> None:
    desk = Desk(lowshot.Evaluation(simulated().pool, store=tmp_path / "birds.db"), wanted=2)
    for annotator in ("ann", "bob"):
        desk.answer(annotator, desk.take(annotator)[0], 1)
    assert (
        "100\N{NO-BREAK SPACE}% of the pairs of first answers are the same; Cohen's kappa is not defined"
        in agreement(report.gather(desk.evaluation))
    )


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_file_that_loads_nothing(sampler: str, tmp_path: Path) -> None:
    written = report.write(labelled(sampler), tmp_path / "report.html")
    html = written[0].read_text("utf-8")
    assert written == [tmp_path / "report.html"] == list(tmp_path.iterdir())
    rest = without_plotly(html)
    assert not re.search(r"""(src|href|url)\s*[=(]""", rest)
    assert not re.search(r"https?://", rest)
    assert "default-src 'none'" in rest
    assert rest.count("Plotly.newPlot(") == 5


def test_ids_are_text(tmp_path: Path) -> None:
    task = simulated()
    ids = [f"{NASTY}{number}" for number in range(len(task.pool))]
    columns = {"scores": task.pool.scores, "predictions": task.pool.predictions}
    nasty = Task(lowshot.Pool(**columns, ids=ids), task.labels)
    evaluation = lowshot.api.run(lowshot.Evaluation(nasty.pool), nasty.answer, 30)
    html = without_plotly(report.write(evaluation, tmp_path / "report.html")[0].read_text("utf-8"))
    assert NASTY not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 30
    assert len(re.findall("<script[ >]", html)) == html.count("</script>") == 8, "six of Plotly, two of thresholds"


def test_an_id_that_no_file_can_hold(tmp_path: Path) -> None:
    pool = lowshot.Pool([0.9, 0.1], threshold=0.5, ids=["half \ud800", "whole"])
    evaluation = lowshot.Evaluation(pool)
    evaluation.tell(evaluation.ask(2), [1, 0])
    assert "half ?" in report.write(evaluation, tmp_path / "report.html")[0].read_text("utf-8")


def test_headline() -> None:
    facts = report.gather(labelled(), confidence=0.9)
    assert re.fullmatch(r"F1 is 0\.\d+; between 0\.\d+ and 0\.\d+ with 90\s% confidence; 60 labels", headline(facts))
    assert headline(facts) in page(facts)


def test_an_estimate_that_is_not_there_yet() -> None:
    facts = report.gather(labelled("rand", 1))
    assert headline(facts) == "F1 is not known yet; 1 label"
    assert "F1 is not known yet." in page(facts)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_nothing_left_to_estimate(sampler: str) -> None:
    facts = report.gather(labelled(sampler, 400))
    assert headline(facts) == "F1 is exactly 0.667; nothing is left to estimate; 400 labels"
    assert by_hand(facts)[-1].endswith("That is the estimate.")
    assert page(facts)


def test_pictures(tmp_path: Path) -> None:
    names = ["report.html", "report-estimate.png", "report-calibration.png", "report-draws.png"]
    written = report.write(labelled("acis"), str(tmp_path / "report.html"), pictures=True)
    assert written == [tmp_path / name for name in names]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written[1:])


def test_progress(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    report.write(labelled(), tmp_path / "report.html", advance=lambda done, steps: seen.append((done, steps)))
    assert seen == [(done, 85) for done in range(1, 86)]


def test_label_first(tmp_path: Path) -> None:
    evaluation = lowshot.Evaluation(simulated().pool)
    with pytest.raises(lowshot.InputError, match=r"a report needs labels: .* label some items first"):
        report.write(evaluation, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_bad_input(tmp_path: Path) -> None:
    evaluation = labelled(budget=5)
    with pytest.raises(lowshot.InputError, match=r"evaluation must be a lowshot.Evaluation: got str"):
        report.write("birds.db", tmp_path / "report.html")  # type: ignore[arg-type]
    with pytest.raises(lowshot.InputError, match=r"path must end in .html or .htm: got 'report.pdf'"):
        report.write(evaluation, "report.pdf")
    with pytest.raises(lowshot.InputError, match=r"path must be in a folder that exists: got .*; make the folder"):
        report.write(evaluation, tmp_path / "nowhere" / "report.html")
    with pytest.raises(lowshot.InputError, match=r"path must be a text or a Path: got None"):
        report.write(evaluation, None)  # type: ignore[arg-type]
    with pytest.raises(lowshot.InputError, match=r"pictures must be True or False: got 'yes'"):
        report.write(evaluation, tmp_path / "report.html", pictures="yes")  # type: ignore[arg-type]
    with pytest.raises(lowshot.InputError, match=r"shown must be a lowshot.labelling.items.Shown: got 'text'"):
        report.write(evaluation, tmp_path / "report.html", shown="text")  # type: ignore[arg-type]
    with pytest.raises(lowshot.InputError, match=r"about must be texts by name, such as .*: got {'Threshold': 0.5}"):
        report.write(evaluation, tmp_path / "report.html", about={"Threshold": 0.5})  # type: ignore[dict-item]
    with pytest.raises(lowshot.InputError, match=r"confidence must be a number from 0.01 to 0.9999: got 95"):
        report.write(evaluation, tmp_path / "report.html", confidence=95)


@pytest.mark.parametrize("missing", ["plotly", "jinja2", "matplotlib"])
def test_a_missing_extra_is_named(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.split(".")[0] == missing or name in ("lowshot.charts.html", "lowshot.charts.png"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(lowshot.MissingExtra, match=rf"a report needs {missing}.*: pip install 'lowshot\[report\]'"):
        report.write(labelled(budget=5), tmp_path / "report.html", pictures=True)
    assert not list(tmp_path.iterdir())


def test_it_can_be_imported_without_its_extra() -> None:
    without = "import sys; sys.modules.update(dict.fromkeys(['jinja2', 'markupsafe', 'matplotlib', 'plotly']))"
    subprocess.run([sys.executable, "-c", f"{without}; import lowshot.report"], check=True)


@pytest.mark.slow
def test_what_was_known_beforehand_is_in_the_report() -> None:
    prior = lowshot.Prior(prevalence=(0.03, 0.12))
    html = page(report.gather(labelled(prior=prior)))
    assert "<dt>Known beforehand</dt><dd>prevalence 0.03 to 0.12</dd>" in html
    assert "prior=" not in without_plotly(html)
    assert "Known beforehand" not in page(report.gather(labelled()))
