"""CLASSES: one set of beliefs about all categories, learned from all labels; labels where they help the goal most."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lowshot import checks
from lowshot.class_answer import NO_CATEGORY
from lowshot.class_metric import AveragedMetric
from lowshot.core.classes.influence import Aim
from lowshot.core.interval import Interval, finite
from lowshot.core.types import Flags
from lowshot.design import Design, ItemDesign
from lowshot.errors import InputError
from lowshot.goal import Goal
from lowshot.history import History
from lowshot.metric import FBeta, Metric, f_metric
from lowshot.pools.base import View
from lowshot.pools.class_view import ClassView
from lowshot.result import Estimate, Plan, Reach
from lowshot.sampler import class_pair
from lowshot.sampler.base import MOST, Sampler, around, refuse_plan_without_items
from lowshot.sampler.class_beliefs import ASSUMED, Believed, believed, drawing
from lowshot.sampler.curve import Curve
from lowshot.words import NO_LABELS

ONE_PAIR = 2  # categories: of which one is a question of yes or no about the other


@dataclass(frozen=True)
class Classes(Sampler):
    """Beliefs about the class of every item, with few parameters that all classes share and two per class, are learned
    from all labels. The next labels are drawn where they tell most about the average over all classes, about each of
    them, or about some.

    >>> import lowshot
    >>> pool = lowshot.ClassPool([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]], classes=["a", "b", "c"])
    >>> sorted(lowshot.Evaluation(pool).ask(3))
    [0, 1, 2]

    first   labels of the first round
    growth  of the total number of labels from round to round
    goal    what labels are spent on: the average over all classes if None, "each" class, or some of them. Labels for
            one class alone, or for one of two, are chosen as for a pool of yes and no, by sampler "curve"
    """

    name: ClassVar[str] = "classes"
    whole: ClassVar[bool] = True

    first: int = 50
    growth: float = 1.25
    goal: Goal | None = None

    def __post_init__(self) -> None:
        checks.whole_number("first", self.first, 1)
        checks.number("growth", self.growth, 1.01, 10)

    def with_goal(self, goal: Goal) -> "Classes":
        return replace(self, goal=goal)

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        view = _class_view(pool)
        if (alone := self.alone(view)) is not None:
            return Curve().propose(view.of_category(alone), _about(view, history, alone), _drawn_for(metric))
        parameters = believed(view, history).design(self._aim(view, metric))
        return self._design(view, history, parameters)

    def restore(self, pool: View, history: History, metric: FBeta, decided: Mapping[str, list[Any]]) -> Design:
        view = _class_view(pool)
        if (alone := self.alone(view)) is not None:
            return Curve().restore(view.of_category(alone), _about(view, history, alone), _drawn_for(metric), decided)
        return self._design(view, history, np.array(decided["parameters"], dtype=np.float64))

    def _design(self, view: ClassView, history: History, parameters: Any) -> ItemDesign:
        labelled = history.labelled
        return ItemDesign(
            total=view.total,
            labelled=labelled,
            parameters=parameters,
            of=drawing(view, labelled),
            size=max(1, self._end(len(labelled)) - len(labelled)),
        )

    def _end(self, labels: int) -> int:
        """How many labels there are at the end of a round that begins with so many."""
        return max(self.first, math.ceil(labels * self.growth))

    def alone(self, view: ClassView) -> int | None:
        """The place of the only category that labels are spent on; of two categories, the one that is predicted less
        often. None if there are several, or if any number of them apply to an item.
        """
        if isinstance(self.goal, tuple) and len(self.goal) == 1:
            return view.answers.place(self.goal[0])
        return self._rare(view) if self.is_pair(view) else None

    def is_pair(self, view: ClassView) -> bool:
        """Whether there are two categories, of which each item has one or none."""
        return len(view.answers.names) == ONE_PAIR and not view.answers.several

    def complements(self, view: ClassView, history: History) -> bool:
        """Whether there are two categories, and no label says that an item is of neither of them."""
        return self.is_pair(view) and NO_CATEGORY not in history.labels.values()

    def _rare(self, view: ClassView) -> int:
        """Of two categories, the one that labels are drawn for: that of the goal, or the one predicted less often."""
        if isinstance(self.goal, tuple) and len(self.goal) == 1:
            return view.answers.place(self.goal[0])
        return int(np.argmin(view.predicted_counts))

    def one_sided(self, view: ClassView) -> str:
        """A warning about everything but the only category that labels were drawn for."""
        alone = self.alone(view)
        if alone is None or self.is_pair(view):
            return ""
        return f"labels were drawn for {view.answers.names[alone]!r} alone, and say little about other categories"

    def _aim(self, view: ClassView, metric: FBeta) -> Aim:
        """What labels are drawn for."""
        if self.goal is None:
            return _aim_of(metric)
        names = self.goal if isinstance(self.goal, tuple) else view.answers.names
        return Aim(metric.alpha, "macro", tuple(view.answers.place(name) for name in names))

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        if not isinstance(metric, AveragedMetric):
            raise InputError(f"metric must be an average over all classes: got {metric.name!r}")
        return self.overall(_class_view(pool), history, metric, confidence, None)

    def overall(
        self, view: ClassView, history: History, metric: AveragedMetric, confidence: float, part: Flags | None
    ) -> Estimate:
        """The average over all classes, of the pool or a part of it.

        The interval covers what the items that nobody could tell may be: all predicted rightly, or all wrongly.
        """
        refuse_several(view, metric)
        found, aim = believed(view, history), _aim_of(metric)
        answer = self.blank(view, history, found, metric)
        if not found.labels:
            return replace(answer, reason=NO_LABELS if not history.skipped else "no label says what an item is")
        rare = about_one(view, history, self._rare(view)) if part is None and self.complements(view, history) else None
        if rare is not None and found.labels < view.total:
            both = class_pair.average(*rare, metric, confidence)
            if not math.isnan(both.value):
                return replace(answer, value=both.value, interval=Interval(both.low, both.high, confidence))
        answer = replace(answer, warning=self.one_sided(view))
        mine = found.posterior(part).average(aim)
        interval = Interval(*mine.interval(confidence), confidence)
        for assumed in ASSUMED if history.skipped else ():
            other = believed(view, history, assumed).posterior(part).average(aim)
            interval = interval.hull(Interval(*other.interval(confidence), confidence))
        return replace(answer, value=mine.value, variance=finite(mine.sd**2), interval=interval)

    def blank(self, view: ClassView, history: History, found: Believed, metric: Metric) -> Estimate:
        """An estimate without a value."""
        waits = history.waiting_for
        return Estimate(
            metric.name,
            math.nan,
            None,
            None,
            found.labels,
            Reach(view.total, view.total),
            skipped=history.skipped,
            waiting=history.waiting if waits else 0,
            waiting_for=waits,
        )

    def plan(self, pool: View, history: History, metric: FBeta, half_width: float, confidence: float) -> Plan:
        """Before the first label from the beliefs alone; with labels, the width shrinks with the square root of their
        number."""
        view = _class_view(pool)
        refuse_plan_without_items(pool, history, metric)
        found = believed(view, history)
        if found.labels:
            return super().plan(pool, history, metric, half_width, confidence)
        aim = self._aim(view, metric)
        needed = found.needed(aim, half_width, confidence) / len(aim.wanted or (0,))  # the mean of their variances
        return Plan(half_width, *around(1, needed, min(MOST, view.total)), 0, MOST)


def _aim_of(metric: FBeta) -> Aim:
    average = metric.average if isinstance(metric, AveragedMetric) else "macro"
    return Aim(metric.alpha, average)


def _drawn_for(metric: FBeta) -> FBeta:
    """The metric that labels of one category are drawn for.

    Draws for precision leave out predicted negatives. Then nothing would be known about other categories, nor about how
    many items there are of this one.
    """
    one = metric.each if isinstance(metric, AveragedMetric) else metric
    return f_metric("f1") if one.alpha == 1 else one


def _about(view: ClassView, history: History, place: int) -> History:
    """What the labels say about one category."""
    return history.read_as(lambda label: view.answers.truth(label, place))


def about_one(view: ClassView, history: History, place: int) -> tuple[View, History]:
    """One category as a question of yes and no."""
    return view.of_category(place), _about(view, history, place)


def refuse_several(view: ClassView, metric: AveragedMetric) -> None:
    """Where any number of classes apply, a prediction is not just right or wrong."""
    if view.answers.several and metric.name in ("accuracy", "balanced_accuracy"):
        raise InputError(
            f"metric must be an average over classes with kind 'multilabel', such as 'f1_macro': got {metric.name!r}"
        )


def _class_view(pool: View) -> ClassView:
    if not isinstance(pool, ClassView):
        raise InputError("pool must be a lowshot.ClassPool for sampler 'classes'; use sampler 'curve' for a Pool")
    return pool
