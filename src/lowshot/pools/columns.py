"""Columns of a pool into arrays: every bad one gets an error that says what is needed, what came and what to do."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from lowshot.checks import listed
from lowshot.core.types import Flags, Floats, Scores
from lowshot.errors import InputError

AnyArray = np.ndarray[Any, Any]
Array = TypeVar("Array", bound=AnyArray)
ZERO_ONE = "0 and 1, or of true and false"  # what a column of predictions holds
ONE_WHERE_POSITIVE = "make a column that is 1 where the model predicts positive"


def scores(values: Any, name: str = "scores") -> Scores:
    """Finite numbers, one per item. float32 is kept; everything else becomes float64.

    >>> scores([0.1, float("nan")])
    Traceback (most recent call last):
    lowshot.errors.InputError: scores must be finite: 1 of 2 are not (first at position 1: nan); drop or impute them
    """
    array = _numbers(name, _column(name, values))
    array = array.astype(np.float32 if array.dtype in (np.float16, np.float32) else np.float64)
    if not len(array):
        raise InputError(f"{name} must hold at least one item: got none; an empty pool cannot be evaluated")
    _refuse(name, array, ~np.isfinite(array), "finite", "drop or impute them")
    return frozen(array)


def reaching(scores: AnyArray, threshold: float) -> Flags:
    """Which scores are at least the threshold.

    >>> reaching(np.array([0.0, 0.7, 0.8], dtype=np.float32), 0.7).tolist()
    [False, True, True]
    """
    found: Flags = scores >= limit_of(threshold, scores.dtype)
    return found


def limit_of(threshold: float, kind: np.dtype[Any]) -> Any:
    """The threshold in the precision of the scores, where 0.7 is at least 0.7.

    One that is too large becomes infinite, which compares correctly. One above 0 stays above 0, and leaves out 0.

    >>> [float(limit_of(threshold, np.dtype(np.float32))) for threshold in (0.5, 1e-300, 1e300)]
    [0.5, 1.4...e-45, inf]
    """
    if kind.kind != "f":
        return threshold
    with np.errstate(over="ignore"):
        rounded = kind.type(threshold)
    return np.finfo(kind).smallest_subnormal if threshold > 0 == rounded else rounded


def helper(name: str, values: Any, length: int) -> Floats:
    """Numbers, one per item, of a score that only helps; NaN or None where it is unknown."""
    array = _numbers(name, _column(name, values)).astype(np.float64)
    same_length(name, len(array), length)
    _refuse(name, array, np.isinf(array), "finite or missing", "give NaN where the score is not known")
    return frozen(array)


def binary(name: str, values: Any, length: int | None = None, advice: str = "") -> Flags:
    """0/1 or booleans, one per item.

    >>> binary("labels", [0, 2])
    Traceback (most recent call last):
    lowshot.errors.InputError: labels must be 0 or 1: 1 of 2 are not (first at position 1: 2)
    """
    array = _column(name, values)
    if length is not None:
        same_length(name, len(array), length)
    if array.dtype != np.bool_:
        array = _numbers(name, array, "0 or 1", f"; {advice}" if advice else "")
        _refuse(name, array, (array != 0) & (array != 1), "0 or 1", advice)
    return frozen(array.astype(np.bool_))


def weights(values: Any, length: int, name: str = "weights") -> Floats:
    """Positive weights, one per item, scaled to sum to 1: p(x)."""
    array = _numbers(name, _column(name, values)).astype(np.float64)
    same_length(name, len(array), length)
    _refuse(name, array, ~np.isfinite(array), "finite", "drop or impute them")
    _refuse(name, array, array <= 0, "positive", "leave out items that cannot occur")
    share = array / array.max()
    share = share / np.sort(share).sum()  # sorted: the sum must not depend on the order of the rows
    _refuse(name, array, share <= 0, "of comparable size", "p(x) would be 0; leave out items that cannot occur")
    return frozen(share)


def features(values: Any, length: int) -> Floats:
    """One row of finite numbers per item."""
    array = _array("features", values)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        came = f"shape {array.shape} of {array.dtype}"
        raise InputError(f"features must be numbers in two dimensions, one row per item: got {came}")
    same_length("features", len(array), length)
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        rows = np.flatnonzero(~np.isfinite(array).all(axis=1))
        raise InputError(f"features must be finite: {len(rows)} rows are not (first at position {rows[0]})")
    return frozen(array)


def ids(values: Any, length: int, name: str = "ids") -> AnyArray:
    """Distinct integers (int64 where they fit) or distinct strings (objects), one per item.

    >>> ids(["a", "b", "a"], 3)
    Traceback (most recent call last):
    lowshot.errors.InputError: ids must be distinct: 1 of 3 repeat another (for example 'a'); ...
    """
    names = listed(name, values)
    same_length(name, len(names), length)
    kinds = set(map(type, names))
    if all(issubclass(kind, str) for kind in kinds):
        array = np.array(list(map(str, names)), dtype=object)
    elif all(issubclass(kind, int) and kind is not bool for kind in kinds):
        fits = min(names) >= -(2**63) and max(names) < 2**63
        array = np.array(names, dtype=np.int64 if fits else object)
    else:
        came = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"{name} must be all strings or all integers: got {came}")
    _distinct(names, name)
    return frozen(array)


def same_length(name: str, got: int, needed: int) -> None:
    if got != needed:
        raise InputError(f"{name} must be one for each item: got {got} for {needed} items")


def frozen(array: Array) -> Array:
    """The same array, read-only."""
    array.flags.writeable = False
    return array


def aligned(**columns: Any) -> Any:
    """Refuse pandas columns whose indexes differ: columns are combined by position, which would mix up items.

    Each argument is a column, or a mapping of columns. Their index is returned; None: no column has one. The index
    0, 1, 2, ... counts like any other: beside the index of a shuffled table it is the sign of another order.
    """
    with_index = [(name, values.index) for name, values in _each(columns) if hasattr(values, "iloc")]
    for name, index in with_index[1:]:
        if not equal(index, with_index[0][1]):
            raise InputError(
                f"{name} must have the same index as {with_index[0][0]}: they differ;"
                " align them first, or give plain arrays with .to_numpy()"
            )
    return with_index[0][1] if with_index else None


def _each(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """All columns with what errors call them: those of a mapping one by one, a single one without its key."""
    for name, values in columns.items():
        if isinstance(values, Mapping) and len(values) == 1:
            yield name, next(iter(values.values()))
        elif isinstance(values, Mapping):
            yield from ((f"{name}[{key!r}]", column) for key, column in values.items())
        else:
            yield name, values


def in_order(name: str, index: Any, orders: Sequence[Any], needed: str, advice: str) -> None:
    """Refuse a pandas index with the same rows as one of the orders, but in another order than all of them.

    Values are read by position, so they would belong to other items. An index of other rows says nothing about items,
    nor does 0, 1, 2, ..., which pandas makes if none is given.
    """
    if _made_by_pandas(index) or any(equal(index, order) for order in orders) or not index.is_unique:
        return
    if any(same_rows(index, order) for order in orders):
        raise InputError(
            f"{name} must be in the order of {needed}: the index has the same entries in another order; {advice}, or"
            " give plain values with .to_numpy() if their order is right"
        )


def _made_by_pandas(index: Any) -> bool:
    """Whether it is a RangeIndex 0, 1, 2, ..."""
    return getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1


def equal(index: Any, order: Any) -> bool:
    """Whether they have the same entries in the same order, whatever their types: pandas tells int64 from Int64."""
    if hasattr(order, "equals") and index.equals(order):  # an index of pandas, too
        return True
    if not _comparable(index, order) or index.nlevels > 1 or index.hasnans:  # NA cannot be compared
        return False
    return np.array_equal(np.asarray(index), np.asarray(order))


def same_rows(index: Any, order: Any) -> bool:
    """Whether all entries of a pandas index are among those of an order that is as long."""
    if not _comparable(index, order):
        return False
    if index.inferred_type == "string":  # pandas takes seconds to look for a million texts of its own type
        index = index.astype(object)
    return bool(index.isin(order).all())


def _comparable(index: Any, order: Any) -> bool:
    """As many rows, and as many levels: pandas cannot look for plain ids in an index of several levels."""
    return len(index) == len(order) and index.nlevels == getattr(order, "nlevels", 1)


def _array(name: str, values: Any) -> AnyArray:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{name} must have no masked values: {values.mask.sum()} are masked; drop or fill them")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} must be rows of equal length, one per item: {error}") from None


def _column(name: str, values: Any) -> AnyArray:
    """Any column (list, NumPy, pandas, polars, Arrow) as a one-dimensional array."""
    array = _array(name, values)
    if array.ndim != 1:
        raise InputError(f"{name} must be one column: got shape {array.shape}; give one value per item")
    return array


def _numbers(name: str, array: AnyArray, needed: str = "numbers", end: str = "") -> AnyArray:
    if array.dtype.kind in "fiub":
        return array
    try:
        converted = array.astype(np.float64) if array.dtype.kind in "OU" else None
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be {needed}: {error}{end}") from None
    if converted is None or array.dtype.kind == "U":
        raise InputError(f"{name} must be {needed}: got {array.dtype} values, for example {array[:1].tolist()}{end}")
    return converted


def _refuse(name: str, array: AnyArray, wrong: Flags, needed: str, advice: str) -> None:
    if not wrong.any():
        return
    first = int(np.argmax(wrong))
    raise InputError(
        f"{name} must be {needed}: {np.count_nonzero(wrong)} of {len(array)} are not"
        f" (first at position {first}: {array[first]})" + (f"; {advice}" if advice else "")
    )


def _distinct(values: list[Any], name: str) -> None:
    different = len(set(values))
    if different == len(values):
        return
    repeated, _ = Counter(values).most_common(1)[0]
    raise InputError(
        f"{name} must be distinct: {len(values) - different} of {len(values)} repeat another"
        f" (for example {repeated!r}); give every item an id of its own"
    )
