"""What the user knows before the first label: `Prior`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from lowshot.core.curve.ranges import Range
from lowshot.errors import InputError

Ends = tuple[float, float]
SETTING, GOAL = "prior", "goal"  # the settings of a sampler that have them


def without_arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a sampler without prior and goal, which are arguments of their own."""
    return {name: value for name, value in settings.items() if name not in (SETTING, GOAL)}


Numbers = tuple[float, ...]
FEWEST = 30  # labels of an earlier evaluation: with fewer, its curves are hardly more than what is believed anyway


@dataclass(frozen=True)
class Remembered:
    """The fitted curves of an earlier evaluation, as plain numbers."""

    metric: str
    labels: int  # that its curves learned from: without known labels that were not drawn uniformly
    items: int
    predicted: int
    models: int
    score: Numbers = field(repr=False)  # of each band: the mean score of its items
    depth: Numbers = field(repr=False)  # of each band: log(rank / n_pred)
    log_odds: tuple[tuple[Numbers, ...], ...] = field(repr=False)  # [curve, pattern, band]

    def __str__(self) -> str:
        pool = f"{self.items:,} items, {self.predicted:,} predicted positive"
        return f"like an evaluation of {self.metric} with {self.labels:,} labels ({pool})"

    def to_dict(self) -> dict[str, Any]:
        """Where it comes from, without the curves."""
        return {name: getattr(self, name) for name in ("metric", "labels", "items", "predicted")}


class Evaluated(Protocol):
    """An evaluation."""

    def remembered(self) -> Remembered:
        """Its fitted curves."""


