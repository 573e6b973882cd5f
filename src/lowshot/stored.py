"""An evaluation in a store: opened, found by its name, or begun there. Stores need an extra, so it is imported late."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from lowshot import checks
from lowshot.errors import required_by
from lowshot.known import GivenLabels
from lowshot.method import Method
from lowshot.pools.base import BasePool

if TYPE_CHECKING:
    from lowshot.store import Header, Store


class Stored(NamedTuple):
    """An evaluation in a store."""

    store: "Store"
    header: "Header"
    began: bool  # False if the store had it already


def find_or_begin(
    where: "str | Path | Store",
    name: str,
    question: str | None,
    pool: BasePool,
    method: Method,
    given: GivenLabels,
    about: dict[str, Any],
) -> Stored:
    """The evaluation with this name. Another process may begin it at the same moment.

    A new file is created after every check, so that an invalid argument leaves none behind.
    """
    checks.text("name", name)
    checks.text("question", name if question is None else question)
    begins, known = (name, question or name, pool, *method), None
    if is_new(where):
        store_class().header_of(*begins, about)
        known = given.examined(pool)
    store = open_store(where)
    found = store.find(name)
    if found is not None:
        return Stored(store, found, False)
    return Stored(store, *store.begin(*begins, known or given.examined(pool), about))


def store_class() -> "type[Store]":
    with required_by("a store", extra="store"):
        from lowshot.store import Store
    return Store


def open_store(where: "str | Path | Store", read_only: bool = False) -> "Store":
    """The store at a path or URL, created if it does not exist. An open store is returned as it is."""
    kind = store_class()
    return where if isinstance(where, kind) else kind(cast("str | Path", where), read_only)


def is_new(where: "str | Path | Store") -> bool:
    """Whether `open_store` creates a file."""
    kind = store_class()
    return not isinstance(where, kind) and not kind.is_there(cast("str | Path", where))
