"""The columns of a pool's file as options name them, and the models that are judged by them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from lowshot import checks
from lowshot.errors import InputError
from lowshot.goal import Goal, Threshold
from lowshot.pools.models import model_name
from lowshot.pools.slices import Slices, column_name, shown

MODEL, HELPER, SLICE = "--model", "--helper", "--slice"
WHERE = "--where"
THRESHOLD = "recall=NUMBER, precision=NUMBER or maximise=METRIC, separated by commas"
TARGETS = tuple(Threshold.__dataclass_fields__)
NUMBERS = ("recall", "precision", "confidence")
FORM = "NAME=SCORE@THRESHOLD or NAME=SCORE,PREDICTION"
Kind = Literal["id", "number", "flag", "helper", "slice"]  # what the cells of a column are


class Column(NamedTuple):
    """A column of a file, the option that names it, and what its cells are."""

    option: str
    column: str
    kind: Kind = "number"


@dataclass(frozen=True)
class FileModel:
    """A model that is judged: the column of its scores, and a threshold or the column of its predictions."""

    name: str
    score: str
    threshold: float | None = None
    prediction: str | None = None

    @property
    def scores(self) -> Column:
        return Column(f"{MODEL} {self.name}", self.score)

    @property
    def predictions(self) -> Column | None:
        return None if self.prediction is None else Column(f"{MODEL} {self.name}", self.prediction, "flag")


@dataclass(frozen=True)
class FileHelper:
    """A score that only helps."""

    name: str
    column: str

    @property
    def scores(self) -> Column:
        return Column(HELPER, self.column, "helper")


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file, by their meaning: those of one model, or of several `models`.

    >>> columns = FileColumns(score="p", id="path")
    >>> [(column.option, column.column) for column in columns.all]
    [('--score', 'p'), ('--id', 'path')]
    """

    score: str | None = None
    id: str | None = None
    prediction: str | None = None
    weight: str | None = None
    models: tuple[FileModel, ...] = ()
    helpers: tuple[FileHelper, ...] = ()
    slices: tuple[str, ...] = ()  # which say in which part of the pool an item is

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "FileColumns":
        """From plain data, as `asdict` makes it."""
        models = tuple(FileModel(**one) for one in plain["models"])
        helpers = tuple(FileHelper(**one) for one in plain["helpers"])
        return cls(**{**plain, "models": models, "helpers": helpers, "slices": tuple(plain["slices"])})

    @property
    def scores(self) -> Column | None:
        return None if self.score is None else Column("--score", self.score)

    @property
    def ids(self) -> Column | None:
        return None if self.id is None else Column("--id", self.id, "id")

    @property
    def predictions(self) -> Column | None:
        return None if self.prediction is None else Column("--prediction", self.prediction, "flag")

    @property
    def weights(self) -> Column | None:
        return None if self.weight is None else Column("--weight", self.weight)

    @property
    def parts(self) -> list[Column]:
        return [Column(SLICE, name, "slice") for name in self.slices]

    @property
    def all(self) -> list[Column]:
        """Every column that is read."""
        own = [self.scores, self.ids, self.predictions, self.weights]
        judged = [column for model in self.models for column in (model.scores, model.predictions)]
        helping = [helper.scores for helper in self.helpers]
        return [column for column in (*own, *judged, *helping, *self.parts) if column is not None]

    @property
    def several(self) -> bool:
        """Whether there are models or helpers by name."""
        return bool(self.models or self.helpers)


def models_from(given: Sequence[str]) -> tuple[FileModel, ...]:
    """The models that --model names.

    >>> models_from(["v1=score_v1@0.5", "v2=score_v2,pred_v2"])
    (FileModel(name='v1', score='score_v1', threshold=0.5, prediction=None),
     FileModel(name='v2', score='score_v2', threshold=None, prediction='pred_v2'))
    """
    models = tuple(map(_model, given))
    refuse_repeated(MODEL, [model.name for model in models])
    return models


def _model(text: str) -> FileModel:
    name, equals, rest = text.partition("=")
    if not equals:
        raise InputError(f"{MODEL} must be {FORM}: got {text!r}, without a name; write {MODEL} v1={text}")
    name = name_from(MODEL, name)
    score, at, threshold = rest.rpartition("@")
    if at:
        return FileModel(name, _column(text, score), threshold=_threshold(text, threshold))
    score, comma, prediction = rest.rpartition(",")
    if comma:
        return FileModel(name, _column(text, score), prediction=_column(text, prediction))
    raise InputError(
        f"{MODEL} must be {FORM}: got {text!r}, without a threshold or predictions; write {MODEL} {name}={rest}@0.5, or"
        f" {HELPER} {rest} if it only helps"
    )


def _column(text: str, column: str) -> str:
    if not column:
        raise InputError(f"{MODEL} must be {FORM}: got {text!r}, where the name of a column is empty; fill it in")
    return column


