"""The protocol that every sampler follows: it sees (pool, history, metric) and nothing else."""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lowshot.core.curve.along import Along
from lowshot.core.types import Floats
from lowshot.design import Design
from lowshot.errors import InputError
from lowshot.goal import Goal, Threshold
from lowshot.history import History, Round
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.pools.slices import Split
from lowshot.prior import Prior, Remembered
from lowshot.result import Budget, Estimate, Plan
from lowshot.sampler.reach import unanswered

MOST = 3000  # labels: the longest plan that is made


class Several(NamedTuple):
    """Draws of a metric from the posterior, of several models at once: differences are paired."""

    values: Floats  # [draw, model]
    weight: Floats  # of each draw; they sum to 1
    labels: int  # that they are from
    times: float  # intervals are this many times as wide, because the labels are surprising
    warning: str
    grain: float  # about how much one item changes the metric, of the model where it changes it most
    before: "Several | None" = None  # without any label, if intervals have to hold at all label counts at once


class InParts(NamedTuple):
    """Draws of a metric from the posterior, in several parts of the pool."""

    values: Floats  # [part, draw]
    weight: Floats  # of each draw; they sum to 1
    highest: Floats  # [part]: the largest possible value of the metric
    grain: Floats  # [part]: about how much one item changes the metric
    stretch: float  # the lower halves of intervals are this many times as wide
    times: float  # intervals are this many times as wide, because the labels are surprising
    warning: str
    before: "InParts | None" = None  # without any label, if intervals have to hold at all label counts at once


class AtCuts(NamedTuple):
    """What is known about every threshold."""

    along: Along
    labels: int  # that it is from
    stretch: float  # the lower halves of intervals are this many times as wide
    times: float  # intervals are this many times as wide, because the labels are surprising
    warning: str


class Proven(NamedTuple):
    """What draws alone prove, whatever the scores are: promise "design"."""

    kept: int  # how many items the smallest certified set keeps above its cut (all: none); for precision, the largest
    failed: int  # looks that did not certify all they could: their number is limited
    missing: int  # labels until the look under way ends at the latest; 0 if there is none
    short: int  # labels that a look, the next or the one under way, is still planned for; 0 if one has had them


