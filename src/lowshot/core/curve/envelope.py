"""Bands around curves: at each place on its own, or around all places at once."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from lowshot.core.curve.summary import quantiles
from lowshot.core.types import Floats

# A band that should hold at all cuts at once in 95 % of pools did so in 87 to 88 % with 1.0 and in 91 to 95 % with 1.25
# (choosing half of real pools, docs/research.md): curves are a little too sure where they have no labels.
ALL_AT_ONCE = 1.4
LEAST = 0.5  # of the effect of one item: the least standard deviation
ONE_SD = 0.475  # half of the draws that an interval of two standard deviations on either side holds


class Envelope(NamedTuple):
    """A curve with its band."""

    value: Floats
    low: Floats
    high: Floats


def pointwise(draws: Floats, weight: Floats, confidence: float, stretch: float, times: float) -> Envelope:
    """At each place: value (midway between mean and median) and interval of draws [draw, place].

    stretch  the lower half of the interval is multiplied by this
    times    and both halves by this

    >>> draws = np.linspace(0.4, 0.6, 101)[:, None]
    >>> [part.round(3).tolist() for part in pointwise(draws, np.full(101, 1 / 101), 0.9, 1.0, 1.0)]
    [[0.5], [0.41], [0.592]]
    """
    low, middle, high = columns_quantiles(draws, weight, ((1 - confidence) / 2, 0.5, (1 + confidence) / 2))
    value = np.minimum((weight @ draws + middle) / 2, 1)  # weights sum to 1 up to rounding
    low = np.clip(middle - times * stretch * (middle - low), 0, value)
    return Envelope(value, low, np.clip(middle + times * (high - middle), value, 1))


def columns_quantiles(draws: Floats, weight: Floats, shares: tuple[float, ...]) -> Floats:
    """Quantiles [share, place] of each column of weighted draws [draw, place], without interpolation."""
    order = np.argsort(draws, axis=0, kind="stable")
    middle = weight[order].cumsum(axis=0) - weight[order] / 2
    places = [np.minimum((middle < share).sum(axis=0), len(draws) - 1) for share in shares]
    return np.stack(
        [np.take_along_axis(draws, order[place, np.arange(draws.shape[1])][None], 0)[0] for place in places]
    )


def simultaneous(draws: Floats, weight: Floats, size: Floats, confidence: float, times: float) -> tuple[Floats, Floats]:
    """A band that holds the true curve at all places at once: low and high.

    Distances are measured on the logit scale from the median, in units of the half interval on that side. The band is
    as many units wide as it takes to hold a `confidence` share of the draws wholly.

    draws  of shares [draw, place]
    size   [place]: what they are shares of; one item more or less must always be possible

    >>> draws = np.random.default_rng(0).binomial(50, 0.4, (1000, 3)) / 50
    >>> low, high = simultaneous(draws, np.full(1000, 1 / 1000), np.full(3, 50.0), 0.95, 1.0)
    >>> low.round(1).tolist(), high.round(1).tolist()
    ([0.2, 0.2, 0.2], [0.6, 0.6, 0.6])
    """
    moved = _log_odds(draws, size)
    low, middle, high = columns_quantiles(moved, weight, (0.5 - ONE_SD, 0.5, 0.5 + ONE_SD))
    share = _shares(middle, size)
    one_less, one_more = (_log_odds(np.clip(share + step, 0, 1), size) for step in (-1 / size, 1 / size))
    item = LEAST * np.maximum(one_more - middle, middle - one_less)
    down, up = (np.hypot((middle - low) / 2, item), np.hypot((high - middle) / 2, item))
    farthest = np.maximum((moved - middle) / up, (middle - moved) / down).max(axis=1)
    wide = times * ALL_AT_ONCE * quantiles(farthest, weight, (confidence,))[0]
    return _shares(middle - wide * down, size), _shares(middle + wide * up, size)


def _log_odds(share: Floats, size: Floats) -> Floats:
    """The log-odds of a share, with half an item added on both sides: finite for 0 and 1, too."""
    found: Floats = logit((share * size + 0.5) / (size + 1))
    return found


def _shares(log_odds: Floats, size: Floats) -> Floats:
    found: Floats = np.clip((expit(log_odds) * (size + 1) - 0.5) / size, 0, 1)
    return found
