"""How an item is displayed: a picture, a text, or several fields; and the picture files, under random names."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lowshot import checks
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.pictures import MOST, media_type

KINDS = ("image", "text", "fields")
Fields = Sequence[tuple[str, Any]]


class Part(NamedTuple):
    """One field of an item. The value of a picture is its path, which is never sent to a browser."""

    name: str
    value: str
    picture: bool = False


@dataclass(frozen=True)
class Shown:
    """What annotators see of an item, and the question that they answer.

    >>> shown = Shown("fields", {7: [("title", "Red shoes"), ("price", 20)]}, question="Is it an advertisement?")
    >>> shown.parts(7)
    [Part(name='title', value='Red shoes', picture=False), Part(name='price', value='20', picture=False)]

    kind          "image" (the first field is the path of a picture), "text" or "fields"
    fields        {id: [(name, value), ...]}, or a function from id to [(name, value), ...]
    media_root    the folder that contains the pictures; files outside of it are never read
    question      a question that annotators answer with yes or no
    instructions  instructions for annotators, as Markdown or plain text
    reference     ids of items that are certainly positive, displayed as examples
    """

    kind: str
    fields: Mapping[Id, Fields] | Callable[[Id], Fields]
    media_root: str | Path | None = None
    question: str = "Is it one?"
    instructions: str = ""
    reference: Sequence[Id] = ()

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, KINDS)
        checks.text("question", self.question)
        checks.listed("reference", self.reference)
        if not isinstance(self.fields, Mapping) and not callable(self.fields):
            raise InputError(
                f"fields must be a mapping or a function from id to [(name, value), ...]: got {self.fields!r}"
            )
        if self.kind == "image" and self.media_root is None:
            raise InputError("media_root must be the folder that contains the pictures: got None; give its path")
        if self.media_root is not None and not Path(self.media_root).is_dir():
            raise InputError(f"media_root must be a folder that exists: got {str(self.media_root)!r}")

    def parts(self, item: Id) -> list[Part]:
        """The fields of an item as texts. The first field of an image is its picture."""
        if isinstance(self.fields, Mapping) and item not in self.fields:
            raise InputError(f"fields must have every item of the pool: {item!r} is missing")
        found = self.fields[item] if isinstance(self.fields, Mapping) else self.fields(item)
        try:
            parts = [Part(whole(str(name)), str(value)) for name, value in found]
        except (TypeError, ValueError):
            raise InputError(f"fields must be [(name, value), ...] for each item: got {found!r} for {item!r}") from None
        if self.kind == "image":
            if not parts:
                raise InputError(f"fields of an image must begin with its path: got none for {item!r}")
            parts[0] = parts[0]._replace(picture=True)
        return [part if part.picture else part._replace(value=whole(part.value)) for part in parts]


def whole(text: str) -> str:
    r"""A text that has UTF-8: half a character, as in an emoji that was cut in two, becomes a question mark.

    >>> whole("crow \ud83d")
    'crow ?'
    """
    return text.encode("utf-8", "replace").decode()


FIRST_BYTES = 12  # that tell the media type


class Picture(NamedTuple):
    content: bytes
    media_type: str


class Pictures:
    """Picture files under random names. A file gets a name when its item is first shown; others cannot be read."""

    def __init__(self, root: str | Path | None) -> None:
        self._root = None if root is None else Path(root).resolve()
        self._paths: dict[str, str] = {}
        self._names: dict[tuple[Id, str], str] = {}

    def name(self, item: Id, path: str) -> str:
        """The random name of an item's picture; the same name every time."""
        name = self._names.setdefault((item, path), secrets.token_urlsafe(16))
        self._paths[name] = path
        return name

    def read(self, name: str) -> Picture | None:
        """The picture; None if the name is unknown, or the file is no picture, too large or outside of the folder."""
        path = self._inside(self._paths[name]) if name in self._paths else None
        try:
            if path is None or not path.is_file() or path.stat().st_size > MOST:
                return None
            content = path.read_bytes()
        except OSError:
            return None
        kind = media_type(content)
        return None if kind is None else Picture(content, kind)

    def readable(self, path: str) -> bool:
        """Whether there is a picture at this path that a browser can get; only its first bytes are read."""
        found = self._inside(path)
        try:
            if found is None or not found.is_file() or found.stat().st_size > MOST:
                return False
            with found.open("rb") as file:
                return media_type(file.read(FIRST_BYTES)) is not None
        except OSError:
            return False

    def _inside(self, path: str) -> Path | None:
        """The resolved path; None if it leads out of the folder, by `..` or by a link, or if it is a URL."""
        if self._root is None or "://" in path or "\0" in path:
            return None
        try:
            found = (self._root / path).resolve()
        except (OSError, RuntimeError, ValueError):  # the name is too long or has no UTF-8, or links form a loop
            return None
        return found if found.is_relative_to(self._root) else None
