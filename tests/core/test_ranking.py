"""The ranking as cells, whole or partial, against its plain definition."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from lowshot import Pool
from lowshot.core.calibration import prior
from lowshot.core.cells import Cells
from lowshot.core.grouped_cells import GroupedCells
from lowshot.core.ranking import rank
from lowshot.testing import PlainRanking, check_cells

repeatable = settings(derandomize=True, deadline=None, max_examples=100)


@dataclass(frozen=True)
class Ranked:
    """A pool, ids that are not its positions, and how deep it is ranked."""

    scores: np.ndarray
    predictions: np.ndarray  # [item], or [item, model]
    ids: np.ndarray
    mass: np.ndarray | None
    depth: int

    def __len__(self) -> int:
        return len(self.scores)

    def cells(self, depth: int | None) -> Cells:
        return rank(self.scores, self.predictions, self.mass, depth, lambda positions: self.ids[positions])

    def p(self, item: int) -> float:
        return 1 / len(self) if self.mass is None else float(self.mass[item])

    @property
    def patterns(self) -> list[tuple[bool, ...]]:
        """What the models predict, from all to none; one model alone always has both patterns."""
        if self.predictions.ndim == 1:
            return [(True,), (False,)]
        return sorted({tuple(row) for row in self.predictions.tolist()}, reverse=True)

    def pattern(self, item: int) -> int:
        return self.patterns.index(tuple(np.atleast_1d(self.predictions[item]).tolist()))

    def predicted(self, item: int) -> bool:
        """By some model."""
        return bool(np.any(self.predictions[item]))

    @property
    def order(self) -> list[int]:
        """Every item: by score, best first; by pattern; by id."""
        return sorted(range(len(self)), key=lambda i: (-self.scores[i], self.pattern(i), self.ids[i]))

    @property
    def cut(self) -> float:
        """The score of item number `depth`."""
        return float(self.scores[self.order[min(self.depth, len(self)) - 1]])


@st.composite
def ranked_pools(draw: st.DrawFn, models: st.SearchStrategy[int] | None = None) -> Ranked:
    """Scores from a few levels, so that ties and strays are common, or from all floats. 0 models: a plain column."""
    width = 0 if models is None else draw(models)
    size = draw(st.integers(1, 24))
    levels = draw(st.sampled_from([st.integers(0, 3), st.integers(-9, 9), st.floats(-(2.0**99), 2.0**99, width=32)]))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=size, max_size=size))

    mass = np.array(column(st.floats(0.01, 1))) if draw(st.booleans()) else None
    return Ranked(
        scores=np.array(column(levels), dtype=draw(st.sampled_from([np.float32, np.float64]))),
        predictions=np.array(column(st.booleans() if width == 0 else st.tuples(*[st.booleans()] * width))),
        ids=np.array(draw(st.permutations(range(size)))),
        mass=None if mass is None else mass / mass.sum(),
        depth=draw(st.integers(1, size + 2)),
    )


every_pool = given(ranked_pools())
every_number_of_models = given(ranked_pools(st.integers(0, 3)))


@dataclass(frozen=True)
class PlainCell:
    level: float
    pattern: int
    members: list[int]
    listed: bool
    above: int
    midrank: float


def plain_cells(pool: Ranked) -> list[PlainCell]:
    """Levels from the best down; below the cut those of predicted positives, and one span for all between two."""
    stray_levels = {pool.scores[i] for i in pool.order if pool.predicted(i) and pool.scores[i] < pool.cut}
    groups: dict[tuple[float | None, int], list[int]] = {}
    for item in pool.order:
        score = pool.scores[item]
        own_level = score >= pool.cut or score in stray_levels
        better_strays = sum(level > score for level in stray_levels)
        groups.setdefault((float(score) if own_level else None, better_strays), []).append(item)
    cells, above = [], 0
    for (own, _), group in groups.items():
        level = np.nan if own is None else own
        midrank = len(pool) - above - len(group) / 2
        for pattern in sorted({pool.pattern(item) for item in group}):
            members = [item for item in group if pool.pattern(item) == pattern]
            listed = any(pool.patterns[pattern]) or level >= pool.cut
            cells.append(PlainCell(level, pattern, members, listed, above, midrank))
        above += len(group)
    return cells


STRAYS = Ranked(
    scores=np.array([9.0, 8.0, 8.0, 5.0, 4.0, 4.0, 3.0, 2.0, 1.0, 1.0]),
    predictions=np.array([1, 0, 1, 0, 1, 0, 0, 0, 1, 0], dtype=bool),
    ids=np.arange(10)[::-1].copy(),
    mass=None,
    depth=2,
)


@repeatable
@every_number_of_models
@example(STRAYS)
@example(replace(STRAYS, predictions=np.stack([STRAYS.predictions, np.roll(STRAYS.predictions, 1)], axis=1)))
def test_cells_are_the_plain_definition(pool: Ranked) -> None:
    cells, expected = pool.cells(pool.depth), plain_cells(pool)
    np.testing.assert_array_equal(cells.level, [cell.level for cell in expected])
    assert cells.patterns.tolist() == [list(pattern) for pattern in pool.patterns]
    assert cells.pattern.tolist() == [cell.pattern for cell in expected]
    assert cells.count.tolist() == [len(cell.members) for cell in expected]
    assert cells.above.tolist() == [cell.above for cell in expected]
    assert cells.midrank.tolist() == [cell.midrank for cell in expected]
    assert cells.mass == pytest.approx([sum(map(pool.p, cell.members)) for cell in expected], rel=1e-12)
    assert cells.total == len(pool)
    listed = [cell.members if cell.listed else [] for cell in expected]
    assert [cells.items[a:b].tolist() for a, b in zip(cells.start, cells.start[1:], strict=False)] == listed


def test_cells_of_a_pool_with_strays() -> None:
    """Written out by hand: the best three are listed (a tie), then 4 and 1 hold predicted positives."""
    cells = STRAYS.cells(2)
    np.testing.assert_array_equal(cells.level, [9, 8, 8, np.nan, 4, 4, np.nan, 1, 1])
    assert cells.prediction.tolist() == [True, True, False, False, True, False, False, True, False]
    assert cells.count.tolist() == [1, 1, 1, 1, 1, 1, 2, 1, 1]
    assert cells.above.tolist() == [0, 1, 1, 3, 4, 4, 6, 8, 8]
    assert cells.midrank.tolist() == [9.5, 8, 8, 6.5, 5, 5, 3, 1, 1]
    assert cells.items.tolist() == [0, 2, 1, 4, 8]
    assert cells.find(np.array([0, 1, 2, 3, 4, 8, 9])).tolist() == [0, 2, 1, -1, 4, 7, -1]


@repeatable
@every_number_of_models
def test_the_whole_ranking_keeps_every_promise_of_cells(pool: Ranked) -> None:
    pattern = np.array([pool.pattern(item) for item in range(len(pool))])
    p = np.array([pool.p(item) for item in range(len(pool))])
    check_cells(pool.cells(None), PlainRanking(pool.scores.astype(float), pattern, np.array(pool.patterns), p))


@repeatable
@given(ranked_pools(st.integers(0, 3)))
def test_grouped_cells_keep_every_promise_of_cells(pool: Ranked) -> None:
    """Items are numbered in the order of the ranking: cell after cell."""
    order = pool.order
    level = pool.scores[order].astype(float)
    pattern = np.array([pool.pattern(item) for item in order])
    items = PlainRanking(level, pattern, np.array(pool.patterns), np.full(len(pool), 1 / len(pool)))
    cells = GroupedCells.whole(
        level=np.array([level for level, _ in items.keys]),
        pattern=np.array([pattern for _, pattern in items.keys]),
        count=np.array([len(items.members(key)) for key in items.keys]),
        above=np.array([items.above(level) for level, _ in items.keys]),
        midrank=np.array([items.midrank(level) for level, _ in items.keys]),
        total=len(pool),
    )
    check_cells(replace(cells, patterns=items.patterns), items)


@repeatable
@every_pool
def test_the_whole_ranking_is_sorted(pool: Ranked) -> None:
    for depth in (None, len(pool), len(pool) + 5):
        cells = pool.cells(depth)
        assert cells.items.tolist() == pool.order
        for item in range(len(pool)):
            cell = cells.find(np.array([item]))[0]
            score = pool.scores[item]
            assert (cells.level[cell], cells.prediction[cell]) == (score, pool.predictions[item])
            assert cells.above[cell] == (pool.scores > score).sum()
            assert cells.midrank[cell] == (pool.scores < score).sum() + (pool.scores == score).sum() / 2


@repeatable
@every_number_of_models
@example(STRAYS)
def test_the_head_of_a_partial_ranking_is_the_head_of_the_whole(pool: Ranked) -> None:
    partial, whole = pool.cells(pool.depth), pool.cells(None)
    head = int((pool.scores >= pool.cut).sum())
    cells = int((whole.above < head).sum())
    assert partial.items[:head].tolist() == whole.items[:head].tolist()
    assert sorted(partial.items[head:].tolist()) == [
        item for item in range(len(pool)) if pool.predicted(item) and pool.scores[item] < pool.cut
    ]
    for name in ("level", "pattern", "count", "mass", "above", "midrank", "start"):
        assert getattr(partial, name)[:cells].tolist() == getattr(whole, name)[:cells].tolist()
    assert partial.count.sum() == len(pool)
    assert partial.mass.sum() == pytest.approx(1)


@repeatable
@every_number_of_models
@example(STRAYS)
def test_what_is_said_of_listed_items_does_not_depend_on_the_depth(pool: Ranked) -> None:
    partial, whole = pool.cells(pool.depth), pool.cells(None)
    here, there = partial.find(partial.items), whole.find(partial.items)
    assert here.tolist() == partial.cell_of_item.tolist()
    for name in ("level", "pattern", "count", "above", "midrank"):
        assert getattr(partial, name)[here].tolist() == getattr(whole, name)[there].tolist()
    assert partial.mass[here] == pytest.approx(whole.mass[there], rel=1e-12)


@repeatable
@every_pool
@example(STRAYS)
def test_prior_is_isotonic_regression_of_all_predictions(pool: Ranked) -> None:
    cells, expected = pool.cells(pool.depth), plain_cells(pool)
    rank_of = np.unique(pool.scores, return_inverse=True)[1].astype(float)  # close scores are not ties
    fitted = IsotonicRegression().fit(rank_of, pool.predictions.astype(float), sample_weight=pool.mass).predict(rank_of)
    for value, cell in zip(prior(cells), expected, strict=True):
        assert fitted[cell.members] == pytest.approx(value, abs=1e-9)


@repeatable
@given(ranked_pools(st.integers(0, 3)), st.integers(1, 26))
def test_top_is_the_best_items_and_every_predicted_positive(pool: Ranked, wanted: int) -> None:
    depth = min(wanted, pool.depth)
    cells = pool.cells(pool.depth)
    cut = pool.scores[pool.order[min(depth, len(pool)) - 1]]
    expected = [item for item in pool.order if pool.scores[item] >= cut or pool.predicted(item)]
    chosen = cells.top(depth)
    assert [item for c in chosen for item in cells.items[cells.start[c] : cells.start[c + 1]]] == expected


@repeatable
@given(ranked_pools(st.integers(0, 3)), st.sets(st.integers(0, 23)))
def test_open_cells_are_cells_without_the_known_items(pool: Ranked, marked: set[int]) -> None:
    known = np.array(sorted(item for item in marked if item < len(pool)), dtype=np.int64)
    cells = pool.cells(pool.depth)
    chosen = cells.top(pool.depth)
    opened = cells.open(chosen, known, known)
    for place, cell in enumerate(chosen):
        members = cells.items[cells.start[cell] : cells.start[cell + 1]].tolist()
        left = [item for item in members if item not in known]
        assert opened.items[opened.start[place] : opened.start[place + 1]].tolist() == left
        assert opened.count[place] == len(left)
        assert opened.mass[place] == pytest.approx(sum(map(pool.p, left)), abs=1e-15)
    for name in ("level", "prediction", "above", "midrank"):
        assert getattr(opened, name).tolist() == getattr(cells, name)[chosen].tolist()
    assert opened.total == len(pool)


@repeatable
@given(ranked_pools(st.integers(0, 3)), st.permutations(range(24)))
def test_order_of_rows_does_not_matter(pool: Ranked, shuffle: list[int]) -> None:
    rows = np.array([row for row in shuffle if row < len(pool)])
    mass = None if pool.mass is None else pool.mass[rows]
    other = Ranked(pool.scores[rows], pool.predictions[rows], pool.ids[rows], mass, pool.depth)
    first, second = pool.cells(pool.depth), other.cells(pool.depth)
    assert pool.ids[first.items].tolist() == other.ids[second.items].tolist()
    for name in ("level", "prediction", "count", "above", "midrank", "start"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.mass == pytest.approx(second.mass, rel=1e-12)


INCREASING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "shifted": lambda scores: scores + 100,
    "cubed": lambda scores: scores**3,
    "logistic": lambda scores: 1 / (1 + np.exp(-scores / 4)),
}


@pytest.mark.parametrize("change", INCREASING)
def test_increasing_changes_of_the_scores_change_only_the_levels(change: str) -> None:
    random = np.random.default_rng(0)
    scores, predictions = random.integers(-9, 10, 200).astype(float), random.random(200) < 0.2
    before, after = rank(scores, predictions, depth=30), rank(INCREASING[change](scores), predictions, depth=30)
    for name in ("prediction", "count", "mass", "above", "midrank", "items", "start"):
        assert getattr(before, name).tolist() == getattr(after, name).tolist()


@repeatable
@given(ranked_pools(), st.lists(st.integers(0, 26), min_size=1, max_size=5))
def test_a_pool_asked_for_more_and_more_keeps_its_order(pool: Ranked, depths: list[int]) -> None:
    names = [f"{number:02d}" for number in pool.ids]
    held = Pool(pool.scores, pool.predictions, ids=names, weights=pool.mass)
    for depth in depths:
        cells = held.view().cells(depth)
        head = cells.start[np.searchsorted(cells.above, depth)]
        assert head >= min(depth, len(pool))
        assert cells.items[:head].tolist() == pool.order[:head]
        assert set(np.flatnonzero(pool.predictions)) <= set(cells.items.tolist())
    assert held.view().cells().items.tolist() == pool.order
    everything = np.arange(len(pool))
    below, level = (pool.scores[:, None] > pool.scores), (pool.scores[:, None] == pool.scores)
    assert held.view().midrank(everything).tolist() == (below.sum(1) + level.sum(1) / 2).tolist()


@pytest.mark.parametrize("depth", [1, 10, 999, 5000, 99_999, 100_000, None])
@pytest.mark.parametrize("levels", [7, 1000, 10**9])
def test_a_large_pool(depth: int | None, levels: int) -> None:
    random = np.random.default_rng(levels)
    scores = random.integers(0, levels, 100_000).astype(np.float32)
    predictions = (scores > 0.99 * levels) ^ (random.random(100_000) < 0.0005)
    cells = rank(scores, predictions, depth=depth)
    cut = -np.inf if depth is None else np.sort(scores)[::-1][depth - 1]
    listed = np.flatnonzero((scores >= cut) | predictions)
    expected = listed[np.lexsort((listed, ~predictions[listed], -scores[listed]))]
    assert cells.items.tolist() == expected.tolist()
    assert cells.count.sum() == 100_000
    assert cells.count[cells.prediction].sum() == predictions.sum()
    ascending = np.sort(scores)
    low, high = (np.searchsorted(ascending, scores[expected], side=side) for side in ("left", "right"))
    assert cells.above[cells.cell_of_item].tolist() == (100_000 - high).tolist()
    assert cells.midrank[cells.cell_of_item].tolist() == ((low + high) / 2).tolist()