def _threshold(text: str, threshold: str) -> float:
    try:
        found = float(threshold)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(
            f"{MODEL} must be {FORM}, with a finite number as threshold: got {threshold!r} in {text!r}; write a number"
            " such as 0.5 behind the @"
        )
    return found


def name_from(option: str, name: str) -> str:
    """The name of a model or a helper. --goal separates two names by a comma, --model ends a name at the first =."""
    name = model_name(name.strip(), option)
    for sign in ",=":
        if sign in name:
            raise InputError(f"names of {option} must not contain {sign!r}: got {name!r}; choose another name")
    return name


def helpers_from(given: Sequence[str]) -> tuple[FileHelper, ...]:
    """The scores that --helper names: COLUMN or NAME=COLUMN.

    >>> helpers_from(["clip", "judge=llm score"])
    (FileHelper(name='clip', column='clip'), FileHelper(name='judge', column='llm score'))
    """
    pairs = [text.partition("=") for text in given]
    for text, (name, _, _) in zip(given, pairs, strict=True):
        if not name or text.endswith("="):
            raise InputError(f"{HELPER} must be COLUMN or NAME=COLUMN: got {text!r}; fill in both sides of the =")
    helpers = tuple(FileHelper(model_name(name, HELPER), column if equals else name) for name, equals, column in pairs)
    refuse_repeated(HELPER, [helper.name for helper in helpers])
    return helpers


def slices_from(given: Sequence[str]) -> tuple[str, ...]:
    """The columns that --slice names."""
    refuse_repeated(SLICE, list(given))
    return tuple(column_name(SLICE, name) for name in given)


def where_from(given: Sequence[str], slices: Slices) -> dict[str, list[Any]] | None:
    """The part that --where names: COLUMN=VALUE, several times for several values or columns; None: the whole pool.

    Values are written as tables write them; an empty text is a missing value.

    >>> slices = Slices.of({"camera": ["north", None], "month": [1, 2]}, 2)
    >>> where_from(["camera=north", "month=1", "month=2"], slices)
    {'camera': ['north'], 'month': [1, 2]}
    >>> where_from(["camera="], slices)
    {'camera': [None]}
    """
    found: dict[str, list[Any]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{WHERE} must be COLUMN=VALUE: got {text!r}; write for example {WHERE} camera=north")
        column = slices.column(name, WHERE)
        known = {shown(one): one for one in column.values}
        if None in column.values:
            known[""] = None
        if value not in known:
            near = checks.nearest(value, [word for word in known if word])
            raise InputError(f"{WHERE} must be a value that occurs in {name!r}: got {value!r}; {near}")
        found.setdefault(name, []).append(known[value])
    return found or None


def refuse_repeated(option: str, names: Sequence[str]) -> None:
    """Names say which model or helper is meant."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"{option} must have a name of its own each time: got {twice[0]!r} twice; rename one of them")


def goal_from(text: str | None) -> Goal | None:
    """The goal that --goal names: one word, two models, or a threshold by its targets.

    >>> goal_from("v1,v2"), goal_from("best"), goal_from("recall=0.9,model=v2")
    (('v1', 'v2'), 'best', Threshold(recall=0.9, model='v2'))
    """
    if text is not None and "=" in text:
        return _threshold_from(text)
    if text is None or "," not in text:
        refuse_bare_target(text)
        return text
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2:
        raise InputError(f"--goal must be a model, each, best or BASELINE,CANDIDATE: got {text!r}; name two models")
    return parts[0], parts[1]


def refuse_bare_target(text: str | None) -> None:
    """A target without its number is no name of a model that somebody means."""
    name = re.split(r"[:> ]", text or "")[0]
    if name in ("recall", "precision", "maximise"):
        example = "f1" if name == "maximise" else "0.9"
        raise InputError(f"--goal must be a threshold as {THRESHOLD}: got {text!r}; write --goal {name}={example}")


def _threshold_from(text: str) -> Threshold:
    """From pairs such as recall=0.9,confidence=0.9."""
    pairs = [(name.strip(), value.strip()) for name, _, value in (part.partition("=") for part in text.split(","))]
    refuse_repeated("--goal", [name for name, _ in pairs])
    for name, value in pairs:
        if name not in TARGETS or not value:
            raise InputError(
                f"--goal must be a threshold as {THRESHOLD}, with {', '.join(TARGETS)}: got {text!r}; write for example"
                " --goal recall=0.9,confidence=0.9"
            )
    given: dict[str, Any] = {name: _number(value) if name in NUMBERS else value for name, value in pairs}
    try:
        return Threshold(**given)
    except InputError as error:  # it names an argument of Threshold, and not an option
        raise InputError(f"--goal must be a threshold that is possible: got {text!r}; {error}") from None


def _number(text: str) -> float | str:
    """What is not a number is refused like a number out of range."""
    try:
        return float(text)
    except ValueError:
        return text
