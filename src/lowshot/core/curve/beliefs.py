"""The numbers of the prior, learned from labelled pools.

All numbers but those named below are those that make the labels of the choosing half most likely: 230 real pools of 11
data sets (tables, pictures, texts), 90 copies of good ones from which mistakes were deleted, and 528 even classes of
the benchmark families. Every data set and family counts alike within its kind (shares 0.45, 0.10 and 0.45). The labels
of a group count as those of a sample with a variance of about 1.4 in log-odds, so that large groups do not outweigh the
others. STRETCH, POSITIVES, SCORE_TAIL and MISSES were chosen by the errors and interval scores of simulated evaluations
on the same pools, one number of CROSSING as said there. docs/research.md has the log, docs/intervals.md what the
beliefs are worth on pools that were not used.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.components import Bell, Component, Prior, Ratio, Slopes
from lowshot.core.types import Floats

START = Bell(4.3, 4.9)
# Where the predicted positives end, usually 3 to 35 % are positive. For `anywhere` 0.02 was learned; with 0.15,
# intervals also hold for models that flag far more items per positive than those pools do (docs/research.md).
CROSSING = Bell(-2.0, 1.38, 0.15)
CROSSING_JUMP = Bell(0.33, 0.89, 0.016)  # halfway down the jump
CROSSING_FLAT = Bell(-6.1, 3.0, 0.1)
SCORE_HEAD, SCORE_TAIL = Slopes(0.73, 0.87, 0.03, 0.04, 0.11), Slopes(1.27, 0.4, 0.08, 0.05, 0.004)
RANK_HEAD, RANK_TAIL = Slopes(2.14, 0.9, 0.1, 0.15, 0.14), Slopes(1.83, 0.605, 0.08, 0.08, 0.004)
AFTER_JUMP, FLAT = Slopes(3.3, 0.675, 0.05, 0.08, 0.004), Slopes(0.78, 0.56, 0.6, 0.01, 0.01)
SCORE, RANK = (0.079, 0.09), (0.41, 0.305)  # redraw and drift
MISSES, MISSES_NONE = 0.4, 31.4  # doubt: ordinary pools; pools that miss at most a few per cent of n_pred
FEWEST = 10  # predicted positives; with fewer, missed ones are doubted as if there were so many
# Positives per predicted one: usually 0.2 to 1.7. A model that flags ten times as many items as there are positives is
# as far from the median as one that flags a third of them.
POSITIVES = Ratio(0.55, 1.1, degrees=3)
STRETCH = 1.05


class Kind(NamedTuple):
    """A component, and how its weight changes with the gap of the scores where the predicted positives end."""

    component: Component  # its weight is that without a gap
    gap: float  # added to the logarithm of the weight per unit of the gap


KINDS = (
    Kind(Component(0.932, 0, "both", MISSES, *SCORE, SCORE_HEAD, SCORE_TAIL, CROSSING), -2.3),  # scores say it all
    Kind(Component(0.029, 2, "both", MISSES, *SCORE, SCORE_HEAD, SCORE_TAIL, CROSSING), 0.63),  # predictions say more
    Kind(Component(0.011, 0, "rank", MISSES, *RANK, RANK_HEAD, RANK_TAIL, CROSSING), -0.75),  # only ranks matter
    Kind(Component(0.0065, 7, "rank", MISSES_NONE, *RANK, RANK_HEAD, AFTER_JUMP, CROSSING_JUMP), 2.65),  # few mistakes
    Kind(Component(0.007, 14, "rank", MISSES_NONE, *RANK, RANK_HEAD, AFTER_JUMP, CROSSING_JUMP), 2.94),  # no mistake
    Kind(Component(0.0145, 0, "rank", MISSES, *RANK, FLAT, FLAT, CROSSING_FLAT), -0.67),  # the scores are useless
)
WIDEST = 2.0  # gaps beyond it count as this one, in units of u


def prior_of(bands: Bands) -> Prior:
    """The prior of a pool.

    >>> from lowshot.core.ranking import rank
    >>> scores = np.linspace(1, 0, 1000)
    >>> prior_of(Bands.of(rank(scores, scores > 0.9))).column("weight").round(2).tolist()
    [0.87, 0.05, 0.01, 0.02, 0.02, 0.02]
    """
    weight = weights(bands.gap).tolist()
    pairs = zip((kind.component for kind in KINDS), weight, strict=True)
    trusted = min(1.0, bands.predicted / FEWEST)
    components = tuple(replace(each, weight=share, doubt=trusted * each.doubt) for each, share in pairs)
    return Prior(components, START, POSITIVES, STRETCH, bands.patterns)


def weights(gap: float) -> Floats:
    """The weights of the components in a pool with this gap.

    >>> weights(1.5)[3:5].sum().round(2)
    np.float64(0.89)
    """
    change = np.array([kind.gap for kind in KINDS]) * np.clip(gap, 0, WIDEST)
    found: Floats = np.array([kind.component.weight for kind in KINDS]) * np.exp(change)
    found /= found.sum()
    return found
