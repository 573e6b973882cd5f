"""The folders in which this account keeps what belongs to no store: caches, and the list of stores that it knows."""

from pathlib import Path
from typing import Literal

from lowshot.errors import required_by


def own_folder(kind: Literal["cache", "state"]) -> Path | None:
    """What was kept of pools for stores on servers is in the cache, the list of `confirmed.py` in the state; None for a
    user without a home, as in some containers."""
    with required_by("a store", extra="store"):
        from platformdirs import PlatformDirs
    folders = PlatformDirs("lowshot", appauthor=False)
    try:
        found = folders.user_cache_path if kind == "cache" else folders.user_state_path
    except RuntimeError:
        return None
    return found if found.is_absolute() else None  # before platformdirs 4.14 a missing home is ~