@dataclass(frozen=True)
class Prior:
    """What is known about the items and the classifier before the first label.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1] * 200, threshold=0.85)
    >>> prior = lowshot.Prior(prevalence=(0.1, 0.3), recall=(0.5, 0.95))
    >>> print(lowshot.Evaluation(pool, prior=prior).prior)
    prevalence 0.1 to 0.3, recall 0.5 to 0.95

    prevalence  (low, high): the share of positives among all items is between them with a probability of 95 %
    recall      (low, high): the same for the share of the positives that are predicted positive. 0 and 1 are ends that
                say nothing: (0.5, 1) means "at least one half"

    like        an earlier evaluation of the same classifier, with other items: its curve is believed in, up to a shift.
                Its numbers are copied, so that the earlier evaluation is not needed afterwards

    What the labels contradict is not used, and the estimate has a warning that says so.
    """

    prevalence: Ends | None = None
    recall: Ends | None = None
    like: "Evaluated | Remembered | None" = None

    def __post_init__(self) -> None:
        for name, check in (("prevalence", _prevalence), ("recall", _recall)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check(getattr(self, name)))
        object.__setattr__(self, "like", _like(self.like))
        if all(value is None for value in vars(self).values()):
            raise InputError("prior must say something: got an empty one; give prevalence=(low, high), or leave it out")

    @classmethod
    def of(cls, given: Any) -> "Prior | None":
        """A prior as it is given or stored: as a Prior, as plain data, or None.

        >>> Prior.of(Prior(recall=(0.5, 1)).plain()) == Prior(recall=(0.5, 1))
        True
        """
        if given is None or isinstance(given, Prior):
            return given
        if not isinstance(given, Mapping):
            raise InputError(
                f"prior must be a lowshot.Prior: got {given!r}; write lowshot.Prior(prevalence=(0.0005, 0.002))"
            )
        unknown = [name for name in given if name not in cls.__dataclass_fields__]
        if unknown:
            raise InputError(f"prior must be among {', '.join(cls.__dataclass_fields__)}: got {unknown[0]!r}")
        return cls(**given)

    def plain(self) -> dict[str, Any]:
        """As plain data; `Prior.of` is the inverse."""
        return asdict(self)

    def to_dict(self) -> dict[str, Any]:
        """What is known, for `lowshot status --json`.

        >>> Prior(prevalence=(0.001, 0.004)).to_dict()
        {'prevalence': [0.001, 0.004], 'recall': None, 'like': None}
        """
        ends = {"prevalence": self.prevalence, "recall": self.recall}
        like = self.remembered
        return {**{name: pair and list(pair) for name, pair in ends.items()}, "like": like and like.to_dict()}

    @property
    def remembered(self) -> Remembered | None:
        """The earlier evaluation, as plain numbers."""
        assert self.like is None or isinstance(self.like, Remembered), "made so by __post_init__"
        return self.like

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The ranges that are given."""
        named = (("prevalence", self.prevalence), ("recall", self.recall))
        return tuple(Range(name, *ends) for name, ends in named if ends is not None)

    def for_others(self) -> "Prior | None":
        """What holds for other predictions of the same items: the prevalence."""
        return None if self.prevalence is None else Prior(prevalence=self.prevalence)

    def __str__(self) -> str:
        ranges = [f"{one.name} {one.low:g} to {one.high:g}" for one in self.ranges]
        return ", ".join([*ranges, *([str(self.like)] if self.like else [])])

    def refuse_another(self, metric: str, models: int) -> None:
        """Refuse an earlier evaluation of another metric, or of another number of models."""
        then = self.remembered
        if then is not None and then.metric != metric:
            raise InputError(
                f"like must be an evaluation of the same metric, {metric}: got one of {then.metric}; leave it out"
            )
        if then is not None and then.models != models:
            raise InputError(
                f"like must be an evaluation of as many models, {models}: got one of {then.models}; leave it out"
            )

    def refuse_several(self, models: Sequence[str], rankings: int) -> None:
        """Refuse what is known about one model, or one score, where there are several."""
        if self.recall is not None and len(models) > 1:
            raise InputError(
                f"recall must be that of the only model: got it with {len(models)}, {', '.join(models)}; leave it out,"
                " or judge one model"
            )
        if self.remembered is not None and rankings > 1:
            raise InputError("like cannot be used with several scores yet; leave it out, or make a Pool of one score")

    def refuse_impossible(self, predicted: float, total: int) -> None:
        """Refuse ranges that no labels of a pool with so many items, and predicted positives, can satisfy."""
        if self.prevalence is not None and self.prevalence[1] * total < 1:
            raise InputError(
                f"prevalence must be possible: got {_shown(self.prevalence)}, less than one of {total:,} items;"
                " give the share of positives among all items"
            )
        if self.recall is None:
            return
        if predicted >= total and self.recall[1] < 1:
            raise InputError(
                f"recall must be possible: got {_shown(self.recall)}, but every item is predicted positive, so that"
                " recall is 1; leave it out"
            )
        fewest = 0.0 if self.prevalence is None else self.prevalence[0] * total
        if self.recall[0] * fewest > predicted or predicted == 0 < self.recall[0]:
            positives = "" if self.prevalence is None else f", prevalence {_shown(self.prevalence)}"
            needed = f" and at least {math.ceil(fewest):,} of {total:,} items are positive" if fewest else ""
            most = f"{predicted / fewest:.3g}" if fewest else "0"
            raise InputError(
                f"recall must be possible: got {_shown(self.recall)}{positives}; {predicted:,.10g} items are predicted"
                f" positive{needed}, so that recall is at most {most}; change one of them"
            )


def _like(given: Any) -> Remembered | None:
    """The numbers of an earlier evaluation; they may come from a store, as plain data."""
    if isinstance(given, Mapping) and {*given} == {*Remembered.__dataclass_fields__}:
        return Remembered(**given)
    if given is None or isinstance(given, Remembered):
        return given
    if isinstance(given, type) or not callable(getattr(given, "remembered", None)):
        raise InputError(
            f"like must be a lowshot.Evaluation: got {given!r}; a store does not contain the scores of its pool, so"
            " open the evaluation with them: Evaluation(pool, store=..., name=...)"
        )
    found: Remembered = given.remembered()
    if found.labels < FEWEST:
        raise InputError(
            f"like must be an evaluation with at least {FEWEST} labels: got one with {found.labels}; leave it out"
            " (known labels count only if they were drawn uniformly)"
        )
    return found


def _shown(ends: Ends) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"


def _prevalence(ends: Any) -> Ends:
    """A prevalence of 0 has no logarithm, and says that no item is positive."""
    low, high = _ends("prevalence", ends, "(0.0005, 0.002)")
    if low <= 0:
        raise InputError(
            f"prevalence must be above 0: got {_shown((low, high))}; give the smallest share that you hold possible,"
            " such as 1 in 100,000"
        )
    return low, high


def _recall(ends: Any) -> Ends:
    low, high = _ends("recall", ends, "(0.5, 0.95)")
    if (low, high) == (0, 1):
        raise InputError("recall must say something: got 0 to 1, which is always true; leave it out")
    return low, high


def _ends(name: str, ends: Any, example: str) -> Ends:
    """Two shares, the lower first."""
    good = isinstance(ends, (tuple, list)) and len(ends) == 2 and not any(isinstance(end, (str, bool)) for end in ends)
    try:
        low, high = (float(end) for end in ends) if good else (math.nan, math.nan)
    except (OverflowError, TypeError, ValueError):
        low, high = math.nan, math.nan
    if not 0 <= low < high <= 1:
        raise InputError(f"{name} must be two shares from 0 to 1, the lower first: got {ends!r}; write {example}")
    return low, high
