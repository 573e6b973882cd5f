"""Several rankings of the same items: curves along each of them, weighed by how well they explain the labels.

Labels are put into the groups of every ranking. Which items were drawn depends on the scores alone, so under the model
of each ranking, in which the chance of being positive depends on band and pattern, the labels count as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowshot.core.cells import NO_ITEMS
from lowshot.core.curve.posterior import SMALL_SHARE, Curves
from lowshot.core.curve.summary import totals
from lowshot.core.types import Floats, Integers
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.curve_fit import Believed, Fit, Fitter
from lowshot.sampler.curve_state import State, state_of

LEAST = 0.15  # share of a ranking that takes part in the choice of the next labels; it saves time
FEWEST = 8  # curves along a ranking that is not ruled out


class Positives(NamedTuple):
    """What the labels and the curves say about the positives of each pattern."""

    totals: Floats  # [draw, pattern]: weights of positives in units of an average item
    weight: Floats  # of each draw; they sum to 1
    states: "tuple[State, ...]"  # the labels by the groups of each ranking
    warnings: tuple[str, ...]

    @property
    def state(self) -> State:
        """For what does not depend on the ranking: counts of labels, hits and mistakes."""
        return self.states[0]


@dataclass(frozen=True, eq=False)
class Fitters:
    """One fitter per ranking of the pool."""

    pool: View
    every: tuple[Fitter, ...]
    curves: int

    @classmethod
    def of(cls, pool: View, believed: Believed, curves: int) -> "Fitters":
        joint = pool.joint
        every = (Fitter(believed, ranking, joint.patterns, joint.scored) for ranking in joint.rankings)
        return cls(pool, tuple(every), curves)

    def states(self, history: History, answered: Integers) -> tuple[State, ...]:
        """The labels by the groups of each ranking."""
        return tuple(state_of(self.pool, one.ranking, one.bands, history, answered) for one in self.every)

    def without_labels(self) -> tuple[State, ...]:
        return self.states(History(), NO_ITEMS)

    def shares(self, states: tuple[State, ...]) -> Floats:
        """The posterior probability of each ranking; 0 if it is so small that hardly any curve would be drawn."""
        if len(self.every) == 1:
            return np.ones(1)
        evidence = np.array([one.evidence(state) for one, state in zip(self.every, states, strict=True)])
        found: Floats = np.exp(evidence - evidence.max())
        found[found < SMALL_SHARE] = 0
        found /= found.sum()
        return found

    def best(self, states: tuple[State, ...]) -> int:
        """The ranking that explains the labels best; before there are any, the one to start with."""
        return int(np.argmax(self.shares(states))) if states[0].told.any() else self.pool.joint.start

    def along(self, best: int, states: tuple[State, ...]) -> Curves:
        """Curves along all rankings, as chances of the groups of the best one: labels are drawn from these groups.

        A curve along another ranking gives each of its groups a chance. A group of the best ranking has the mean of
        these over its items. Where rows are not in memory, the items are not known, and the best ranking stands alone.
        So does the one to start with before there are labels.
        """
        alone = len(self.every) == 1 or not states[0].told.any()
        if alone or self.every[best].ranking.cells().sequential:
            return self.every[best].fit(states[best], self.curves).curves
        shares = self.shares(states)
        shares[shares < min(LEAST, shares.max())] = 0  # many rankings may share the labels evenly: the best one stays
        shares /= shares.sum()
        chance: list[Floats] = []
        weight: list[Floats] = []
        for place in np.flatnonzero(shares).tolist():
            count = max(round(self.curves * float(shares[place])), FEWEST)
            curves = self.every[place].fit(states[place], count).curves
            chance.append(curves.chance if place == best else crossed(curves.chance, self._shared(best, place)))
            weight.append(shares[place] * curves.weight)
        return Curves(np.concatenate(chance), np.concatenate(weight))

    def _shared(self, one: int, two: int) -> Floats:
        """[pattern, band of one, band of two]: of the items of each group, the share in each band of the other."""

        def make() -> Floats:
            first, second = self.every[one], self.every[two]
            size = len(first.bands), len(second.bands)
            groups = first.group_of_item * size[1] + second.group_of_item % size[1]
            count = np.bincount(groups, minlength=len(first.bands.count) * size[0] * size[1])
            found = count.reshape(-1, *size).astype(np.float64)
            found /= np.maximum(found.sum(axis=2, keepdims=True), 1)
            return found

        return self.every[one].ranking.cached(f"curve shared {two}", make)

    def positives(self, states: tuple[State, ...]) -> Positives:
        """The positives of each pattern, under curves along all rankings; cached until labels change."""
        parts = [(s.told, s.positive, s.weight, s.positives) for s in states]
        key = (self.every[0].believed, self.curves, *(array.tobytes() for part in parts for array in part))
        found = self.every[0].ranking.cached("curve positives", lambda: self._drawn(states), key)
        return found._replace(states=states)

    def _drawn(self, states: tuple[State, ...]) -> Positives:
        fits = list(self.fits(states))
        return Positives(
            np.concatenate([totals_of(states[place], fit) for place, _, fit in fits]),
            np.concatenate([share * fit.curves.weight for _, share, fit in fits]),
            states,
            tuple(fits[0][-1].warnings),
        )

    def fits(self, states: tuple[State, ...]) -> Iterator[tuple[int, float, Fit]]:
        """Each ranking that is not ruled out, the most likely one first: its place, its share, and curves along it."""
        shares = self.shares(states)
        count = np.maximum(np.round(self.curves * shares), FEWEST).astype(np.int64).tolist()
        for place in np.argsort(-shares, kind="stable").tolist():
            if shares[place]:
                yield place, float(shares[place]), self.every[place].fit(states[place], count[place])


def crossed(chance: Floats, shared: Floats) -> Floats:
    """Chances [curve, pattern, band] of the groups of one ranking as those of another one.

    >>> crossed(np.array([[[1.0, 0.5]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])).tolist()
    [[[1.0, 0.75]]]
    """
    return np.stack([chance[:, kind] @ share.T for kind, share in enumerate(shared)], axis=1)


def totals_of(state: State, fit: Fit) -> Floats:
    """The positives of each pattern under each curve [curve, pattern]."""
    return totals(fit.curves.chance, state.weight, state.squares, state.positives, np.random.default_rng(1))
