"""Precision and recall at every cut of a ranking, from labels and from draws of what is not labelled."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from lowshot.core.curve.cuts import Cuts
from lowshot.core.types import Flags, Floats

Skips = Literal["expected", "worst", "best"]
ROUNDING = 1e-9  # sums of shares and weights differ by less between processors, and numbers that matter by more


class Counted(NamedTuple):
    """True positives [draw, cut], the size of what is kept [cut], and all positives [draw, cut or 1]."""

    hits: Floats
    size: Floats
    positives: Floats

    @property
    def recall(self) -> Floats:
        return self.f(0.0)

    @property
    def precision(self) -> Floats:
        return self.f(1.0)

    def f(self, alpha: float) -> Floats:
        """hits / (alpha size + (1 - alpha) positives); 0 where that is 0 / 0: nothing is kept, or nothing is positive.

        >>> Counted(np.array([[9.0, 10]]), np.array([10.0, 40]), np.array([[10.0]])).f(0.0).tolist()
        [[0.9, 1.0]]
        """
        below = alpha * self.size + (1 - alpha) * self.positives
        found: Floats = np.minimum(self.hits / np.maximum(below, 1e-12), 1.0)  # sums of weights are rounded
        return found

    def reach(self, targets: Mapping[str, float]) -> Flags:
        """[draw, cut]: whether recall or precision, or both, are what is wanted at least.

        >>> Counted(np.array([[8.0, 9]]), np.array([9.0, 10]), np.array([[12.0]])).reach({"precision": 0.9}).tolist()
        [[False, True]]
        """
        reached = np.ones(self.hits.shape, dtype=np.bool_)
        for name, target in targets.items():
            reached &= getattr(self, name) >= target - ROUNDING  # 0.9 of 10 is 9, whatever the processor rounds
        return reached


@dataclass(frozen=True, eq=False)
class Along:
    """What is known about each cut. All sums are over the items that the cut keeps, in units of an average item.

    What is kept can be read in two ways. "bare": the items above the cut. "set": these, with the labelled positives
    below it and without the labelled negatives above it, which is what somebody gets who has the labels.

    >>> cuts = Cuts(np.array([1, 2, 3]), np.array([0.9, 0.5, 0.1]))
    >>> along = Along(cuts, size=cuts.kept * 1.0, positives=np.array([1.0, 1, 1]), negatives=np.array([0.0, 1, 1]),
    ...               skipped=np.zeros(3), open=np.array([[0.0, 0, 1]]), doubt=np.zeros((1, 1)), weight=np.ones(1))
    >>> along.counted("bare").recall.tolist(), along.counted("set").precision.tolist()
    ([[0.5, 0.5, 1.0]], [[1.0, 1.0, 1.0]])
    """

    cuts: Cuts
    size: Floats  # [cut]
    positives: Floats  # [cut]: labelled ones
    negatives: Floats  # [cut]: labelled ones
    skipped: Floats  # [cut]: answered with "cannot tell"
    open: Floats  # [draw, cut]: positives among the items without an answer
    doubt: Floats  # [draw, cut]: positives among the skipped ones
    weight: Floats  # of each draw; they sum to 1

    @cached_property
    def left(self) -> Floats:
        """[cut]: items without an answer, and those that were skipped."""
        return np.maximum(self.size - self.positives - self.negatives, 0)

    @cached_property
    def certain(self) -> bool:
        """Whether all draws agree, as they do if every item has a label."""
        return not (np.ptp(self.open, axis=0).any() or self.skipped[-1])

    def counted(self, reading: str, skips: Skips = "expected") -> Counted:
        """`skips` says what skipped items are: as curves say, or what makes precision and recall worst or best."""
        found = self.positives if reading == "bare" else self.positives[-1]
        size = self.size if reading == "bare" else self.size - self.negatives + self.positives[-1] - self.positives
        hits, positives = found + self.open, self.positives[-1] + self.open[:, -1:]
        if skips == "worst":
            return Counted(hits, size, positives + self.skipped[-1] - self.skipped)
        if skips == "best":
            return Counted(hits + self.skipped, size, positives + self.skipped)
        return Counted(hits + self.doubt, size, positives + self.doubt[:, -1:])

    def probability(self, targets: dict[str, float], reading: str) -> Floats:
        """[cut]: the probability that all targets are reached, if skipped items are what is worst for them.

        So many draws cannot say that something is certain: one more, which says no, is added to them.
        """
        counted = self.counted(reading, "worst")
        found: Floats = self.weight @ counted.reach(targets)
        return found if self.certain else found * (len(self.weight) / (len(self.weight) + 1))

    def nearness(self, targets: dict[str, float]) -> Floats:
        """[cut]: how near the bare cut comes to the targets, 1 if it reaches all of them in every draw."""
        counted = self.counted("bare", "worst")
        shares = [np.minimum(getattr(counted, name) / target, 1.0) for name, target in targets.items()]
        found: Floats = self.weight @ np.min([np.broadcast_to(one, self.open.shape) for one in shares], axis=0)
        return found

    def average_precision(self, skips: Skips = "expected") -> Floats:
        """[draw]: precision, averaged over the steps of recall from cut to cut."""
        counted = self.counted("bare", skips)
        steps = np.diff(counted.recall, axis=1, prepend=0.0)
        found: Floats = (np.maximum(steps, 0) * counted.precision).sum(axis=1)
        return found
