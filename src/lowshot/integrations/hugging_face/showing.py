"""What people see of a row of a Dataset: texts, names of classes, and pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lowshot import checks
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.integrations.hugging_face.source import Source, library
from lowshot.pictures import media_type


@dataclass(frozen=True)
class Texts:
    """A column as texts. Only the rows that are shown are read."""

    source: Source
    name: str

    def __getitem__(self, places: list[int]) -> list[Any]:
        values = rows(self.source, [self.name], places)[self.name]
        return [_as_text(value) for value in values] if is_picture(self.source, self.name) else values


def texts(source: Source, show: Any) -> dict[str, Texts]:
    """The columns that a pool shows. A picture is the path of its file; the widget shows it if it is there."""
    return {name: Texts(source, source.require("show", name)) for name in checks.listed("show", show)}


def rows(source: Source, names: Sequence[str], places: Sequence[int]) -> dict[str, list[Any]]:
    """The values of some rows, with ClassLabels by name. Pictures are not decoded: {"bytes", "path"}."""
    found = source.dataset.select_columns(list(names)).with_format("arrow")[list(places)]
    values = {name: found.column(name).to_pylist() for name in names}
    for name in names:
        if labels := source.class_names(name):
            values[name] = [None if one is None or one < 0 else labels[one] for one in values[name]]
    return values


def is_picture(source: Source, name: str) -> bool:
    return isinstance(source.feature(name), library().Image)


def _as_text(picture: Mapping[str, Any] | None) -> str | None:
    return None if picture is None else picture.get("path") or f"a picture of {len(picture['bytes']):,} bytes"


def show(dataset: Any, columns: Sequence[str], *, id: str | None = None) -> Callable[[Id], dict[str, Any]]:
    """A function from the id of an item to what people see of it, for `Evaluation.widget`: pictures as pictures.

    >>> from datasets import Dataset
    >>> from lowshot.integrations import hugging_face
    >>> rows = Dataset.from_dict({"key": ["a", "b"], "text": ["Buy now!", "See you"]})
    >>> hugging_face.show(rows, ["text"], id="key")("b")
    {'text': 'See you'}

    columns  what is shown
    id       the column with the ids of the pool; the places of the rows if not given
    """
    source = Source.of(dataset)
    names = [source.require("columns", name) for name in checks.listed("columns", columns)]
    place_of = places(source, id)

    def found(item: Id) -> dict[str, Any]:
        if item not in place_of:
            raise InputError(f"show must have every item of the pool: {item!r} is missing in the dataset")
        place = place_of[item]
        values = {name: value[0] for name, value in rows(source, names, [place]).items()}
        pictures = {name: _picture(source, name, values[name], place) for name in names if is_picture(source, name)}
        return {**values, **pictures}

    return found


def places(source: Source, id: str | None) -> Mapping[Any, int]:
    """The place of each row by its id."""
    if id is None:
        return {place: place for place in range(len(source.dataset))}
    ids = source.frame().ids(id)
    return {} if ids is None else {name: place for place, name in enumerate(ids.tolist())}


def _picture(source: Source, name: str, value: Mapping[str, Any] | None, place: int) -> Any:
    """A picture as `notebook.showing` takes it: bytes that browsers can show, a path, or an image of Pillow."""
    if value is None:
        return None
    content = value.get("bytes")
    if content is None:
        return Path(value["path"])
    return content if media_type(content) else source.dataset.with_format(None)[place][name]
