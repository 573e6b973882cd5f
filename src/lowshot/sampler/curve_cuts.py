"""Sampler `curve` along the cuts of one model's ranking: what lies above each, and where the next labels belong."""

from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.along import ROUNDING, Along, Counted
from lowshot.core.curve.cuts import Cuts, by_segment, drawn_above, sloping
from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.summary import quantiles
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.goal import Threshold
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.curve_fit import Fitter
from lowshot.sampler.curve_goal import Effects
from lowshot.sampler.curve_joint import FEWEST, Fitters
from lowshot.sampler.curve_state import State

ALPHA = {"recall": 0.0, "precision": 1.0}  # of F
EVEN = 0.5  # the probability of a cut that is as likely as not to reach its target


def cuts_of(pool: View) -> Cuts:
    """The cuts of the ranking of the model that is judged."""
    return pool.cached("cuts", lambda: Cuts.of(pool.cells(), pool.lowest(), pool.predicted_positives))


def crossing(pool: View, fitter: Fitter) -> Integers:
    """Items [pattern, band, segment]: by the groups of a ranking, and by where the judged model's ranking is cut."""

    def make() -> Integers:
        cuts, bands = cuts_of(pool), fitter.bands
        shape = (*bands.count.shape, len(cuts))
        if len(pool.joint.rankings) == 1:  # which is then the one that is cut
            cells = fitter.ranking.cells()
            group, segment = cells.pattern * len(bands) + bands.find(cells.above), cuts.segment(cells.above)
            count = cells.count
        else:
            _refuse_large(fitter)
            group, segment = fitter.group_of_item, _segments(pool, np.arange(pool.total))
            count = np.ones(pool.total, dtype=np.int64)
        place = group.astype(np.int64) * len(cuts) + segment
        return np.bincount(place, count, int(np.prod(shape))).reshape(shape).astype(np.int64)

    return fitter.ranking.cached(f"crossing {pool.joint.judged}", make)


def _refuse_large(fitter: Fitter) -> None:
    if fitter.ranking.cells().sequential:
        raise InputError(
            "thresholds of a pool with several scores need it in memory: this one is not; make a Pool, or open the"
            " pool with the score of one model"
        )


def _segments(pool: View, items: Integers) -> Integers:
    """Between which cuts these items lie."""
    cells = pool.cells()
    return cuts_of(pool).segment(cells.above[cells.find(items)])


@dataclass(frozen=True, eq=False)
class Answered:
    """The items with an answer."""

    label: Integers  # -1: "cannot tell"
    weight: Floats  # in units of an average item
    segment: Integers  # between which cuts they lie
    pattern: Integers
    shape: tuple[int, int]  # patterns and segments

    @classmethod
    def of(cls, pool: View, ranking: View, history: History, items: Integers) -> "Answered":
        """`ranking` has the patterns of all models, `pool` is cut."""
        label = [-1 if (one := history.labels[item]) is None else one for item in items.tolist()]
        cells = ranking.cells()
        return cls(
            label=np.array(label, dtype=np.int64),
            weight=pool.p(items) * pool.total,
            segment=_segments(pool, items),
            pattern=cells.pattern[cells.find(items)].astype(np.int64),
            shape=(len(cells.patterns), len(cuts_of(pool))),
        )

    def above(self, label: int) -> Floats:
        """[cut]: the weight of those with this label above each cut."""
        chosen = self.label == label
        return np.bincount(self.segment[chosen], self.weight[chosen], self.shape[1]).cumsum()

    def count(self, chosen: Flags) -> Integers:
        """[pattern, segment]"""
        place = (self.pattern * self.shape[1] + self.segment)[chosen]
        return np.bincount(place, minlength=self.shape[0] * self.shape[1]).reshape(self.shape)


def along(fitters: Fitters, pool: View, states: tuple[State, ...], history: History, items: Integers) -> Along:
    """The positives above every cut, under curves along all rankings. `items` have answers that count."""
    cuts, first = cuts_of(pool), fitters.every[0]
    answered, whole = Answered.of(pool, first.ranking, history, items), crossing(pool, first).sum(axis=1)
    skipped, size = answered.count(answered.label < 0), _sizes(pool, cuts)
    left = whole - answered.count(answered.label >= 0) - skipped
    each = np.diff(size, prepend=0.0) / np.maximum(whole.sum(axis=0), 1)
    random, shares, drawn = np.random.default_rng(7), fitters.shares(states), []
    for place in np.flatnonzero(shares).tolist():
        fitter, count = fitters.every[place], max(round(fitters.curves * float(shares[place])), FEWEST)
        curves = fitter.fit(states[place], count).curves
        chance = _chances(pool, fitter, curves)
        positives = [drawn_above(chance, some, each, random) for some in (left, skipped)]
        drawn.append((*positives, shares[place] * curves.weight))
    open_, doubt, weight = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return Along(cuts, size, answered.above(1), answered.above(0), answered.above(-1), open_, doubt, weight)


