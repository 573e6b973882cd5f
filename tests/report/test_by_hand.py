"""Whoever does what "Check it by hand" says, with the numbers of the page alone, gets the number in its headline."""

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, Pool, Threshold, report
from lowshot.report.details import by_hand
from lowshot.report.sentences import headline
from lowshot.report.writing import page
from lowshot.result import short
from lowshot.tasks import finish, simulated

from ..test_several import scores_of


class Page(HTMLParser):
    """The paragraphs of the section, and the rows of its tables by their class."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.steps: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] = []
        self._inside = ""
        self.feed(re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        kind = dict(attrs).get("class", "")
        if tag == "table":
            self._rows = self.tables.setdefault(kind, [])
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
            self._inside = "cell"
        elif tag == "p" and kind == "by-hand":
            self.steps.append("")
            self._inside = "step"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "p"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "cell":
            self._rows[-1][-1] += data
        elif self._inside == "step":
            self.steps[-1] += data

    def rows(self, table: str) -> list[dict[str, str]]:
        names, *rows = self.tables[table]
        return [dict(zip(names, row, strict=True)) for row in rows]


def number(text: str) -> float:
    return float(text.replace(",", ""))


def added_up(shown: Page, column: str | None) -> tuple[float, float, float]:
    """tp, fp and fn from the table of labelled items: a column of weights, or the number of rows."""
    tp = fp = fn = 0.0
    for row in shown.rows("labelled"):
        weight = 1.0 if column is None else number(row[column] or "0")
        label = number(row["c(s)"] or "0.5") if row["label"] == "cannot tell" else number(row["label"])
        if row["predicted"] == "yes":
            tp, fp = tp + weight * label, fp + weight * (1 - label)
        else:
            fn += weight * label
    return tp, fp, fn


def from_groups(shown: Page) -> tuple[float, float, float]:
    tp = fn = items = 0.0
    for row in shown.rows("groups"):
        found = number(row["positive"]) + number(row["expected among the others"])
        if row["predicted"] == "yes":
            tp, items = tp + found, items + number(row["items"])
        else:
            fn += found
    return tp, items - tp, fn


def formula(step: str) -> tuple[float, float, float, str]:
    """The weights of fp and fn in the formula, and the value that the step states."""
    found = re.search(r"tp / \(tp \+ ([\d.e-]+) fp \+ ([\d.e-]+) fn\) = ([\d.,e-]+)\.", step)
    assert found is not None
    return 1.0, float(found[1]), float(found[2]), found[3]


def stated(step: str) -> tuple[float, float, float]:
    found = re.search(r"tp = ([\d.,e-]+), fp = ([\d.,e-]+), fn = ([\d.,e-]+), so", step)
    assert found is not None
    return number(found[1]), number(found[2]), number(found[3])


def done_by_hand(html: str) -> str:
    """What the section leads to, as the page would print it; every number that it states on the way is checked."""
    shown = Page(html)
    first, last = shown.steps[0], shown.steps[-1]
    value = None
    if "so " in first:
        sums = stated(first)
        if "“weight”" in first:
            mine = added_up(shown, "weight")
        elif "“item weight”" in first:
            mine = added_up(shown, "item weight")
        elif "average curve" in first:
            mine = from_groups(shown)
        elif first.startswith("Count"):
            mine = added_up(shown, None)
        else:
            mine = sums  # the report has no table that a reader could add up, and states the sums
        assert mine == pytest.approx(sums, rel=1e-4, abs=1e-4)
        _, of_fp, of_fn, said = formula(first)
        tp, fp, fn = mine
        value = tp / (tp + of_fp * fp + of_fn * fn)
        assert short(value) == said
    if "multiply the estimate of each round" in last:
        value = sum(number(row["estimate"]) * number(row["share in the average"]) for row in shown.rows("rounds"))
    if "Halfway between mean and median" in last:
        parts = [number(list(row.values())[1]) for row in shown.rows("curves")]
        median = re.search(r"the median of all curves, between the two parts in the middle, is ([\d.e-]+)\. ", last)
        assert median is not None
        middle = len(parts) // 2
        assert parts[middle - 1] <= float(median[1]) <= parts[middle]
        value = (sum(parts) / len(parts) + float(median[1])) / 2
    assert value is not None
    return short(value)


def labelled(sampler: str, metric: str = "f1", budget: int = 60, goal: Any = None, **more: Any) -> Evaluation:
    task = simulated()
    pool = Pool(task.pool.scores, task.pool.predictions, scale="probability", **more) if more else task.pool
    return finish(Evaluation(pool, sampler=sampler, metric=metric, goal=goal), task.labels, budget)


def unsure(sampler: str) -> Evaluation:
    """Two answers are "cannot tell", one label was known beforehand, and the last labels wait for another one."""
    task = simulated()
    evaluation = Evaluation(task.pool, sampler=sampler, known={0: 0})
    items = evaluation.ask(10)
    evaluation.tell(items, [None, *task.answer(items[1:9]), None])
    for _ in range(3):
        items = evaluation.ask(10)
        evaluation.tell(items, task.answer(items))
    rest = evaluation.ask(6)
    evaluation.tell(rest[1:], task.answer(rest[1:]))
    return evaluation


def helped() -> Evaluation:
    scores, truth = scores_of(items=1000, share=0.05)
    return finish(Evaluation(Pool(scores["v1"], threshold=2.0, helpers={"clip": scores["v2"]})), truth, 40)


def one_of_two() -> Evaluation:
    scores, truth = scores_of(items=1000, share=0.05)
    return finish(Evaluation(Pool(scores, threshold=2.0), goal="v2"), truth, 40)


WEIGHTS = np.linspace(0.5, 1.5, len(simulated().pool))
SAMPLERS = ("curve", "acis", "acis_last", "rand", "sawade", "topk", "iso", "platt", "gmm", "herding")
CASES: dict[str, Any] = {
    **{f"{one} {metric}": (labelled, one, metric) for one in SAMPLERS for metric in ("f1", "f0.5")},
    "precision": (labelled, "curve", "precision"),
    "recall": (labelled, "curve", "recall"),
    "precision by acis": (labelled, "acis", "precision"),
    "weights of items": (lambda: labelled("curve", weights=WEIGHTS),),
    "weights of items by sawade": (lambda: labelled("sawade", weights=WEIGHTS),),
    "everything": (labelled, "curve", "f1", 400),
    "everything with weights": (lambda: labelled("rand", budget=400, weights=WEIGHTS),),
    "threshold": (lambda: labelled("curve", goal=Threshold(recall=0.9)),),
    "threshold by design": (lambda: labelled("curve", goal=Threshold(recall=0.9, promise="design")),),
    "large pool": (lambda: labelled("curve", levels=40, head=100),),
    "unsure": (unsure, "curve"),
    "unsure by sawade": (unsure, "sawade"),
    "unsure by rand": (unsure, "rand"),
    "helper": (helped,),
    "one of two": (one_of_two,),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_estimate(case: str) -> None:
    make, *arguments = CASES[case]
    facts = report.gather(make(*arguments))
    assert facts.estimate is not None
    assert facts.by_hand is not None
    assert done_by_hand(page(facts)) == short(facts.estimate.value)
    assert short(facts.estimate.value) in headline(facts)


def test_groups_of_a_curve_add_up() -> None:
    facts = report.gather(labelled("curve"))
    assert facts.by_hand is not None
    groups = facts.by_hand.groups
    assert sum(group.items for group in groups) == facts.origin.items
    assert sum(group.labelled for group in groups) == 60


def test_without_a_way() -> None:
    """Several models: the report says why, and nothing that it cannot keep."""
    scores, truth = scores_of(items=1000, share=0.05)
    facts = report.gather(finish(Evaluation(Pool(scores, threshold=2.0)), truth, 20))
    (step,) = by_hand(facts)
    assert step.endswith("approximately.")
    assert "That is the estimate" not in page(facts)


def test_no_estimate_yet() -> None:
    evaluation = lowshot.Evaluation(simulated().pool, sampler="rand")
    evaluation.tell(evaluation.ask(1), [0])
    assert by_hand(report.gather(evaluation)) == ["There is no estimate to check yet."]
