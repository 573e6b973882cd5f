"""A pool from a file, a database, a warehouse or a data frame."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lowshot import checks
from lowshot.errors import InputError
from lowshot.pools.arrangement import Names
from lowshot.pools.failures import answered
from lowshot.pools.grouped import HEAD, LEVELS, GroupedPool
from lowshot.pools.grouped_scores import GroupedScores
from lowshot.pools.ibis_columns import Chosen, ChosenScores, Used
from lowshot.pools.ibis_engine import IbisEngine
from lowshot.pools.ibis_scores import IbisScores
from lowshot.pools.models import Roles, Words, named_helpers
from lowshot.pools.scale import Scale
from lowshot.pools.source import table_of

BY_CLASS = ("threshold", "prediction")  # options that may differ by class


def open_pool(
    source: Any,
    *,
    id: str,
    score: str | Mapping[str, str],
    prediction: str | Mapping[str, str] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    helpers: Sequence[str] | Mapping[str, str] = (),
    where: Any = None,
    table: str | None = None,
    show: Sequence[str] = (),
    slices: Sequence[str] = (),
    scale: Scale | None = None,
    levels: int | None = LEVELS,
    head: int = HEAD,
    allow_external: bool = False,
) -> GroupedPool | GroupedScores:
    """A pool of any size whose rows stay where they are. It can be used wherever a `Pool` can.

    >>> import lowshot, pandas
    >>> rows = pandas.DataFrame({"path": ["a.jpg", "b.jpg", "c.jpg"], "p": [0.9, 0.7, 0.1]})
    >>> lowshot.open_pool(rows, id="path", score="p", threshold=0.5)
    Pool(3 items, 2 predicted positive)

    Several scores of the same items: those with a threshold or a prediction are models that are judged, the others
    help.

    >>> rows = rows.assign(q=[0.8, 0.3, 0.6])
    >>> lowshot.open_pool(rows, id="path", score={"v1": "p", "v2": "q"}, threshold=0.5)
    Pool(3 items; predicted positive: v1 2, v2 2)

    source      a path or glob of Parquet, CSV or JSON Lines files; a .duckdb or .sqlite file or a postgresql:// URL,
                with table=; an Ibis table of any engine; a Spark DataFrame; a table of pandas, polars or Arrow
    id          the column with ids: integers or texts, each once
    score       the column with scores: numbers of any scale, higher means more likely positive
    prediction  the column with predictions, 0/1; or threshold=, then items with score >= threshold are predicted
                positive. Both may be given: it is checked that they say the same
    helpers     columns of further scores, of any scale, that help to judge the models: a list, or {name: column};
                NULL or NaN where one is unknown
    where       rows that count: an expression of Ibis, a function from table to one, or {column: value}
    show        columns that people are shown; they are fetched with the items
    slices      refused if any are given: slices need a `Pool` in memory
    scale       what the scores are, for SAWADE and GMM: "probability", "log" (of a probability) or "logit"
    levels      groups of about the same score below the head; None: every score is a level of its own
    head        how many of the best items are listed one by one; with several scores, of all rankings together
    allow_external  whether views in a .duckdb file may read other files and addresses; only for a file of your own,
                because such a view may read any file of yours

    score, threshold and prediction are one value, or a mapping from the name of each model. One score with
    threshold={"strict": 0.7, "lax": 0.4} is two models.
    """
    given = (id, score, prediction, threshold, helpers, where, table, show, slices, scale, levels, head, allow_external)
    pool = unread_pool(source, *given)
    len(pool)  # runs the first pass now, so that errors in the rows are raised here
    return pool


def unread_pool(
    source: Any,
    id: str,
    score: str | Mapping[str, str],
    prediction: str | Mapping[str, str] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    helpers: Sequence[str] | Mapping[str, str] = (),
    where: Any = None,
    table: str | None = None,
    show: Sequence[str] = (),
    slices: Sequence[str] = (),
    scale: Scale | None = None,
    levels: int | None = LEVELS,
    head: int = HEAD,
    allow_external: bool = False,
) -> GroupedPool | GroupedScores:
    """The same before the first pass over the rows."""
    columns = tuple(checks.listed("show", show))
    if checks.listed("slices", slices):
        raise InputError(
            f"slices need a pool in memory, and the rows of this one are only counted: got {list(slices)!r}; read the"
            " columns, and make Pool(scores, ids=..., slices={'camera': ...})"
        )
    several = _several(score, prediction, threshold, helpers)
    if several is None:
        chosen = Chosen(id, score, prediction, threshold, where, columns)  # type: ignore[arg-type]  # none is a mapping
        rows = table_of(source, table, chosen.used, allow_external)
        return GroupedPool(IbisEngine(rows, chosen), head=head, levels=levels, scale=scale)
    scores = ChosenScores(id, several, where, columns)
    engine = IbisScores(table_of(source, table, scores.used, allow_external), scores)
    names = Names(several.judged, several.helpers)
    return GroupedScores(engine, names, head=head, levels=levels, scale=scale)


def _several(score: Any, prediction: Any, threshold: Any, helpers: Any) -> Roles | None:
    """Which columns are judged and which help; None if there is one score and one model without a name."""
    if not helpers and not any(isinstance(each, Mapping) for each in (score, prediction, threshold)):
        return None
    return Roles.of(score, prediction, threshold, named_helpers(helpers), Words("score", "prediction"), both=True)


class Pools(Mapping[str, GroupedPool | GroupedScores]):
    """A pool for each class. Pools are opened when they are accessed, and not kept."""

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

    def __getitem__(self, name: str) -> GroupedPool | GroupedScores:
        if name not in self._known:
            raise InputError(
                f"class must be one of the table's: got {name!r}; it has {', '.join(map(repr, self._known[:20]))}"
            )
        options = {key: _of(value, name) if key in BY_CLASS else value for key, value in self._options.items()}
        if self._class is None:
            return open_pool(self._table, score=name, **options)
        return open_pool(self._table.filter(self._table[self._class] == name), **options)


def _of(value: Any, name: str) -> Any:
    """The value of an option for one class: options may be mappings from class to value."""
    if not isinstance(value, Mapping):
        return value
    if name not in value:
        raise InputError(f"an option by class must have every class: {name!r} is missing in {dict(value)!r}")
    return value[name]


def _columns_in(option: Any) -> list[str]:
    """The columns that an option names: one, one by class, or none."""
    return [] if option is None else list(option.values()) if isinstance(option, Mapping) else [option]


def open_pools(
    source: Any,
    *,
    scores: Sequence[str] = (),
    class_: str | None = None,
    table: str | None = None,
    allow_external: bool = False,
    **options: Any,
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
    given = (options.get("score"), options.get("prediction"))
    numbers = (*scores, *(name for one in given for name in _columns_in(one)))
    rows = table_of(source, table, Used(options.get("id"), numbers, tuple(options.get("show", ()))), allow_external)
    missing = [name for name in ([class_] if class_ else scores) if name not in rows.columns]
    if missing:
        raise InputError(f"classes must be columns of the table: got {missing[0]!r}; it has {', '.join(rows.columns)}")
    return Pools(rows, class_, list(scores), options)
