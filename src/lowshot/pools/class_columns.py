"""Scores of many classes, from wherever they are, as chunks of rows: arrays, data frames, files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowshot import checks
from lowshot.core.classes.scores import SMALLEST, Logs
from lowshot.core.types import Integers
from lowshot.errors import InputError, required_by
from lowshot.pools.columns import AnyArray

CHUNK = 1 << 23  # scores that are looked at together, so that a memory map is never read as a whole
LONG = ("class", "score")  # the columns of a table that has one row per item and class, beside its id

Hashes = NDArray[np.uint64]


class Survey(NamedTuple):
    """What a first look at the scores finds. No logarithm is taken, so that it is the same on every processor."""

    low: float
    high: float
    best: Integers  # [item]: the place of its best class by the scores as they were given, the first one of equal ones
    hashes: Hashes  # [item]: of its scores in single precision, for a fingerprint


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Columns as one array [item, class], of which only the rows that are looked at are put together.

    >>> SideBySide([np.array([0.7, 0.2]), np.array([0.3, 0.8])])[:1].tolist()
    [[0.7, 0.3]]
    """

    columns: list[AnyArray]

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self), len(self.columns)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, rows: slice) -> AnyArray:
        return np.column_stack([column[rows] for column in self.columns])


class Grid(NamedTuple):
    """A row of scores per item, with a column per class."""

    scores: AnyArray | SideBySide  # [item, class]
    names: list[Any] | None  # of the columns, if the source has them

    def logarithms(self, as_probabilities: bool) -> Iterator[Logs]:
        """In chunks of rows: logarithms of the scores if they are probabilities; otherwise how far each score is below
        the best one of its item, so that no score is too large for single precision."""
        for part in self._parts():
            if as_probabilities:
                yield np.log(np.maximum(_single(part), SMALLEST))
            else:
                with np.errstate(over="ignore"):  # what is infinitely far below has a probability of 0
                    yield _single(_floats(part) - _floats(part.max(axis=1, keepdims=True)))

    def in_single_precision(self) -> Iterator[Logs]:
        """The scores in chunks of rows; the nearest possible number where one is too large."""
        limits = np.finfo(np.float32)
        for part in self._parts():
            yield np.clip(_single(part), limits.min, limits.max)

    def _parts(self) -> Iterator[AnyArray]:
        """The scores as they were given, in chunks of rows."""
        count, width = self.scores.shape
        rows = max(1, CHUNK // width)
        for start in range(0, count, rows):
            yield np.asarray(self.scores[start : start + rows])

    def survey(self) -> Survey:
        """A look at all scores; an error for one that is not a number."""
        low, high, start, factors = np.inf, -np.inf, 0, _factors(self.scores.shape[1])
        best, hashes = np.empty(len(self.scores), dtype=np.int64), np.empty(len(self.scores), dtype=np.uint64)
        for part in self._parts():
            wrong = np.isnan(part) | (part == np.inf)
            if wrong.any():
                row, column = np.argwhere(wrong)[0]
                raise InputError(
                    f"scores must be numbers: got {part[row, column]} in row {start + row}, column {column}; drop or"
                    " impute such items"
                )
            dead = (part == -np.inf).all(axis=1)
            if dead.any():
                raise InputError(
                    f"scores must be above -inf for one class of each item: row {start + int(np.argmax(dead))} has none"
                )
            rows = slice(start, start + len(part))
            best[rows], hashes[rows] = part.argmax(axis=1), _bits(_single(part)) @ factors
            low, high, start = min(low, float(part.min())), max(high, float(part.max())), rows.stop
        return Survey(low, high, best, hashes)


class Long(NamedTuple):
    """One row per item and class that has a score; other classes of an item share what is left."""

    item: Integers  # [row]: a place in `ids`
    place: Integers  # [row]: a place in `names`
    score: AnyArray  # [row]: as they were given
    ids: list[Any]
    names: list[Any]

    def hashes(self) -> Hashes:
        """Of the scores of each item, whatever the order of the rows."""
        found = np.zeros(len(self.ids), dtype=np.uint64)
        present = _bits(_floats(self.score)) + np.uint64(1)  # a score of 0 is not the same as none
        np.add.at(found, self.item, present * _factors(len(self.names))[self.place])
        return found


def _single(scores: AnyArray) -> Logs:
    with np.errstate(over="ignore"):  # what is too large becomes infinite
        return np.asarray(scores, dtype=np.float32)


def _floats(scores: AnyArray) -> AnyArray:
    """Numbers that can be subtracted from each other, in single precision if they are given in that."""
    return scores.astype(np.float32 if scores.dtype in (np.float16, np.float32) else np.float64, copy=False)


def _bits(scores: AnyArray) -> Hashes:
    """The bits of each score as a whole number; -0.0 is 0.0."""
    plain = np.ascontiguousarray(scores + scores.dtype.type(0))
    return plain.view(np.dtype(f"u{plain.itemsize}")).astype(np.uint64)


def _factors(count: int) -> Hashes:
    """A fixed odd number per class, without a pattern (splitmix64). The hash of an item is the sum of its products, in
    64 bits: a score that changes always changes it, as an odd number has an inverse there."""
    found = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    odd: Hashes = (found ^ (found >> np.uint64(31))) | np.uint64(1)
    return odd


def read(scores: Any, ids: Any, classes: Any) -> tuple[Grid | Long, Any]:
    """The scores, and the ids if they are a column of the same table.

    scores   an array of N rows and K columns, a data frame with a column per class, {class: column}, or the path of a
             Parquet file with a column per class or with rows (id, class, score)
    ids      one per item; or the name of a column of the table
    classes  which columns of a table are classes: all but the id's if None
    """
    if isinstance(scores, SideBySide):
        return Grid(scores, None), ids
    if isinstance(scores, (str, Path)):
        return _of_table(_parquet(scores), ids, classes)
    if hasattr(scores, "columns") and not isinstance(scores, np.ndarray):
        return _of_table(scores, ids, classes)
    if isinstance(scores, Mapping):
        _refuse_models(scores)
        return _of_table(dict(scores), ids, classes)
    return Grid(_two_dimensions(scores), None), ids


def _two_dimensions(scores: Any) -> AnyArray:
    try:
        if isinstance(scores, np.ma.MaskedArray) and np.ma.is_masked(scores):
            raise InputError(f"scores must have no masked values: {scores.mask.sum()} are masked; drop or fill them")
        array = scores if isinstance(scores, np.ndarray) else np.asarray(scores)
    except ValueError as error:
        raise InputError(f"scores must be rows of equal length, one per item: {error}") from None
    if array.ndim != 2 or not array.size or array.dtype.kind not in "fiub":
        raise _not_numbers(f"{array.dtype} values of shape {array.shape}")
    return array


def _side_by_side(names: list[Any], columns: list[AnyArray]) -> SideBySide:
    if not columns or not len(columns[0]):
        raise _not_numbers("none")
    for name, column in zip(names, columns, strict=True):
        if column.ndim != 1 or column.dtype.kind not in "fiub":
            raise _not_numbers(f"{column.dtype} values of shape {column.shape} in {name!r}")
    return SideBySide(columns)


def _not_numbers(came: str) -> InputError:
    return InputError(
        f"scores must be numbers, a row per item with a column per class: got {came}; for one class, use lowshot.Pool"
    )


def _refuse_models(scores: Mapping[Any, Any]) -> None:
    if not scores or any(np.ndim(column) > 1 for column in scores.values()):
        raise InputError(
            "scores must be those of one model, N rows and K columns or {class: column}: got"
            f" {', '.join(map(repr, scores)) or 'nothing'}, each with several columns; several models with many classes"
            " are not supported: make a ClassPool per model, or compare them class by class with Pool({model: scores})"
        )


def _of_table(table: Any, ids: Any, classes: Any) -> tuple[Grid | Long, Any]:
    columns = [*table] if isinstance(table, dict) else [*table.columns]
    named = isinstance(ids, str)
    if named and ids not in columns:
        raise InputError(f"ids must be a column of scores: got {ids!r}; it has {', '.join(map(str, columns[:20]))}")
    if named and {*LONG} <= {*columns} and len(columns) <= 4:
        return _long(table, ids, classes), None
    wanted = (
        [one for one in columns if not (named and one == ids)] if classes is None else checks.listed("classes", classes)
    )
    if missing := [name for name in wanted if name not in columns]:
        raise InputError(
            f"classes must be columns of scores: got {missing[0]!r}; it has {', '.join(map(str, columns[:20]))}"
        )
    found = [np.asarray(table[name]) for name in wanted]
    if other := [name for name, column in zip(wanted, found, strict=True) if len(column) != len(found[0])]:
        raise InputError(
            f"scores must have columns of one length: {wanted[0]!r} has {len(found[0]):,} values, and {other[0]!r} has"
            f" {len(found[wanted.index(other[0])]):,}"
        )
    names = [one if isinstance(one, (str, int)) else str(one) for one in wanted]
    return Grid(_side_by_side(names, found), names), checks.listed("ids", table[ids]) if named else ids


def _long(table: Any, ids: str, classes: Any) -> Long:
    item, items = _encoded("ids", table[ids])
    found, names = _encoded("class", table["class"])
    score = np.asarray(table["score"])
    score = score if score.dtype.kind in "fiu" else score.astype(np.float64)
    if not len(item):
        raise InputError("scores must hold at least one item: got none; an empty pool cannot be evaluated")
    if not np.isfinite(score).all():
        first = int(np.argmax(~np.isfinite(score)))
        raise InputError(f"scores must be finite: got {score[first]} in row {first}; drop or impute them")
    known = sorted(names) if classes is None else checks.listed("classes", classes)
    place_of = {name: place for place, name in enumerate(known)}
    if (unknown := next((name for name in names if name not in place_of), None)) is not None:
        raise InputError(f"classes must name every class of scores: {unknown!r} is not among them; add it")
    place = np.array([place_of[name] for name in names], dtype=np.int64)[found]
    pairs, count = np.unique(item * len(known) + place, return_counts=True)
    if len(pairs) < len(item):
        who, what = divmod(int(pairs[np.argmax(count > 1)]), len(known))
        raise InputError(
            f"scores must have one row per item and class: item {items[who]!r} has class {known[what]!r} twice"
        )
    return Long(item, place, score, items, known)


def _encoded(name: str, column: Any) -> tuple[Integers, list[Any]]:
    """A column as places in the list of its distinct values."""
    if hasattr(column, "dictionary_encode"):  # Arrow, which is far faster with texts than NumPy
        coded = column.dictionary_encode().combine_chunks()
        return np.asarray(coded.indices, dtype=np.int64), coded.dictionary.to_pylist()
    values, places = np.unique(np.asarray(column), return_inverse=True)
    return places.astype(np.int64), checks.listed(name, values)


def _parquet(path: str | Path) -> Any:
    with required_by("a Parquet file", extra="pools"):
        import pyarrow.parquet as pq
    if not Path(path).exists():
        raise InputError(f"scores must be a file that exists: got {str(path)!r}")
    try:
        table = pq.read_table(path)
    except (OSError, ValueError) as error:
        raise InputError(f"scores must be a Parquet file: {path} is not ({error})") from None
    return {name: table.column(name) for name in table.column_names}
