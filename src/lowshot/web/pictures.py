"""Pictures by random names, from under one folder, and nothing but pictures."""

import secrets
from pathlib import Path
from typing import NamedTuple

from lowshot.checks import Id

MOST = 20 * 2**20  # bytes of a picture


class Picture(NamedTuple):
    content: bytes
    media_type: str


def media_type(content: bytes) -> str | None:
    """What a file is by its first bytes, whatever its name says; None if it is no picture that we show.

    >>> media_type(b"GIF89a..."), media_type(b"<svg onload=...>")
    ('image/gif', None)
    """
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None


class Pictures:
    """Only what was named here can be read: a picture gets its name when its item is shown to somebody."""

    def __init__(self, root: str | Path | None) -> None:
        self._root = None if root is None else Path(root).resolve()
        self._paths: dict[str, str] = {}
        self._names: dict[tuple[Id, str], str] = {}

    def name(self, item: Id, path: str) -> str:
        """A random name for the picture of an item; the same one whenever it is shown again."""
        name = self._names.setdefault((item, path), secrets.token_urlsafe(16))
        self._paths[name] = path
        return name

    def read(self, name: str) -> Picture | None:
        """The picture; None if there is none by this name, or it is something else, or somewhere else."""
        path = self._inside(self._paths[name]) if name in self._paths else None
        try:
            if path is None or not path.is_file() or path.stat().st_size > MOST:
                return None
            content = path.read_bytes()
        except OSError:
            return None
        kind = media_type(content)
        return None if kind is None else Picture(content, kind)

    def _inside(self, path: str) -> Path | None:
        """Where a path really leads, if that is under the root: no `..`, no link out, no address of another kind."""
        if self._root is None or "://" in path or "\0" in path:
            return None
        try:
            found = (self._root / path).resolve()
        except (OSError, RuntimeError):  # a name that is too long, a loop of links
            return None
        return found if found.is_relative_to(self._root) else None