def _sizes(pool: View, cuts: Cuts) -> Floats:
    """The weight of what each cut keeps, in units of an average item."""
    if not pool.weighted:
        return cuts.kept.astype(np.float64)
    cells = pool.cells()
    return np.bincount(cuts.segment(cells.above), cells.mass * pool.total, len(cuts)).cumsum()


def _chances(pool: View, fitter: Fitter, curves: Curves) -> Floats:
    """[curve, pattern, segment]; along its own ranking they change inside bands."""
    count = crossing(pool, fitter).astype(np.float64)
    if len(pool.joint.rankings) == 1:
        return sloping(curves.chance, fitter.bands, cuts_of(pool), count)
    return by_segment(curves.chance, count)


class Boundary:
    """Where it is decided which cut is chosen: labels for a threshold are to tell recall, precision or F there.

    Two cuts matter: the one that would be chosen now, and the one that is as likely as not to reach the targets.
    """

    def __init__(self, pool: View, fitter: Fitter, goal: Threshold) -> None:
        count = fitter.bands.count
        shares = crossing(pool, fitter) / np.maximum(count[:, :, None], 1)
        self._above = shares.cumsum(axis=2).reshape(count.size, -1)  # [group, cut]: of its items, the share above
        self._size, self._goal = _sizes(pool, cuts_of(pool)), goal

    def effects(self, state: State, drawn: Curves) -> Effects:
        """The numbers under each curve, from its expected positives, and what one more positive of a group adds."""
        chance, weight = drawn.chance.reshape(len(drawn.chance), -1), drawn.weight
        found, open_ = state.positive.ravel() @ self._above, (chance * state.weight.ravel()) @ self._above
        counted = Counted(found + open_, self._size, found[-1] + open_[:, -1:])
        if self._goal.metric is not None:
            alpha = self._goal.metric.alpha
            numbers = [self._f(counted, weight, cut, alpha) for cut in around_best(counted.f(alpha), weight)]
        else:
            whole = counted._replace(hits=found[-1] + open_)  # what is found below the cut is kept, too
            cuts = dict.fromkeys(self._chosen(whole, weight, sure) for sure in (self._goal.confidence, EVEN))
            alphas = [ALPHA[name] for name in self._goal.targets]
            numbers = [self._f(counted, weight, cut, alpha) for cut in cuts for alpha in alphas]
        return Effects(np.stack([value for value, _ in numbers], axis=1), np.stack([slope for _, slope in numbers]))

    def _f(self, counted: Counted, weight: Floats, cut: int, alpha: float) -> tuple[Floats, Floats]:
        """F at a cut under each curve, and its derivative by the positives of each group."""
        value = counted.f(alpha)[:, cut]
        below = float(weight @ (alpha * counted.size[cut] + (1 - alpha) * counted.positives[:, 0]))
        return value, (self._above[:, cut] - (1 - alpha) * float(weight @ value)) / max(below, 1e-12)

    def _chosen(self, counted: Counted, weight: Floats, sure: float) -> int:
        """The cut that reaches the targets with this probability and keeps least, for precision most; if there is none,
        the one that reaches them most likely."""
        probability = weight @ counted.reach(self._goal.targets)
        enough = np.flatnonzero(probability >= sure - ROUNDING)
        if not len(enough):
            return int(np.argmax(probability))
        cut = enough[-1] if self._goal.recall is None else enough[0]
        return int(min(cut, max(len(self._size) - 2, 0)))  # keeping everything tells nothing


def around_best(values: Floats, weight: Floats) -> list[int]:
    """The cut where the mean of F [curve, cut] is largest, and those between which the largest F lies in most curves.

    >>> around_best(np.array([[0.1, 0.5, 0.4], [0.1, 0.4, 0.5]]), np.array([0.6, 0.4]))
    [1, 2]
    """
    largest = values.argmax(axis=1).astype(np.float64)
    ends = np.round(quantiles(largest, weight, (0.1, 0.9))).astype(np.int64).tolist()
    return list(dict.fromkeys([int(np.argmax(weight @ values)), *ends]))
