"""The contract that every kind of pool passes."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from lowshot.api import run
from lowshot.checks import Id
from lowshot.core.cells import ONE_MODEL
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.metric import metric
from lowshot.pools.base import BasePool, View
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import samplers
from lowshot.testing.cells_contract import PlainRanking, check_cells

SEED = 3
NOT_IDS: tuple[Any, ...] = ("not an id of the pool", 123_456_789, -1, None, 0.5, True, ("a", "b"))


@dataclass(frozen=True, eq=False)
class PoolColumns:
    """What a pool is made of: one row per item. Scores are between 0 and 1."""

    ids: list[Id]
    scores: Floats
    predictions: Flags
    labels: Flags  # what a person would answer

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, order: Integers) -> "PoolColumns":
        """The same rows in another order, or some of them."""
        ids = [self.ids[place] for place in order.tolist()]
        return PoolColumns(ids, self.scores[order], self.predictions[order], self.labels[order])

    def of(self, ids: Sequence[Id]) -> "PoolColumns":
        """The rows of these ids, in this order."""
        place = {name: number for number, name in enumerate(self.ids)}
        return self.take(np.array([place[name] for name in ids], dtype=np.int64))

    def answer(self, ids: Sequence[Id]) -> list[int]:
        """What a person would say about these items."""
        return [int(label) for label in self.of(ids).labels]

    def truth(self, name: str) -> float:
        """The metric of the whole pool, from all labels."""
        tp = int(np.count_nonzero(self.labels & self.predictions))
        fp, fn = int(np.count_nonzero(self.predictions)) - tp, int(np.count_nonzero(self.labels)) - tp
        return metric(name).of_counts(tp, fp, fn, len(self))


def columns(items: int = 60, ties: bool = False, numbered: bool = False) -> PoolColumns:
    """Rows in no particular order; some predicted positives are far down the ranking.

    >>> len(columns()), columns().ids[:2], columns(numbered=True).ids[:2]
    (60, ['item 0', 'item 1'], [0, 7])
    """
    random = np.random.default_rng(SEED)
    steps = 8 if ties else 2**16  # a power of two: a column of 32 bits holds these scores exactly
    scores = np.round(random.permutation((np.arange(items) + 0.5) / items) ** 2 * steps) / steps
    predictions = scores > 0.6
    predictions[:: max(1, items // 4)] = True
    ids: list[Id] = [7 * number if numbered else f"item {number}" for number in range(items)]
    return PoolColumns(ids, scores, predictions, random.random(items) < scores)


class PoolContract:
    """Subclass it, write `make`, run pytest."""

    @abstractmethod
    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        """A pool of these items. Ids are all texts or all integers."""

    def pool(self, rows: PoolColumns, seed: int = SEED) -> BasePool:
        """The pool as an evaluation with this seed sees it."""
        return self.make(rows.ids, rows.scores, rows.predictions).bind(seed)

    def cases(self) -> Iterator[tuple[PoolColumns, BasePool]]:
        """Distinct scores and ties, ids that are texts and integers, one item, no predicted positive."""
        for rows in (columns(), columns(ties=True, numbered=True), columns(items=1), _never(columns(items=20))):
            yield rows, self.pool(rows)

    def test_positions_and_names_are_one_to_one(self) -> None:
        for rows, pool in self.cases():
            assert len(pool) == len(rows)
            names = pool.names(range(len(pool)))
            assert sorted(map(repr, names)) == sorted(map(repr, rows.ids))
            assert pool.positions(names) == list(range(len(pool)))
            assert pool.names(np.array(pool.positions(rows.ids))) == rows.ids
            fresh = self.pool(rows)  # has drawn nothing, so it must look up where items are
            assert fresh.positions(names[::-1]) == list(range(len(pool)))[::-1]
            assert [fresh.position(name) for name in names[:3]] == list(range(len(pool)))[:3]

    def test_what_is_not_in_the_pool_is_not_found(self) -> None:
        for rows, pool in self.cases():
            first = rows.ids[0]
            assert pool.find([*NOT_IDS, first]) == [*(None for _ in NOT_IDS), pool.position(first)]
            assert pool.find([]) == []
            assert first in pool
            for name in NOT_IDS:
                assert name not in pool
                with refuses("items must be ids of the pool", repr(name)):
                    pool.positions([first, name])

    def test_an_id_can_be_written_as_text(self) -> None:
        for rows, pool in self.cases():
            assert [pool.id_of(str(name)) for name in rows.ids] == rows.ids

    def test_what_people_are_shown(self) -> None:
        for rows, pool in self.cases():
            shown = pool.shown(rows.ids)
            assert shown is None or (len(shown) == len(rows) and all(isinstance(each, dict) for each in shown))

    def test_the_fingerprint_is_that_of_the_items(self) -> None:
        """It depends neither on the order of the rows nor on the seed.

        Changes of the best item must show. A pool that only counts the items far down need not notice theirs.
        """
        rows = columns()
        mine = self.pool(rows).fingerprint
        shuffled = rows.take(np.random.default_rng(1).permutation(len(rows)))
        assert self.pool(rows).fingerprint == mine
        assert self.pool(shuffled).fingerprint == mine
        assert self.pool(rows, seed=SEED + 1).fingerprint == mine
        best = int(np.argmax(rows.scores))
        ids: list[Id] = [*rows.ids[:best], "another", *rows.ids[best + 1 :]]
        is_best = np.arange(len(rows)) == best
        others = [
            replace(rows, ids=ids),
            replace(rows, scores=np.where(is_best, (rows.scores + 1) / 2, rows.scores)),
            replace(rows, predictions=rows.predictions ^ is_best),
            rows.take(np.flatnonzero(~is_best)),
        ]
        found = [self.pool(other).fingerprint for other in others]
        assert len({mine, *found}) == 1 + len(others)

    def test_a_seed_gives_one_order(self) -> None:
        rows = columns(ties=True)
        pool = self.pool(rows)
        assert pool.bind(SEED) is pool
        everything = range(len(rows))
        assert self.pool(rows).names(everything) == pool.names(everything)
        shuffled = self.pool(rows.take(np.random.default_rng(1).permutation(len(rows))))
        order = np.argsort(pool.view().rank(np.arange(len(rows))))
        other = np.argsort(shuffled.view().rank(np.arange(len(rows))))
        assert shuffled.names(other) == pool.names(order)
        moved = pool.bind(SEED + 1)
        assert sorted(map(repr, moved.names(everything))) == sorted(map(repr, rows.ids))

    def test_facts(self) -> None:
        for rows, pool in self.cases():
            view, positions = pool.view(), np.arange(len(rows))
            here = rows.of(pool.names(positions))  # the rows in the order of positions
            assert pool.view() is view
            assert view.total == len(rows)
            assert pool.predicted_positives == view.predicted_positives == np.count_nonzero(rows.predictions)
            assert view.predicted_weight == view.predicted_positives
            assert not view.weighted
            assert view.limits == (rows.scores.min(), rows.scores.max())
            assert view.joint.patterns.tolist() == ONE_MODEL.tolist()
            np.testing.assert_allclose(view.p(positions), 1 / len(rows), rtol=1e-12)
            assert view.predicted(positions).tolist() == here.predictions.astype(float).tolist()
            self.check_levels(pool, view.level(positions), here.scores)
            items = _plain(view)
            assert view.midrank(positions).tolist() == [items.midrank(level) for level in items.level.tolist()]
            some = positions[::-2]
            assert view.level(some).tolist() == view.level(positions)[some].tolist()
            assert view.midrank(some).tolist() == view.midrank(positions)[some].tolist()

    def check_levels(self, pool: BasePool, levels: Floats, scores: Floats) -> None:
        """A level is a score; where items are grouped, it stands for scores that no other level has in between."""
        if not pool.grouped:
            assert levels.tolist() == scores.tolist()
        groups = [scores[levels == level] for level in sorted(set(levels.tolist()))]
        for lower, higher in pairwise(groups):
            assert lower.max() < higher.min()
        assert scores.min() <= levels.min() <= levels.max() <= scores.max()

    def test_rank_is_the_order_of_the_listing(self) -> None:
        for rows, pool in self.cases():
            view = pool.view()
            order = np.argsort(view.rank(np.arange(len(rows))))
            assert view.rank(order).tolist() == list(range(1, len(rows) + 1))
            assert view.cells().items.tolist() == order.tolist()
            if not pool.grouped:
                names = [name for _, _, name in sorted(zip(-rows.scores, ~rows.predictions, rows.ids, strict=True))]
                assert pool.names(order) == names, "by score, then predicted positives, then by id"

    def test_examples_are_of_every_level(self) -> None:
        for rows, pool in self.cases():
            view = pool.view()
            found = view.examples()
            assert (np.diff(view.rank(found)) > 0).all(), "best first, none twice"
            assert set(view.level(found).tolist()) == set(view.level(np.arange(len(rows))).tolist())
            assert pool.grouped or len(found) == len(rows)

    def test_cells(self) -> None:
        for _, pool in self.cases():
            check_cells(pool.view().cells(), _plain(pool.view()))

    def test_a_part_of_the_ranking(self) -> None:
        """The best items and all predicted positives are listed; all others are counted."""
        for rows, pool in self.cases():
            view = pool.view()
            predicted = set(np.flatnonzero(view.predicted(np.arange(len(rows)))).tolist())
            for depth in (1, 5, len(rows), len(rows) + 5):
                cells, order = view.cells(depth), view.cells().items
                assert int(cells.count.sum()) == cells.total == len(rows)
                assert int(cells.count[cells.predicted].sum()) == len(predicted)
                best = cells.best(depth)
                assert best.tolist() == order[: max(len(best), min(depth, len(rows)))].tolist()
                assert {*best.tolist(), *predicted} <= set(cells.items.tolist())

    def test_unreachable_are_predicted_positives_that_cannot_be_drawn(self) -> None:
        for _, pool in self.cases():
            view = pool.view()
            everything = np.arange(view.total)
            level, predicted = view.level(everything), view.predicted(everything) == 1
            can_draw, labelled = level >= np.median(level), everything[::5]
            expected = int(np.count_nonzero(predicted & ~can_draw & ~np.isin(everything, labelled)))
            assert view.unreachable(can_draw.take, labelled) == (expected, float(expected))

    def test_derived_values_are_made_once(self) -> None:
        """Kept until a value is asked for with another key."""
        view, made = self.pool(columns()).view(), list[str]()

        def make(key: str) -> str:
            made.append(key)
            return f"value of {key}"

        for key in ("a", "a", "b", "a"):
            assert view.cached("contract", partial(make, key), key) == f"value of {key}"
        assert made == ["a", "b", "a"]

    def test_predictions_of_another_model(self) -> None:
        """Either they can be given, or the error says what to do instead."""
        rows = columns()
        pool = self.make(rows.ids, rows.scores, rows.predictions)
        others = dict(zip(rows.ids, (~rows.predictions).tolist(), strict=True))
        try:
            pool.refuse_other_predictions()
        except InputError as refused:
            with refuses(str(refused)):
                pool.with_predictions(others)
            return
        other = pool.with_predictions(others).bind(SEED)
        names = other.names(range(len(rows)))
        assert other.view().predicted(np.arange(len(rows))).tolist() == [float(others[name]) for name in names]

    def test_every_sampler_reaches_the_exact_value(self) -> None:
        for rows in (columns(items=30), columns(items=30, ties=True, numbered=True)):
            pool = self.make(rows.ids, rows.scores, rows.predictions)
            for sampler in samplers.values():
                if _has_what_it_needs(pool.bind(SEED), sampler):
                    self.check_last_label(Evaluation(pool, sampler=sampler(), seed=SEED), rows)

    def check_last_label(self, evaluation: Evaluation, rows: PoolColumns) -> None:
        run(evaluation, rows.answer, len(rows))
        assert evaluation.labels == len(rows)
        assert evaluation.ask() == []
        for name in ("f1", "precision", "recall"):
            found = evaluation.estimate(name)
            assert found.variance == 0
            np.testing.assert_allclose(found.value, rows.truth(name), rtol=1e-12)


@contextmanager
def refuses(*words: str) -> Iterator[None]:
    """The block must raise an `InputError` that says these words."""
    message = None
    try:
        yield
    except InputError as error:
        message = str(error)
    assert message is not None, f"there was no error that says {words}"
    for word in words:
        assert word in message


def _has_what_it_needs(pool: BasePool, sampler: type[Sampler]) -> bool:
    has = {"features": pool.view().features is not None, "probabilities": pool.view().scale is not None}
    return all(has[need] for need in sampler.needs)


def _never(rows: PoolColumns) -> PoolColumns:
    """No item is predicted positive."""
    return replace(rows, predictions=np.zeros(len(rows), dtype=np.bool_))


def _plain(view: View) -> PlainRanking:
    positions = np.arange(view.total)
    pattern = np.where(view.predicted(positions) == 1, 0, 1)
    return PlainRanking(view.level(positions), pattern, ONE_MODEL, view.p(positions))
