"""Who has how many items of an evaluation, from the store's rows alone: no pool is opened."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, exists, func, select

from lowshot.labelling.ledger import LONG, PYTHON, later
from lowshot.store import Store, schema
from lowshot.store.connection import transaction
from lowshot.store.migrations import now


@dataclass(frozen=True)
class Holder:
    """Somebody, how many items without a label they have, and when the time of the first one ends."""

    name: str
    items: int
    until: str


def holders(store: Store, key: int, clock: Callable[[float], str] = now) -> list[Holder]:
    """Of an evaluation by its key; whose time ends first comes first.

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
    found += [Holder(PYTHON, items, later(first, LONG))] if items else []
    return sorted(found, key=lambda one: (one.until, one.name))


def _without(columns: Any, *others: Table) -> list[ColumnElement[bool]]:
    """Items that have no row in any of these tables."""
    return [
        ~exists().where((other.c.evaluation == columns.evaluation) & (other.c.item == columns.item)) for other in others
    ]
