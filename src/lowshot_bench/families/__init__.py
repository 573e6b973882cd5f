"""Where tasks come from.

task             a task, and the protocol of a family of tasks
real             score files of real classifiers
simulated        simulated classifiers at the paper's sizes: the fitted constants and the families
generator        the formulas of one simulated class
random_streams   the random numbers of the generator
user_files       the user's own files
pools            a folder of real pools of several kinds: the family
image_models     sets of the models of `real`
image_classes    all classes of one model of `real` at once
pool_models      sets of the models of one data set of `pools`
slices           pools in slices: at random, and as another model sees their items
rankings         each ranking of `real` and `pools` once, at one operating point
pool_index       its index.json
pool_files       its files of scores and labels
disagree         simulated pairs of models whose rankings disagree
near_perfect     near-perfect pools, made from good ones by deleting mistakes
shipped          the categories that are shipped with lowshot
score_files      reading and checking files of scores and labels
"""

from collections.abc import Mapping
from typing import Any

from lowshot.errors import InputError
from lowshot_bench.data_folders import DATA_FOLDERS, Folders, folder_of, folders
from lowshot_bench.families.disagree import DisagreeFamily
from lowshot_bench.families.image_classes import ImageClasses
from lowshot_bench.families.image_models import ImageModels
from lowshot_bench.families.pool_models import PoolModels
from lowshot_bench.families.pools import PoolsFamily
from lowshot_bench.families.rankings import ImageRankings, PoolRankings
from lowshot_bench.families.real import RealFamily
from lowshot_bench.families.shipped import ShippedFamily
from lowshot_bench.families.simulated import SimulatedFamily
from lowshot_bench.families.slices import ImageSlices, PoolSlices
from lowshot_bench.families.task import Family, Task
from lowshot_bench.families.user_files import BinaryFamily, LogitsFamily

__all__ = [
    "BinaryFamily",
    "DisagreeFamily",
    "Family",
    "ImageClasses",
    "ImageModels",
    "ImageRankings",
    "ImageSlices",
    "LogitsFamily",
    "PoolModels",
    "PoolRankings",
    "PoolSlices",
    "PoolsFamily",
    "RealFamily",
    "ShippedFamily",
    "SimulatedFamily",
    "Task",
    "make_family",
]

FROM_FOLDER = {
    "real": RealFamily,
    "pools": PoolsFamily,
    "image_models": ImageModels,
    "image_classes": ImageClasses,
    "pool_models": PoolModels,
    "image_rankings": ImageRankings,
    "pool_rankings": PoolRankings,
    "image_slices": ImageSlices,
    "pool_slices": PoolSlices,
}
KINDS = {
    "simulated": SimulatedFamily,
    "disagree": DisagreeFamily,
    "shipped": ShippedFamily,
    "logits": LogitsFamily,
    "binary": BinaryFamily,
}


def make_family(kind: str, arguments: Mapping[str, Any], data: Folders = None) -> Family:
    """A family of this kind with these arguments; `data` is the folder of the real score files or pools, or several.

    >>> make_family("simulated", {"name": "easy", "model": "b"}).name
    'easy b'
    >>> make_family("real", {"model": "simclr"})
    Traceback (most recent call last):
    lowshot.errors.InputError: data must be the folder with labels.npz and one .npy file of scores per model: got None;
    ...
    """
    if kind in FROM_FOLDER:
        folder = folder_of(kind, data)
        if folder is None:
            came = " and ".join(map(str, folders(data))) or "None"
            raise InputError(f"data must be {DATA_FOLDERS[kind].words}: got {came}; give its path")
        return _made(kind, FROM_FOLDER[kind], {"folder": folder, **arguments})
    if kind not in KINDS:
        raise InputError(f"family must be one of {', '.join((*FROM_FOLDER, *KINDS))}: got {kind!r}")
    return _made(kind, KINDS[kind], arguments)


def _made(kind: str, family: Any, arguments: Mapping[str, Any]) -> Family:
    try:
        made: Family = family(**arguments)
    except TypeError as error:
        raise InputError(
            f"family {kind} cannot be made with {', '.join(arguments) or 'no arguments'}: {error}"
        ) from None
    return made
