"""Large pools with several scores: the same items and numbers wherever the rows are; restarts, errors, few queries."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowshot import Evaluation, InputError, Pool, PoolError, open_pool
from lowshot.checks import Id
from lowshot.core.types import Floats
from lowshot.pools.arrangement import Names
from lowshot.pools.engine import Histogram, Span
from lowshot.pools.grid import Grid
from lowshot.pools.grouped_scores import GroupedScores
from lowshot.pools.ibis_columns import ChosenScores
from lowshot.pools.ibis_scores import IbisScores
from lowshot.pools.models import Roles, Words
from lowshot.pools.numbers import NumberTable, Order, Scheme
from lowshot.pools.scores_engine import ArrayScores, ScoredRows, Wanted
from lowshot.testing import finish

from .places import ENGINES, SPARK, Place
from .rows import numbers, texts

ITEMS = 1500
GROUPS = {"levels": 16, "head": 300}


class Rows(NamedTuple):
    """Two probabilities, a helper with holes, and the truth."""

    ids: list[Any]
    one: Floats
    two: Floats
    helper: Floats
    labels: dict[Id, int]

    @property
    def rule(self) -> Floats:
        """A score of two values."""
        return np.where(self.two > 0.4, 1.0, 0.0)

    @property
    def table(self) -> pa.Table:
        columns = {"one": pa.array(self.one), "two": pa.array(self.two), "rule": pa.array(self.rule)}
        return pa.table({"id": pa.array(self.ids), **columns, "clip": pa.array(self.helper, from_pandas=True)})


def rows_of(names: str = "integer", items: int = ITEMS) -> Rows:
    random = np.random.default_rng(4)
    truth = random.random(items) < 0.04
    one, two = (1 / (1 + np.exp(4 - random.normal(size=items) - 5 * truth)) for _ in range(2))
    helper = np.round(3 * truth + random.normal(size=items), 1)
    helper[::4] = np.nan
    ids: list[Any] = numbers(items) if names == "integer" else texts(items)
    return Rows(ids, one, two, helper, dict(zip(ids, truth.astype(int).tolist(), strict=True)))


class Case(NamedTuple):
    """The same pool for `open_pool` and for `Pool`."""

    columns: dict[str, Any]
    goal: Any = None

    def in_memory(self, rows: Rows, **options: Any) -> Pool:
        every = {"one": rows.one, "two": rows.two, "rule": rows.rule, "clip": rows.helper}
        score = self.columns["score"]
        scores = {name: every[column] for name, column in score.items()} if isinstance(score, dict) else every[score]
        helpers = {name: every[name] for name in self.columns.get("helpers", ())}
        return Pool(scores, threshold=self.columns["threshold"], helpers=helpers, ids=rows.ids, **options)


CASES = {
    "two": Case({"score": {"v1": "one", "v2": "two"}, "threshold": {"v1": 0.3, "v2": 0.4}}, ("v1", "v2")),
    "helper": Case({"score": "one", "threshold": 0.3, "helpers": ["clip"]}),
    "three": Case({"score": {"v1": "one", "v2": "two"}, "threshold": 0.3, "helpers": ["clip"]}, "best"),
    "thresholds": Case({"score": "one", "threshold": {"strict": 0.5, "lax": 0.2}}),
    "flags": Case({"score": {"v1": "one", "v2": "rule"}, "threshold": {"v1": 0.3, "v2": 0.5}}, ("v1", "v2")),
}
# Spark is slow to plan a query: texts alone. Integers are hashed there as they are with one score (test_engines.py).
every_engine_and_kind_of_id = pytest.mark.parametrize(
    ("place", "names"),
    [
        pytest.param(*engine.values, names, marks=engine.marks, id=f"{engine.values[0]}-{names}")
        for engine in (engine if hasattr(engine, "values") else pytest.param(engine) for engine in ENGINES)
        for names in (["text"] if engine is SPARK else ["integer", "text"])
    ],
    indirect=["place"],
)
every_case = pytest.mark.parametrize("case", list(CASES))


def opened(rows: Rows, case: str, **options: Any) -> GroupedScores:
    pool = open_pool(rows.table, id="id", **CASES[case].columns, **{**GROUPS, **options})
    assert isinstance(pool, GroupedScores)
    return pool


@cache
def labelled_in_memory(names: str, case: str) -> Evaluation:
    """What every engine is compared with."""
    rows = rows_of(names)
    evaluation = Evaluation(CASES[case].in_memory(rows, **GROUPS), seed=3, goal=CASES[case].goal)
    return finish(evaluation, rows.labels, 70)


@pytest.mark.slow
@every_engine_and_kind_of_id
def test_the_same_items_and_numbers_everywhere(place: Place, names: str) -> None:
    rows = rows_of(names)
    where = place.put(rows.table)
    for name, case in CASES.items():
        here = labelled_in_memory(names, name)
        there = Evaluation(open_pool(**where, id="id", **case.columns, **GROUPS), seed=3, goal=case.goal)
        assert here.pool.fingerprint == there.pool.fingerprint, name
        finish(there, rows.labels, 70)
        assert there.labels == 70
        assert here.history == there.history, name
        assert repr(here.table()) == repr(there.table()), name
        assert repr(here.pool) == repr(there.pool), name


def plain(rows: ScoredRows) -> list[tuple[Any, ...]]:
    """By id: an engine gives rows in any order. NaN is written, as it is not equal to itself."""
    scores = [[repr(value) for value in values.tolist()] for values in rows.scores.values()]
    return sorted(zip(rows.ids.tolist(), rows.patterns.tolist(), *scores, strict=True))


def counts(histogram: Histogram) -> list[tuple[float, int, int]]:
    return sorted(zip(*(column.tolist() for column in histogram), strict=True))


@pytest.mark.slow
@every_engine_and_kind_of_id
def test_every_engine_answers_every_question_as_numpy_does(
    place: Place, names: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With three scores, one of which has holes, and a reserve that is a small part of the items."""
    monkeypatch.setattr("lowshot.pools.layout.RESERVE", 50)
    monkeypatch.setattr("lowshot.pools.grouped_scores.LEAST_RESERVE", 3)
    rows, case = rows_of(names), CASES["three"]
    there = open_pool(**place.put(rows.table), id="id", **case.columns, levels=16, head=350)
    here = case.in_memory(rows, levels=16, head=350).bind(0)
    assert isinstance(here, GroupedScores)
    assert isinstance(there, GroupedScores)
    one, two, found = here.engine, there.engine, here.arrangement
    assert one.facts() == two.facts()
    for score in ("v1", "v2", "clip"):
        low, high = found.facts.limits[score]
        for grid in (Grid.of(low, high), Grid("distinct")):
            assert counts(one.histogram(score, grid)) == counts(two.histogram(score, grid))
    assert found.scheme.lines.keys() == {"clip"}
    assert one.sums("clip", found.scheme) == two.sums("clip", found.scheme)
    assert two.same("v1", "v1", found.scheme)
    assert not two.same("v1", "v2", found.scheme)
    orders = [order for order in found.orders if not order.own]
    for mixed in (orders, orders[-1:]):
        pairs = zip(one.histograms(mixed, found.scheme), two.histograms(mixed, found.scheme), strict=True)
        assert all(counts(theirs) == counts(ours) for theirs, ours in pairs)
    first = here.catalogue.first
    assert plain(one.rows(first, found.scheme, 3)) == plain(two.rows(first, found.scheme, 3))
    assert 200 < len(two.rows(first, found.scheme, 3)) < 1000, "some of them, and not all"
    for each in first:
        assert plain(one.rows([each], found.scheme, 3)) == plain(two.rows([each], found.scheme, 3))
    asked = [*rows.ids[::100], "not there" if names == "text" else 123_456_789]
    assert plain(one.find(asked)) == plain(two.find(asked))
    assert len(two.find(asked)) == 15


