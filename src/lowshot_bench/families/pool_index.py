"""`index.json` of a folder of pools: which pools there are, which files hold them, and in which half they are."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lowshot import checks
from lowshot.errors import InputError
from lowshot.pools.scale import Scale, known_scale
from lowshot_bench.families.near_perfect import LEVELS
from lowshot_bench.halves import Half, halves

FORMAT = "docs/bench.md describes the folder"
TEXTS = ("dataset", "kind", "model", "point")
LABEL = "label"  # the column or array that holds the labels of a data set


@dataclass(frozen=True)
class PoolEntry:
    """One line of `index.json`: a model's scores for a data set, and the threshold from which it predicts positive."""

    number: int  # the position in index.json
    dataset: str
    kind: str
    model: str
    point: str  # of operation: which of several thresholds
    threshold: float
    scale: Scale | None = None

    @property
    def name(self) -> str:
        return f"{self.dataset}/{self.model}/{self.point}"


def read_index(folder: Path) -> list[PoolEntry]:
    """All pools of the folder, checked; the files of scores are not opened."""
    path = folder / "index.json"
    if not path.is_file():
        raise InputError(f"data must be a folder with index.json: there is no file {path}; {FORMAT}")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} must be JSON: {error}; {FORMAT}") from None
    if not isinstance(found, list) or not found:
        came = "an empty list" if found == [] else f"a {type(found).__name__}"
        raise InputError(f"{path} must be a list with one object per pool: got {came}; {FORMAT}")
    return checked([_entry(path, number, values) for number, values in enumerate(found)])


def _entry(path: Path, number: int, values: Any) -> PoolEntry:
    """One pool. Keys that are not used here, such as the number of items, are allowed."""
    place = f"{path}, entry {number}"
    if not isinstance(values, dict):
        raise InputError(f"{place} must be an object: got {values!r}; {FORMAT}")
    missing = [key for key in (*TEXTS, "threshold") if key not in values]
    if missing:
        raise InputError(f"{place} must have {', '.join((*TEXTS, 'threshold'))}: {', '.join(missing)} missing")
    try:
        dataset, kind, model, point = (_text(key, values[key]) for key in TEXTS)
        threshold, scale = _threshold(values["threshold"]), known_scale(values.get("scale"))
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    return PoolEntry(number, dataset, kind, model, point, threshold, scale)


def _text(key: str, value: Any) -> str:
    """A name without slashes, because a pool is named dataset/model/point and the data set is the name of a file.

    >>> _text("model", "a/b")
    Traceback (most recent call last):
    lowshot.errors.InputError: model must be a name without / and \\, not beginning with a dot: got 'a/b'; rename it
    """
    name = checks.text(key, value)
    if "/" in name or "\\" in name or name.startswith("."):
        raise InputError(f"{key} must be a name without / and \\, not beginning with a dot: got {name!r}; rename it")
    if key == "point" and name in LEVELS:
        raise InputError(f"point must not be {', '.join(LEVELS)}, which lowshot uses itself: got {name!r}; rename it")
    if key == "model" and name == LABEL:
        raise InputError(f"model must not be {LABEL!r}, the name of the column of labels; rename it")
    return name


def _threshold(value: Any) -> float:
    try:
        return checks.finite("threshold", value)
    except OverflowError:  # a whole number of more than 308 digits
        raise InputError("threshold must be a finite number: got one that is too large") from None


def checked(entries: list[PoolEntry]) -> list[PoolEntry]:
    """The same entries, if all have names of their own and each data set is of one kind.

    >>> entry = PoolEntry(0, "cover", "tabular", "lr", "half", 0.5)
    >>> checked([entry, entry])
    Traceback (most recent call last):
    lowshot.errors.InputError: index.json must list each pool once: cover/lr/half is there 2 times; ...
    """
    name, times = Counter(entry.name for entry in entries).most_common(1)[0]
    if times > 1:
        raise InputError(
            f"index.json must list each pool once: {name} is there {times} times; give each threshold its own point"
        )
    kinds: dict[str, str] = {}
    for entry in entries:
        if kinds.setdefault(entry.dataset, entry.kind) != entry.kind:
            both = f"{kinds[entry.dataset]} and {entry.kind}"
            raise InputError(f"index.json must name one kind per data set: {entry.dataset} is {both}; choose one")
    return entries


def halves_of(entries: Iterable[PoolEntry]) -> dict[str, Half]:
    """The half of each data set."""
    return halves((entry.kind, entry.dataset) for entry in entries)
