"""The loop for a classifier with many categories: one answer says what an item is, and serves all of them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, cast

from lowshot import checks, class_estimation, estimation, telling
from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers
from lowshot.class_estimation import Asked
from lowshot.class_metric import AveragedMetric, average, is_average
from lowshot.errors import InputError
from lowshot.estimation import Target
from lowshot.evaluation import Evaluation, refuse_another_order
from lowshot.goal import EACH, Goal
from lowshot.markup import note
from lowshot.metric import FBeta, Metric, f_metric
from lowshot.pools.class_pool import ClassPool
from lowshot.result import Comparison, Estimate, Plan, Table
from lowshot.sampler.classes import Classes
from lowshot.stopping import Wanted
from lowshot.threshold_result import BandKind, ThresholdChoice, Thresholds

CATEGORY = "category"
LOWEST = 10  # categories that a notebook shows


class ClassEvaluation(Evaluation):
    """An evaluation of a `ClassPool`; `Evaluation(pool)` makes one.

    >>> import lowshot, numpy as np
    >>> random = np.random.default_rng(0)
    >>> truth = random.integers(0, 3, size=2000)
    >>> scores = random.normal(size=(2000, 3)) + 2 * np.eye(3)[truth]
    >>> pool = lowshot.ClassPool(scores, classes=["heron", "crow", "wren"])
    >>> evaluation = lowshot.Evaluation(pool, metric="f1_macro", seed=0)
    >>> while evaluation.labels < 100 and (items := evaluation.ask(100 - evaluation.labels)):
    ...     evaluation.tell(items, [pool.categories[truth[i]] for i in items])
    >>> evaluation.estimate().labels
    100
    >>> evaluation.table().names
    ['heron', 'crow', 'wren']
    """

    pool: ClassPool
    metric: AveragedMetric
    sampler: Classes

    @property
    def _answers(self) -> ClassAnswers:
        return self.pool.answers

    @property
    def goal(self) -> Goal:
        """What labels are spent on: the name of an average, "each" category, or the names of some."""
        return self.metric.name if self.sampler.goal is None else self.sampler.goal

    @property
    def model(self) -> str:
        """A pool of many categories has one model."""
        return self.pool.models[0]

    @property
    def _wanted(self) -> tuple[str, ...]:
        return self.pool.models

    def tell(
        self, items: Iterable[Id] | Mapping[Id, Any], labels: Iterable[Any] | None = None, *, category: Id | None = None
    ) -> None:
        """Answers by id: the name of a category, `lowshot.OTHER` for none of them, or None for "cannot tell".

        items     the ids, with labels in the same order; or {id: label}, without labels
        category  the answers are yes or no (1, 0, None) to the question whether an item is of this category. That
                  says less than a name; a name that agrees may be told later
        """
        items, labels = telling.pairs(items, labels)
        listed = checks.listed("items", items)
        refuse_another_order(self.pool, items, listed, labels)
        if category is None:
            telling.tell(self._journal, self.pool, listed, self._answers.check_all(listed, labels))
            return
        self._answers.place(category)
        answers = checks.listed("labels", labels)
        if len(answers) != len(listed):
            raise InputError(f"labels must be one for each item: got {len(answers)} labels for {len(listed)} items")
        pairs = zip(listed, answers, strict=True)
        told = [self._answers.about(category, item, answer) for item, answer in pairs]
        telling.tell(self._journal, self.pool, listed, told)

    def estimate(
        self,
        metric: str | Metric | None = None,
        *,
        model: str | None = None,
        category: Id | None = None,
        where: Any = None,
        predictions: Any = None,
        confidence: float = 0.95,
        target: Target = "pool",
    ) -> Estimate:
        """The estimate from the labels so far, of the average over all categories or of one of them.

        category    which one; the average over all if not given
        metric      of one category any F: "f1", "precision", "recall"; of all an average: "f1_macro", "accuracy"
        where       a part of the pool: {"camera": "north"}
        confidence  of the interval
        """
        checks.number("confidence", confidence, 0.01, 0.9999)
        checks.choice("target", target, ("pool", "population"))
        _refuse_given(model=model, predictions=predictions, target=None if target == "pool" else target)
        asked = self._asked(where, confidence)
        if category is None:
            return class_estimation.overall(asked, self._average(metric))
        return class_estimation.of_category(asked, self._answers.place(category), self._one(metric))

    def _asked(self, where: Any, confidence: float) -> Asked:
        return Asked(self.sampler, self.pool.view(), self._history, self.pool.part(where), confidence)

    def _average(self, metric: str | Metric | None) -> AveragedMetric:
        return self.metric if metric is None else average(metric)

    def _one(self, metric: str | Metric | None) -> FBeta:
        """The metric of one category; without one, that which the average is about."""
        if metric is not None and is_average(metric):
            raise InputError(f"metric must be that of one category, such as 'f1': got {metric!r}, an average over all")
        return self.metric.each if metric is None else f_metric(metric)

    def table(
        self,
        by: str = CATEGORY,
        *,
        model: str | None = None,
        metric: str | Metric | None = None,
        below: float | None = None,
        confidence: float = 0.95,
    ) -> Table:
        """Every category with its estimate, interval and labels; or every value of a column of slices.

        by      "category", or the name of a column of slices, of which the average over all categories is shown
        metric  any F; that which the average is about if not given
        below   a line: each row has the probability that its metric is below it
        """
        _refuse_given(model=model)
        checks.number("confidence", confidence, 0.01, 0.9999)
        if below is not None:
            checks.number("below", below, 0.0, 1.0)
        if by == CATEGORY:
            return class_estimation.table(self._asked(None, confidence), self._one(metric), below)
        asked = [(name, self._asked({by: name}, confidence)) for name in self.pool.slices.by(by, CATEGORY).names]
        return class_estimation.table_of_parts(asked, by, self._average(metric), below)

    def _reached(self, wanted: Wanted) -> bool:
        """Whether the interval of what the goal is about is this narrow: the average, or every category that counts."""
        _refuse_verdict(wanted)
        width, sure = wanted.width, wanted.sure
        if self.sampler.goal is None:
            return self._stopping.reached(wanted)
        return all(_narrow(row, width) for row in self._rows_of_goal(sure))

    def _rows_of_goal(self, confidence: float) -> list[dict[str, Any]]:
        """The rows of the categories that labels are spent on."""
        wanted = self.pool.categories if self.goal == EACH else cast("tuple[Id, ...]", self.goal)
        rows = {row[CATEGORY]: row for row in self.table(confidence=confidence).rows}
        return [rows[name] for name in wanted]

    def _plan(self, wanted: Wanted) -> Plan:
        """The labels until that interval is this narrow."""
        _refuse_verdict(wanted)
        if self.sampler.goal is None:
            return self._stopping.plan(wanted)
        width, sure = wanted.width, wanted.sure
        asked = self._asked(None, sure)
        if isinstance(self.goal, tuple) and len(self.goal) == 1:
            return class_estimation.plan_alone(asked, self.metric.each, width)
        if self._reached(wanted):
            return estimation.enough(self._history, half_width=width)
        return class_estimation.plan_widest(asked, self.metric, self._rows_of_goal(sure), width)

    def plot(self, ax: Any = None, by: str | None = None) -> Any:
        """The average with its interval against the number of labels, on Matplotlib axes. Extra `[plots]`.

        ax  axes to draw on; new ones if not given
        by  "category", or a column of slices: the rows of `table(by)` instead, a dot and an interval each

        The axes are returned.
        """
        from lowshot.charts import dots, estimate_path

        if by is not None:
            return dots.plot(self.table(by), ax)
        estimator = estimate_path.Estimator(self.sampler, self.view, self.metric)
        return estimate_path.plot(estimator, self.snapshot(), ax)

    def _repr_html_(self) -> str:
        """The average, and the categories with the lowest values."""
        parts = [self._facts(), self.estimate()._repr_html_()]
        if not self.labels:
            return "".join(parts)
        table = self.table()
        lowest = sorted(table.rows, key=lambda row: (row["value"] is None, row["value"] or 0.0))[:LOWEST]
        more = len(table.rows) - len(lowest)
        parts.append(replace(table, rows=tuple(lowest))._repr_html_())
        return "".join([*parts, note(f"{more:,} more categories, with higher values: see table()" if more else "")])

    def compare(self, baseline: str, candidate: str, **arguments: Any) -> Comparison:
        _refuse("models cannot be compared")

    def thresholds(
        self, *, model: str | None = None, band: BandKind = "pointwise", confidence: float = 0.95
    ) -> Thresholds:
        _refuse("there is no threshold")

    def choose_threshold(self, **arguments: Any) -> ThresholdChoice:
        _refuse("there is no threshold to choose")

    def with_model(self, name: str, scores: Any = None, **arguments: Any) -> Evaluation:
        _refuse("no model can be added")

    def weights(self, round_number: int | None = None) -> NoReturn:
        _refuse("labels have no weights of their own")


def _refuse_verdict(wanted: Wanted) -> None:
    if wanted.verdict or wanted.margin:
        raise InputError("verdict and margin must be left out with many classes: give half_width")


def _narrow(row: dict[str, Any], width: float) -> bool:
    return row["low"] is not None and (row["high"] - row["low"]) / 2 <= width


def _refuse_given(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise InputError(f"{name} must be left out with many classes: a ClassPool has one model, which is judged")


def _refuse(what: str) -> NoReturn:
    raise InputError(
        f"{what} with many classes: see table() for every category, or make a lowshot.Pool of one class and its scores"
    )
