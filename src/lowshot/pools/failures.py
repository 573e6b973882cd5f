"""Errors of an engine as one line of text; a pool that is open stays as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import finalize

from lowshot.errors import LowshotError, PoolError

LONGEST = 300  # characters of an engine's message that are shown


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
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:LONGEST]
        raise PoolError(f"the engine failed while {doing}: {first}; nothing was changed, try again") from error


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
