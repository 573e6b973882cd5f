"""CLASSES: one set of beliefs about all categories, learned from all labels; labels where they help the goal most."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm

from lowshot.class_metric import AveragedMetric
from lowshot.core.interval import Interval
from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Design, ItemDesign
from lowshot.goal import Goal
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.pools.class_view import ClassView
from lowshot.result import Estimate, Reach
from lowshot.sampler.base import Sampler


@dataclass(frozen=True)
class Found:
    """What is believed about every category. STUB."""

    value: Floats
    sd: Floats
    positives: Floats
    predicted: Floats
    about: Integers
    labels: int

    def interval(self, place: int, confidence: float) -> tuple[float, float]:
        z = norm.ppf((1 + confidence) / 2) * self.sd[place]
        return float(max(0, self.value[place] - z)), float(min(1, self.value[place] + z))

    def below(self, place: int, line: float) -> float:
        return float(norm.cdf(line, self.value[place], self.sd[place]))


@dataclass(frozen=True)
class Classes(Sampler):
    """STUB until core/classes lands."""

    name: ClassVar[str] = "classes"
    whole: ClassVar[bool] = True
    goal: Goal | None = None

    def __post_init__(self) -> None:
        if isinstance(self.goal, list):
            object.__setattr__(self, "goal", tuple(self.goal))

    def with_goal(self, goal: Goal) -> "Classes":
        return replace(self, goal=goal)

    def _design(self, view: ClassView, history: History, parameters: Floats) -> ItemDesign:
        labelled = history.labelled

        def of(parameters: Floats) -> tuple[Floats, Floats]:
            right = np.clip(np.exp(view.table.predicted_score), 0.02, 0.98).astype(np.float64)
            share = np.sqrt(right * (1 - right))
            share[labelled] = 0
            return share / share.sum(), right

        size = max(10, len(labelled) // 4)
        return ItemDesign(total=view.total, labelled=labelled, parameters=parameters, of=of, size=size)

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        assert isinstance(pool, ClassView)
        return self._design(pool, history, np.array([1.0]))

    def restore(self, pool: View, history: History, metric: FBeta, decided: Mapping[str, list[Any]]) -> Design:
        assert isinstance(pool, ClassView)
        return self._design(pool, history, np.array(decided["parameters"]))

    def found(self, view: ClassView, history: History, metric: FBeta, part: Flags | None) -> Found:
        table, names = view.table, view.answers.names
        count = len(names)
        tp, positives = np.zeros(count), np.zeros(count)
        right = np.clip(np.exp(table.predicted_score), 0.02, 0.98).astype(np.float64)
        np.add.at(tp, table.predicted, right)
        np.add.at(positives, table.candidate, np.exp(table.score))
        predicted = np.bincount(table.predicted, minlength=count).astype(float)
        about = np.zeros(count, dtype=np.int64)
        for item, label in history.labels.items():
            about[table.predicted[item]] += 1
            if label is not None and label >= 0 and label != table.predicted[item]:
                about[label] += 1
        value = tp / np.maximum(metric.alpha * predicted + (1 - metric.alpha) * positives, 1e-9)
        value = np.clip(value, 0, 1)
        sd = 0.3 / np.sqrt(2 + about)
        return Found(value, sd, positives, predicted, about, len(history.labels))

    def labels_in(self, view: ClassView, history: History, part: Flags | None) -> int:
        return sum(part is None or bool(part[item]) for item in history.labels)

    def overall(
        self, view: ClassView, history: History, metric: AveragedMetric, confidence: float, part: Flags | None
    ) -> Estimate:
        found = self.found(view, history, metric.each, part)
        sd = 0.5 / np.sqrt(10 + found.labels)
        value, z = float(found.value.mean()), norm.ppf((1 + confidence) / 2) * sd
        blank = Estimate(
            metric.name, np.nan, None, None, 0, Reach(view.total, view.total), "no labels yet", history.skipped
        )
        if not found.labels:
            return blank
        interval = Interval(max(0.0, value - z), min(1.0, value + z), confidence)
        return replace(blank, value=value, variance=sd**2, interval=interval, labels=found.labels, reason="")

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        assert isinstance(pool, ClassView)
        assert isinstance(metric, AveragedMetric)
        return self.overall(pool, history, metric, confidence, None)
