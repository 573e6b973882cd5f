"""The classes of a pool's file as options name them: a column per class, rows (id, class, score), or a matrix."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lowshot.checks import nearest
from lowshot.class_answer import ClassAnswers, Kind
from lowshot.cli.columns import Column, FileColumns
from lowshot.cli.pool_file import whereabouts
from lowshot.cli.table_file import column_names, numeric_columns
from lowshot.errors import InputError
from lowshot.goal import EACH, Goal

CLASSES, CLASS_NAMES = "--classes", "--class-names"
ALL, ROWS = "all", "rows"  # what --classes may be beside names, patterns and files
MATRIX = (".npy", ".npz")
SHOWN = 20  # columns of a file that an error names
Form = Literal["columns", "rows", "matrix"]


@dataclass(frozen=True)
class FileClasses:
    """Where the scores of the classes are, and what the classes are called.

    >>> birds = FileClasses("columns", names=("heron", "crow"), columns=("p_heron", "p_crow"))
    >>> FileClasses.of({"form": "columns", "names": ["heron", "crow"], "columns": ["p_heron", "p_crow"]}) == birds
    True
    """

    form: Form
    names: tuple[str, ...] | None = None  # None: as the file has them, or 0, 1, ... for a matrix
    columns: tuple[str, ...] = ()  # form "columns": of scores, one per class
    kind: Kind = "single"
    flags: tuple[str, ...] = ()  # kind "multilabel": columns of 0/1 predictions, one per class
    class_column: str = "class"  # form "rows"
    score: str | None = None  # form "rows": the column of scores; form "matrix": the array in an .npz file

    @classmethod
    def of(cls, plain: Mapping[str, Any] | None) -> "FileClasses | None":
        """From plain data, as a store keeps it; None for a pool with one category."""
        if plain is None:
            return None
        found: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in plain.items()}
        return cls(**found)

    @property
    def judging(self) -> dict[str, str]:
        """Columns of the pool's file that people must not see, with what they are."""
        own = [self.class_column, self.score or "score"] if self.form == "rows" else []
        return {**dict.fromkeys([*self.columns, *own], "the score"), **dict.fromkeys(self.flags, "the prediction")}

    @property
    def scores(self) -> list[Column]:
        """The columns of scores."""
        if self.form == "rows":
            return [Column("--score", self.score or "score")]
        return [Column(CLASSES, name) for name in self.columns]


class ClassOptions(NamedTuple):
    """What the options of a command say about classes."""

    classes: str | None = None
    names: Path | None = None
    class_column: str | None = None
    kind: str = "single"

    @property
    def given(self) -> list[str]:
        """The options that make no sense for one category."""
        all_ = {"--class-names": self.names, "--class": self.class_column}
        found = [option for option, value in all_.items() if value is not None]
        return found if self.kind == "single" else [*found, "--kind"]

    def wanted(self, pool: str) -> bool:
        """Whether the pool has many categories."""
        if self.classes is not None or is_matrix(pool):
            return True
        if self.given:
            raise InputError(f"{self.given[0]} must come with {CLASSES}: got none; see `lowshot start --help`")
        return False

    def resolved(
        self, pool: str, columns: FileColumns, fields: Sequence[str], threshold: float | None
    ) -> tuple[FileClasses, str | None]:
        """The classes of the pool, and the path of the matrix of their scores, if they are in one."""
        kind = kind_from(self.kind)
        found, matrix = self._form(pool, columns, fields)
        if self.class_column is not None and found.form != ROWS:
            raise InputError(f"--class must come with {CLASSES} {ROWS}: got {self.classes or pool}; leave it out")
        if columns.score is not None and found.form == "columns":
            raise InputError(f"give either --score or {CLASSES} with columns: got both; leave out --score")
        names = found.names if self.names is None else lines_of(self.names, CLASS_NAMES)
        if found.form == "columns" and names is not None and len(names) != len(found.columns):
            raise InputError(
                f"{CLASS_NAMES} must have a line for each column of {CLASSES}: got {len(names)} lines for"
                f" {len(found.columns)} columns"
            )
        found = replace(found, names=names, kind=kind, score=columns.score)
        if self.class_column is not None:
            found = replace(found, class_column=self.class_column)
        return _with_predictions(found, pool, columns.prediction, threshold), matrix

    def _form(self, pool: str, columns: FileColumns, fields: Sequence[str]) -> tuple[FileClasses, str | None]:
        if is_matrix(pool):
            if self.classes is not None:
                raise InputError(
                    f"{CLASSES} must be left out if --pool is a matrix: got {self.classes!r}; {CLASS_NAMES} names a"
                    " file with the names of its columns"
                )
            return FileClasses("matrix"), whereabouts(pool)
        text = str(self.classes)
        if text == ROWS:
            return FileClasses("rows"), None
        if is_matrix(text):
            return FileClasses("matrix"), whereabouts(text)
        meant = (columns.id, columns.weight, columns.prediction)
        other = {*columns.slices, *(one for one in meant if one is not None)}
        pairs = columns_from(text, pool, other | {*fields} if text == ALL else other)
        return FileClasses("columns", tuple(name for name, _ in pairs), tuple(column for _, column in pairs)), None


