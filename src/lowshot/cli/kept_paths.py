"""Paths in a store: relative to its folder where they are near it, so that both can be moved together."""

import os
from collections.abc import Mapping
from glob import glob
from pathlib import Path
from typing import Any

ABSOLUTE = "absolute"  # the key of the paths as they were at the start, of those that are kept relative


def folder_of(store: str) -> Path | None:
    """The folder of a store; None for a store on a server."""
    return None if "://" in store else Path(store).absolute().parent


def near(folder: Path | None, paths: Mapping[str, str | None]) -> dict[str, Any]:
    """These paths as they are kept by a store in this folder; None for a store on a server.

    >>> near(Path("/birds"), {"pool": "/birds/pool.csv", "media_root": None})
    {'pool': 'pool.csv', 'media_root': None, 'absolute': {'pool': '/birds/pool.csv'}}
    """
    seen = {name: seen_from(folder, path) for name, path in paths.items() if folder is not None and path}
    kept = {name: path for name, path in seen.items() if path is not None}
    return {**paths, **kept, ABSOLUTE: {name: paths[name] for name in kept}}


def now(folder: Path | None, plain: Mapping[str, Any]) -> dict[str, str]:
    """The paths that `near` made relative, as they are now, by name."""
    return {name: where_now(folder, plain[name], path) for name, path in plain[ABSOLUTE].items()}


def seen_from(folder: Path, path: str) -> str | None:
    """A path relative to a folder, if it is in the folder or in a folder next to it; None for all others.

    >>> seen_from(Path("/birds/stores"), "/birds/pools/birds.csv"), seen_from(Path("/birds"), "/data/birds.csv")
    ('../pools/birds.csv', None)
    """
    if "://" in path:
        return None
    common = folder if Path(path).is_relative_to(folder) else folder.parent
    if not Path(path).is_relative_to(common) or common == Path(common.anchor):
        return None
    return Path(os.path.relpath(path, folder)).as_posix()


def where_now(folder: Path | None, near: str, absolute: str) -> str:
    """The path relative to the store's folder; the absolute path of the start if only that one exists."""
    if folder is None:
        return absolute
    found = os.path.normpath(folder / near)
    return absolute if _is_there(absolute) and not _is_there(found) else found


def _is_there(path: str) -> bool:
    """Whether a path exists, or a glob matches anything."""
    return os.path.exists(path) or bool(glob(path))
