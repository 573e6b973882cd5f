"""Labels and pending items of each evaluation of a store, from its rows alone: no pool is opened."""

from dataclasses import dataclass

from sqlalchemy import Connection, Table, exists, func, select

from lowshot.store import schema
from lowshot.store.connection import transaction
from lowshot.store.header import Header
from lowshot.store.store import Store


@dataclass(frozen=True)
class EvaluationProgress:
    """Labels bought, labels known before, pending items, and times of one evaluation."""

    key: int
    header: Header
    began: str
    labels: int
    known: int
    uniform: int  # known labels that were drawn uniformly from the pool
    doubted: int  # those that are said to be, but do not look like it
    pending: int
    last_label: str | None


def progress(store: Store) -> list[EvaluationProgress]:
    """The progress of every evaluation, in the order they began.

    >>> import lowshot, tempfile
    >>> birds = f"{tempfile.mkdtemp()}/birds.db"
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5), store=birds)
    >>> evaluation.tell(evaluation.ask(2)[:1], [1])
    >>> [(one.labels, one.pending) for one in progress(Store(birds))]
    [(1, 1)]
    """
    headers = {header.name: header for header in store.headers()}
    evaluations = schema.evaluations
    with transaction(store.engine, reads=True) as connection:
        query = select(evaluations.c.id, evaluations.c.name, evaluations.c.began).order_by(evaluations.c.id)
        rows = [row for row in connection.execute(query) if row.name in headers]
        return [_progress(connection, row.id, headers[row.name], row.began) for row in rows]


def _progress(connection: Connection, key: int, header: Header, began: str) -> EvaluationProgress:
    """Counted by the database, because there may be many rows."""
    labels = schema.labels
    last = connection.execute(select(func.max(labels.c.at)).where(labels.c.evaluation == key)).scalar()
    return EvaluationProgress(
        key,
        header,
        began,
        labels=_items(connection, key, labels, but=[schema.known]),
        known=_items(connection, key, schema.known),
        uniform=_drawn_uniformly(connection, key, doubted=0),
        doubted=_drawn_uniformly(connection, key, doubted=1),
        pending=_items(connection, key, schema.asked, but=[labels, schema.known]),
        last_label=last,
    )


def _items(connection: Connection, key: int, table: Table, but: list[Table] | None = None) -> int:
    """The number of different items in a table that are in none of the others."""
    query = select(func.count(table.c.item.distinct())).where(table.c.evaluation == key)
    for other in but or []:
        query = query.where(~exists().where((other.c.evaluation == key) & (other.c.item == table.c.item)))
    return int(connection.execute(query).scalar_one())


def _drawn_uniformly(connection: Connection, key: int, doubted: int) -> int:
    table = schema.uniform
    query = select(func.count()).select_from(table).where(table.c.evaluation == key, table.c.doubted == doubted)
    return int(connection.execute(query).scalar_one())


def label_times(store: Store, name: str) -> dict[str, str]:
    """When each item got its current label, by its id as text."""
    evaluations, labels = schema.evaluations, schema.labels
    with transaction(store.engine, reads=True) as connection:
        key = connection.execute(select(evaluations.c.id).where(evaluations.c.name == name)).scalar_one()
        query = select(labels.c.item, labels.c.at).where(labels.c.evaluation == key).order_by(labels.c.sequence)
        return {row.item: row.at for row in connection.execute(query)}
