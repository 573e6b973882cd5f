"""How states move from band to band: levels fall as their slope says, slopes change now and then."""

from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.prior import LEVELS, RISING, SLOPES, STEP, Prior
from lowshot.core.types import Floats, Integers

HEAD = -0.1  # depth down to which slopes are those of the head
STATES = (len(LEVELS), len(SLOPES))


@dataclass(frozen=True, eq=False)
class Fall:
    """How levels fall from band to band along a coordinate: by `steps` levels or, with probability `rest`, one more."""

    steps: Integers  # [bands - 1, slopes]
    rest: Floats
    index: Integers  # [bands - 1, 2, levels * slopes]: where each state comes from; a row of zeros above the levels

    @classmethod
    def along(cls, coordinate: Floats) -> "Fall":
        falls = -np.diff(coordinate)[:, None] * SLOPES / STEP
        falls = np.clip(falls, -len(LEVELS) - 1, len(LEVELS) + 1)
        steps = np.floor(falls).astype(np.int64)
        source = (
            np.arange(len(LEVELS))[None, None, :, None] - steps[:, None, None, :] - np.arange(2)[None, :, None, None]
        )
        source = np.clip(source, -1, len(LEVELS)) + 1  # rows of zeros above and below the levels
        index = source * len(SLOPES) + np.arange(len(SLOPES))
        return cls(steps, falls - steps, index.reshape(len(steps), 2, STATES[0] * STATES[1]))

    def apply(self, band: int, after: Floats) -> Floats:
        """States [component, levels between two rows of zeros, slope] as they are in the next band.

        What would leave the levels stays at their end.
        """
        flat, rest = after.reshape(len(after), -1), self.rest[band]
        stay, further = (np.take(flat, index, axis=1).reshape(-1, *STATES) for index in self.index[band])
        moved: Floats = stay * (1 - rest) + further * rest
        lost = np.maximum(after.sum(axis=1) - moved.sum(axis=1), 0)
        moved[:, 0, :RISING] += lost[:, :RISING]
        moved[:, -1, RISING:] += lost[:, RISING:]
        return moved


def switches(bands: Bands, prior: Prior) -> Floats:
    """P(slope afterwards | slope before) [component, band, before, after]."""
    width = np.append(np.diff(bands.depth), 0.0)
    redraw = 1 - np.exp(-prior.column("redraw")[:, None] * width)
    drift = (1 - redraw) * (1 - np.exp(-prior.column("drift")[:, None] * width))
    head = np.stack([component.head.weight for component in prior.components])
    tail = np.stack([component.tail.weight for component in prior.components])
    new = np.where((bands.depth < HEAD)[None, :, None], head[:, None, :], tail[:, None, :])
    stay = (1 - redraw - drift)[..., None, None] * np.eye(len(SLOPES))
    found: Floats = stay + redraw[..., None, None] * new[:, :, None, :] + drift[..., None, None] * _neighbours()
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
