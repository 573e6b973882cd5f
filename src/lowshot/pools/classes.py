"""Several binary tasks from one table: a column for each class, or a row for each item and class."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lowshot.errors import InputError
from lowshot.pools.failing import answered
from lowshot.pools.opening import open_pool
from lowshot.pools.source import table_of
from lowshot.ranked import RankedPool

BY_CLASS = ("threshold", "prediction")  # options that may differ by class


class Pools(Mapping[str, RankedPool]):
    """A pool for each class, opened when it is asked for; none is kept."""

    def __init__(self, table: Any, class_: str | None, scores: Sequence[str], options: dict[str, Any]) -> None:
        self._table, self._class, self._scores, self._options = table, class_, scores, options
        self._names: list[str] | None = list(scores) if class_ is None else None

    @property
    def _known(self) -> list[str]:
        """The names of the classes; in a long table they are looked up."""
        if self._names is None:
            names = self._table.select(name=self._table[self._class]).distinct()
            found = answered("looking for the classes", names)["name"].to_pylist()
            self._names = sorted(name for name in found if name is not None)
        return self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __getitem__(self, name: str) -> RankedPool:
        if name not in self._known:
            raise InputError(
                f"class must be one of the table's: got {name!r}; it has {', '.join(map(repr, self._known[:20]))}"
            )
        options = {key: _of(value, name) if key in BY_CLASS else value for key, value in self._options.items()}
        if self._class is None:
            return open_pool(self._table, score=name, **options)
        return open_pool(self._table.filter(self._table[self._class] == name), **options)


def _of(value: Any, name: str) -> Any:
    """An option that differs by class is a mapping."""
    if not isinstance(value, Mapping):
        return value
    if name not in value:
        raise InputError(f"an option by class must have every class: {name!r} is missing in {dict(value)!r}")
    return value[name]


def open_pools(
    source: Any, *, scores: Sequence[str] = (), class_: str | None = None, table: str | None = None, **options: Any
) -> Pools:
    """A binary task for each class of one table, opened lazily.

    >>> import pandas
    >>> wide = pandas.DataFrame({"path": ["a", "b"], "cat": [0.9, 0.2], "dog": [0.3, 0.8]})
    >>> pools = open_pools(wide, id="path", scores=["cat", "dog"], threshold=0.5)
    >>> pools["dog"]
    Pool(2 items, 1 predicted positive)
    >>> long = pandas.DataFrame({"path": ["a", "a", "b"], "kind": ["cat", "dog", "cat"], "p": [0.9, 0.3, 0.2]})
    >>> {name: len(pool) for name, pool in open_pools(long, id="path", class_="kind", score="p", threshold=0.5).items()}
    {'cat': 2, 'dog': 1}
    >>> len(open_pools(long, id="path", class_="kind", score="p", threshold=0.5, where={"path": "a"})["cat"])
    1

    scores   a column of scores for each class, in a wide table
    class_   the column that names the class, in a long table with one row for each item and class; with score=
    options  those of `open_pool`; threshold= and prediction= may be mappings from class to value
    """
    if bool(scores) == (class_ is not None):
        raise InputError(f"give either scores or class_: got {'both' if scores else 'neither'}")
    rows = table_of(source, table)
    missing = [name for name in ([class_] if class_ else scores) if name not in rows.columns]
    if missing:
        raise InputError(f"classes must be columns of the table: got {missing[0]!r}; it has {', '.join(rows.columns)}")
    return Pools(rows, class_, list(scores), options)
