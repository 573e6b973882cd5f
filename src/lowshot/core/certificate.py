"""Certificates of recall and precision that hold for every pool: `promise="design"`.

A look at a cut of the ranking has draws of its own: uniform and without replacement, for recall among the items below
the cut that had no label when it began, for precision among those above it. Where they are made, and how many, is fixed
before the first. How many positives (for precision, negatives) there can be among all these items follows exactly from
the hypergeometric distribution: `most`. Labels are fixed and unknown, and scores may be worthless.

**Precision.** When all draws are labelled, the set above the cut is certified if the negatives that there can be in it
are few enough.

**Recall.** The set of a cut keeps what is above it and the labelled positives. Positives that were found before the
look are certain and cost nothing; where more of them lie among the best items than anybody wants to label, a draw among
these shows how many there are at least, for TOP of the share. With `kept` positives, `misses_allowed` may be lost below
the cut. The draw below it is large enough that it finds more positives than it `may` if one more than allowed is there,
but for a failure with a probability of at most the share. It is labelled from the bottom of the ranking upwards, and so
certifies cuts on the way: every cut below which all draws are labelled, and at most `may` of them are positive.

This holds for all cuts at once, at every look at the labels. Those with too many misses lie above some place of the
ranking. Whoever certifies one of them has found at most `may` positives below the lowest one, too; but the draw finds
so few of these with a probability of at most the share, wherever among the items they lie.

**Shares.** Looks get SHARES of the failure probability. A look that certifies all that it could gives its share back;
those that do not are counted, and the next one gets the next share. This is still safe. Follow the looks to the first
mistake. The looks before it that were not counted certified all of their cuts, which was right, so a mistake was not
possible there; the shares of the others, up to and including this one, sum to at most the failure probability; and
each makes a mistake with a probability of at most its share, whatever happened before. After LOOKS that were counted
there is no share left. One case is left out: where a draw among the best items chose the cut, and showed too much, with
a probability of at most TOP of the share, the look may still certify rightly and give its share back. So each such look
can add up to TOP of its share to the probability of a mistake; labels about double from one to the next, so there are
few of them.

**Skipped items** count as missed positives below the cut, and as negatives above it.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from lowshot.core.types import Floats

# Of the failure probability: of the first look, and of those after one or more that failed.
SHARES = (0.6, 0.2, 0.1, 0.1)
LOOKS = len(SHARES)
TOP = 0.2  # of the share of a look: for the draw among the best items, whose bound hardly depends on it
DENOMINATOR = 10**6  # targets are fractions with at most this denominator, so that counts can be compared exactly
ROUNDING = 1e-5  # relative: probabilities of a billion items are exact to 2e-6, and rounded to the safe side


class Drawn(NamedTuple):
    """Items without a label, and what a uniform draw among them told. Draws without an answer of 0 or 1 were skipped.

    >>> Drawn(items=1000, drawn=50, positive=45, negative=4).fewest_positive(0.05)
    804
    """

    items: int
    drawn: int = 0
    positive: int = 0
    negative: int = 0

    def fewest_positive(self, share: float) -> int:
        return self.items - most(self.items, self.drawn, self.drawn - self.positive, share)


def share_of(delta: float, failed: int) -> float:
    """The share of the failure probability for the next look, after so many that failed; 0 if none is left.

    >>> [round(share_of(0.1, failed), 3) for failed in (0, 1, LOOKS)]
    [0.06, 0.02, 0.0]
    """
    return delta * SHARES[failed] if failed < LOOKS else 0.0


def most(items: int, drawn: int, seen: int, share: float) -> int:
    """The most marked items that there can be, if `seen` of `drawn` are: with more, so few have at most this chance.

    >>> most(items=100, drawn=30, seen=0, share=0.05)  # 9 of 100 would all be missed with a chance of 3.5 %
    8
    """
    low, high = seen, items - (drawn - seen)
    if not drawn:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if chance_of_at_most(seen, items, middle, drawn) > share * (1 - ROUNDING):
            low = middle
        else:
            high = middle - 1
    return low


def chance_of_at_most(seen: int, items: int, marked: int, drawn: int) -> float:
    """The hypergeometric probability of at most `seen` marked items among the drawn ones.

    >>> round(chance_of_at_most(seen=0, items=10, marked=5, drawn=2), 4)  # 5 / 10 * 4 / 9
    0.2222
    """
    number = np.arange(max(0, drawn - (items - marked)), min(seen, marked, drawn) + 1, dtype=np.float64)
    each = _log_ways(marked, number) + _log_ways(items - marked, drawn - number)
    return min(float(np.exp(each - _log_ways(items, np.array([float(drawn)]))).sum()), 1.0)


def _log_ways(items: int, chosen: Floats) -> Floats:
    """The log of the number of ways to choose so many of the items; exact for large numbers, too."""
    found: Floats = -math.log1p(items) - betaln(items - chosen + 1, chosen + 1)
    return found


def shares_of_recall(share: float, top: bool) -> tuple[float, float]:
    """Of a look: for the draw among the best items, if there is one, and for the draw below the cut."""
    return (TOP * share, (1 - TOP) * share) if top else (0.0, share)


def misses_allowed(kept: int, target: float) -> int:
    """How many positives may be lost if so many are kept.

    >>> misses_allowed(45, 0.9), misses_allowed(44, 0.9), misses_allowed(45, 1.0)
    (5, 4, 0)
    """
    exact = _fraction(target)
    return math.floor(kept * (1 - exact) / exact)


def surely_at_most(allowed: int, items: int, drawn: int, may: int, share: float) -> bool:
    """Whether at most so many of the items are positive if the draws find `may` or fewer, but for a failure with a
    probability of at most `share`.

    >>> surely_at_most(8, items=100, drawn=30, may=0, share=0.05), surely_at_most(7, 100, 30, 0, 0.05)
    (True, False)
    """
    return allowed >= most(items, drawn, min(may, drawn), share)


def surely_precise(found: int, skipped: int, above: Drawn, target: float, share: float) -> bool:
    """Whether the set of a cut has this precision, but for a failure with a probability of at most `share`.

    found    labelled positives, above the cut or below, but for those that `above` counts
    skipped  items above the cut that were skipped before the draw
    above    among all items above the cut without a label

    >>> surely_precise(10, 0, Drawn(items=40, drawn=20, positive=20), 0.9, 0.05)
    True
    """
    size = found + skipped + above.items - above.negative
    negatives = skipped + above.items - above.fewest_positive(share) - above.negative
    return size > 0 and negatives <= (1 - _fraction(target)) * size


def _fraction(target: float) -> Fraction:
    """The target exactly; one of almost 0 is rounded up, because nothing is a share of 0."""
    return max(Fraction(target).limit_denominator(DENOMINATOR), Fraction(1, DENOMINATOR))


def best_case(items: int, positives: int, labels: int, target: float, delta: float) -> int:
    """The items that any method can let go, at most, if it assumes nothing and keeps its promise for every pool.

    If all positives are kept and known, the promise breaks when more than m = (1 - target) / target * positives others
    are missed. m + 1 of them anywhere among the items that are let go stay unseen with chance (1 - share)**(m + 1), if
    this share of the items is labelled; this must be at most delta.

    >>> best_case(items=50_000, positives=50, labels=200, target=0.9, delta=0.1)
    627
    """
    share = _fraction(target)
    misses = math.floor((1 - share) / share * positives)
    return min(items, math.floor(labels / -math.expm1(math.log(delta) / (misses + 1))))
