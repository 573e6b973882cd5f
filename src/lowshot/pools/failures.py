"""Errors of an engine as one line of text; a pool that is open stays as it was."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import finalize

from lowshot.errors import InputError, LowshotError, PoolError

LONGEST = 300  # characters of an engine's message that are shown
LINE = re.compile(r"(CSV Error on Line: |Malformed JSON.* in line )([0-9]+):?\s*")  # DuckDB cannot read a row
ADVICE = re.compile(r"\n\n|\nPossible ")  # what follows is about arguments of DuckDB
# A view of a closed DuckDB file asks for another file, an address, or an extension
REFUSED = re.compile(r'LocalFileSystem has been disabled|Cannot access file "\w{2,}:|disabled through configuration')
FILE = re.compile(r'^  file = (.+)$|in file "(.+?)"', re.MULTILINE)


@contextmanager
def failing(doing: str) -> Iterator[None]:
    """Turns any error of an engine into a `PoolError`: every engine has error types of its own.

    >>> with failing("counting rows"):
    ...     raise RuntimeError("connection lost\\n  at line 7")
    Traceback (most recent call last):
    lowshot.errors.PoolError: the engine failed while counting rows: connection lost; nothing was changed, try again
    """
    try:
        yield
    except (LowshotError, ImportError, AttributeError, KeyboardInterrupt):
        raise
    except Exception as error:
        text = str(error).strip()
        if REFUSED.search(text):
            raise InputError(
                "source must read nothing but itself: it asks for another file or an address, and a file that somebody"
                " sent could print any file of yours in this way; if its view is your own, add allow_external=True"
            ) from error
        first = (text.splitlines() or [type(error).__name__])[0][:LONGEST]
        message = bad_row(text) or f"the engine failed while {doing}: {first}; nothing was changed, try again"
        raise PoolError(message) from error


def bad_row(text: str) -> str:
    """What to do if the message of an engine is about one row of a text file: reading it again does not help. Empty for
    all other messages.

    >>> print(bad_row("CSV Error on Line: 7\\nOriginal Line: a,high\\nCould not convert\\n\\n  file = birds.csv"))
    source must have rows that can be read: that in line 7 of birds.csv is not (Original Line: a,high Could not
    convert); correct it, or leave it out
    >>> bad_row("connection lost")
    ''
    """
    line, file = LINE.search(text), FILE.search(text)
    if line is None:
        return ""
    place = "in" if line[1].startswith("CSV") else "near"  # DuckDB counts one line too many in JSON
    where = f"{place} line {line[2]}" + (f" of {file[1] or file[2]}" if file else "")
    why = " ".join(ADVICE.split(text[line.end() :])[0].split())[:LONGEST].rstrip(".")
    return f"source must have rows that can be read: that {where} is not ({why}); correct it, or leave it out"


def answered(doing: str, query: Any) -> Any:
    """The result of a query, as Arrow. A connection that was closed in the meantime is opened again first."""
    with failing(doing):
        backend = query.get_backend()
        if getattr(getattr(backend, "con", None), "closed", None) is True:
            backend.reconnect()
            close_with(backend)
        return query.to_pyarrow()


def close_with(backend: Any) -> None:
    """Close the connection when the backend is garbage-collected."""
    if hasattr(getattr(backend, "con", None), "close"):
        finalize(backend, backend.con.close)
