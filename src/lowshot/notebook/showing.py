"""What people see of an item in a notebook: text, fields and pictures, from whatever `show` gives."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lowshot.checks import Id
from lowshot.errors import InputError, MissingExtra
from lowshot.pictures import MOST, media_type
from lowshot.pools.base import BasePool

Part: TypeAlias = dict[str, Any]  # {"name", "text"}, or {"name", "picture": bytes, "type"}; plain data for the browser
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
NEEDED = "a text, a picture (a path, bytes, an image of Pillow or an array), or a mapping of fields"


def finder(show: Any, pool: BasePool) -> Callable[[Id], Any]:
    """A function from id to what is shown of an item.

    show  such a function; {id: ...}; a data frame or a Series of pandas whose index has the ids; None: the columns
          that the pool shows, or else the id

    >>> import lowshot
    >>> finder({7: "a crow"}, lowshot.Pool([0.9], threshold=0.5))(7)
    'a crow'
    """
    if show is None:
        return lambda item: _of_pool(pool, item)
    if hasattr(show, "loc") and hasattr(show, "index"):
        return lambda item: _in_frame(show, item)
    if isinstance(show, Mapping):
        return lambda item: _in_mapping(show, item)
    if callable(show):
        found: Callable[[Id], Any] = show
        return found
    raise InputError(
        "show must be a function from id to what is shown, a mapping by id, or a data frame of pandas whose index has"
        f" the ids: got {type(show).__name__}"
    )


def _of_pool(pool: BasePool, item: Id) -> Any:
    shown = pool.shown([item]) or [{}]  # None, or nothing per item, if the pool has no such columns
    return shown[0] or str(item)


def _in_mapping(show: Mapping[Id, Any], item: Id) -> Any:
    if item not in show:
        raise InputError(f"show must have every item of the pool: {item!r} is missing")
    return show[item]


def _in_frame(frame: Any, item: Id) -> Any:
    places = frame.index.get_indexer_for([item])
    if len(places) != 1 or places[0] < 0:
        count = "twice" if len(places) > 1 else "nowhere"
        raise InputError(
            f"show must have every item of the pool once in its index: {item!r} is there {count}; use"
            " show=frame.set_index(...) with the column of ids"
        )
    return frame.iloc[places[0]]


def parts_of(value: Any) -> list[Part]:
    """What is shown of an item, as parts: texts and pictures.

    >>> parts_of({"title": "Red shoes", "price": 20})
    [{'name': 'title', 'text': 'Red shoes'}, {'name': 'price', 'text': '20'}]
    """
    if hasattr(value, "to_dict") and hasattr(value, "index"):  # a row of a data frame
        value = value.to_dict()
    if isinstance(value, Mapping):
        return [_part(str(name), one) for name, one in value.items()]
    return [_part("", value)]


def _part(name: str, value: Any) -> Part:
    content = _picture(value)
    if content is None:
        return {"name": name, "text": "" if value is None else str(value)}
    kind = media_type(content)
    if kind is None:
        raise InputError(f"show must give {NEEDED}: got {len(content):,} bytes that are no PNG, JPEG, GIF or WebP")
    if len(content) > MOST:
        raise InputError(f"show must give pictures of at most {MOST:,} bytes: got {len(content):,}; make it smaller")
    return {"name": name, "picture": content, "type": kind}


def _picture(value: Any) -> bytes | None:
    """The content of a picture; None if the value is none. A text that ends like one is one if the file exists."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, Path) or (isinstance(value, str) and value.lower().endswith(ENDINGS)):
        path = Path(value)
        if isinstance(value, Path) and not path.is_file():
            raise InputError(f"show must give the path of a file: there is none at {str(path)!r}")
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MOST else None
    if isinstance(value, np.ndarray):
        return _encoded(value)
    if hasattr(value, "_repr_png_"):  # images of Pillow, figures of some libraries
        drawn = value._repr_png_()
        return drawn if isinstance(drawn, bytes) else None
    return None


def _encoded(array: "np.ndarray[Any, Any]") -> bytes:
    """Pixels as PNG: whole numbers from 0 to 255, or fractions from 0 to 1."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise MissingExtra("a picture from an array needs Pillow: pip install 'lowshot[notebook]'") from None
    pixels = array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array
    if not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] in (3, 4))) or pixels.dtype.kind not in "fiub":
        raise InputError(
            f"show must give arrays of height x width, or height x width x 3 or 4: got {array.dtype} of {array.shape}"
        )
    if pixels.dtype.kind in "fb":
        pixels = np.nan_to_num(pixels.astype(np.float64)) * 255
    buffer = BytesIO()
    Image.fromarray(np.clip(np.round(pixels), 0, 255).astype(np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()