def kind_from(text: str) -> Kind:
    if text not in ("single", "multilabel"):
        raise InputError(f"--kind must be single or multilabel: got {text!r}")
    return "single" if text == "single" else "multilabel"


def is_matrix(path: str | None) -> bool:
    """Whether it is the path of a NumPy file."""
    return path is not None and path.lower().endswith(MATRIX)


def columns_from(text: str, pool: str, other: set[str]) -> list[tuple[str, str]]:
    """Pairs of class and column: `all`, `@FILE`, or columns and patterns that are separated by commas.

    other  columns that have another meaning, which `all` and patterns leave out
    """
    if text == ALL:
        found = [name for name in numeric_columns(pool, "--pool") if name not in other]
        if len(found) < 2:
            raise InputError(
                f"{CLASSES} {ALL} needs at least two columns of numbers in {pool} beside those with another meaning:"
                f" it has {', '.join(found) or 'none'}"
            )
        return [(name, name) for name in found]
    there = column_names(pool, "--pool")
    parts = lines_of(Path(text[1:]), CLASSES) if text.startswith("@") else tuple(map(str.strip, text.split(",")))
    pairs = [pair for part in parts for pair in _matching(part, there, other, text)]
    if twice := next(
        (column for place, (_, column) in enumerate(pairs) if (column in [c for _, c in pairs[:place]])), None
    ):
        raise InputError(f"{CLASSES} must name every column once: got {twice!r} twice")
    return pairs


def _matching(part: str, there: Sequence[str], other: set[str], text: str) -> list[tuple[str, str]]:
    """The classes and columns that a part of --classes names; of a pattern, a class is what the * stands for.

    >>> _matching("p_*", ["path", "p_heron", "p_crow"], set(), "p_*")
    [('heron', 'p_heron'), ('crow', 'p_crow')]
    """
    if not part:
        raise InputError(f"{CLASSES} must be names of columns, separated by commas: got {text!r}, where one is empty")
    if "*" not in part or part in there:
        if part not in there:
            raise InputError(f"{CLASSES} must be columns of --pool: got {part!r}; {nearest(part, there)}")
        return [(part, part)]
    before, _, after = part.partition("*")
    pattern = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    matches = [(match[1], name) for name in there if name not in other and (match := pattern.fullmatch(name))]
    if not matches:
        raise InputError(f"{CLASSES} must match columns of --pool: {part!r} matches none; {_has(there)}")
    return matches


def _has(there: Sequence[str]) -> str:
    more = ", ..." if len(there) > SHOWN else ""
    return f"it has {', '.join(there[:SHOWN])}{more}"


def lines_of(path: Path, option: str) -> tuple[str, ...]:
    """The lines of a text file that are not empty, without spaces around them."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"{option} must be a text file with one name per line: {path} cannot be read ({why})"
        ) from None
    found = tuple(line.strip() for line in text.split("\n") if line.strip())
    if not found:
        raise InputError(f"{option} must be a text file with one name per line: {path} is empty")
    return found


def _with_predictions(found: FileClasses, pool: str, prediction: str | None, threshold: float | None) -> FileClasses:
    """With the columns of predictions, if several classes can apply."""
    if found.kind == "single":
        if threshold is not None:
            raise InputError(
                f"--threshold must be left out with {CLASSES}: the predicted category is the one with the best score,"
                " or that of --prediction; give --kind multilabel if several categories can apply to an item"
            )
        return found
    if (threshold is None) == (prediction is None):
        came = "neither" if threshold is None else "both"
        raise InputError(
            f"give either --threshold or --prediction with --kind multilabel: got {came}; for example --threshold 0.5,"
            " or --prediction 'pred_*'"
        )
    if prediction is None or found.form != "columns" or found.names is None:
        return found
    there = column_names(pool, "--pool")
    wanted = (
        [prediction.replace("*", name, 1) for name in found.names]
        if "*" in prediction
        else [part.strip() for part in prediction.split(",")]
    )
    if len(wanted) != len(found.names):
        raise InputError(
            "--prediction must be a column of 0/1 predictions for each category, as 'pred_*' or separated by commas:"
            f" got {len(wanted)} columns for {len(found.names)} categories"
        )
    if missing := [name for name in wanted if name not in there]:
        raise InputError(f"--prediction must be columns of --pool: got {missing[0]!r}; {_has(there)}")
    return replace(found, flags=tuple(wanted))


def class_goal_from(text: str | None, answers: ClassAnswers) -> Goal | None:
    """The goal that --goal names: each category, or some of them.

    >>> birds = ClassAnswers(("heron", "crow", "wren"))
    >>> class_goal_from("heron,crow", birds), class_goal_from("each", birds)
    (('heron', 'crow'), 'each')
    """
    if text is None or text == EACH:
        return text
    parts = [text] if text in map(str, answers.names) else [part.strip() for part in text.split(",")]
    return tuple(answers.named(part, "--goal") for part in parts)
