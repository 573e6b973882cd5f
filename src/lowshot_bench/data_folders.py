"""The folders that are given with --data: which family of tasks reads which one."""

from pathlib import Path
from typing import NamedTuple


class DataFolder(NamedTuple):
    """The file that a folder is known by, and what must be in it."""

    file: str
    words: str


_SCORES = DataFolder("labels.npz", "the folder with labels.npz and one .npy file of scores per model")
_POOLS = DataFolder("index.json", "the folder with index.json and one file of labels and scores per data set")
DATA_FOLDERS = {  # by family
    "real": _SCORES,
    "image_models": _SCORES,
    "image_classes": _SCORES,
    "image_rankings": _SCORES,
    "image_slices": _SCORES,
    "pools": _POOLS,
    "pool_models": _POOLS,
    "pool_rankings": _POOLS,
    "pool_slices": _POOLS,
}
Folders = str | Path | tuple[Path, ...] | None  # what was given: nothing, one folder, or several


def folders(data: Folders) -> tuple[Path, ...]:
    """All folders that were given.

    >>> folders(None), [str(folder) for folder in folders("scores")]
    ((), ['scores'])
    """
    if data is None:
        return ()
    return data if isinstance(data, tuple) else (Path(data),)


def folder_of(family: str, data: Folders) -> Path | None:
    """The folder that this family reads: the only one that was given, or the one that has its file."""
    given = folders(data)
    return given[0] if len(given) == 1 else next((folder for folder in given if _has(folder, family)), None)


def there(family: str, data: Folders) -> bool:
    """Whether one of the folders has the file of this family, or it needs none.

    >>> there("pools", None), there("shipped", None)
    (False, True)
    """
    return family not in DATA_FOLDERS or any(_has(folder, family) for folder in folders(data))


def _has(folder: Path, family: str) -> bool:
    return (folder / DATA_FOLDERS[family].file).is_file()
