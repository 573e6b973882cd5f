"""Slices of a pool: parts of it by camera, country or month, which estimates can be about.

    Slices   the columns that say which part each item is in
    Split    the items by the values of one column, or of several together, and which of these parts are asked for

Slices say how results are grouped. They have no influence on which items are drawn, so they are not part of the
fingerprint of a pool: they can be added or changed when an evaluation is opened again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lowshot import checks
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.pools import columns

Value: TypeAlias = str | int | None  # None: the value is missing
MISSING = "(missing)"  # how a missing value is written
MOST_VALUES = 10_000  # of a column: a table of more slices is of no use, and memory grows with them
ADVICE = "make texts of them, or put them into few groups first"
# Words that tables use for other columns, or that `table(by=...)` understands.
TAKEN = (
    "model", "category", "value", "low", "high", "labels", "items", "predicted", "below", "best", "reason", "warning",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Column:
    """A value per item: the place of its value among `values`, which are in order, a missing one last."""

    name: str
    values: tuple[Value, ...]
    code: Integers

    @classmethod
    def of(cls, name: str, given: Any, length: int) -> "Column":
        """From what the user gives.

        >>> Column.of("camera", ["north", "south", None, "north"], 4).values
        ('north', 'south', None)
        """
        what = f"slices[{name!r}]"
        found = checks.listed(what, given)
        columns.same_length(what, len(found), length)
        try:
            plain = {value: _plain(what, value) for value in dict.fromkeys(found)}
        except TypeError:  # a value that cannot be compared with others, such as a list
            raise InputError(f"{what} must be texts or whole numbers: got some that are neither; {ADVICE}") from None
        values = _ordered(plain.values())
        if len(values) > MOST_VALUES:
            raise InputError(
                f"{what} must have at most {MOST_VALUES:,} different values: got {len(values):,}; put them into groups,"
                " such as months instead of days"
            )
        place = {value: number for number, value in enumerate(values)}
        of_value = {value: place[simple] for value, simple in plain.items()}
        code = np.fromiter(map(of_value.__getitem__, found), dtype=np.int64, count=length)
        return cls(name, values, columns.frozen(code))

    def find(self, value: Any) -> int:
        """The place of a value; an error with the nearest values if no item has it."""
        simple = None if is_missing(value) else checks.plain(value)
        try:
            return self.values.index(simple)
        except ValueError:
            known = [shown(one) for one in self.values]
            raise InputError(
                f"where[{self.name!r}] must be a value that occurs: got {value!r}; {checks.nearest(value, known)}"
            ) from None


@dataclass(frozen=True, eq=False)
class Split:
    """The items of a pool by slice, and the parts that are asked for: each is one slice, or several together."""

    columns: tuple[str, ...]  # which say in which slice an item is
    code: Integers  # [item]: its slice
    part: Integers  # [slice]: the part that it belongs to; -1: it is not asked for
    names: tuple[Any, ...]  # of the parts

    @property
    def slices(self) -> int:
        return len(self.part)

    @property
    def parts(self) -> int:
        return len(self.names)

    def inside(self, items: Integers | None = None) -> Integers:
        """Those of these items that are in some part; None: of all items."""
        every = np.arange(len(self.code)) if items is None else items
        found: Integers = every[self.part[self.code[every]] >= 0]
        return found


class Slices:
    """Columns that say which part of the pool each item is in.

    >>> slices = Slices.of({"camera": ["north", "south", "north"], "month": [1, 1, 2]}, 3)
    >>> slices.names, slices.by("camera").names
    (('camera', 'month'), ('north', 'south'))

    Several columns mean "and", a list of values means "or".

    >>> split = slices.where({"camera": "north", "month": [1, 2]})
    >>> (split.part[split.code] == 0).tolist()
    [True, False, True]
    """

    def __init__(self, found: Mapping[str, Column]) -> None:
        self._columns = dict(found)

    @classmethod
    def of(cls, given: Any, length: int) -> "Slices":
        """From a mapping or a data frame; None: there are none."""
        if given is None:
            return NO_SLICES
        if not isinstance(given, Mapping) and hasattr(given, "columns"):  # a data frame of pandas or polars
            given = {name: given[name] for name in given.columns}
        if not isinstance(given, Mapping):
            raise InputError(
                f"slices must be a mapping from column to one value per item: got {type(given).__name__}; write"
                ' slices={"camera": [...]}'
            )
        return cls({column_name("slices", name): Column.of(name, values, length) for name, values in given.items()})

    def __bool__(self) -> bool:
        return bool(self._columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(self._columns)

    def column(self, name: Any, argument: str = "by", usual: str = "model") -> Column:
        """A column by its name; an error with the nearest names if there is none of that name.

        usual  what `by` may be besides a column
        """
        needed = f"by must be {usual!r} or a column" if argument == "by" else f"{argument} must name a column"
        if not self._columns:
            raise InputError(
                f"{needed} of slices: got {name!r}, and this pool has no slices; give them to a pool in memory:"
                " Pool(..., slices={'camera': [...]})"
            )
        if not isinstance(name, str) or name not in self._columns:
            raise InputError(f"{needed} of slices: got {name!r}; {checks.nearest(name, list(self._columns))}")
        return self._columns[name]

    def by(self, name: Any, usual: str = "model") -> Split:
        """Each value of a column as a part."""
        found = self.column(name, usual=usual)
        return Split((name,), found.code, np.arange(len(found.values)), found.values)

    def where(self, given: Any) -> Split:
        """One part: the items with these values."""
        if not isinstance(given, Mapping) or not given:
            raise InputError(
                f"where must be a mapping from column to a value or a list of values: got {given!r}; write"
                ' where={"camera": "north"}'
            )
        code, part = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for name, wanted in given.items():
            column = self.column(name, "where")
            inside = np.full(len(column.values), -1)
            inside[[column.find(value) for value in _several(name, wanted)]] = 0
            code = code * len(column.values) + column.code
            part = np.minimum(np.repeat(part, len(column.values)), np.tile(inside, len(part)))
            code, part = _dense(code, part)
        if not (part[code] == 0).any():
            raise InputError(f"where must be values that occur together: no item has {dict(given)!r}; ask for others")
        return Split(tuple(given), code, part, (dict(given),))


NO_SLICES = Slices({})


def shown(value: Value) -> str:
    """A value as text."""
    return MISSING if value is None else str(value)


def _dense(code: Integers, part: Integers) -> tuple[Integers, Integers]:
    """Without slices that have no items."""
    there, place = np.unique(code, return_inverse=True)
    return place.astype(np.int64), part[there]


def _several(name: str, wanted: Any) -> list[Any]:
    if isinstance(wanted, (str, bytes)) or not hasattr(wanted, "__iter__"):
        return [wanted]
    found = list(wanted)
    if not found:
        raise InputError(f"where[{name!r}] must be a value or a list of values: got an empty list")
    return found


def column_name(what: str, name: Any) -> str:
    """The name of a column of slices, checked."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"names of {what} must be texts that are not empty: got {name!r}")
    if name in TAKEN:
        raise InputError(f"names of {what} must not be {name!r}, which tables use for something else; choose another")
    return checks.storable(f"names of {what}", name)


def _plain(what: str, value: Any) -> Value:
    if is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer():  # pandas makes floats of whole numbers where some are missing
        return int(value)
    if not isinstance(value, (str, int)):
        raise InputError(f"{what} must be texts or whole numbers: got {value!r}, a {type(value).__name__}; {ADVICE}")
    return checks.storable(what, value) if isinstance(value, str) else value


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _ordered(values: Any) -> tuple[Value, ...]:
    """Different values: numbers, then texts, then a missing one."""
    distinct = set(values)
    numbers = sorted(value for value in distinct if isinstance(value, int))
    texts = sorted(value for value in distinct if isinstance(value, str))
    return (*numbers, *texts, *([None] if None in distinct else []))
