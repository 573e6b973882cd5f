"""A design that says how many items of each group come next; which ones is left to chance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowshot.core.cells import Cells
from lowshot.core.curve.bands import Bands
from lowshot.core.draws import uniforms
from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Design, Draws


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupDesign(Design):
    """Groups in the order in which they are to be labelled; the items of a group come in random order.

    Group g is band g of the predicted positives, or band g - len(bands) of the rest. After its end the order starts
    again, without the groups that are used up; then come all others, best first. The probability of a draw is that of
    the item inside its group, given the earlier ones.
    """

    cells: Cells
    bands: Bands
    order: Integers
    calibration: Floats  # c of each group
    labelled: Integers
    replace: bool = False
    weighted: bool = False

    @cached_property
    def items(self) -> Integers:
        mine = self.cells.items if self.negatives else self.cells.items[self.cells.prediction[self.cells.cell_of_item]]
        return mine[~np.isin(mine, self.labelled)]

    def can_draw(self, positions: Integers) -> Flags:
        mine = self.negatives | self.cells.prediction[self.cells.find(positions)]
        return mine & ~np.isin(positions, self.labelled)

    def unlabelled(self, labelled: Integers) -> int:
        """Counted, not listed: a round must not cost more in a larger pool."""
        left = self.bands.count.copy()
        np.subtract.at(left.reshape(-1), self.groups_of(np.union1d(labelled, self.labelled)), 1)
        return int(left.sum() if self.negatives else left[0].sum())

    def calibrated(self, positions: Integers) -> Floats:
        return self.calibration[self.groups_of(positions)]

    def groups_of(self, positions: Integers) -> Integers:
        """The group of each item."""
        return groups_of(self.cells, self.bands, positions)

    def _members(self, group: int) -> Integers:
        """The items of a group that have no label, best first."""
        kind, band = divmod(group, len(self.bands))
        first, last = self.bands.place[band], self.bands.place[band + 1]
        predicted = self.cells.prediction[self.cells.cell_of_item[first:last]]
        items = self.cells.items[first:last][predicted if kind == 0 else ~predicted]
        return items[self._open[items]]

    @cached_property
    def _open(self) -> Flags:
        """By position: whether an item has no label."""
        found = np.ones(self.cells.total, dtype=np.bool_)
        found[self.labelled] = False
        return found

    def draw(self, seed: int, round_number: int, start: int, count: int, mass: Floats | None) -> Draws:
        """Draws depend on those before them, so they are made from the first on."""
        numbers = uniforms(seed, round_number, 0, start + count)[:, 1].tolist()
        members: dict[int, Integers] = {}
        found: list[tuple[int, float, float]] = []
        groups = [*self.order.tolist()]
        place = 0
        while len(found) < start + count:
            if place == len(groups):  # again, without what is used up
                groups = [g for g in dict.fromkeys(groups) if len(members[g])] or self._others(members)
                place = 0
                if not groups:
                    break
            group = groups[place]
            place += 1
            if group not in members:
                members[group] = self._members(group)
            left = members[group]
            if len(left):
                chosen = int(numbers[len(found)] * len(left))
                found.append((int(left[chosen]), 1 / len(left), float(self.calibration[group])))
                left[chosen] = left[-1]
                members[group] = left[:-1]
        kept = found[start:]
        items, probability, calibration = zip(*kept, strict=True) if kept else ((), (), ())
        return Draws(
            np.arange(start, start + len(kept)),
            np.array(items, dtype=np.int64),
            np.array(probability, dtype=np.float64),
            np.array(calibration, dtype=np.float64),
        )

    def _others(self, seen: dict[int, Integers]) -> list[int]:
        """Groups that were not drawn from, with something in them."""
        size = len(self.bands)
        return [
            group
            for group in range(2 * size if self.negatives else size)
            if group not in seen and self.bands.count[divmod(group, size)] > 0 and len(self._members(group))
        ]


def groups_of(cells: Cells, bands: Bands, positions: Integers) -> Integers:
    """The group of each item."""
    cell = cells.find(positions)
    return np.where(cells.prediction[cell], 0, len(bands)) + bands.find(cells.above[cell])
