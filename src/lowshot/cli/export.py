"""`lowshot export`: the labels as a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from lowshot.answer import YES_NO
from lowshot.checks import Id
from lowshot.class_answer import OTHER, SEPARATOR
from lowshot.cli import console
from lowshot.cli.console import AsJson, ForSpreadsheet, Moved, Name, Output, Plain, StorePath, refuse_no_csv
from lowshot.cli.formats.lines import rows_to_lines
from lowshot.cli.formats.table import rows_to_csv
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.pools.base import BasePool
from lowshot.pools.class_pool import ClassPool

EXAMPLES = """[bold]Examples[/bold]
  lowshot export birds.db -o labels.csv
  lowshot export birds.db --format jsonl
"""
DRAWN = ("round", "probability", "calibration")


def export(
    store: StorePath,
    form: Annotated[Plain, typer.Option("--format", help="Format of the table.")] = Plain.CSV,
    path: Output = None,
    for_spreadsheet: ForSpreadsheet = False,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """Write one row per labelled item, with the round and the probability of its first draw (empty for labels known
    before)."""
    refuse_no_csv(form, for_spreadsheet)
    console.check(path)
    opened = open_evaluation(store, name, moved, read_only=True)
    refuse_overwriting(path, store, opened.about.pool, *(one.pool for one in opened.about.added))
    from lowshot.store.progress import label_times

    assert opened.evaluation.store is not None, "open_evaluation opens it from a store"
    found = rows(opened, label_times(opened.evaluation.store, opened.header.name))
    if path or not as_json:
        columns = columns_of(opened)
        console.write(rows_to_lines(found) if form is Plain.JSONL else _csv(found, columns, for_spreadsheet), path)
    if as_json:
        console.print_json({"name": opened.header.name, "rows": found, "output": str(path) if path else None})
    else:
        console.note(console.counted(len(found), "label") + (f" in {path}" if path else ""))


def refuse_overwriting(path: Path | None, *own: str) -> None:
    """The store and the pool are not to be replaced by a table of labels."""
    if path is not None and path.resolve() in [Path(file).resolve() for file in own]:
        raise InputError(f"--output must not be the store or the pool: got {path}; name another file")


def rows(opened: Opened, times: dict[str, str]) -> list[dict[str, Any]]:
    """One row per label, in the order in which items were first labelled."""
    pool, history = opened.evaluation.pool, opened.evaluation.history
    positions = np.array(pool.positions(list(history["labels"])), dtype=np.int64)
    judged = {
        **{name: _predicted(pool, model, positions) for name, model in named("prediction", pool.models).items()},
        **{name: _scores(pool, model, positions) for name, model in _scored(pool).items()},
    }
    by_item = zip(*judged.values(), strict=True)
    drawn, people = _first_draws(history["rounds"]), opened.desk().people()
    blank, shown = dict.fromkeys(DRAWN), opened.shown(list(history["labels"]))
    fields = field_names(opened.about.shown, pool.models)
    return [
        {
            "id": item,
            "label": label,
            **dict(zip(judged, numbers, strict=True)),
            **drawn.get(item, blank),
            "time": times.get(str(item)),
            "annotator": "; ".join(people.get(item, ())),
            **{fields[name]: text for name, text in one.fields.items()},
        }
        for (item, label), numbers, one in zip(history["labels"].items(), by_item, shown, strict=True)
    ]


def columns_of(opened: Opened) -> list[str]:
    """The names of the columns, in their order."""
    pool = opened.evaluation.pool
    judged = [*named("prediction", pool.models), *_scored(pool)]
    return ["id", "label", *judged, *DRAWN, "time", "annotator", *field_names(opened.about.shown, pool.models).values()]


def field_names(fields: Sequence[str], models: Sequence[str]) -> dict[str, str]:
    """Columns that annotators saw, with the names that they have in the table: none may be that of another column.

    >>> field_names(["title", "time"], ["model"])
    {'title': 'title', 'time': 'field_time'}
    """
    own = {"id", "label", *DRAWN, "time", "annotator", *named("prediction", models), *named("score", models)}
    return {name: f"field_{name}" if name in own else name for name in fields}


def _scored(pool: BasePool) -> dict[str, str]:
    """The columns of scores; none for many categories, whose items have a score for each of them."""
    return {} if isinstance(pool, ClassPool) else named("score", pool.models)


def _scores(pool: BasePool, model: str, positions: Integers) -> list[float]:
    found: list[float] = pool.view(model).level(positions).tolist()
    return found


def _predicted(pool: BasePool, model: str, positions: Integers) -> list[Any]:
    """Of each item 0 or 1, or the name of the predicted class; a list of names where several can apply."""
    if not isinstance(pool, ClassPool):
        found: list[Any] = pool.view(model).predicted(positions).astype(int).tolist()
        return found
    return [names if pool.answers.several else names[0] for names in pool.predicted_names(positions)]


def named(what: str, models: Sequence[str]) -> dict[str, str]:
    """The columns of predictions or scores, with the model of each.

    >>> named("score", ["model"]), named("score", ["v1", "v2"])
    ({'score': 'model'}, {'score_v1': 'v1', 'score_v2': 'v2'})
    """
    if len(models) == 1:
        return {what: models[0]}
    return {f"{what}_{model}": model for model in models}


def _first_draws(rounds: list[dict[str, Any]]) -> dict[Id, dict[str, Any]]:
    """The first draw of each item.

    >>> once = {"number": 1, "items": ["a", "a"], "probabilities": [0.2, 0.2], "calibration": [0.5, 0.5]}
    >>> _first_draws([once])
    {'a': {'round': 1, 'probability': 0.2, 'calibration': 0.5}}
    """
    found: dict[Id, dict[str, Any]] = {}
    for one in rounds:
        for item, probability, calibration in zip(one["items"], one["probabilities"], one["calibration"], strict=True):
            found.setdefault(item, {"round": one["number"], "probability": probability, "calibration": calibration})
    return found


def _csv(found: list[dict[str, Any]], columns: Sequence[str], for_spreadsheet: bool) -> str:
    """\"Cannot tell\" is written as words, because `lowshot tell` reads an empty cell as \"not answered\". Several
    categories are written with | between them."""
    texts = [{**row, "label": YES_NO.word(None) if row["label"] is None else row["label"]} for row in found]
    texts = [{name: _text(value) for name, value in row.items()} for row in texts]
    return rows_to_csv(columns, [[row[column] for column in columns] for row in texts], for_spreadsheet)


def _text(value: Any) -> Any:
    return SEPARATOR.join(map(str, value)) or OTHER.value if isinstance(value, list) else value
