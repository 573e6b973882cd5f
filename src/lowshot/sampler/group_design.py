"""A design that says how many items of each group come next; the items of a group are drawn at random."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lowshot.core.cells import Cells, Urn
from lowshot.core.curve.bands import Bands
from lowshot.core.drawing import uniforms
from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Design, Draws

ANY = -1  # an item from the whole pool, whatever its group


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupDesign(Design):
    """Groups in the order in which they are to be labelled; the items of a group come in random order.

    Group g is band g % len(bands) of pattern g // len(bands); ANY is the whole pool. The order may be longer than the
    round, for people who ask again before they have answered. After its end it starts again, without the groups that
    have no items left; when all its groups are used up, all other groups follow, best first. The probability of a draw
    is that of the item inside its group (for ANY, inside the pool), given the earlier draws.
    """

    cells: Cells
    bands: Bands
    order: Integers
    calibration: Floats  # c of each group
    labelled: Integers
    seen: Integers
    ranking: int = 0  # which of the pool's rankings the groups belong to
    replace: bool = False
    weighted: bool = False

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        found = {"order": self.order, "calibration": self.calibration, "size": np.array([self.size])}
        return {**found, "ranking": np.array([self.ranking])} if self.ranking else found

    @cached_property
    def items(self) -> Integers:
        return self.cells.items[self.can_draw(self.cells.items)]

    @property
    def available(self) -> int:
        return int(self.open_counts(self.labelled).sum())

    def can_draw(self, positions: Integers) -> Flags:
        predicted = self.bands.is_predicted[self.cells.pattern[self.cells.find(positions)]]
        return (self.negatives | predicted) & ~np.isin(positions, self.labelled)

    def unlabelled(self, labelled: Integers) -> int:
        """Counted, not listed, so that the time does not grow with the pool."""
        return int(self.open_counts(np.union1d(labelled, self.labelled)).sum())

    def open_counts(self, labelled: Integers) -> Integers:
        """How many items of each group have no label and can be drawn."""
        count = self.bands.count
        left = count.ravel() - np.bincount(self.groups_of(labelled), minlength=count.size)
        drawn = self.negatives | self.bands.is_predicted
        return left * np.repeat(drawn, count.shape[1])

    def calibrated(self, positions: Integers) -> Floats:
        return self.calibration[self.groups_of(positions)]

    def groups_of(self, positions: Integers) -> Integers:
        """The group of each item."""
        return groups_of(self.cells, self.bands, positions)

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        """A draw depends on those before it, so draws are made from the first on, and kept for later calls."""
        key = (seed, round_number)
        if key not in self._runs:
            self._runs[key] = DrawsSoFar(self, *key)
        kept = self._runs[key].up_to(start + count)[start:]
        items, probability, calibration = zip(*kept, strict=True) if kept else ((), (), ())
        return Draws(
            np.arange(start, start + len(kept)),
            np.array(items, dtype=np.int64),
            np.array(probability, dtype=np.float64),
            np.array(calibration, dtype=np.float64),
        )

    @cached_property
    def _runs(self) -> "dict[tuple[int, int], DrawsSoFar]":
        """By seed and number of the round."""
        return {}

    def groups_after(self, groups: list[int], urns: "Urns") -> list[int]:
        """The groups that follow these: the same without those used up; if all are, all other groups, best first."""
        left = [group for group in dict.fromkeys(groups) if group != ANY and urns.left[group]]
        return left or np.flatnonzero(urns.left).tolist()


class DrawsSoFar:
    """The draws of one round that were made so far, and all that is needed to make the next ones."""

    def __init__(self, design: GroupDesign, seed: int, round_number: int) -> None:
        self._design, self._key = design, (seed, round_number)
        self._urns = Urns(design, np.random.default_rng([seed, round_number]))
        self._groups: list[int] = design.order.tolist()
        self._next = 0
        self._found: list[tuple[int, float, float]] = []  # item, probability, c(s)

    def up_to(self, count: int) -> list[tuple[int, float, float]]:
        """The first `count` draws; fewer if nothing is left to draw."""
        done = len(self._found)
        numbers = uniforms(*self._key, done, max(0, count - done)).tolist()
        while len(self._found) < count and self._groups:
            if self._next == len(self._groups):
                self._groups, self._next = self._design.groups_after(self._groups, self._urns), 0
                continue
            self._draw(self._groups[self._next], *numbers[len(self._found) - done])
            self._next += 1
        return self._found[:count]

    def _draw(self, wanted: int, which: float, place: float) -> None:
        """Draw an item of this group, if one is left."""
        urns = self._urns
        if wanted == ANY and not urns.left.any():
            return
        group = urns.group_of_any(which) if wanted == ANY else wanted
        if urns.left[group]:
            among = urns.left.sum() if wanted == ANY else urns.left[group]
            found = urns.take(group, place), 1 / float(among), float(self._design.calibration[group])
            self._found.append(found)


class Urns:
    """The unlabelled items of each group. Drawn items are taken out."""

    def __init__(self, design: GroupDesign, random: np.random.Generator) -> None:
        self._design = design
        self._random = random
        self._gone = set(design.labelled.tolist())
        self._members: dict[int, Urn] = {}
        self.left = design.open_counts(design.labelled)

    def group_of_any(self, number: float) -> int:
        """The group of an item that is drawn uniformly from the whole pool."""
        return int(np.searchsorted(self.left.cumsum(), number * self.left.sum(), side="right"))

    def take(self, group: int, number: float) -> int:
        """Take an item out of a group, by a uniform number; by another number if that item is labelled or taken."""
        if group not in self._members:
            self._members[group] = self._listed(group)
        items = self._members[group]
        while (found := int(items[int(number * len(items))])) in self._gone:
            number = self._random.random()
        self._gone.add(found)
        self.left[group] -= 1
        return found

    def _listed(self, group: int) -> Urn:
        """The items of a group as an urn.

        The urn of all items is shared by all rounds; labelled ones are skipped when they are drawn. If more than half
        of the items are labelled, an urn without them is made, as skipping would take long.
        """
        cells, bands = self._design.cells, self._design.bands
        pattern, band = divmod(group, len(bands))
        part = int(bands.place[band]), int(bands.place[band + 1]), pattern, self._design.seen
        whole = cells.urn(*part)
        return cells.urn(*part, self._design.labelled) if 2 * self.left[group] < len(whole) else whole


def groups_of(cells: Cells, bands: Bands, positions: Integers) -> Integers:
    """The group of each item."""
    cell = cells.find(positions)
    return cells.pattern[cell] * len(bands) + bands.find(cells.above[cell])
