"""From a file of labels that exist already to known labels."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from lowshot.answer import Answers, Empty, Label
from lowshot.checks import Id
from lowshot.cli.formats.table import names_of_ids, plain_names
from lowshot.cli.table_file import column_names, load
from lowshot.cli.tell import Conflict, item_of
from lowshot.errors import InputError
from lowshot.known import Known
from lowshot.labelling.rows import Filled, Row, filled
from lowshot.pools.base import BasePool
from lowshot.words import counted

OPTION = "--known"


class Drawn(StrEnum):
    """How the items of known labels were drawn: `lowshot.Known`."""

    UNIFORM = "uniform"
    ANY = "any"


def known_from(path: Path | None, drawn: Drawn | None, id_column: str | None, pool: BasePool) -> Known | None:
    """The labels of a CSV or Parquet file; None if there is no file. Rows without a label are left out.

    id_column  column of ids, as in the file of the pool; "id" if the file does not have it
    """
    if path is None:
        if drawn is not None:
            raise InputError(f"--known-drawn must come with {OPTION}: got none; name the file of labels")
        return None
    labels, conflicts, answers = dict[Id, Label](), list[Conflict](), pool.answers
    for text, label in _rows(path, id_column, answers):
        with _naming(path):
            item = item_of(text, pool)
        if isinstance(label, Empty):
            continue
        if label is None:
            raise InputError(
                f"{OPTION} must have a label of {'a category' if pool.categories else '0 or 1'} for each item: {item!r}"
                f" has {answers.word(None)!r} in {path};"
                " leave out such rows, or empty the label"
            )
        if labels.setdefault(item, label) != label:
            conflicts.append(Conflict(item, answers.word(labels[item]), answers.word(label)))
    if conflicts:
        raise InputError(
            f"{OPTION} must have one label for each item: {path} has {counted(len(conflicts), 'conflict')},"
            f" {'; '.join(map(str, conflicts))}; correct the file"
        )
    if not labels:
        raise InputError(f"{OPTION} must have labels: {path} has none; fill in its column label, or leave {OPTION} out")
    with _naming(path):
        pool.positions(list(labels))  # refuses an id that is not in the pool
    return Known(
        {item: answers.value(label) for item, label in labels.items()}, drawn.value if drawn is not None else None
    )


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Errors about ids and labels name the option and the file that they come from."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{OPTION} {path}: {error}") from None


def _rows(path: Path, id_column: str | None, answers: Answers) -> Iterator[Filled]:
    there = column_names(path, OPTION)
    names = dict(zip(plain_names(there), there, strict=True))
    item, label = id_column if id_column in there else names.get("id"), names.get("label")
    if item is None or label is None:
        wanted = f"{names_of_ids(id_column)} and label"
        raise InputError(f"{OPTION} must have columns {wanted}: {path} has {', '.join(there) or 'none'}")
    for number, row in enumerate(load(path, [item, label], OPTION).to_pylist(), start=1):
        if row[item] is None:
            raise InputError(f"{OPTION} must have an id in every row: row {number} of {path} has none")
        with _naming(path):
            found = filled(Row(row[item], "" if row[label] is None else row[label], f"row {number}"), answers)
        yield found