@pytest.mark.parametrize("place", ["parquet", "polars", "postgres", SPARK], indirect=True)
def test_nan_is_missing_too(place: Place) -> None:
    """The limits in the metadata of a Parquet file leave out NaN, and DuckDB trusts them."""
    rows = rows_of()
    table = rows.table.set_column(rows.table.column_names.index("clip"), "clip", pa.array(rows.helper))
    assert table["clip"].null_count == 0
    pool = open_pool(**place.put(table), id="id", **CASES["helper"].columns, **GROUPS)
    assert pool.fingerprint == CASES["helper"].in_memory(rows, **GROUPS).bind(0).fingerprint


@pytest.mark.slow
@every_case
def test_the_order_of_rows_does_not_matter(case: str) -> None:
    rows = rows_of("text")
    shuffled = rows.table.take(np.random.default_rng(1).permutation(ITEMS))
    one = finish(Evaluation(opened(rows, case), seed=5), rows.labels, 60)
    pool = open_pool(shuffled, id="id", **CASES[case].columns, **GROUPS)
    two = finish(Evaluation(pool, seed=5), rows.labels, 60)
    assert one.history == two.history


@pytest.mark.slow
@every_case
def test_all_head_has_the_groups_of_a_pool_in_memory(case: str) -> None:
    """With as few different scores as classes, rankings have the very counts that they have in memory."""
    rows = rows_of()
    rows = rows._replace(one=np.round(rows.one, 2), two=np.round(rows.two, 2))
    memory, grouped = CASES[case].in_memory(rows), opened(rows, case, levels=None)
    theirs, ours = memory.view().joint, grouped.view().joint
    assert len(ours.rankings) == len(theirs.rankings)
    assert ours.patterns.tolist() == theirs.patterns.tolist()
    for one, two in zip(ours.rankings, theirs.rankings, strict=True):
        for column in ("level", "pattern", "count", "above", "midrank"):
            assert getattr(one.cells(), column).tolist() == getattr(two.cells(), column).tolist(), column
    goal = CASES[case].goal
    plans = [Evaluation(pool, goal=goal).plan(0.1) for pool in (memory, grouped)]
    assert plans[0] == plans[1], "before the first label, everything depends on these counts"


