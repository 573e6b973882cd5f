"""Who answered what in every evaluation of a store, newest first; a changed answer stays, with its replacement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    and_,
    case,
    exists,
    literal,
    or_,
    select,
    tuple_,
    union_all,
)

from lowshot.store import schema
from lowshot.store.connection import transaction
from lowshot.store.store import Store

KNOWN = "known"  # known when the evaluation began and corrected later; known labels without a correction are left out
TOLD = "told"  # by the command line or in Python, without a name
ANSWERED = "answered"  # by an annotator
DECIDED = "decided"  # by the owner
ORDER = ("at", "rank", "sequence", "evaluation", "item")


class Place(NamedTuple):
    """The position of an event in the order of all events."""

    at: str
    rank: int
    sequence: int
    evaluation: int
    item: str


@dataclass(frozen=True)
class Event:
    """One answer, decision or label, and the first event that replaced it."""

    place: Place
    name: str  # of the evaluation
    kind: str
    annotator: str  # empty if it has no name
    label: int | None
    replaced: "Event | None" = None


@dataclass(frozen=True)
class Wanted:
    """Which events; by default all of them. An empty annotator selects events without a name."""

    evaluation: int | None = None
    annotator: str | None = None
    changed: bool = False  # only events that were replaced
    before: Place | None = None
    rows: int = 50


def record(store: Store, wanted: Wanted) -> tuple[list[Event], Place | None]:
    """One page of events, newest first, and where the next page begins if there is one.

    >>> import lowshot, tempfile
    >>> birds = f"{tempfile.mkdtemp()}/birds.db"
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5), store=birds)
    >>> items = evaluation.ask(2)
    >>> evaluation.tell(items, [1, 0])
    >>> evaluation.correct(items[0], 0)
    >>> events, _ = record(Store(birds), Wanted())
    >>> [(event.label, event.replaced.label if event.replaced else "") for event in events]
    [(0, ''), (0, ''), (1, 0)]
    """
    event = _events("event")
    query = _named(event).order_by(*[event.c[column].desc() for column in ORDER]).limit(wanted.rows + 1)
    with transaction(store.engine, reads=True) as connection:
        rows = connection.execute(query.where(*_filters(event, wanted))).all()
        events = [_event(row, _replacement(connection, row)) for row in rows[: wanted.rows]]
    return events, events[-1].place if len(rows) > wanted.rows else None


def _filters(event: Subquery, wanted: Wanted) -> list[ColumnElement[bool]]:
    filters = []
    if wanted.evaluation is not None:
        filters.append(event.c.evaluation == wanted.evaluation)
    if wanted.annotator is not None:
        filters.append(event.c.annotator == wanted.annotator)
    if wanted.before is not None:
        filters.append(tuple_(*[event.c[column] for column in ORDER]) < tuple_(*wanted.before))
    if wanted.changed:
        later = _events("later")
        filters.append(exists(select(later.c.item).where(replaces(later.c, event.c))))
    return filters


def replaces(new: Any, old: Any) -> ColumnElement[bool]:
    """Whether one event replaces another that has a different label. `old` are columns, or one row.

    Decisions and labels without a name replace everything before. An annotator's answer replaces their own earlier
    answer; it replaces a label without a name if it became the label of the item.
    """
    nameless = or_(old.kind == KNOWN, old.kind == TOLD)
    return and_(
        new.evaluation == old.evaluation,
        new.item == old.item,
        new.label.is_distinct_from(old.label),
        tuple_(new.at, new.rank, new.sequence) > tuple_(old.at, old.rank, old.sequence),
        or_(
            new.kind != ANSWERED,
            and_(old.kind == ANSWERED, new.annotator == old.annotator),
            and_(nameless, exists().where(_same(new, schema.labels.c))),
        ),
    )


def _replacement(connection: Connection, row: Any) -> Event | None:
    later = _events("later")
    query = _named(later).where(replaces(later.c, row)).order_by(*[later.c[column] for column in ORDER]).limit(1)
    found = connection.execute(query).first()
    return None if found is None else _event(found, None)


def _event(row: Any, replaced: Event | None) -> Event:
    place = Place(*(getattr(row, column) for column in ORDER))
    return Event(place, row.name, row.kind, row.annotator, row.label, replaced)


def _named(event: Subquery) -> Select[Any]:
    evaluations = schema.evaluations
    return select(event, evaluations.c.name).join(evaluations, evaluations.c.id == event.c.evaluation)


def _events(name: str) -> Subquery:
    """Answers; labels that come from no answer; known labels that were changed. `rank` orders events of one time."""
    answers, labels, known, evaluations = schema.answers.c, schema.labels.c, schema.known.c, schema.evaluations.c
    kind = case((answers.final == 1, DECIDED), else_=ANSWERED)
    return union_all(
        select(*_columns(answers, answers.at, 2, answers.sequence, kind, answers.annotator)),
        select(*_columns(labels, labels.at, 1, labels.sequence, literal(TOLD), literal(""))).where(
            ~exists().where(_same(answers, labels))
        ),
        select(*_columns(known, evaluations.began, 0, literal(0), literal(KNOWN), literal("")))
        .join(schema.evaluations, evaluations.id == known.evaluation)
        .where(exists().where((labels.evaluation == known.evaluation) & (labels.item == known.item))),
    ).subquery(name)


def _columns(table: Any, at: Any, rank: int, sequence: Any, kind: Any, annotator: Any) -> Sequence[ColumnElement[Any]]:
    return (
        table.evaluation,
        table.item,
        table.label,
        at.label("at"),
        literal(rank).label("rank"),
        sequence.label("sequence"),
        kind.label("kind"),
        annotator.label("annotator"),
    )


def _same(one: Any, other: Any) -> ColumnElement[bool]:
    """An answer and the label that it became: rows that are written in one transaction have the same time."""
    return and_(
        one.evaluation == other.evaluation,
        one.item == other.item,
        one.at == other.at,
        one.label.is_not_distinct_from(other.label),
    )
