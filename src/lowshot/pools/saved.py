"""Arrays and plain facts in one file, with a checksum: what a pool found is kept this way.

The file is a header of 64 bytes (a word that says what it is, and the SHA-256 of the rest) and an Arrow IPC file. This
has one row, in which each array is one list, so that arrays of different lengths and types lie side by side and are
used where they are. Plain facts are JSON in the metadata of its schema. Nothing in it is ever executed.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lowshot.checks import Id
from lowshot.pools.engine import AnyArray

MAGIC = b"lowshot pool, format 1\n".ljust(32, b"\0")
HEADER = 64  # bytes; Arrow wants its buffers at multiples of 64
FACTS = b"lowshot"
PIECE = 2**22  # bytes that are hashed at a time


class Parts(NamedTuple):
    """What is kept: facts that JSON can write, and arrays of numbers, flags or texts by name."""

    facts: dict[str, Any]
    columns: Mapping[str, Any]  # NumPy arrays, or lists of texts in which None is a missing one


class Texts(Sequence[Any]):
    """A column of texts in a file. Each becomes a Python object when it is asked for."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: Any) -> Any:
        return self._values[place].as_py()


class SavedIds:
    """Ids in a file, as `pools.fetched.Ids`. They are looked up by Arrow, without a Python object for each."""

    def __init__(self, values: Any) -> None:
        import pyarrow

        self._values, self._numbered = values, pyarrow.types.is_integer(values.type)

    def __len__(self) -> int:
        return len(self._values)

    def at(self, places: Sequence[int]) -> list[Id]:
        import pyarrow

        found: list[Id] = self._values.take(pyarrow.array(places, pyarrow.int64())).to_pylist()
        return found

    def find(self, items: Sequence[Id]) -> list[int | None]:
        import pyarrow
        import pyarrow.compute

        known = [place for place, item in enumerate(items) if self._possible(item)]
        wanted = pyarrow.array([items[place] for place in known], self._values.type)
        number = pyarrow.compute.index_in(self._values, value_set=wanted)  # of each id here: its place in `wanted`
        there = np.flatnonzero(number.is_valid().to_numpy(zero_copy_only=False))
        which = number.take(pyarrow.array(there)).to_pylist()
        at = {items[known[each]]: place for each, place in zip(which, there.tolist(), strict=True)}
        return [at.get(item) for item in items]

    def _possible(self, item: Id) -> bool:
        """Whether Arrow can hold it: an integer of 64 bits, or a text that has UTF-8."""
        if isinstance(item, int):
            return self._numbered and -(2**63) <= item < 2**63
        return not self._numbered and (item.isascii() or item.encode(errors="ignore").decode() == item)

    def array(self) -> AnyArray:
        return _as_array(self._values)


class Saved:
    """A file that was read."""

    def __init__(self, facts: dict[str, Any], arrays: Mapping[str, Any], shapes: Mapping[str, Any]) -> None:
        self.facts, self._arrays, self._shapes = facts, arrays, shapes

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def names(self, prefix: str) -> list[str]:
        """What comes after the prefix, for all arrays that begin with it."""
        return [name.removeprefix(prefix) for name in self._arrays if name.startswith(prefix)]

    def array(self, name: str) -> AnyArray:
        """As it was given, but read-only."""
        values, shape = self._arrays[name], self._shapes[name]
        return _as_array(values) if shape is None else values.to_numpy().view(shape[0]).reshape(shape[1])

    def ids(self, name: str) -> SavedIds:
        return SavedIds(self._arrays[name])

    def texts(self, name: str) -> Texts:
        return Texts(self._arrays[name])


def _as_array(values: Any) -> AnyArray:
    import pyarrow

    if pyarrow.types.is_integer(values.type):
        return np.asarray(values.to_numpy())
    if not pyarrow.types.is_large_string(values.type):
        raise ValueError(f"an array without a shape has ids or texts: got {values.type}")
    found = np.empty(len(values), dtype=object)
    found[:] = values.to_pylist()
    return found


def save(path: Path, parts: Parts, mode: int = 0o600) -> None:
    """Write the file as a whole: readers see the one from before or the new one, and never a part of it.

    Raises OSError if it cannot be written, and ValueError if something cannot be kept, such as an id that has no UTF-8.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            _write(file, parts)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _write(file: Any, parts: Parts) -> None:
    import pyarrow
    import pyarrow.ipc

    lists, shapes = {}, {}
    for name, values in parts.columns.items():
        plain, shapes[name] = _plain(values)
        lists[name] = pyarrow.LargeListArray.from_arrays([0, len(plain)], plain)
    facts = json.dumps({"facts": parts.facts, "shapes": shapes}).encode()
    batch = pyarrow.record_batch(list(lists.values()), list(lists))
    schema = batch.schema.with_metadata({FACTS: facts})
    file.write(b"\0" * HEADER)
    with pyarrow.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch.replace_schema_metadata({FACTS: facts}))
    file.seek(HEADER)
    digest = hashlib.sha256()
    while piece := file.read(PIECE):
        digest.update(piece)
    file.seek(0)
    file.write(MAGIC + digest.digest())


def _plain(values: Any) -> tuple[Any, Any]:
    """As an Arrow array, with its type and shape if it is an array of numbers or flags."""
    import pyarrow

    if not isinstance(values, np.ndarray) or values.dtype == object:
        listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
        try:
            return pyarrow.array(listed, pyarrow.large_string()), None
        except pyarrow.ArrowException as error:  # an integer beyond 64 bits
            raise ValueError(str(error)) from None
    flat = np.ascontiguousarray(values).ravel()
    shape = (values.dtype.str, list(values.shape))
    return pyarrow.array(flat.view(np.uint8) if flat.dtype == np.bool_ else flat), shape


def load(path: Path) -> Saved | None:
    """The file at this path; None if there is none, or if it is damaged or something else."""
    import pyarrow
    import pyarrow.ipc

    try:
        whole = memoryview(path.read_bytes())
        if bytes(whole[:32]) != MAGIC or hashlib.sha256(whole[HEADER:]).digest() != bytes(whole[32:HEADER]):
            return None
        reader = pyarrow.ipc.open_file(pyarrow.py_buffer(whole)[HEADER:])
        batch = reader.get_batch(0)
        batch.validate(full=True)  # lists and texts lie inside the file: a checksum is no proof of who wrote it
        plain = json.loads(reader.schema.metadata[FACTS])
        arrays = {name: batch.column(place).flatten() for place, name in enumerate(batch.schema.names)}
        return Saved(plain["facts"], arrays, plain["shapes"])
    except (OSError, ValueError, KeyError, TypeError, pyarrow.ArrowException):
        return None
