"""Arguments into arrays: every bad input gets an error that says what is needed, what came and what to do."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from lowshot.core.types import Flags, Floats, Scores
from lowshot.errors import InputError

Id: TypeAlias = str | int
Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def scores(values: Any) -> Scores:
    """Finite numbers, one an item. float32 is kept; everything else becomes float64.

    >>> scores([0.1, float("nan")])
    Traceback (most recent call last):
    lowshot.errors.InputError: scores must be finite: 1 of 2 are not (first at position 1: nan); drop or impute them
    """
    array = _column("scores", values)
    array = _numbers("scores", array).astype(np.float32 if array.dtype in (np.float16, np.float32) else np.float64)
    if not len(array):
        raise InputError("scores must hold at least one item: got none; an empty pool cannot be evaluated")
    _finite("scores", array)
    return frozen(array)


def binary(name: str, values: Any, length: int) -> Flags:
    """0/1 or booleans, one an item."""
    array = _column(name, values)
    same_length(name, len(array), length)
    if array.dtype != np.bool_:
        array = _numbers(name, array)
        wrong = np.flatnonzero((array != 0) & (array != 1))
        if len(wrong):
            raise InputError(
                f"{name} must be 0 or 1: {len(wrong)} of {len(array)} are not"
                f" (first at position {wrong[0]}: {array[wrong[0]]}); use threshold= to make them from scores"
            )
    return frozen(array.astype(np.bool_))


def weights(values: Any, length: int) -> Floats:
    """Positive weights, one an item, scaled to sum to 1: p(x)."""
    array = _numbers("weights", _column("weights", values)).astype(np.float64)
    same_length("weights", len(array), length)
    _finite("weights", array)
    wrong = np.flatnonzero(array <= 0)
    if len(wrong):
        raise InputError(
            f"weights must be positive: {len(wrong)} of {length} are not"
            f" (first at position {wrong[0]}: {array[wrong[0]]}); leave out items that cannot occur"
        )
    return frozen(array / array.sum())


def features(values: Any, length: int) -> Floats:
    """One row of finite numbers an item."""
    array = np.asarray(values)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise InputError(f"features must be numbers in two dimensions, one row an item: got shape {array.shape}")
    same_length("features", len(array), length)
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        rows = np.flatnonzero(~np.isfinite(array).all(axis=1))
        raise InputError(f"features must be finite: {len(rows)} rows are not (first at position {rows[0]})")
    return frozen(array)


def ids(values: Any, length: int) -> np.ndarray[Any, Any]:
    """Distinct integers (int64) or distinct strings (objects), one an item.

    >>> ids(["a", "b", "a"], 3)
    Traceback (most recent call last):
    lowshot.errors.InputError: ids must be distinct: 1 of 3 repeat another (for example 'a'); ...
    """
    listed = np.asarray(values).tolist() if hasattr(values, "__array__") else list(values)
    same_length("ids", len(listed), length)
    kinds = set(map(type, listed))
    if kinds == {str}:
        array = np.array(listed, dtype=object)
    elif bool not in kinds and all(issubclass(kind, (int, np.integer)) for kind in kinds):
        array = np.array(listed, dtype=np.int64)
    else:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"ids must be all strings or all integers: got {names}")
    _distinct(listed)
    return frozen(array)


def labels(items: Sequence[Hashable], values: Any) -> list[int | None]:
    """0, 1 or None ("cannot tell") for each item."""
    answers = list(values)
    if len(answers) != len(items):
        raise InputError(f"labels must be one for each item: got {len(answers)} labels for {len(items)} items")
    return [label(item, answer) for item, answer in zip(items, answers, strict=True)]


def label(item: Hashable, value: Any) -> int | None:
    """0, 1, True, False, or None for "cannot tell".

    >>> label("bird.jpg", True), label("bird.jpg", None)
    (1, None)
    """
    if value is None:
        return None
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) and value in (0, 1):
        return int(value)
    raise InputError(f"labels must be 0, 1 or None (cannot tell): got {value!r} for item {item!r}")


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in a range."""
    good = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least
    if not good or (most is not None and value > most):
        limit = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {limit}: got {value!r}")
    return int(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of a few words."""
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}: got {value!r}")
    return str(value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """A number from low to high."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not low <= value <= high:
        raise InputError(f"{name} must be a number from {low:g} to {high:g}: got {value!r}")
    return float(value)


def bounds(name: str, value: Any) -> tuple[float, float]:
    """Two numbers strictly between 0 and 1, the lower first."""
    good = isinstance(value, (tuple, list)) and len(value) == 2 and 0 < value[0] <= value[1] < 1
    if not good:
        raise InputError(f"{name} must be two numbers between 0 and 1, the lower first: got {value!r}")
    return float(value[0]), float(value[1])


def same_length(name: str, got: int, needed: int) -> None:
    if got != needed:
        raise InputError(f"{name} must be one for each score: got {got} for {needed} scores")


def _column(name: str, values: Any) -> np.ndarray[Any, Any]:
    """Any column (list, NumPy, pandas, polars, Arrow) as a one-dimensional array."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} must be one column: got shape {array.shape}; give one value an item")
    return array


def _numbers(name: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.kind in "fiub":
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: got {array.dtype} values ({error})") from None


def _finite(name: str, array: np.ndarray[Any, Any]) -> None:
    finite = np.isfinite(array)
    if not finite.all():
        wrong = np.flatnonzero(~finite)
        raise InputError(
            f"{name} must be finite: {len(wrong)} of {len(array)} are not"
            f" (first at position {wrong[0]}: {array[wrong[0]]}); drop or impute them"
        )


def _distinct(values: list[Any]) -> None:
    different = len(set(values))
    if different == len(values):
        return
    repeated, _ = Counter(values).most_common(1)[0]
    raise InputError(
        f"ids must be distinct: {len(values) - different} of {len(values)} repeat another"
        f" (for example {repeated!r}); give every item an id of its own"
    )


def frozen(array: Array) -> Array:
    """The same array, read-only."""
    array.flags.writeable = False
    return array
