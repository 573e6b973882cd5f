"""How far the evaluations of a store are, from their rows alone: no pool is opened."""

from dataclasses import dataclass

from sqlalchemy import Connection, Table, select

from lowshot.store import schema
from lowshot.store.engine import transaction
from lowshot.store.header import Header
from lowshot.store.store import Store


@dataclass(frozen=True)
class Progress:
    """Labels bought, items that are with somebody, and when."""

    header: Header
    began: str
    labels: int
    pending: int
    last_label: str | None


def progress(store: Store) -> list[Progress]:
    """Of every evaluation, in the order they began.

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
        rows = connection.execute(select(evaluations.c.id, evaluations.c.name, evaluations.c.began))
        return [_progress(connection, row.id, headers[row.name], row.began) for row in rows if row.name in headers]


def _progress(connection: Connection, key: int, header: Header, began: str) -> Progress:
    known, asked = (set(_times(connection, table, key)) for table in (schema.known, schema.asked))
    labels = _times(connection, schema.labels, key)
    return Progress(
        header,
        began,
        len(labels.keys() - known),
        len(asked - labels.keys() - known),
        max(labels.values(), default=None),
    )


def label_times(store: Store, name: str) -> dict[str, str]:
    """When each item got the label that it has, by its id as text."""
    evaluations = schema.evaluations
    with transaction(store.engine, reads=True) as connection:
        key = connection.execute(select(evaluations.c.id).where(evaluations.c.name == name)).scalar_one()
        return _times(connection, schema.labels, key)


def _times(connection: Connection, table: Table, key: int) -> dict[str, str]:
    """Item -> when; the last row of each counts."""
    query = select(table).where(table.c.evaluation == key)
    if "sequence" in table.c:
        query = query.order_by(table.c.sequence)
    return {row.item: getattr(row, "at", "") for row in connection.execute(query)}
