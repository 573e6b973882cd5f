"""All labels as a table: `lowshot export`, and the download of the owner's page."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowshot.answer import YES_NO
from lowshot.checks import Id
from lowshot.class_answer import OTHER, SEPARATOR
from lowshot.core.types import Integers
from lowshot.csv_text import rows_to_csv
from lowshot.labelling.desk import Desk
from lowshot.pools.base import BasePool
from lowshot.pools.class_pool import ClassPool
from lowshot.store.progress import label_times

DRAWN = ("round", "probability", "calibration")


@dataclass(frozen=True)
class LabelTable:
    """One row per label, in the order in which items were first labelled."""

    columns: list[str]
    rows: list[dict[str, Any]]

    def csv(self, for_spreadsheet: bool = False) -> str:
        """\"Cannot tell\" is written as words, because `lowshot tell` reads an empty cell as \"not answered\". Several
        categories are written with | between them."""
        texts = [{**row, "label": YES_NO.word(None) if row["label"] is None else row["label"]} for row in self.rows]
        cells = [[_text(row[column]) for column in self.columns] for row in texts]
        return rows_to_csv(self.columns, cells, for_spreadsheet)


def exported(desk: Desk, fields: Sequence[str], texts: Callable[[list[Id]], Sequence[Mapping[str, str]]]) -> LabelTable:
    """The labels with prediction, score, the probability of the first draw, time, annotators, and what they saw.

    >>> import lowshot, tempfile
    >>> pool = lowshot.Pool([0.9, 0.2], threshold=0.5, ids=["a", "b"])
    >>> desk = Desk(lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/birds.db"))
    >>> _ = desk.answer("ann", desk.take("ann")[0], 1)
    >>> found = exported(desk, ["title"], lambda items: [{"title": f"bird {item}"} for item in items])
    >>> found.columns
    ['id', 'label', 'prediction', 'score', 'round', 'probability', 'calibration', 'time', 'annotator', 'title']
    >>> [(row["label"], row["annotator"]) for row in found.rows]
    [(1, 'ann')]

    fields  names of the texts that annotators saw
    texts   gives these texts for some items
    """
    evaluation = desk.evaluation
    pool, history = evaluation.pool, evaluation.history
    labels: dict[Id, Any] = history["labels"]
    positions = np.array(pool.positions(list(labels)), dtype=np.int64)
    judged = {
        **{name: _predicted(pool, model, positions) for name, model in named("prediction", pool.models).items()},
        **{name: _scores(pool, model, positions) for name, model in _scored(pool).items()},
    }
    by_item = zip(*judged.values(), strict=True)
    weighted = {round_.number for round_ in evaluation.snapshot().rounds if round_.design.weighted}
    drawn, people, blank = _first_draws(history["rounds"], weighted), desk.people(), dict.fromkeys(DRAWN)
    assert evaluation.store is not None, "Desk needs a store"
    assert evaluation.name is not None, "Desk needs a store"
    times, names = label_times(evaluation.store, evaluation.name), field_names(fields, pool.models)
    rows = [
        {
            "id": item,
            "label": label,
            **dict(zip(judged, numbers, strict=True)),
            **drawn.get(item, blank),
            "time": times.get(str(item)),
            "annotator": "; ".join(people.get(item, ())),
            **{names[name]: text for name, text in seen.items()},
        }
        for (item, label), numbers, seen in zip(labels.items(), by_item, texts(list(labels)), strict=True)
    ]
    return LabelTable(["id", "label", *judged, *DRAWN, "time", "annotator", *names.values()], rows)


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


def _first_draws(rounds: list[dict[str, Any]], weighted: Collection[int]) -> dict[Id, dict[str, Any]]:
    """The first draw of each item.

    >>> once = {"number": 1, "items": ["a", "a"], "probabilities": [0.2, 0.2], "calibration": [0.5, 0.5]}
    >>> _first_draws([once], weighted={1})
    {'a': {'round': 1, 'probability': 0.2, 'calibration': 0.5}}

    weighted  rounds whose probabilities make the draws a weighted sample. Those of sampler `curve` are probabilities
              inside a group of items, and whoever divided by them would get a wrong number: they are left out
    """
    found: dict[Id, dict[str, Any]] = {}
    for one in rounds:
        for item, chance, calibration in zip(one["items"], one["probabilities"], one["calibration"], strict=True):
            probability = chance if one["number"] in weighted else None
            found.setdefault(item, {"round": one["number"], "probability": probability, "calibration": calibration})
    return found


def _text(value: Any) -> Any:
    return SEPARATOR.join(map(str, value)) or OTHER.value if isinstance(value, list) else value
