"""What every kind of cells must do, checked against a plain and slow computation over the items.

    check_cells(cells, PlainRanking(level=..., pattern=..., patterns=..., p=...))

`PoolContract` runs it on the cells of a pool. Cells of several models can be checked without a pool.
"""

from dataclasses import dataclass

import numpy as np

from lowshot.core.cells import NO_ITEMS, Cells
from lowshot.core.types import Flags, Floats, Integers

Key = tuple[float, int]  # level and pattern


@dataclass(frozen=True, eq=False)
class PlainRanking:
    """The items of a ranking by position: what cells summarise.

    >>> patterns = np.array([[True], [False]])
    >>> items = PlainRanking(np.array([0.9, 0.5, 0.9]), np.array([0, 1, 1]), patterns, np.ones(3) / 3)
    >>> items.keys, items.members((0.9, 1))
    ([(0.9, 0), (0.9, 1), (0.5, 1)], [2])
    """

    level: Floats  # the score of each item, or the level of its group
    pattern: Integers  # of each item, a row of `patterns`
    patterns: Flags  # [pattern, model]
    p: Floats  # p(x) of each item; they sum to 1

    def __len__(self) -> int:
        return len(self.level)

    def key(self, position: int) -> Key:
        return float(self.level[position]), int(self.pattern[position])

    @property
    def keys(self) -> list[Key]:
        """The level and the pattern of each cell: best level first, then in the order of the patterns."""
        return sorted({self.key(position) for position in range(len(self))}, key=lambda key: (-key[0], key[1]))

    def members(self, key: Key) -> list[int]:
        return [position for position in range(len(self)) if self.key(position) == key]

    def above(self, level: float) -> int:
        return sum(other > level for other in self.level.tolist())

    def midrank(self, level: float) -> float:
        below, same = (sum(compare(self.level, level).tolist()) for compare in (np.less, np.equal))
        return float(below + same / 2)


def check_cells(cells: Cells, items: PlainRanking) -> None:
    """The whole ranking as cells, before anything was drawn."""
    check_facts(cells, items)
    check_listing(cells, items)
    check_best_and_top(cells, items)
    check_known_items_are_left_out(cells, items)
    check_picks(cells, items)
    check_urns(cells, items)


def check_facts(cells: Cells, items: PlainRanking) -> None:
    """One cell per level and pattern, with counts and ranks."""
    keys = items.keys
    assert list(zip(cells.level.tolist(), cells.pattern.tolist(), strict=True)) == keys
    assert cells.patterns.tolist() == items.patterns.tolist()
    assert len(cells) == len(keys)
    assert cells.total == len(items)
    assert cells.count.tolist() == [len(items.members(key)) for key in keys]
    assert cells.above.tolist() == [items.above(level) for level, _ in keys]
    assert cells.midrank.tolist() == [items.midrank(level) for level, _ in keys]
    np.testing.assert_allclose(cells.mass, [items.p[items.members(key)].sum() for key in keys], rtol=1e-12)
    assert cells.prediction.tolist() == [bool(items.patterns[pattern, 0]) for _, pattern in keys]
    some_model = [place for place, (_, pattern) in enumerate(keys) if items.patterns[pattern].any()]
    assert cells.predicted.tolist() == some_model


def check_listing(cells: Cells, items: PlainRanking) -> None:
    """Every item once, in its cell; `find` is the inverse."""
    listed = [cells.items[low:high].tolist() for low, high in zip(cells.start, cells.start[1:], strict=False)]
    assert [sorted(part) for part in listed] == [items.members(key) for key in items.keys]
    assert cells.cell_of_item.tolist() == np.repeat(np.arange(len(cells)), cells.count).tolist()
    assert cells.find(cells.items).tolist() == cells.cell_of_item.tolist()
    assert cells.find(np.array([-1, len(items)])).tolist() == [-1, -1], "these are not positions of the pool"
    assert cells.find(NO_ITEMS).tolist() == []


