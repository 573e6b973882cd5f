"""How an item is shown to people: a picture, a text, or several fields."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lowshot import checks
from lowshot.checks import Id
from lowshot.errors import InputError

KINDS = ("image", "text", "fields")
Fields = Sequence[tuple[str, Any]]


class Part(NamedTuple):
    """One field of an item. The value of a picture is its path, which nobody is shown."""

    name: str
    value: str
    picture: bool = False


@dataclass(frozen=True)
class Shown:
    """What people see of an item, and what they are asked.

    >>> shown = Shown("fields", {7: [("title", "Red shoes"), ("price", 20)]}, question="Is it an advertisement?")
    >>> shown.parts(7)
    [Part(name='title', value='Red shoes', picture=False), Part(name='price', value='20', picture=False)]

    kind          "image" (the first field is the path of a picture), "text" or "fields"
    fields        {id: [(name, value), ...]}, or a function from id to [(name, value), ...]
    media_root    the folder that pictures are in: nothing outside of it is ever shown
    question      what people answer with yes or no
    instructions  what they should know, as plain text
    reference     ids of items that are positive for sure, to look at
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
            raise InputError("media_root must be the folder that the pictures are in: got None")
        if self.media_root is not None and not Path(self.media_root).is_dir():
            raise InputError(f"media_root must be a folder that exists: got {str(self.media_root)!r}")

    def parts(self, item: Id) -> list[Part]:
        """The fields of an item as texts; the first of an image is its picture."""
        if isinstance(self.fields, Mapping) and item not in self.fields:
            raise InputError(f"fields must have every item of the pool: {item!r} is missing")
        found = self.fields[item] if isinstance(self.fields, Mapping) else self.fields(item)
        try:
            parts = [Part(str(name), str(value)) for name, value in found]
        except (TypeError, ValueError):
            raise InputError(f"fields must be [(name, value), ...] for each item: got {found!r} for {item!r}") from None
        if self.kind == "image":
            if not parts:
                raise InputError(f"fields of an image must begin with its path: got none for {item!r}")
            parts[0] = parts[0]._replace(picture=True)
        return parts
