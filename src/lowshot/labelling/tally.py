"""Per evaluation of a store: who labelled how much and when, disputed items, and who holds how many items.

All of it comes from the rows of the store: no pool is opened.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, exists, func, select

from lowshot.labelling.ledger import LONG, PYTHON
from lowshot.store import Store, schema
from lowshot.store.clock import now, plus
from lowshot.store.connection import transaction
from lowshot.store.progress import EvaluationProgress, progress

NO_LABEL = -(2**31)  # stands for "cannot tell" where labels are counted: no label is this number
MOST = 500  # annotators listed per evaluation, so that the overview stays readable


@dataclass(frozen=True)
class Annotator:
    """What one annotator did in an evaluation."""

    name: str
    items: int  # items that they answered
    decisions: int  # decisions that they made as the owner
    first: str
    last: str


@dataclass(frozen=True)
class Tally:
    """The summary of one evaluation."""

    progress: EvaluationProgress
    disputed: int
    annotators: list[Annotator]  # those with most items first
    first: str | None  # time of the first answer or label
    last: str | None


def tally(store: Store, wanted: Mapping[int, int] | None = None) -> list[Tally]:
    """One summary per evaluation, in the order they began. `wanted`: answers per item, by the key of the evaluation.

    >>> import lowshot, tempfile
    >>> from lowshot.labelling import Desk
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5)
    >>> desk = Desk(lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/birds.db"), wanted=2)
    >>> for annotator, label in (("ann", 1), ("bob", 0)):
    ...     _ = desk.answer(annotator, desk.take(annotator)[0], label)
    >>> (found,) = tally(desk.evaluation.store, {desk.key: 2})
    >>> [(one.name, one.items) for one in found.annotators], found.disputed
    ([('ann', 1), ('bob', 1)], 1)
    """
    needed, found = wanted or {}, progress(store)
    with transaction(store.engine, reads=True) as connection:
        return [_tally(connection, one, needed.get(one.key, _per_item(one))) for one in found]


def _per_item(one: EvaluationProgress) -> int:
    """As stored by `lowshot start`. `about` of an evaluation that began in Python may lack it, or hold anything."""
    noted = one.header.about.get("annotators_per_item")
    return noted if isinstance(noted, int) else 1


def _tally(connection: Connection, one: EvaluationProgress, wanted: int) -> Tally:
    times = [time for table in (schema.labels, schema.answers) for time in _times(connection, table, one.key)]
    disputed, annotators = _disputed(connection, one.key, wanted), _annotators(connection, one.key)
    return Tally(one, disputed, annotators, min(times, default=None), max(times, default=None))


def _times(connection: Connection, table: Table, key: int) -> list[str]:
    """The first and the last time; none for an empty table."""
    query = select(func.min(table.c.at), func.max(table.c.at)).where(table.c.evaluation == key)
    return [time for time in connection.execute(query).one() if time is not None]


def _annotators(connection: Connection, key: int) -> list[Annotator]:
    table = schema.answers.c
    items = func.count(case((table.final == 0, table.item)).distinct())
    query = (
        select(table.annotator, items, func.sum(table.final), func.min(table.at), func.max(table.at))
        .where(table.evaluation == key)
        .group_by(table.annotator)
        .order_by(items.desc(), table.annotator)
        .limit(MOST)
    )
    return [Annotator(*row) for row in connection.execute(query)]


def _disputed(connection: Connection, key: int, wanted: int) -> int:
    """Items whose last answers differ and that nobody decided: as `resolve` has it, counted by the database."""
    answers = schema.answers.c
    mine = select(func.max(answers.sequence)).where(answers.evaluation == key)
    last = mine.where(answers.final == 0).group_by(answers.item, answers.annotator)
    decided = select(answers.item).where((answers.evaluation == key) & (answers.final == 1))
    values: Any = func.count(func.coalesce(answers.label, NO_LABEL).distinct())
    items = (
        select(answers.item)
        .where(answers.sequence.in_(last), answers.item.not_in(decided))
        .group_by(answers.item)
        .having(values > 1, func.count() >= wanted)
    )
    return int(connection.execute(select(func.count()).select_from(items.subquery())).scalar_one())


@dataclass(frozen=True)
class Holder:
    """An annotator, how many items without a label they hold, and when the first lease ends."""

    name: str
    items: int
    until: str


def holders(store: Store, key: int, clock: Callable[[float], str] = now) -> list[Holder]:
    """Who holds items of the evaluation with this key; sorted by the end of the first lease.

    >>> import lowshot, tempfile
    >>> from lowshot.labelling import Desk
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    >>> desk = Desk(lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/birds.db"))
    >>> taken, asked = desk.take("ann", 2), desk.evaluation.ask(1)
    >>> [(one.name, one.items) for one in holders(desk.evaluation.store, desk.key)]
    [('ann', 2), ('Python', 1)]
    """
    leases, asked = schema.leases.c, schema.asked.c
    taken = select(leases.annotator, func.count(), func.min(leases.until)).where(
        leases.evaluation == key, leases.until > clock(0), *_without(leases, schema.labels, schema.known)
    )
    unnamed = select(func.count(), func.min(asked.at)).where(
        asked.evaluation == key,
        asked.at > clock(-LONG),
        *_without(asked, schema.labels, schema.known, schema.leases, schema.answers),
    )
    with transaction(store.engine, reads=True) as connection:
        found = [Holder(*row) for row in connection.execute(taken.group_by(leases.annotator))]
        items, first = connection.execute(unnamed).one()
    found += [Holder(PYTHON, items, plus(first, LONG))] if items else []
    return sorted(found, key=lambda one: (one.until, one.name))


def _without(columns: Any, *others: Table) -> list[ColumnElement[bool]]:
    """Conditions: the item has no row in any of these tables."""
    return [
        ~exists().where((other.c.evaluation == columns.evaluation) & (other.c.item == columns.item)) for other in others
    ]
