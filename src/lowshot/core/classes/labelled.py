"""Labels of items with many classes, as arrays: what was answered, and how the items were drawn.

Codes: c >= 0: the class at place c; NONE_OF_THEM (-1): none of the classes; -(2 + c): "not class c", the answer "no" to
a question about one class.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowshot.core.types import Flags, Floats, Integers

NONE_OF_THEM = -1
FIRST_NO = -2  # the code of "not class 0"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Items with labels, and the draws that brought them.

    >>> labels = Labelled.of(np.array([7, 3]), np.array([2, -4]))
    >>> labels.item.tolist(), labels.settled.tolist(), labels.refused.tolist()
    ([3, 7], [False, True], [2, -1])
    """

    item: Integers  # [label], ascending
    code: Integers  # [label]
    teaches: Flags  # [label]: whether the beliefs learn from it; not from labels whose items were chosen in some way
    # One entry per draw, with repeats; only of items that have a settled label. Uniform known labels are a round, too.
    drawn: Integers  # [draw]: its item
    round: Integers  # [draw]: the number of its round, from 0
    probability: Floats  # [draw]: of this item, when it was drawn

    @classmethod
    def of(
        cls,
        item: Integers,
        code: Integers,
        teaches: Flags | None = None,
        draws: tuple[Integers, Integers, Floats] | None = None,
    ) -> "Labelled":
        """`draws`: items, numbers of rounds and probabilities of the draws; None: nothing is known about them."""
        order = np.argsort(item, kind="stable")
        item, code = np.asarray(item, dtype=np.int64)[order], np.asarray(code, dtype=np.int64)[order]
        learned = np.ones(len(item), dtype=np.bool_) if teaches is None else np.asarray(teaches)[order]
        none = np.zeros(0, dtype=np.int64)
        drawn, number, probability = (none, none, np.zeros(0)) if draws is None else draws
        counts = np.isin(drawn, item[code > FIRST_NO]) & (probability > 0)
        return cls(item, code, learned, drawn[counts], number[counts], probability[counts])

    @cached_property
    def settled(self) -> Flags:
        """Whether the class of the item is known, or known to be none of them."""
        found: Flags = self.code > FIRST_NO
        return found

    @cached_property
    def refused(self) -> Integers:
        """The class that an item is known not to be of; -1 where the label says more or other than that."""
        return np.where(self.settled, -1, FIRST_NO - self.code)

    @cached_property
    def expansion(self) -> Floats:
        """[label]: for how many items without a label each settled one stands, by the probabilities of the draws.

        With n draws in all, n_t of them in round t, each round estimates the sum over the items that had no label when
        it opened: a draw counts 1 / (n_t p). Rounds are averaged with weights n_t / n, so it counts 1 / (n p). What the
        labelled items themselves contribute is known, and taken out: once for every round that could have drawn them.
        """
        found = np.zeros(len(self.item))
        if len(self.drawn) == 0:
            return found
        place = np.searchsorted(self.item, self.drawn)
        total = len(self.drawn)
        np.add.at(found, place, 1 / (total * self.probability))
        share = np.cumsum(np.bincount(self.round)) / total
        first = np.full(len(self.item), len(share), dtype=np.int64)
        np.minimum.at(first, place, self.round)
        there = first < len(share)
        found[there] -= share[first[there]]
        return found
