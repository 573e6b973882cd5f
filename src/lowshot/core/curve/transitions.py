"""How states change from one band to the next: levels fall as their slope says, slopes change from time to time.

A state is (component, slope, level). States are numbered in this order, so that `state.ravel()` of an array
[component, slope, level] has state number s at place s: see `state_number` and `split_state`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.components import LEVELS, RISING, SLOPES, STEP, Along, Prior
from lowshot.core.types import Floats, Integers

HEAD = -0.1  # depth (log of rank over n_pred) down to which new slopes are drawn from the prior of the head


def state_number(component: Integers, slope: Integers, level: Integers) -> Integers:
    return (component * len(SLOPES) + slope) * len(LEVELS) + level


def split_state(state: Integers) -> tuple[Integers, Integers, Integers]:
    """Component, slope and level of each state.

    >>> [part.tolist() for part in split_state(state_number(np.array([1]), np.array([2]), np.array([3])))]
    [[1], [2], [3]]
    """
    rest, level = np.divmod(state, len(LEVELS))
    component, slope = np.divmod(rest, len(SLOPES))
    return component, slope, level


@dataclass(frozen=True, eq=False)
class Falls:
    """The falls of levels between two bands, as transitions from state to state. Component and slope stay the same.

    A fall is rarely a whole number of levels: a fall of 2.3 levels leads 2 levels down with probability 0.7 and 3
    levels down with probability 0.3. So each state has two transitions; those of state s have the numbers 2 s and
    2 s + 1. What would fall beyond the lowest or rise beyond the highest level stays there.

    Transitions are sorted by target as well: within a slope, a lower level never leads to a higher one than the level
    above it does. So the transitions into state s are one slice of them, from first[s] to first[s + 1].
    """

    chance: Floats  # [band, state, 2]: the probabilities of both transitions
    first: Integers  # [band, states + 1]

    @classmethod
    def of(cls, bands: Bands, prior: Prior) -> "Falls":
        """Components that fall along the same coordinate have the same falls, so they are worked out once for each."""
        every = [component.along for component in prior.components]
        coordinates = list(dict.fromkeys(every))
        which = np.array([coordinates.index(along) for along in every])
        falls = _falls(bands, coordinates)
        whole = np.floor(falls)
        further = np.repeat(falls - whole, len(LEVELS), axis=2)[:, which].reshape(len(falls), -1)  # [band, state]
        first = _first_into(whole.astype(np.int64))
        states = len(SLOPES) * len(LEVELS)  # of one component
        offset = states * np.arange(len(every))[:, None]
        begins = (first[:, which] + 2 * offset).reshape(len(falls), -1)
        return cls(
            np.stack([1 - further, further], axis=-1),
            np.pad(begins, ((0, 0), (0, 1)), constant_values=2 * states * len(every)),
        )

    def apply(self, band: int, state: Floats) -> Floats:
        """The probabilities of the states [component, slope, level] in the next band."""
        found: Floats = self._matrices[band] @ state.ravel()
        return found.reshape(state.shape)

    def expected(self, band: int, state: Floats) -> Floats:
        """The mean of these numbers of the states in the next band, over what each state of this one leads to."""
        found: Floats = self._transposed[band] @ state.ravel()
        return found.reshape(state.shape)

    @cached_property
    def _transposed(self) -> list[csr_array]:
        return [matrix.T.tocsr() for matrix in self._matrices]

    @cached_property
    def _matrices(self) -> list[csr_array]:
        """Of each band the transitions as a sparse matrix [state in the next band, state]."""
        transitions = np.arange(self.chance[0].size)
        shape = (self.first.shape[1] - 1,) * 2
        return [
            csr_array((chance.ravel(), transitions // 2, first), shape)
            for chance, first in zip(self.chance, self.first, strict=True)
        ]

    def draw_source(self, band: int, state: Floats, after: Integers, number: Floats) -> Integers:
        """A state in this band for each curve that is in state `after` in the next band.

        state   the probabilities of the states in this band
        number  uniform, one per curve: it picks one of the transitions into `after` in proportion to their probability

        The plain form, for one curve:

            into = range(first[after], first[after + 1])
            probability = [state[transition // 2] * chance[transition] for transition in into]
            source = into[place of number in the running sums of probability] // 2
        """
        summed = np.append(0.0, (state.ravel()[:, None] * self.chance[band]).cumsum())
        first, last = self.first[band].take(after), self.first[band].take(after + 1)
        low, high = summed.take(first), summed.take(last)
        transition = np.searchsorted(summed, low + number * (high - low), side="right") - 1
        inside = np.minimum(np.maximum(transition, first), last - 1)  # rounding may lead past either end
        found: Integers = inside // 2
        return found


def _falls(bands: Bands, coordinates: Sequence[Along]) -> Floats:
    """By how many levels each slope falls from each band to the next [band, coordinate, slope]; rises are negative."""
    place = np.stack([bands.along(coordinate) for coordinate in coordinates])
    falls: Floats = -np.diff(place).T[:, :, None] * SLOPES / STEP
    return np.clip(falls, -len(LEVELS), len(LEVELS))


def _first_into(whole: Integers) -> Integers:
    """Where the transitions into each state of a component begin [band, coordinate, state].

    whole  by how many levels, or one more, the component falls [band, coordinate, slope]
    """
    nearer_and_further = np.arange(len(LEVELS))[:, None] + np.arange(2)  # [level, 2], before the fall
    level = np.clip(whole[..., None, None] + nearer_and_further, 0, len(LEVELS) - 1)
    target = level + (np.arange(len(SLOPES)) * len(LEVELS))[:, None, None]
    states = np.arange(len(SLOPES) * len(LEVELS))
    rows = [np.searchsorted(row, states) for row in target.reshape(-1, 2 * len(states))]
    return np.reshape(rows, (*whole.shape[:2], -1)).astype(np.int64)


def switches(bands: Bands, prior: Prior) -> Floats:
    """P(slope afterwards | slope before) [band, component, after, before].

    Over a width of w in log rank a slope is drawn anew with probability 1 - exp(-redraw w); if it is not, it moves to a
    neighbouring slope with probability 1 - exp(-drift w).
    """
    width = np.append(np.diff(bands.depth), 0.0)[:, None]
    redraw = 1 - np.exp(-prior.column("redraw") * width)
    drift = (1 - redraw) * (1 - np.exp(-prior.column("drift") * width))
    head = np.stack([component.head.weight for component in prior.components])
    tail = np.stack([component.tail.weight for component in prior.components])
    new = np.where((bands.depth < HEAD)[:, None, None], head, tail)
    stay = (1 - redraw - drift)[..., None, None] * np.eye(len(SLOPES))
    found: Floats = stay + redraw[..., None, None] * new[..., None] + drift[..., None, None] * _neighbours().T
    return found


def _neighbours() -> Floats:
    """[before, after]: a step to either neighbour with probability 1/2, reflecting at both ends; rising slopes stay."""
    size = len(SLOPES)
    found = np.eye(size)
    for slope in range(RISING, size):
        found[slope] = 0
        found[slope, max(slope - 1, RISING)] += 0.5
        found[slope, min(slope + 1, size - 1)] += 0.5
    return found
