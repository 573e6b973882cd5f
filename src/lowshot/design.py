"""What a sampler proposes for a round: a distribution over cells, or an ordered list."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from lowshot.core.cells import Cells
from lowshot.core.drawing import draw, uniforms
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError


class Draws(NamedTuple):
    """Draws of a round: their counters, items, probabilities and c(s).

    A counter numbers the draws of a round from 0. Where repeats are dropped, counters have gaps.
    """

    counter: Integers
    items: Integers
    probability: Floats
    calibration: Floats

    def take(self, which: slice | Integers) -> "Draws":
        return Draws(self.counter[which], self.items[which], self.probability[which], self.calibration[which])

    def then(self, further: "Draws") -> "Draws":
        return Draws(
            np.concatenate([self.counter, further.counter]),
            np.concatenate([self.items, further.items]),
            np.concatenate([self.probability, further.probability]),
            np.concatenate([self.calibration, further.calibration]),
        )


def nothing() -> Integers:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """What all designs have in common.

    known        L: items that are labelled already and enter the estimate as they are
    size         number of labels after which the next round opens; None: the round is extended for ever
    replace      whether an item can be drawn twice
    adaptive     whether the next design depends on the labels of this round; if not, it need not wait for them
    negatives    whether predicted negatives can be drawn; a design for precision draws none
    weighted     whether the probabilities make the draws a weighted sample of the pool
    """

    known: Integers = field(default_factory=nothing)
    size: int | None = None
    replace: bool = True
    adaptive: bool = True
    negatives: bool = True
    weighted: bool = True

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        """What the sampler's beliefs decided, by field: kept with a round, so that it outlives them."""
        return {}

    def as_decided(self, decided: Mapping[str, Any]) -> Self:
        """With what was decided when the round was opened; as it is, where that does not fit."""
        fits = all(name in decided and decided[name].shape == mine.shape for name, mine in self.decided.items())
        return replace_fields(self, **decided) if fits and len(decided) == len(self.decided) else self

    @cached_property
    def items(self) -> Integers:
        """Every item that can be drawn."""
        raise NotImplementedError

    def can_draw(self, positions: Integers) -> Flags:
        """Whether each of these items can be drawn."""
        raise NotImplementedError

    @property
    def available(self) -> int:
        """How many items can be drawn. Large pools count them, as there may be too many to list."""
        return len(self.items)

    def unlabelled(self, labelled: Integers) -> int:
        """How many items can be drawn that are not among `labelled`."""
        return self.available - int(np.count_nonzero(self.can_draw(labelled)))

    def over(self, items: Integers, labels: Mapping[int, int | None]) -> bool:
        """Whether the round ends before its size, because its first items have these labels."""
        return False

    def calibrated(self, positions: Integers) -> Floats:
        """c(s) of items that can be drawn; a KeyError for one that cannot."""
        raise NotImplementedError

    def probability_of(self, positions: Integers) -> Floats | None:
        """The probability of each of these items in one draw; None if a draw depends on those before it."""
        return None

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        """The draws with the counters start, ..., start+count-1."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class CellDesign(Design):
    """Probabilities over cells. `probability` is that of a cell as a whole: its items share it as p(x) says,
    or evenly if `even`.

    >>> import numpy as np
    >>> from lowshot.core.ranking import rank
    >>> cells = rank(np.array([0.9, 0.5, 0.1]), np.array([True, False, False]))
    >>> design = CellDesign(cells=cells, probability=np.array([0.5, 0.5, 0.0]), calibration=np.ones(3))
    >>> design.items.tolist(), design.draw(seed=0, round_number=1, start=0, count=4).items.tolist()
    ([0, 1], [1, 1, 1, 0])
    """

    cells: Cells
    probability: Floats
    calibration: Floats  # c(s) of each cell: stands in for the label if the answer is "cannot tell"
    even: bool = False
    begun: Integers = field(default_factory=nothing)  # items that were drawn before: the first draws of the round

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        return {"probability": self.probability, "calibration": self.calibration}

    def __post_init__(self) -> None:
        share = self.probability[self.probability > 0] / self.cells.count[self.probability > 0]
        if not self.replace and not (self.even and np.allclose(share, share[:1])):
            raise InputError("a design without replacement must be even, with the same probability for every item")

    @cached_property
    def items(self) -> Integers:
        return self.cells.items[self.probability[self.cells.cell_of_item] > 0]

    @property
    def available(self) -> int:
        return int(self.cells.count[self.probability > 0].sum())

    def can_draw(self, positions: Integers) -> Flags:
        cell = self.cells.find(positions)
        return (cell >= 0) & (self.probability[cell] > 0)

    def calibrated(self, positions: Integers) -> Floats:
        cell = self.cells.find(positions)
        if np.any(cell < 0):  # as an index, -1 would mean the last cell
            raise KeyError(int(positions[np.argmax(cell < 0)]))
        return self.calibration[cell]

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        begun = self.begun[start : start + count]
        mine, size = max(0, start - len(self.begun)), count - len(begun)  # draws of its own
        first = 0 if self.cells.sequential else mine
        numbers = uniforms(seed, round_number, first, mine + size - first)
        cell, items = (found[mine - first :] for found in draw(self.cells, self.probability, numbers, self.even))
        cell, items = np.concatenate([self.cells.find(begun), cell]), np.concatenate([begun, items])
        counter = np.arange(start, start + count)
        return Draws(counter, items, self._each(cell, items), self.calibration[cell])

    def probability_of(self, positions: Integers) -> Floats:
        found, there = np.zeros(len(positions)), self.can_draw(positions)
        items = positions[there]
        found[there] = self._each(self.cells.find(items), items)
        return found

    def _each(self, cell: Integers, items: Integers) -> Floats:
        """The probability of each item: that of its cell times its share of the cell."""
        return self.probability[cell] * self.cells.share(cell, items, self.even)


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemDesign(Design):
    """A probability for every item without a label.

    The probabilities are made from a few parameters when they are needed: a store keeps the parameters, and a history
    that is read again does not compute them for rounds that are over.

    >>> import numpy as np
    >>> design = ItemDesign(
    ...     total=3, labelled=np.array([1]), parameters=np.array([0.5]),
    ...     of=lambda parameters: (np.array([0.5, 0.0, 0.5]), np.ones(3)),
    ... )
    >>> design.items.tolist(), design.draw(seed=0, round_number=1, start=0, count=4).items.tolist()
    ([0, 2], [2, 2, 2, 0])
    """

    total: int  # items of the pool
    labelled: Integers  # items that had a label when the round was opened: they are not drawn
    parameters: Floats
    of: Callable[[Floats], tuple[Floats, Floats]]  # the probability and c(s) of every item of the pool

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        return {"parameters": self.parameters}

    @cached_property
    def _made(self) -> tuple[Floats, Floats]:
        return self.of(self.parameters)

    @cached_property
    def items(self) -> Integers:
        return np.setdiff1d(np.arange(self.total), self.labelled)

    @property
    def available(self) -> int:
        return self.total - len(self.labelled)

    def can_draw(self, positions: Integers) -> Flags:
        return ~np.isin(positions, self.labelled)

    def calibrated(self, positions: Integers) -> Floats:
        return self._made[1][positions]

    def probability_of(self, positions: Integers) -> Floats:
        return self._made[0][positions]

    @cached_property
    def _edges(self) -> Floats:
        return np.cumsum(self._made[0])

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        probability, calibration = self._made
        number = uniforms(seed, round_number, start, count)[:, 0]
        last = int(np.flatnonzero(probability)[-1])  # rounding must not lead past the last item that can be drawn
        items = np.minimum(np.searchsorted(self._edges, number * self._edges[-1], side="right"), last)
        return Draws(np.arange(start, start + count), items, probability[items], calibration[items])


@dataclass(frozen=True, eq=False, kw_only=True)
class ListDesign(Design):
    """An ordered list, taken from its start. Nothing is random: every probability is 1.

    >>> import numpy as np
    >>> design = ListDesign(order=np.array([4, 2, 9]), calibration=np.zeros(3))
    >>> design.draw(seed=0, round_number=1, start=1, count=5).items.tolist()
    [2, 9]
    """

    order: Integers
    calibration: Floats
    replace: bool = False
    adaptive: bool = False
    weighted: bool = False

    @cached_property
    def items(self) -> Integers:
        return self.order

    def can_draw(self, positions: Integers) -> Flags:
        return np.isin(positions, self.order)

    def calibrated(self, positions: Integers) -> Floats:
        places = {item: place for place, item in enumerate(self.order.tolist())}
        return self.calibration[[places[item] for item in positions.tolist()]]

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        items = self.order[start : start + count]
        return Draws(
            np.arange(start, start + len(items)), items, np.ones(len(items)), self.calibration[start : start + count]
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class PastDesign(Design):
    """The design of a round of an earlier evaluation: its draws were made, and there will be no others."""

    replace: bool = False
    adaptive: bool = False
    weighted: bool = False

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        return {PAST: np.array([self.size or 0, self.negatives], dtype=np.int64)}

    @cached_property
    def items(self) -> Integers:
        return nothing()

    def can_draw(self, positions: Integers) -> Flags:
        """What the earlier round could draw: every item, or, for precision, no predicted negative."""
        return np.full(len(positions), self.negatives)

    def unlabelled(self, labelled: Integers) -> int:
        return 0

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        return Draws(nothing(), nothing(), np.empty(0), np.empty(0))


PAST = "past"  # the field of `decided` by which a stored round is known to be that of an earlier evaluation


def past_of(decided: Mapping[str, Any]) -> PastDesign | None:
    """The design that was stored as a past one; None for all others."""
    if PAST not in decided:
        return None
    size, negatives = decided[PAST]
    return PastDesign(size=int(size), negatives=bool(negatives))