def check_best_and_top(cells: Cells, items: PlainRanking) -> None:
    for depth in sorted({1, 2, len(items) // 2 + 1, len(items), len(items) + 5}):
        best = cells.best(depth)
        assert len(best) >= min(depth, len(items))
        assert best.tolist() == cells.items[: len(best)].tolist(), "the best items are the beginning of the listing"
        cut = np.sort(items.level)[::-1][min(depth, len(items)) - 1]
        wanted = [
            place for place, (level, pattern) in enumerate(items.keys) if level >= cut or items.patterns[pattern].any()
        ]
        assert cells.top(depth).tolist() == wanted


def check_known_items_are_left_out(cells: Cells, items: PlainRanking) -> None:
    """Every third item is known: `without` only counts, `open` also forgets them."""
    known = np.arange(0, len(items), 3)
    left = {key: [item for item in items.members(key) if item not in known] for key in items.keys}
    lower = cells.without(known)
    assert lower.count.tolist() == [len(part) for part in left.values()]
    np.testing.assert_allclose(lower.mass, [items.p[part].sum() for part in left.values()], rtol=1e-9, atol=1e-15)
    chosen = np.arange(0, len(cells), 2)
    opened = cells.open(chosen, known, known)
    parts = [left[items.keys[place]] for place in chosen.tolist()]
    assert opened.count.tolist() == [len(part) for part in parts]
    np.testing.assert_allclose(opened.mass, [items.p[part].sum() for part in parts], rtol=1e-9, atol=1e-15)
    for name in ("level", "pattern", "above", "midrank"):
        assert getattr(opened, name).tolist() == getattr(cells, name)[chosen].tolist()
    inside = {item: place for place, part in enumerate(parts) for item in part}
    everything = np.arange(len(items))
    assert opened.find(everything).tolist() == [inside.get(item, -1) for item in everything.tolist()]
    assert opened.total == len(items)


def check_picks(cells: Cells, items: PlainRanking) -> None:
    """Evenly spaced numbers pick every item of a cell once; shares are p(x) inside the cell, or equal."""
    for opened in (cells, cells.open(np.arange(len(cells)), np.arange(0, len(items), 3), NO_ITEMS)):
        for cell in np.flatnonzero(opened.count).tolist():
            count = int(opened.count[cell])
            same = np.full(count, cell)
            found = opened.pick(same, (np.arange(count) + 0.5) / count, even=True)
            inside = np.flatnonzero(opened.find(np.arange(len(items))) == cell)
            assert sorted(found.tolist()) == inside.tolist()
            np.testing.assert_allclose(opened.share(same, inside, even=True), 1 / count, rtol=1e-12)
            weights = items.p[inside] / items.p[inside].sum()
            np.testing.assert_allclose(opened.share(same, inside), weights, rtol=1e-9)
            ends = opened.pick(np.full(2, cell), np.array([0.0, np.nextafter(1, 0)]))
            assert set(ends.tolist()) <= set(inside.tolist()), "0 and the largest number below 1 stay in the cell"


def check_urns(cells: Cells, items: PlainRanking) -> None:
    """All items of one pattern between the beginnings of two levels."""
    first = np.flatnonzero(np.diff(cells.above, prepend=-1))  # the first cell of each level
    middle = int(cells.start[first[len(first) // 2]])
    for pattern in range(len(items.patterns)):
        for low, high in ((0, len(items)), (0, middle), (middle, len(items))):
            part = [item for item in cells.items[low:high].tolist() if items.pattern[item] == pattern]
            for gone in (NO_ITEMS, np.array(sorted(part)[::2], dtype=np.int64)):
                urn = cells.urn(low, high, pattern, NO_ITEMS, gone)
                wanted = sorted(set(part) - set(gone.tolist()))
                assert sorted(int(urn[place]) for place in range(len(urn))) == wanted
