"""The contract that every kind of pool with several scores passes."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from lowshot.api import run
from lowshot.checks import Id
from lowshot.core.cells import ONE_MODEL, patterns_of
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.pools.base import BasePool, View
from lowshot.pools.memory import Pool
from lowshot.testing.cells_contract import PlainRanking, check_cells
from lowshot.testing.pool_contract import SEED, PoolColumns, columns, refuses


@dataclass(frozen=True, eq=False)
class ScoresColumns:
    """What a pool with several scores is made of: one row per item."""

    ids: list[Id]
    scores: dict[str, Floats]  # of each model
    predictions: dict[str, Flags]
    helpers: dict[str, Floats]  # NaN where one is unknown
    labels: Flags  # what a person would answer

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, order: Integers) -> "ScoresColumns":
        """The same rows in another order, or some of them."""
        ids = [self.ids[place] for place in order.tolist()]
        scores, helpers = ({name: each[order] for name, each in part.items()} for part in (self.scores, self.helpers))
        predictions = {name: each[order] for name, each in self.predictions.items()}
        return ScoresColumns(ids, scores, predictions, helpers, self.labels[order])

    def of(self, ids: list[Id]) -> "ScoresColumns":
        """The rows of these ids, in this order."""
        place = {name: number for number, name in enumerate(self.ids)}
        return self.take(np.array([place[name] for name in ids], dtype=np.int64))

    def alone(self, model: str) -> PoolColumns:
        """One of the models, as if it were the only one."""
        return PoolColumns(self.ids, self.scores[model], self.predictions[model], self.labels)

    @property
    def patterns(self) -> tuple[Flags, Integers]:
        flags = np.column_stack(list(self.predictions.values()))
        return patterns_of(flags if flags.shape[1] > 1 else flags[:, 0])

    def in_memory(self) -> Pool:
        """The definition."""
        return Pool(self.scores, self.predictions, helpers=self.helpers, ids=self.ids)


def several(items: int = 60, models: int = 2, ties: bool = False, numbered: bool = False) -> ScoresColumns:
    """Models whose scores go together, and a helper that misses every fifth value."""
    rows, random = columns(items, ties, numbered), np.random.default_rng(SEED + 1)
    steps = 8 if ties else 2**16
    scores, predictions = {"v1": rows.scores}, {"v1": rows.predictions}
    for number in range(2, models + 1):
        mixed = np.argsort(np.argsort(rows.scores + random.random(items)))  # evenly spread: no two are in one bin
        scores[f"v{number}"] = np.round((mixed + 0.5) / items * steps) / steps
        predictions[f"v{number}"] = scores[f"v{number}"] > 0.6
    helper = 10 * rows.scores + random.normal(size=items)
    helper[::5] = np.nan
    return ScoresColumns(rows.ids, scores, predictions, {"clip": helper}, rows.labels)


class ScoresContract:
    """Subclass it, write `make`, run pytest."""

    @abstractmethod
    def make(
        self,
        ids: list[Id],
        scores: dict[str, Floats],
        predictions: dict[str, Flags],
        helpers: dict[str, Floats],
    ) -> BasePool:
        """A pool of these items. Ids are all texts or all integers."""

    def pool(self, rows: ScoresColumns, seed: int = SEED) -> BasePool:
        """The pool as an evaluation with this seed sees it."""
        return self.make(rows.ids, rows.scores, rows.predictions, rows.helpers).bind(seed)

    def cases(self) -> Iterator[tuple[ScoresColumns, BasePool]]:
        """Two models with a helper and without, ties and integer ids, three models, one model with a helper."""
        two = several()
        for rows in (two, replace(two, helpers={}), several(ties=True, numbered=True), several(40, 3), several(40, 1)):
            yield rows, self.pool(rows)

    def test_positions_and_names_are_one_to_one(self) -> None:
        for rows, pool in self.cases():
            assert len(pool) == len(rows)
            names = pool.names(range(len(pool)))
            assert sorted(map(repr, names)) == sorted(map(repr, rows.ids))
            assert pool.positions(names) == list(range(len(pool)))
            fresh = self.pool(rows)
            assert fresh.names(fresh.positions(names[::-1])) == names[::-1]
            assert pool.find(["not an id of the pool", None, names[0]]) == [None, None, 0]

    def test_models_and_helpers(self) -> None:
        for rows, pool in self.cases():
            assert pool.models == tuple(rows.scores)
            assert pool.helpers == tuple(rows.helpers)
            for place, model in enumerate(pool.models):
                joint = pool.view(model).joint
                assert joint.models == pool.models
                assert joint.judged == place
                assert joint.weight == tuple(float(np.count_nonzero(flags)) for flags in rows.predictions.values())
            with refuses("model must be one of"):
                pool.view("not a model")

    def test_rankings_have_the_same_items_and_patterns(self) -> None:
        """Each ranking is one of the same positions; its cells are those of a plain computation."""
        for rows, pool in self.cases():
            here = rows.of(pool.names(range(len(rows))))  # the rows in the order of positions
            patterns, pattern = here.patterns
            some: Flags = np.any(patterns, axis=1)
            joint = pool.view().joint
            assert (joint.patterns > 0).tolist() == patterns.tolist()
            for ranking in joint.rankings:
                positions = np.arange(len(rows))
                assert ranking.predicted(positions).tolist() == some[pattern].astype(float).tolist()
                level, p = ranking.level(positions), ranking.p(positions)
                check_cells(ranking.cells(), PlainRanking(level, pattern.astype(np.int64), patterns, p))

    def test_items_are_ranked_as_in_memory(self) -> None:
        """A level stands for items that no other level has in between, in each of the rankings."""
        for rows, pool in self.cases():
            names = pool.names(range(len(rows)))
            memory = rows.in_memory()
            places = np.array(memory.positions(names))
            theirs, ours = memory.view().joint, pool.view().joint
            assert len(ours.rankings) == len(theirs.rankings)
            assert ours.start == theirs.start
            for one, two in zip(ours.rankings, theirs.rankings, strict=True):
                self.check_order(one.level(np.arange(len(rows))), two.level(places))

    def check_order(self, levels: Floats, scores: Floats) -> None:
        groups = [scores[levels == level] for level in sorted(set(levels.tolist()))]
        for lower, higher in pairwise(groups):
            assert lower.max() < higher.min()

    def test_the_view_of_a_model(self) -> None:
        for rows, pool in self.cases():
            here, positions = rows.of(pool.names(range(len(rows)))), np.arange(len(rows))
            for model in pool.models:
                view, mine = pool.view(model), here.alone(model)
                assert pool.view(model) is view
                assert view.total == len(rows)
                assert view.predicted_positives == view.predicted_weight == np.count_nonzero(mine.predictions)
                assert view.limits == (mine.scores.min(), mine.scores.max())
                assert view.predicted(positions).tolist() == mine.predictions.astype(float).tolist()
                self.check_order(view.level(positions), mine.scores)
                items = self.plain(view)
                check_cells(view.cells(), items)
                assert view.midrank(positions).tolist() == [items.midrank(level) for level in items.level.tolist()]
                self.check_ranks(view)
                self.check_unreachable(view)

    def plain(self, view: View) -> PlainRanking:
        positions = np.arange(view.total)
        pattern = np.where(view.predicted(positions) == 1, 0, 1)
        return PlainRanking(view.level(positions), pattern, ONE_MODEL, view.p(positions))

    def check_ranks(self, view: View) -> None:
        order = np.argsort(view.rank(np.arange(view.total)))
        assert view.rank(order).tolist() == list(range(1, view.total + 1))
        assert view.cells().items.tolist() == order.tolist()
        examples = view.examples()
        assert (np.diff(view.rank(examples)) > 0).all(), "best first, none twice"
        assert set(view.level(examples).tolist()) == set(view.level(order).tolist())

    def check_unreachable(self, view: View) -> None:
        everything = np.arange(view.total)
        level, predicted = view.level(everything), view.predicted(everything) == 1
        can_draw, labelled = level >= np.median(level), everything[::5]
        expected = int(np.count_nonzero(predicted & ~can_draw & ~np.isin(everything, labelled)))
        assert view.unreachable(can_draw.take, labelled) == (expected, float(expected))

    def test_the_fingerprint_is_that_of_the_items(self) -> None:
        """It depends neither on the order of the rows nor on the seed; changes of the best item must show."""
        rows = several()
        mine = self.pool(rows).fingerprint
        shuffled = rows.take(np.random.default_rng(1).permutation(len(rows)))
        assert self.pool(shuffled).fingerprint == mine
        assert self.pool(rows, seed=SEED + 1).fingerprint == mine
        best = np.arange(len(rows)) == int(np.argmax(rows.scores["v1"]))
        flags = {**rows.predictions, "v2": rows.predictions["v2"] ^ best}
        scores = {**rows.scores, "v2": np.where(best, 2.0, rows.scores["v2"])}
        renamed = {"v1": rows.scores["v1"], "v3": rows.scores["v2"]}
        others = [
            replace(rows, predictions=flags),
            replace(rows, scores=scores),
            replace(rows, scores=renamed, predictions=dict(zip(renamed, rows.predictions.values(), strict=True))),
            replace(rows, helpers={}),
            replace(rows, ids=["another" if flag else name for name, flag in zip(rows.ids, best, strict=True)]),
        ]
        assert len({mine, *(self.pool(other).fingerprint for other in others)}) == 1 + len(others)

    def test_every_label_gives_the_exact_values(self) -> None:
        for rows in (several(30), several(30, 3, ties=True, numbered=True), several(30, 1)):
            pool = self.make(rows.ids, rows.scores, rows.predictions, rows.helpers)
            evaluation = Evaluation(pool, seed=SEED)
            run(evaluation, rows.alone("v1").answer, len(rows))
            assert evaluation.labels == len(rows)
            assert evaluation.ask() == []
            for model in pool.models:
                found = evaluation.estimate(model=model)
                assert found.variance == 0
                np.testing.assert_allclose(found.value, rows.alone(model).truth("f1"), rtol=1e-12)

    def test_models_that_come_later(self) -> None:
        """Either they can be given, or the error says what to do instead."""
        rows = several()
        pool = self.pool(rows)
        names = pool.names(range(len(rows)))
        scores = rows.of(names).scores["v2"]
        try:
            later = pool.with_model("v9", scores, threshold=0.5)
        except InputError as error:
            assert "open the pool again with all models" in str(error)  # noqa: PT017  # either is allowed
            with refuses("prediction="):
                pool.with_predictions(dict.fromkeys(names, 1))
            return
        assert later.models == (*pool.models, "v9")