@pytest.mark.slow
@every_case
@pytest.mark.parametrize("reserve", [4096, 2])
def test_restarts_change_nothing(case: str, reserve: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where draws went beyond the reserve: then they are looked up by their ids.

    "three" has two models and a helper, and is read from a table; the others are in groups in memory.
    """

    def pool() -> Any:
        options = {"levels": 16, "head": 20}
        return opened(rows, case, **options) if case == "three" else CASES[case].in_memory(rows, **options)

    monkeypatch.setattr("lowshot.pools.layout.RESERVE", reserve)
    monkeypatch.setattr("lowshot.pools.grouped_scores.LEAST_RESERVE", min(reserve, 256))
    monkeypatch.setattr("lowshot.pools.catalogue.MORE", 2)
    rows, goal, store = rows_of("text"), CASES[case].goal, tmp_path / "evaluation.db"
    whole = finish(Evaluation(pool(), seed=9, goal=goal), rows.labels, 70)
    Evaluation(pool(), seed=9, goal=goal, store=store)
    for budget in (20, 45, 70):
        interrupted = finish(Evaluation(pool(), store=store), rows.labels, budget)
    assert interrupted.history["rounds"] == whole.history["rounds"]
    assert repr(interrupted.table()) == repr(whole.table())


def test_draws_from_one_ranking_are_uniform_whatever_another_one_drew() -> None:
    """Half of a cell was drawn by one ranking; another ranking draws the others in an order of its own.

    Both rankings are of 400 items on one level. With one order for both, the first draws of the second ranking from
    all items would follow those of the first. With orders of their own, the ranks of the first 40 items of one ranking
    in the order of the other have the mean 199.5 +- 17.3 (a standard error of 400 / sqrt(12) / sqrt(40), times 0.95
    for a finite population).
    """
    scores = {"v1": np.linspace(0, 1, 400), "v2": np.linspace(1, 0, 400)}
    engine = ArrayScores(np.arange(400), scores, np.zeros(400, dtype=np.int64))
    pool = GroupedScores(engine, Names({"v1": "v1", "v2": "v2"}, ()), levels=1, head=0)
    one, two = (pool.view().joint.rankings[place].cells().items for place in (0, 1))
    order = np.argsort(two)  # the place of each position in the second ranking
    assert abs(order[one[:40]].mean() - 199.5) < 3 * 17.3


class Counting:
    """An engine that counts what it is asked."""

    def __init__(self, engine: Any) -> None:
        self._engine, self.asked = engine, list[str]()

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any) -> Any:
            self.asked.append(name)
            return getattr(self._engine, name)(*arguments)

        return ask


@pytest.mark.slow
def test_few_queries(tmp_path: Path) -> None:
    """Two scores: five passes, and none while labels come; with a restart, one more for the items that were asked."""
    rows, store = rows_of("text"), tmp_path / "evaluation.db"
    for budget in (60, 120):
        pool = opened(rows, "two", head=50)
        engine = Counting(pool.engine)
        pool = GroupedScores(engine, Names({"v1": "v1", "v2": "v2"}, ()), levels=16, head=50)
        evaluation = Evaluation(pool, seed=2, store=store)
        finish(evaluation, rows.labels, budget)
        evaluation.table()
        assert engine.asked == ["facts", "histogram", "histogram", "histograms", "rows"]


class Failing(Counting):
    """The third question is not answered the first time, and from the thirteenth on every third one."""

    def __getattr__(self, name: str) -> Any:
        if len(self.asked) in (2, *range(12, 1000, 3)):
            self.asked.append("failed")
            raise PoolError(f"the engine failed at {name}")
        return super().__getattr__(name)


@pytest.mark.slow
def test_an_engine_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowshot.pools.layout.RESERVE", 2)
    monkeypatch.setattr("lowshot.pools.grouped_scores.LEAST_RESERVE", 2)
    monkeypatch.setattr("lowshot.pools.catalogue.MORE", 2)
    rows = rows_of("text")
    whole = finish(Evaluation(opened(rows, "three", head=20), goal="best"), rows.labels, 60)
    engine = Failing(opened(rows, "three").engine)
    pool = GroupedScores(engine, Names({"v1": "v1", "v2": "v2"}, ("clip",)), levels=16, head=20)
    evaluation, failed = None, 0
    while evaluation is None or evaluation.labels < 60:
        before = None if evaluation is None else repr(evaluation.snapshot())
        try:
            evaluation = evaluation or Evaluation(pool, goal="best")
            items = evaluation.ask(60 - evaluation.labels)
        except PoolError:
            failed += 1
            assert before is None or repr(evaluation.snapshot() if evaluation else None) == before
            continue
        evaluation.tell(items, [rows.labels[item] for item in items])
    assert failed > 2
    assert evaluation.history == whole.history


@pytest.mark.slow
def test_tables_of_numbers_that_are_made_anew_are_used() -> None:
    """After a failure they are: a new table may lie where an old one lay in memory, and is another one all the same."""
    engine, grid = opened(rows_of(items=50), "three").engine, Grid("distinct")
    sums = []
    for factor in range(1, 20):
        tables = {name: NumberTable.of(engine.histogram(name, grid), grid) for name in ("v1", "v2", "clip")}
        tables = {name: replace(table, number=factor * table.number) for name, table in tables.items()}
        sums.append(engine.sums("clip", Scheme(tables, {}, ("v1", "v2"))).helper / factor)
    assert sums == sums[:1] * len(sums)


QUIET = settings(derandomize=True, deadline=None, max_examples=40)
FINITE = st.floats(-1e100, 1e100).map(lambda score: score if abs(score) > 1e-200 else 0.0)
SCORES = st.one_of(
    st.lists(FINITE, min_size=12, max_size=12),
    st.lists(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]), min_size=12, max_size=12),
    st.builds(lambda score: [score] * 12, FINITE),
)
FLAGS = st.lists(st.booleans(), min_size=12, max_size=12)
HOLES = st.lists(st.one_of(st.none(), FINITE), min_size=12, max_size=12)


@QUIET
@given(
    scores=st.tuples(SCORES, SCORES),
    flags=st.tuples(FLAGS, FLAGS),
    helper=HOLES,
    truth=FLAGS,
    head=st.sampled_from([0, 1, 5, 30, 1000]),
    levels=st.sampled_from([1, 2, 64]),
)
def test_every_item_once_and_then_the_exact_value(
    scores: Any, flags: Any, helper: list[float | None], truth: list[bool], head: int, levels: int
) -> None:
    """Ties, one score for all, predictions that contradict the scores, a helper with any holes."""
    columns, told = dict(zip(("v1", "v2"), scores, strict=True)), dict(zip(("v1", "v2"), flags, strict=True))
    pool = Pool(columns, told, helpers={"clip": helper}, head=head, levels=levels)
    evaluation = Evaluation(pool, seed=1)
    asked: list[Any] = []
    while items := evaluation.ask(3):
        asked += items
        evaluation.tell(items, [int(truth[item]) for item in items])
    if not any(flags[0]) and not any(flags[1]):
        assert evaluation.reason.startswith("no item is predicted positive")
        return
    assert sorted(asked) == list(range(12))
    for model, predicted in told.items():
        hits, both = sum(np.logical_and(truth, predicted)), sum(truth) + sum(predicted)
        exact = 2 * hits / both if both else float("nan")
        assert evaluation.estimate(model=model).value == pytest.approx(exact, abs=1e-9, nan_ok=True)


@pytest.mark.slow
@settings(QUIET, max_examples=10)
@given(scores=st.tuples(SCORES, SCORES), flags=st.tuples(FLAGS, FLAGS), helper=HOLES)
def test_duckdb_ranks_them_the_same(scores: Any, flags: Any, helper: list[float | None]) -> None:
    columns, told = dict(zip(("v1", "v2"), scores, strict=True)), dict(zip(("v1", "v2"), flags, strict=True))
    here = Pool(columns, told, helpers={"clip": helper}, head=3, levels=4).bind(5)
    named = {f"{name} says": flag for name, flag in told.items()}
    rows = pa.table({"id": np.arange(12), **columns, **named, "clip": pa.array(helper, pa.float64())})
    says = {name: f"{name} says" for name in told}
    score = {name: name for name in columns}
    there = open_pool(rows, id="id", score=score, prediction=says, helpers=["clip"], head=3, levels=4).bind(5)
    assert here.fingerprint == there.fingerprint
    for one, two in zip(here.view().joint.rankings, there.view().joint.rankings, strict=True):
        assert here.names(one.cells().items) == there.names(two.cells().items)


def test_items_beyond_the_reserve_cost_one_query_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowshot.pools.layout.RESERVE", 2)
    monkeypatch.setattr("lowshot.pools.grouped_scores.LEAST_RESERVE", 2)
    rows = rows_of("text")
    engine = Counting(opened(rows, "two").engine)
    pool = GroupedScores(engine, Names({"v1": "v1", "v2": "v2"}, ()), levels=16, head=20)
    known = {item: rows.labels[item] for item in rows.ids[::5]}
    evaluation = Evaluation(pool, known=known)
    assert engine.asked.count("find") == 1
    assert evaluation.estimate(model="v1").labels == len(known)
    memory = Evaluation(CASES["two"].in_memory(rows), known=known)
    assert evaluation.estimate("tp", model="v1").labels == memory.estimate("tp", model="v1").labels


def test_one_named_model_and_what_people_are_shown() -> None:
    rows = rows_of()
    pool = open_pool(rows.table, id="id", score={"v1": "one"}, threshold=0.3, show=["two"], **GROUPS)
    assert pool.models == ("v1",)
    assert pool.shown([rows.ids[7]]) == [{"two": str(rows.two[7])}]
    assert Evaluation(Pool({"v1": rows.one}, threshold=0.3, levels=16)).pool.models == ("v1",)


def test_identical_scores_count_once_and_identical_models_are_tied() -> None:
    rows = rows_of()
    table = rows.table.append_column("same", pa.array(np.sqrt(rows.one)))
    score = {"v1": "one", "v2": "same", "v3": "one"}
    pool = open_pool(table, id="id", score=score, threshold={"v1": 0.25, "v2": 0.5, "v3": 0.25}, levels=None)
    assert len(pool.view().joint.rankings) == 1, "a monotone function of a score ranks alike"
    assert pool.view("v2").predicted_positives == pool.view("v1").predicted_positives
    evaluation = Evaluation(pool, goal=("v1", "v3"))
    assert evaluation.compare("v1", "v3").verdict == "tied"


@pytest.mark.parametrize("place", ENGINES, indirect=True)
def test_useless_helpers_are_left_out(place: Place) -> None:
    rows = rows_of()
    random = np.random.default_rng(2).normal(size=ITEMS)
    columns = {"luck": random, "flat": np.ones(ITEMS), "none": np.full(ITEMS, np.nan)}
    table = rows.table
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values, pa.float64(), from_pandas=True))
    where = place.put(table)
    pool = open_pool(**where, id="id", score="one", threshold=0.3, helpers=["clip", "luck", "flat", "none"], **GROUPS)
    assert isinstance(pool, GroupedScores)
    assert pool.left_out == ("luck", "flat", "none")
    assert "clip (missing for 375 items), luck (left out" in repr(pool)


COLUMNS: dict[str, Any] = {"id": "id", "score": {"v1": "one", "v2": "two"}, "threshold": 0.3}


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"score": {"v1": "one", "v2": "three"}}, r"score\['v2'\] must be a column of the table: got 'three'"),
        ({"threshold": {"v3": 0.5}}, "threshold must be for one of the scores v1, v2: got one for 'v3'"),
        ({"threshold": {"v1": float("nan")}}, r"threshold\['v1'\] must be a finite number: got nan"),
        ({"threshold": None}, "give either prediction or threshold: got neither; scores without them only help"),
        ({"threshold": None, "prediction": "flag"}, "prediction must be a mapping from model to predictions"),
        ({"threshold": None, "prediction": {"v1": "clip"}}, r"prediction\['v1'\] must be 0 or 1: [\d,]+ of 1,500"),
        ({"prediction": {"v1": "flag"}}, r"prediction\['v1'\] must be what threshold makes of the score"),
        ({"score": {}}, "score must hold at least one model"),
        ({"score": {"best": "one"}}, "names of score must not be 'each' or 'best'"),
        ({"helpers": {"v1": "clip"}}, "helpers must have names of their own: 'v1' is in score, too"),
        ({"helpers": ["name"]}, r"helpers\['name'\] must be a column of numbers: 'name' holds string"),
        ({"helpers": ["endless"]}, r"helpers\['endless'\] must be finite or missing: 2 of 1,500 are not"),
        ({"score": {"v1": "one", "v2": "clip"}}, r"score\['v2'\] must not be missing: 375 of 1,500 are NULL"),
        ({"score": {"v1": "one", "v2": "endless"}}, r"score\['v2'\] must be finite: 3 of 1,500 are not"),
        ({"where": lambda rows: rows.one > 2}, "source must hold at least one item"),
    ],
)
def test_bad_columns(columns: dict[str, Any], told: str) -> None:
    rows = rows_of()
    endless = rows.one.copy()
    endless[:3] = np.inf, -np.inf, np.nan
    more = {"flag": np.arange(ITEMS) % 2, "name": [str(number) for number in range(ITEMS)], "endless": endless}
    table = rows.table
    for name, values in more.items():
        table = table.append_column(name, pa.array(values))
    with pytest.raises(InputError, match=told):
        open_pool(table, **{**COLUMNS, **columns})


def test_what_a_large_pool_cannot_do_says_what_to_do() -> None:
    evaluation = Evaluation(opened(rows_of(), "two"), goal="v1")
    with pytest.raises(InputError, match="open the pool again with all models in score="):
        evaluation.with_model("v3", [0.5] * ITEMS, threshold=0.5)
    with pytest.raises(InputError, match="open it with its column in score= and prediction="):
        evaluation.estimate(predictions=[1] * ITEMS)
    with pytest.raises(InputError, match="model must be one of v1, v2: got 'clip'"):
        evaluation.pool.view("clip")


DIALECTS = ["bigquery", "snowflake", "databricks", "trino", "duckdb", "postgres"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["int64", "string"])
def test_every_question_compiles_for_warehouses(dialect: str, kind: str) -> None:
    numeric = dict.fromkeys(("one", "two", "clip"), "float64")
    table = ibis.table({"id": kind, **numeric, "flag": "int8"}, name="items")
    roles = Roles.of(
        {"v1": "one", "v2": "two"}, {"v2": "flag"}, {"v1": 0.5}, {"clip": "clip"}, Words("score", "prediction"), True
    )
    engine = IbisScores(table, ChosenScores("id", roles), dialect)
    rows = rows_of()
    patterns = 2 * (rows.one > 0.3) + (rows.two > 0.3)
    arrays = ArrayScores(np.arange(ITEMS), {"v1": rows.one, "v2": rows.two, "clip": rows.helper}, patterns)
    names = Names({"v1": "v1", "v2": "v2"}, ("clip",))
    found = GroupedScores(arrays, names, **GROUPS).arrangement
    assert found.scheme.lines, "the helper has holes"
    order, number = found.orders[0], 9
    wanted = [Wanted(order, number, flag, [Span(0.0, 2.0, 0, 2**31), Span(2.0, np.inf)]) for flag in (True, False)]

    def written(query: Any) -> str:
        return str(ibis.to_sql(query, dialect=dialect)).upper()

    assert written(engine.counts()).count("MIN(") >= 3
    assert "SQRT(" in written(engine.binned("v1", Grid.of(0.0, 1.0)))
    for query in (
        engine.added("clip", found.scheme),
        engine.summed(order, found.scheme),
        engine.paired(["v1", "clip"], found.scheme),
    ):
        assert written(query).count("LEFT") >= 2
    fetched = written(engine.wanted(wanted, found.scheme, 3))
    # With the bracket: the random names of memory tables hold any three letters now and then.
    assert ("MD5(" in fetched) == (kind == "string")


def test_numbers_are_those_of_ranks() -> None:
    """As in memory, up to the width of a class: 256 classes of 5,000 ranks, so 3.4 % of a rank."""
    random = np.random.default_rng(0)
    scores = random.beta(0.1, 3, 5000)
    engine = ArrayScores(np.arange(5000), {"v1": scores}, np.ones(5000, dtype=np.int64))
    table = NumberTable.of(engine.histogram("v1", Grid.of(0.0, 1.0)), Grid.of(0.0, 1.0))
    level = Scheme({"v1": table}, {}, ("v1",)).level(Order({"v1": 1}, own=False), {}, {"v1": table.at(scores)})
    assert len(np.unique(level)) <= 256
    rank = np.argsort(np.argsort(-scores))
    for top in (10, 100, 1000):
        best = np.argsort(-level, kind="stable")[:top]
        assert rank[best].max() < 1.04 * top + 1
