"""How states move from band to band: levels fall as their slope says, slopes change now and then."""

from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.prior import LEVELS, RISING, SLOPES, STEP, Prior
from lowshot.core.types import Floats, Integers

HEAD = -0.1  # depth down to which slopes are those of the head


@dataclass(frozen=True, eq=False)
class Falls:
    """How levels fall from band to band. A state is (component, slope, level), flat in this order.

    Every state leads to two neighbouring levels, because a fall is rarely a whole number of them. In this order of
    states the moves are ordered by where they lead, too, so that all moves into a state are one slice of them:
    `first[state]` to `first[state + 1]`. What would leave the levels stays at their end.
    """

    chance: Floats  # [band, state, 2]: of the nearer and of the further level
    target: Integers  # [band, 2 * states]
    first: Integers  # [band, states + 1]

    @classmethod
    def of(cls, bands: Bands, by_score: Integers) -> "Falls":
        """`by_score` is 1 for each component that falls along the score, 0 for one along the rank."""
        coordinate = np.stack([bands.normal, bands.scaled])[by_score]
        falls = -np.diff(coordinate).T[:, :, None] * SLOPES / STEP  # [band, component, slope]
        falls = np.clip(falls, -len(LEVELS), len(LEVELS))
        steps = np.floor(falls).astype(np.int64)
        level = np.arange(len(LEVELS))[:, None] + np.arange(2)
        level = np.clip(level + steps[..., None, None], 0, len(LEVELS) - 1)
        states = by_score.size * len(SLOPES) * len(LEVELS)
        base = np.arange(by_score.size * len(SLOPES)).reshape(-1, len(SLOPES), 1, 1) * len(LEVELS)
        target = (base + level).reshape(len(falls), -1)
        rest = np.repeat((falls - steps).reshape(len(falls), -1), len(LEVELS), axis=1)
        whole = np.arange(states + 1)
        first = np.stack([np.searchsorted(row, whole) for row in target]) if len(falls) else np.empty((0, states + 1))
        return cls(np.stack([1 - rest, rest], axis=-1), target, first.astype(np.int64))

    def apply(self, band: int, state: Floats) -> Floats:
        """States as they are in the next band."""
        moves = state.ravel()[:, None] * self.chance[band]
        found: Floats = np.bincount(self.target[band], moves.ravel(), state.size).astype(np.float64, copy=False)
        return found.reshape(state.shape)

    def undo(self, band: int, state: Floats, after: Integers, number: Floats) -> Integers:
        """Where each curve that is in state `after` in the next band came from; `number` is uniform."""
        summed = np.append(0.0, (state.ravel()[:, None] * self.chance[band]).cumsum())
        first, last = self.first[band].take(after), self.first[band].take(after + 1)
        low, high = summed.take(first), summed.take(last)
        move = np.searchsorted(summed, low + number * (high - low), side="right") - 1
        found: Integers = np.minimum(np.maximum(move, first), last - 1) // 2
        return found


def switches(bands: Bands, prior: Prior) -> Floats:
    """P(slope afterwards | slope before) [band, component, after, before]."""
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
    """A step to either neighbour with probability 1/2, reflecting at both ends; rising slopes stay."""
    size = len(SLOPES)
    found = np.eye(size)
    for slope in range(RISING, size):
        found[slope] = 0
        found[slope, max(slope - 1, RISING)] += 0.5
        found[slope, min(slope + 1, size - 1)] += 0.5
    return found