class Sampler(ABC):
    """A method: how to design a round and how to estimate. Its settings are the fields of a frozen dataclass.

    >>> from lowshot.sampler import Acis
    >>> Acis(epsilon=0.02).settings["epsilon"]
    0.02
    """

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()  # what the pool must have: "features", "probabilities"
    random: ClassVar[bool] = True  # whether the drawn items depend on the seed
    # Whether its estimates allow for "cannot tell" answers and for pools without an unlabelled item by themselves.
    whole: ClassVar[bool] = False

    @abstractmethod
    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        """The design of the next round; a design without items if nothing is left to label."""

    def restore(self, pool: View, history: History, metric: FBeta, decided: Mapping[str, list[Any]]) -> Design:
        """The design of a round that was opened after this history, with what was decided then (`Design.decided`)."""
        design = self.propose(pool, history, metric)
        kinds = {name: values.dtype for name, values in design.decided.items()}
        return design.as_decided({name: np.array(values, dtype=kinds.get(name)) for name, values in decided.items()})

    @abstractmethod
    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        """The estimate from the labels. The predictions of `pool` may differ from those that items were drawn for."""

    def with_prior(self, prior: Prior) -> "Sampler":
        """The sampler with what the user knows; most samplers cannot use it."""
        raise InputError(f"prior must be left out with sampler {self.name!r}, which cannot use it: use sampler 'curve'")

    def remembered(self, pool: View, history: History, metric: FBeta) -> Remembered:
        """What a later evaluation may learn from this one: `Prior(like=...)`."""
        raise InputError(f"like must be an evaluation of sampler 'curve': got one of {self.name!r}; leave it out")

    def with_goal(self, goal: Goal) -> "Sampler":
        """The sampler with what labels are spent on; most samplers judge one model and know nothing of others."""
        raise InputError(
            f"sampler must be 'curve' where a pool has several models or helpers: got {self.name!r}; make a Pool of one"
            " score, or use sampler 'curve'"
        )

    def several(
        self, pool: View, history: History, metric: Metric, models: Sequence[str], part: Split | None = None
    ) -> Several:
        """Draws of the metric of several models, from the same labels; in one part of the pool if it is given."""
        raise InputError(f"models can be compared with sampler 'curve' only: this evaluation has {self.name!r}")

    def in_parts(self, pool: View, history: History, metric: Metric, split: Split) -> InParts:
        """Draws of the metric in parts of the pool, from the labels of all parts."""
        raise InputError(
            f"slices need sampler 'curve', which learns from the labels of all slices: this evaluation has"
            f" {self.name!r}; make a Pool of the slice"
        )

    def at_cuts(self, pool: View, history: History, cautious: bool = False) -> AtCuts:
        """What is known about every threshold, from the same labels.

        cautious  for a promise: curves are not trusted where they have few labels
        """
        raise InputError(
            f"thresholds need sampler 'curve', which knows the whole ranking: this evaluation has {self.name!r}"
        )

    def proven(self, pool: View, history: History, goal: Threshold) -> Proven:
        """The cuts that are certified for promise "design"."""
        raise InputError(f"promise 'design' needs sampler 'curve': this evaluation has {self.name!r}")

    def plan_verdict(self, pool: View, history: History, metric: FBeta, margin: float, confidence: float) -> Plan:
        """How many labels a verdict takes."""
        raise InputError(f"a verdict can be planned with sampler 'curve' only: this evaluation has {self.name!r}")

    def counting(self, history: History) -> list[Round]:
        """The rounds that the estimate uses."""
        return [round_ for round_ in history.rounds if history.prefix(round_)]

    def plan(self, pool: View, history: History, metric: FBeta, half_width: float, confidence: float) -> Plan:
        """How many labels an interval of this half-width takes.

        The width is assumed to shrink with the square root of the number of labels. `low` and `high` allow for the
        error of the present width.
        """
        refuse_plan_without_items(pool, history, metric)
        now = self.estimate(pool, history, metric, confidence)
        if now.interval is None or not now.defined or history.skipped == len(history.labels):
            hint = "label some items first" if now.interval is not None else "take a sampler with an interval"
            raise InputError(f"a plan needs an interval, and {self.name} has none yet: {hint}, or use sampler 'curve'")
        ratio = (now.interval.high - now.interval.low) / 2 / half_width
        if ratio <= 1:
            return Plan(half_width, now.labels, now.labels, now.labels, now.labels, MOST)
        most = min(MOST, pool.total)  # if all items are labelled, the estimate is exact
        return Plan(half_width, *around(now.labels, now.labels * ratio**2, most), now.labels, MOST)

    def budgets(
        self, pool: View, history: History, metric: FBeta, counts: Sequence[int], confidence: float
    ) -> tuple[Budget, ...]:
        """The half-widths to expect at these numbers of labels, which are more than there are now."""
        raise InputError(
            f"half-widths can be predicted with sampler 'curve' only: this evaluation has {self.name!r}; see plan()"
        )

    @property
    def prior(self) -> Prior | None:
        """What the user knows; None for samplers that cannot use it."""
        return None

    @property
    def goal(self) -> Goal | None:
        """What labels are spent on; None: the only model of the pool."""
        return None

    @property
    def settings(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def with_settings(cls, settings: dict[str, Any]) -> "Sampler":
        """A sampler with these settings; an error for a name that is not a setting."""
        if not isinstance(settings, dict):
            raise InputError(f"settings must be a dictionary from name to value: got {settings!r}")
        known = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        for name in settings:
            if name not in known:
                if not known:
                    raise InputError(f"sampler {cls.name!r} has no settings: got {name!r}")
                raise InputError(f"settings of sampler {cls.name!r} must be among {', '.join(known)}: got {name!r}")
        return cls(**settings)


def around(labels: int, needed: float, most: int) -> tuple[int, int, int]:
    """Low, likely and high, if a width after so many labels says that about so many are needed in total.

    The relative error of a variance from n labels is sqrt(2/n); 1.28 is the normal quantile that nine of ten are below.
    Of 144 plans of ACIS after 100 or 200 labels, for a width 1.2 or 1.5 times as narrow (half of the pools of
    `make bench-budgets`, seeds 0 to 2, 2026-11-19), 87 % of the runs needed at most `high`, 56 % at most `likely`.
    """
    error = min(0.9, 1.28 * math.sqrt(2 / max(labels, 1)))
    counts = [math.ceil(min(most, needed * factor)) for factor in (1 - error, 1, 1 / (1 - error))]
    low, likely, high = (max(count, labels + 1) for count in counts)
    return low, likely, high


def refuse_plan_without_items(pool: View, history: History, metric: Metric) -> None:
    """Refuse a plan if no further label can change the metric."""
    if pool.predicted_positives == 0:
        raise InputError("a plan needs an item that is predicted positive: the pool has none, so no label is needed")
    if not unanswered(pool, history, metric):
        raise InputError("a plan needs an item without an answer: every item that matters has one; see the estimate")
