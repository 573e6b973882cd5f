"""Pools of every kind as plain data and back: what `saved.py` writes into a file.

A pool that comes back has the same positions, fingerprint, draws and estimates, bit for bit: what is kept is what the
first pass over its rows found, and everything else is computed from it as before.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np

from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers
from lowshot.core.classes.scores import ClassScores, MultiScores
from lowshot.pools.arrangement import Names
from lowshot.pools.base import BasePool, digest_of
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.consensus import Sums
from lowshot.pools.engine import Engine, Facts, Histogram, Rows, Span
from lowshot.pools.fetched import Fetched
from lowshot.pools.grid import Grid
from lowshot.pools.grouped import GroupedPool
from lowshot.pools.grouped_scores import GroupedScores
from lowshot.pools.layout import Layout
from lowshot.pools.memory import Pool
from lowshot.pools.models import Judged, Models
from lowshot.pools.numbers import Order, Scheme
from lowshot.pools.saved import Parts, Saved
from lowshot.pools.scores_engine import ScoredRows, ScoresEngine, ScoresFacts, Wanted
from lowshot.pools.slices import Column, Slices

LEVELS_OF = ("low", "high", "level", "above", "count")  # arrays of a layout
OpenEngine = Callable[[], Any]


def parts_of(pool: BasePool) -> Parts | None:
    """What is kept of a pool, for the seed that it is bound to; None for a kind that cannot be kept."""
    for kind, (name, parts, _) in KINDS.items():
        if type(pool) is kind:
            fingerprint = pool.fingerprint  # first: to find it, the rest of the first pass is made
            found = parts(pool)
            return None if found is None else Parts({"kind": name, "fingerprint": fingerprint, **found[0]}, found[1])
    return None


def pool_from(saved: Saved, engine: OpenEngine) -> BasePool:
    """The pool again; `engine` opens what holds its rows, if a question comes that what was kept does not answer."""
    made = {name: back for name, _, back in KINDS.values()}
    pool = made[saved.facts["kind"]](saved, engine)
    pool.__dict__["fingerprint"] = saved.facts["fingerprint"]  # a cached property
    return pool


def remembering(pool: GroupedPool | GroupedScores) -> GroupedPool | GroupedScores:
    """The pool, before its first pass, as one that remembers what `parts_of` needs of the answers of its engine."""
    if isinstance(pool, GroupedScores):
        engine = pool.engine
        pool.engine = OnceScores(lambda: engine)
    return pool


def has_more(pool: BasePool, saved: Saved) -> bool:
    """Whether items were looked up since that were not kept, such as those of known labels."""
    return isinstance(pool, GroupedPool) and len(pool.places.further) > len(saved.array("further"))


class LateEngine:
    """An engine that is opened when it is asked something."""

    def __init__(self, engine: OpenEngine) -> None:
        self._open = engine

    @cached_property
    def _engine(self) -> Engine:
        found: Engine = self._open()
        return found

    def facts(self) -> Facts:
        return self._engine.facts()

    def histogram(self, grid: Grid) -> Histogram:
        return self._engine.histogram(grid)

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        return self._engine.rows(spans, seed)

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        return self._engine.find(ids, seed)

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        return self._engine.before(rows, spans, seed)


def _grouped_parts(pool: GroupedPool) -> tuple[dict[str, Any], dict[str, Any]]:
    layout, fetched = pool.layout, pool.places.fetched
    facts = {
        "facts": list(layout.facts),
        "predicted": layout.predicted,
        "listed": layout.head,
        "cut": layout.cut,
        "whole": layout.whole,
        "head": pool.head,
        "levels": pool.levels,
        "scale": pool.scale,
        "seed": pool.seed,
    }
    columns: dict[str, Any] = {name: getattr(layout, name) for name in LEVELS_OF}
    columns |= {"ids": fetched.ids.array(), "scores": fetched.scores, "predictions": fetched.predictions}
    further = pool.places.further
    ids = np.array(list(further), dtype=np.int64 if layout.facts.numbered else object)
    columns |= {"reserve": fetched.reserve, "further": ids, "further at": np.array([*further.values()], dtype=np.int64)}
    return facts, columns | {f"shown {name}": _texts(values) for name, values in fetched.columns.items()}


def _texts(values: Sequence[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _grouped_back(saved: Saved, engine: OpenEngine) -> GroupedPool:
    facts = saved.facts
    layout = Layout(
        facts=Facts(*facts["facts"]),
        predicted=facts["predicted"],
        head=facts["listed"],
        cut=facts["cut"],
        whole=facts["whole"],
        **{name: saved.array(name) for name in LEVELS_OF},
    )
    fetched = Fetched(
        saved.ids("ids"),
        saved.array("scores"),
        saved.array("predictions"),
        saved.array("reserve"),
        {name: saved.texts(f"shown {name}") for name in saved.names("shown ")},
    )
    how = {name: facts[name] for name in ("head", "levels", "scale", "seed")}
    further = dict(zip(saved.array("further").tolist(), saved.array("further at").tolist(), strict=True))
    return GroupedPool(LateEngine(engine), **how, layout=layout, fetched=fetched, further=further)


class OnceScores:
    """An engine of several scores whose answers to the questions of the first pass are kept.

    answers  by question; those that are not there are asked, and then kept
    """

    def __init__(self, engine: OpenEngine, answers: dict[str, Any] | None = None) -> None:
        self._open, self.answers = engine, {} if answers is None else answers

    @cached_property
    def _engine(self) -> ScoresEngine:
        found: ScoresEngine = self._open()
        return found

    def _once(self, question: str, ask: Callable[[], Any]) -> Any:
        if question not in self.answers:
            self.answers[question] = ask()
        return self.answers[question]

    def facts(self) -> ScoresFacts:
        found: ScoresFacts = self._once("facts", lambda: self._engine.facts())
        return found

    def histogram(self, score: str, grid: Grid) -> Histogram:
        found: Histogram = self._once(f"histogram {score}", lambda: self._engine.histogram(score, grid))
        return found

    def sums(self, helper: str, scheme: Scheme) -> Sums:
        found: Sums = self._once(f"sums {helper}", lambda: self._engine.sums(helper, scheme))
        return found

    def same(self, one: str, two: str, scheme: Scheme) -> bool:
        found: bool = self._once(f"same {[one, two]}", lambda: self._engine.same(one, two, scheme))
        return found

    def histograms(self, orders: Sequence[Order], scheme: Scheme) -> list[Histogram]:
        found: list[Histogram] = self._once("histograms", lambda: self._engine.histograms(orders, scheme))
        return found

    def rows(self, wanted: Sequence[Wanted], scheme: Scheme, seed: int) -> ScoredRows:
        """Only the first answer for each seed is kept: later questions are about a few further items."""
        asked = f"rows {seed} "
        question = asked + digest_of([repr(list(wanted)).encode()])
        if question in self.answers or not any(other.startswith(asked) for other in self.answers):
            found: ScoredRows = self._once(question, lambda: self._engine.rows(wanted, scheme, seed))
            return found
        return self._engine.rows(wanted, scheme, seed)

    def find(self, ids: Sequence[Id]) -> ScoredRows:
        return self._engine.find(ids)


def _scores_parts(pool: GroupedScores) -> tuple[dict[str, Any], dict[str, Any]] | None:
    if not isinstance(pool.engine, OnceScores):
        return None
    facts: dict[str, Any] = {
        "judged": list(pool.names_of_scores.judged.items()),
        "helpers": list(pool.helpers),
        "head": pool.head,
        "levels": pool.levels,
        "scale": pool.scale,
        "seed": pool.seed,
        "answers": {},
    }
    columns: dict[str, Any] = {}
    for question, answer in pool.engine.answers.items():
        kind = question.partition(" ")[0]
        if kind == "histogram":
            columns |= _histogram_columns(question, answer)
        elif kind == "histograms":
            for number, one in enumerate(answer):
                columns |= _histogram_columns(f"{question} {number}", one)
            facts["histograms"] = len(answer)
        elif question.startswith(f"rows {pool.seed} "):
            facts["rows"] = question
            columns |= _scored_columns(answer)
        elif kind != "rows":
            facts["answers"][question] = answer  # JSON makes lists of tuples
    return facts, columns


def _histogram_columns(question: str, found: Histogram) -> dict[str, Any]:
    return {f"{question}: {name}": values for name, values in found._asdict().items()}


def _histogram(saved: Saved, question: str) -> Histogram:
    return Histogram(*(saved.array(f"{question}: {name}") for name in Histogram._fields))


def _scored_columns(rows: ScoredRows) -> dict[str, Any]:
    found: dict[str, Any] = {"ids": rows.ids, "patterns": rows.patterns}
    found |= {f"score {name}": values for name, values in rows.scores.items()}
    return found | {f"shown {name}": _texts(values) for name, values in rows.columns.items()}


def _scores_back(saved: Saved, engine: OpenEngine) -> GroupedScores:
    facts, answers = saved.facts, dict(saved.facts["answers"])
    total, numbered, limits, missing = answers["facts"]
    answers["facts"] = ScoresFacts(total, numbered, {name: tuple(pair) for name, pair in limits.items()}, missing)
    answers |= {question: Sums(*sums) for question, sums in answers.items() if question.startswith("sums ")}
    for name in saved.names("histogram "):
        question, _, part = f"histogram {name}".rpartition(": ")
        if part == "bins":
            answers[question] = _histogram(saved, question)
    if "histograms" in facts:
        answers["histograms"] = [_histogram(saved, f"histograms {n}") for n in range(facts["histograms"])]
    if "rows" in facts:
        answers[facts["rows"]] = ScoredRows(
            saved.array("ids"),
            {name: saved.array(f"score {name}") for name in saved.names("score ")},
            saved.array("patterns"),
            {name: list(saved.texts(f"shown {name}")) for name in saved.names("shown ")},
        )
    how = {name: facts[name] for name in ("head", "levels", "scale", "seed")}
    names = Names(dict(facts["judged"]), tuple(facts["helpers"]))
    return GroupedScores(OnceScores(engine, answers), names, **how)


def _memory_parts(pool: Pool) -> tuple[dict[str, Any], dict[str, Any]] | None:
    if pool.levels is not None or pool.features is not None:
        return None
    models = pool.columns
    facts = {
        "judged": [(model.name, model.score) for model in models.judged],
        "helpers": list(models.helpers),
        "scores": list(models.scores),
        "scale": pool.scale,
        "head": pool.head,
        "slices": _slice_facts(pool.slices),
    }
    columns: dict[str, Any] = {f"score {name}": values for name, values in models.scores.items()}
    columns |= {f"predictions {model.name}": model.predictions for model in models.judged}
    return facts, columns | _item_columns(pool)


def _item_columns(pool: Pool | ClassPool) -> dict[str, Any]:
    """Columns that pools in memory may have."""
    found = {name: values for name, values in (("ids", pool.ids), ("mass", pool.mass)) if values is not None}
    return found | {f"slice {name}": pool.slices.column(name).code for name in pool.slices.names}


def _slice_facts(slices: Slices) -> list[Any]:
    return [(name, list(slices.column(name).values)) for name in slices.names]


def _items_back(saved: Saved) -> dict[str, Any]:
    """Ids, weights and slices as attributes of a pool in memory."""
    slices = {name: Column(name, tuple(values), saved.array(f"slice {name}")) for name, values in saved.facts["slices"]}
    return {
        "ids": saved.array("ids") if "ids" in saved else None,
        "mass": saved.array("mass") if "mass" in saved else None,
        "slices": Slices(slices),
    }


def _memory_back(saved: Saved, engine: OpenEngine) -> Pool:
    facts = saved.facts
    scores = {name: saved.array(f"score {name}") for name in facts["scores"]}
    judged = tuple(Judged(name, score, saved.array(f"predictions {name}")) for name, score in facts["judged"])
    first = judged[0]
    pool: Pool = _made(
        Pool,
        columns=Models(scores, judged, tuple(facts["helpers"])),
        scores=scores[first.score or ""],
        predictions=first.predictions,
        features=None,
        scale=facts["scale"],
        levels=None,
        head=facts["head"],
        **_items_back(saved),
    )
    return pool


def _class_parts(pool: ClassPool) -> tuple[dict[str, Any], dict[str, Any]]:
    table = pool.table
    found = {field.name: getattr(table, field.name) for field in fields(table)}
    facts = {
        "several": pool.answers.several,
        "names": list(pool.categories),
        "slices": _slice_facts(pool.slices),
        "table": {name: value for name, value in found.items() if not isinstance(value, np.ndarray)},
    }
    columns = {f"table {name}": value for name, value in found.items() if isinstance(value, np.ndarray)}
    return facts, columns | _item_columns(pool)


def _class_back(saved: Saved, engine: OpenEngine) -> ClassPool:
    facts = saved.facts
    several = facts["several"]
    arrays: dict[str, Any] = {name: saved.array(f"table {name}") for name in saved.names("table ")}
    table = (MultiScores if several else ClassScores)(**facts["table"], **arrays)
    answers = ClassAnswers(facts["names"], "multilabel" if several else "single")
    pool: ClassPool = _made(ClassPool, answers=answers, table=table, **_items_back(saved))
    return pool


def _made(kind: Any, **attributes: Any) -> Any:
    """A pool with columns that were checked when they were read for the first time."""
    pool = object.__new__(kind)
    for name, value in attributes.items():
        setattr(pool, name, value)
    return pool


# Of each kind of pool: its name in the file, what is kept of it, and how it comes back.
KINDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Saved, OpenEngine], BasePool]]] = {
    GroupedPool: ("grouped", _grouped_parts, _grouped_back),
    GroupedScores: ("grouped scores", _scores_parts, _scores_back),
    Pool: ("memory", _memory_parts, _memory_back),
    ClassPool: ("classes", _class_parts, _class_back),
}
