"""Labels of an evaluation as a further column of a Dataset."""

from typing import Any

from lowshot import checks
from lowshot.class_answer import CANNOT_TELL
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.integrations.hugging_face.showing import places
from lowshot.integrations.hugging_face.source import Source, library
from lowshot.integrations.label_rows import LabelRow, label_rows
from lowshot.pools.base import BasePool

COLUMN = "label_lowshot"
ROUND, PROBABILITY = "round", "probability"


def labelled(
    dataset: Any, evaluation: Evaluation, *, id: str | None = None, column: str = COLUMN, drawn: bool = False
) -> Any:
    """The dataset with the labels of an evaluation as a further column; None where an item has none.

    >>> from datasets import Dataset
    >>> import lowshot
    >>> from lowshot.integrations import hugging_face
    >>> rows = Dataset.from_dict({"key": ["a", "b", "c"], "spam": [0.9, 0.1, 0.8]})
    >>> evaluation = lowshot.Evaluation(hugging_face.pool(rows, id="key", score="spam", threshold=0.5))
    >>> items = evaluation.ask(3)
    >>> evaluation.tell(items, [{"a": 1, "b": 0, "c": None}[item] for item in items])
    >>> rows = hugging_face.labelled(rows, evaluation, id="key")
    >>> rows["label_lowshot"][:], rows.features["label_lowshot"].names
    ([1, 0, 2], ['no', 'yes', 'cannot tell'])

    id      the column with the ids of the pool; None if its ids are the places of the rows
    column  the name of the new column
    drawn   also COLUMN_round, the round that first drew the item, and COLUMN_probability, that of one draw; None for
            labels that were known before, and where the sampler does not draw with known probabilities

    The new column has ClassLabels: "no" is 0 and "yes" is 1, or the classes of the pool in their order, and behind them
    what else was answered ("none of these", "cannot tell"). Where any number of classes apply it has texts.
    """
    source, rows = Source.of(dataset), label_rows(evaluation)
    checks.text("column", column)
    checks.flag("drawn", drawn)
    names = [column, f"{column}_{ROUND}", f"{column}_{PROBABILITY}"] if drawn else [column]
    for name in names:
        if name in source.names:
            raise InputError(
                f"column must be the name of a new column: the dataset has {name!r} already; give another name, or"
                f" dataset.remove_columns({name!r}) first"
            )
    place_of = _places(source, evaluation.pool, id, rows)
    values = [_labels(evaluation.pool, rows), [one.round for one in rows], [one.probability for one in rows]]
    value = library().Value
    features = [_feature(evaluation.pool, rows), value("int32"), value("float64")]
    for name, known, feature in zip(names, values, features, strict=False):
        cells: list[Any] = [None] * len(dataset)
        for one, cell in zip(rows, known, strict=True):
            cells[place_of[one.item]] = cell
        dataset = dataset.add_column(name, cells, feature=feature)
    return dataset


def _places(source: Source, pool: BasePool, id: str | None, rows: list[LabelRow]) -> Any:
    """The place of each row by its id; an error if a label has no row."""
    if id is None and len(source.dataset) != len(pool):
        raise InputError(
            f"id must be given where the dataset is not the one of the pool: got {len(source.dataset):,} rows for a"
            f" pool of {len(pool):,} items; name the column with the ids"
        )
    found = places(source, id)
    if missing := [one.item for one in rows if one.item not in found]:
        where = "positions of rows; give id=" if id is None else f"in column {id!r}"
        raise InputError(
            f"dataset must hold every item with a label: {len(missing):,} of {len(rows):,} are not {where} (for example"
            f" {missing[0]!r}); use the dataset and the id= that the pool was made from"
        )
    return found


def _words(pool: BasePool, rows: list[LabelRow]) -> list[str]:
    """The names of the labels: those that can be answered, and words about one class that were."""
    words = ["no", "yes", CANNOT_TELL] if not pool.categories else list(pool.answers.words)
    return [*words, *sorted({pool.answers.word(one.label) for one in rows} - {*words})]


def _labels(pool: BasePool, rows: list[LabelRow]) -> list[Any]:
    words = [pool.answers.word(one.label) for one in rows]
    place = {word: number for number, word in enumerate(_words(pool, rows))}
    return words if pool.answers.several else [place[word] for word in words]


def _feature(pool: BasePool, rows: list[LabelRow]) -> Any:
    datasets = library()
    return datasets.Value("string") if pool.answers.several else datasets.ClassLabel(names=_words(pool, rows))
