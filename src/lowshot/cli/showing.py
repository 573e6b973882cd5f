"""How the items of an evaluation are displayed on pages and in the report, and what the report says of its pool."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from lowshot.checks import Id
from lowshot.cli.columns import Column
from lowshot.cli.opening import Opened
from lowshot.errors import without_password
from lowshot.labelling.items import Fields, Shown
from lowshot.labelling.rows import Item


def shown_of(opened: Opened) -> Shown:
    """As the options of `lowshot start` said: --show, --field, --media-root, --question and --instructions."""
    about = opened.about
    return Shown(
        kind="image" if about.show == "image" else "fields",
        fields=lambda item: fields_of(opened, item),
        media_root=about.media_root,
        question=opened.header.question,
        instructions=about.instructions,
    )


def fields_of(opened: Opened, item: Id) -> Fields:
    """What annotators see of an item, in the order of --field; its id if no field is given."""
    return fields_of_many(opened, [item])[item]


def fields_of_many(opened: Opened, items: list[Id]) -> dict[Id, Fields]:
    """The same of several items. The pool is read once."""
    return {found.id: _in_order(opened, found) for found in opened.shown(items)}


def _in_order(opened: Opened, found: Item) -> Fields:
    values = {**found.fields, str(opened.about.columns.id): str(found.id)}
    return [(field, values[field]) for field in opened.about.fields] or [("item", str(found.id))]


def shown_in_report(opened: Opened) -> Shown:
    """How the labelled items are displayed. Their fields are read at once, because a pool may be large."""
    opened.refuse_unknown_pictures()
    evaluation = opened.evaluation
    items = evaluation.pool.names([*evaluation.snapshot().labels])
    return replace(shown_of(opened), fields=fields_of_many(opened, items))


def about_in_report(opened: Opened) -> dict[str, str]:
    """What the report says about the pool, by name: its file, its columns, thresholds. Folders are left out."""
    about = opened.about
    found = {"Pool file": file_name(about.pool), "Table": about.table or ""}
    found |= {"Scores in": file_name(about.matrix) if about.matrix and about.matrix != about.pool else ""}
    found |= {"Columns": ", ".join(columns_in_words(about.columns.all))}
    found |= {"Threshold": "" if about.threshold is None else f"{about.threshold:g}"}
    models = [(one.name, one.threshold, one.prediction) for one in about.columns.models]
    models += [(one.name, one.threshold, one.columns.prediction) for one in about.added]
    found |= {"Models": "; ".join(_model_in_words(*one) for one in models)}
    found |= {"Added later": ", ".join(f"{one.name} from {file_name(one.pool)}" for one in about.added)}
    return {name: value for name, value in found.items() if value}


def file_name(where: str) -> str:
    """
    >>> file_name("/data/birds.parquet"), file_name("postgresql://ann:secret@host/birds")
    ('birds.parquet', 'postgresql://ann:***@host/birds')
    """
    return without_password(where) if "://" in where else Path(where).name


def columns_in_words(columns: Iterable[Column]) -> list[str]:
    """
    >>> columns_in_words([Column("--id", "path", "id"), Column("--score", "p"), Column("--model v2", "p2")])
    ['id path', 'score p', 'model v2 p2']
    """
    return [f"{one.option.removeprefix('--')} {one.column}" for one in columns]


def _model_in_words(name: str, threshold: float | None, prediction: str | None) -> str:
    return f"{name} at {threshold:g}" if threshold is not None else f"{name} by column {prediction}"
