"""Several models against the number of labels: the estimate of each, or the difference of two."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lowshot.charts.estimate_path import Compute, EstimatePath, Estimator, Point, Step, along, drawing
from lowshot.charts.style import MODELS, title
from lowshot.history import History
from lowshot.metric import Metric
from lowshot.pools.base import BasePool
from lowshot.result import Comparison, Estimate
from lowshot.sampler.base import Sampler

Estimates = Mapping[str, Estimate]  # by the name of the model
BANDS = 3  # with more models than this, intervals are drawn at the last point only


@dataclass(frozen=True)
class DifferencePath(EstimatePath):
    """The metric of the candidate minus that of the baseline, against the number of labels."""

    baseline: str
    candidate: str
    margin: float = 0.0

    @property
    def axis(self) -> str:
        """The name of the axis of values."""
        return f"{title(self.metric)}: {self.candidate} minus {self.baseline}"

    @property
    def levels(self) -> dict[float, str]:
        """Lines that the interval is compared with, and their names: 0, and the margin on both sides if there is one.

        >>> DifferencePath("f1", 0.95, [], "v1", "v2", 0.02).levels
        {0.0: 'no difference', -0.02: 'margin', 0.02: 'margin'}
        """
        return {0.0: "no difference", **({-self.margin: "margin", self.margin: "margin"} if self.margin else {})}


@dataclass(frozen=True)
class ModelPath:
    """The path of one model, with the colour in which it is drawn."""

    name: str
    colour: str
    path: EstimatePath


def estimates(sampler: Sampler, pool: BasePool, metric: Metric, confidence: float = 0.95) -> Compute[Estimates]:
    """Computes the estimates of all models of the pool from a history. They share the curves, so this is the way to do
    it: model after model for the same history.
    """
    every = {name: Estimator(sampler, pool.view(name), metric, confidence) for name in pool.models}
    return lambda history: {name: estimator.estimate(history) for name, estimator in every.items()}


def difference_path(confidence: float, steps: Iterable[Step[Comparison]]) -> DifferencePath:
    """The path of at least one step."""
    found = list(steps)
    last, points = found[-1].found, [Point(*step) for step in found]
    return DifferencePath(last.metric, confidence, points, last.baseline, last.candidate, last.margin)


def model_paths(metric: str, confidence: float, steps: Sequence[Step[Estimates]]) -> list[ModelPath]:
    """One path per model that is shown, the models in their order in the pool."""
    shown = most_likely(steps[-1].found)
    return [
        ModelPath(
            name, colour, EstimatePath(metric, confidence, [Point(step.labels, step.found[name]) for step in steps])
        )
        for name, colour in zip(shown, MODELS, strict=False)
    ]


def most_likely(found: Estimates, most: int = len(MODELS)) -> list[str]:
    """The models with the highest values, as many as a chart can show, in their order in the pool."""
    values = {name: each.value if each.defined else -1.0 for name, each in found.items()}
    highest = sorted(values, key=lambda name: -values[name])[:most]
    return [name for name in found if name in highest]


def plot_difference(compare: Compute[Comparison], history: History, ax: Any = None) -> Any:
    """Draw the difference of two models with Matplotlib on `ax`, or on new axes, and return the axes."""
    draw = drawing(history).plot_difference
    return draw(difference_path(0.95, along(compare, history)), ax)


def plot_models(sampler: Sampler, pool: BasePool, metric: Metric, history: History, ax: Any = None) -> Any:
    """Draw the estimates of all models with Matplotlib on `ax`, or on new axes, and return the axes."""
    draw = drawing(history).plot_models
    steps = list(along(estimates(sampler, pool, metric), history))
    return draw(model_paths(metric.name, 0.95, steps), ax)
