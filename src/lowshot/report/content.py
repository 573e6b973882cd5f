"""The content of items in a report: texts, and pictures inside of the HTML file, within a limit of bytes."""

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lowshot.checks import Id

if TYPE_CHECKING:  # its package needs the extra of the store, which a report without contents does not need
    from lowshot.labelling.items import Part, Picture, Shown

MOST = 5 * 2**20  # bytes of all contents of a report together, as written into the file
LARGEST_PICTURE = 750_000  # bytes of a picture file: pictures are embedded as they are, and not scaled
SHORT_TEXT = 180  # characters that are shown of a text before it is opened
LONG_TEXT = 10_000  # characters that are shown of it then
LINE = 90  # characters of an item's content in a table


@dataclass(frozen=True)
class ShownPart:
    """One field of an item: a picture, or a text; `note` says why a picture is not there."""

    name: str
    text: str = ""
    whole: str = ""  # the whole text, if `text` is shortened
    picture: str = ""  # as a data: URI
    note: str = ""


class Contents:
    """What a report shows of items. What cannot be read is left out: a report is written in any case.

    >>> from lowshot.labelling.items import Shown
    >>> contents = Contents(Shown("fields", {7: [("title", "Red shoes"), ("price", 20)]}))
    >>> [(part.name, part.text) for part in contents.of(7)], contents.line(7), contents.of(8)
    ([('title', 'Red shoes'), ('price', '20')], 'Red shoes · 20', ())

    shown  how items are displayed; None: the report names items by their ids only
    most   bytes of all contents together; when they are used up, further contents are left out
    """

    def __init__(self, shown: "Shown | None", most: int = MOST) -> None:
        self._shown, self._left = shown, most
        self._parts: dict[Id, list[Part]] = {}

    @property
    def there(self) -> bool:
        """Whether anything but ids can be shown."""
        return self._shown is not None

    @property
    def pictures(self) -> bool:
        """Whether items are pictures."""
        return self._shown is not None and self._shown.kind == "image"

    def of(self, item: Id) -> tuple[ShownPart, ...]:
        """The fields of an item; none if they are not known, or if the limit is reached."""
        found = (self._picture(item, part) if part.picture else self._text(part) for part in self._read(item))
        return tuple(part for part in found if part is not None)

    def line(self, item: Id) -> str:
        """The texts of an item in one line."""
        text = " · ".join(" ".join(part.value.split()) for part in self._read(item) if not part.picture)
        text = shortened(text, LINE)
        return text if self._afford(len(text.encode(errors="replace"))) else ""

    def _read(self, item: Id) -> "list[Part]":
        """The fields, without texts that only repeat the id."""
        if self._shown is None:
            return []
        if item not in self._parts:
            try:
                parts = self._shown.parts(item)
            # `fields` may be any function of the user's, and a pool's file may have been moved.
            except Exception:
                parts = []
            self._parts[item] = [part for part in parts if part.picture or part.value not in ("", str(item))]
        return self._parts[item]

    def _text(self, part: "Part") -> ShownPart | None:
        text, whole = shortened(part.value, SHORT_TEXT), shortened(part.value, LONG_TEXT)
        if whole == text:
            whole = ""
        size = len(f"{part.name}{text}{whole}".encode(errors="replace"))
        return ShownPart(part.name, text, whole) if self._afford(size) else None

    def _picture(self, item: Id, part: "Part") -> ShownPart:
        found = self._file(item, part)
        if found is None:
            return ShownPart(part.name, note="the picture cannot be read")
        if len(found.content) > LARGEST_PICTURE:
            return ShownPart(part.name, note=f"the picture has more than {LARGEST_PICTURE // 1000} kB")
        uri = f"data:{found.media_type};base64,{b64encode(found.content).decode()}"
        if not self._afford(len(uri)):
            return ShownPart(part.name, note="the report has too many pictures to include this one")
        return ShownPart(part.name, picture=uri)

    def _file(self, item: Id, part: "Part") -> "Picture | None":
        from lowshot.labelling.items import Pictures

        assert self._shown is not None
        pictures = Pictures(self._shown.media_root)
        return pictures.read(pictures.name(item, part.value))

    def _afford(self, size: int) -> bool:
        """Whether so many bytes are left; if so, they are used."""
        if size > self._left:
            return False
        self._left -= size
        return True


def shortened(text: str, longest: int) -> str:
    """
    >>> shortened("a long text", 7), shortened("a text", 7)
    ('a long…', 'a text')
    """
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
