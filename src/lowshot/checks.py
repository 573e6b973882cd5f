"""Single arguments: every bad one gets an error that says what is needed, what came and what to do."""

import math
import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lowshot.errors import InputError

Id: TypeAlias = str | int
LONGEST = 42  # characters of a wrong value that a message repeats


def listed(name: str, values: Any) -> list[Any]:
    """Any column (list, NumPy, pandas, polars, Arrow) as a list of plain Python values.

    >>> listed("items", "bird.jpg")
    Traceback (most recent call last):
    lowshot.errors.InputError: items must be a list: got 'bird.jpg'; write ['bird.jpg']
    """
    if isinstance(values, (set, frozenset, dict)):
        raise InputError(f"{name} must be in an order: got a {type(values).__name__}; give a list")
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise InputError(f"{name} must be a list: got {values!r}; write [{values!r}]")
    try:
        return [plain(value) for value in (values.to_pylist() if hasattr(values, "to_pylist") else values)]
    except TypeError:  # an array without dimensions is iterable by name only
        raise InputError(f"{name} must be a list: got {values!r}; write [{values!r}]") from None


def plain(value: Any) -> Any:
    """A NumPy scalar as a plain Python value; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in a range."""
    good = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least
    if not good or (most is not None and value > most):
        limit = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {limit}: got {value!r}")
    return int(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}: got {value!r}")
    return value


def nearest(value: Any, known: Sequence[str], most: int = 5) -> str:
    """The names that are most like a wrong one, as the end of an error message; the first ones if none is like it.

    >>> nearest("nort", ["south", "north"]), nearest("x", ["south", "north"])
    ("the nearest is 'north'", "there are 'south', 'north'")
    """
    close = get_close_matches(str(value), known, n=3, cutoff=0.5)
    if close:
        return f"the nearest {'is' if len(close) == 1 else 'are'} {', '.join(map(repr, close))}"
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return f"there {'is' if len(known) == 1 else 'are'} {', '.join(map(repr, known[:most]))}{more}"


def shortened(value: Any) -> str:
    """A wrong value in a message, at most about 40 characters of it.

    >>> shortened("crow"), shortened("x" * 1000)
    ("'crow'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...")
    """
    found = repr(value)
    return found if len(found) <= LONGEST else f"{found[: LONGEST - 3]}..."


def text(name: str, value: Any) -> str:
    """Words that are not empty.

    >>> text("name", "")
    Traceback (most recent call last):
    lowshot.errors.InputError: name must be a text that is not empty: got ''
    """
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{name} must be a text that is not empty: got {value!r}")
    return storable(name, value)


def storable(name: str, value: str) -> str:
    r"""A text that every store can keep: PostgreSQL has no NUL, and no encoding has half a character.

    >>> storable("name", "birds\0")
    Traceback (most recent call last):
    lowshot.errors.InputError: name must be text without NUL and in whole characters: got 'birds\x00'; change it
    """
    try:
        good = b"\0" not in value.encode()
    except UnicodeEncodeError:
        good = False
    if not good:
        raise InputError(f"{name} must be text without NUL and in whole characters: got {value!r}; change it")
    return value


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False: got {value!r}")
    return bool(value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """A number from low to high.

    >>> number("epsilon", 0.7, 0, 0.5)
    Traceback (most recent call last):
    lowshot.errors.InputError: epsilon must be a number from 0 to 0.5: got 0.7
    """
    if not _is_number(value) or not low <= value <= high:
        raise InputError(f"{name} must be a number from {low:g} to {high:g}: got {value!r}")
    return float(value)


def finite(name: str, value: Any, least: float = -math.inf) -> float:
    """A finite number, not below the least."""
    if not _is_number(value) or not (math.isfinite(value) and value >= least):
        limit = "" if least == -math.inf else f" of at least {least:g}"
        raise InputError(f"{name} must be a finite number{limit}: got {value!r}")
    return float(value)


def bounds(name: str, value: Any) -> tuple[float, float]:
    """Two numbers strictly between 0 and 1, the lower first."""
    good = isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_number, value))
    if not good or not 0 < value[0] <= value[1] < 1:
        raise InputError(f"{name} must be two numbers between 0 and 1, the lower first: got {value!r}")
    return float(value[0]), float(value[1])


def new_file(name: str, path: Path, endings: Sequence[str]) -> Path:
    """The path as an absolute one, if a file can be written there.

    >>> new_file("picture", Path("demo.gif"), (".png", ".pdf", ".svg"))
    Traceback (most recent call last):
    lowshot.errors.InputError: picture must end in .png, .pdf or .svg: got 'demo.gif'
    """
    if path.suffix.lower() not in endings:
        allowed = " or ".join([", ".join(endings[:-1]), endings[-1]])
        raise InputError(f"{name} must end in {allowed}: got {str(path)!r}")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{name} must be in a folder that exists: got {str(path)!r}; make the folder first")
    if path.is_dir():
        raise InputError(f"{name} must be a file: got the folder {str(path)!r}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise InputError(f"{name} must be in a folder that can be written: got {str(path)!r}; choose another")
    return path.absolute()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
