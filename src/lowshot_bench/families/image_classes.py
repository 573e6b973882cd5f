"""One image classifier with all its classes at once: every task is the same model on a pool with other class sizes."""

from pathlib import Path

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Integers
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot_bench.families.pools import HALVES
from lowshot_bench.families.real import RealFamily
from lowshot_bench.families.task import Classes, Task
from lowshot_bench.halves import half_of_model

SMALLEST, LARGEST = 0.1, 1.0  # the share of a class that is kept is uniform between these
SEED = 2026  # of the shares and of the items that are kept; part of the data, independent of a run's seed
HALF = 0.5  # the probability from which a class is predicted against all others


class ImageClasses:
    """All classes of `FOLDER/MODEL.npy` (see `RealFamily`), `runs` times, each time with other shares of the classes.

        family = ImageClasses("scores", "swav")
        task = family.load(7)          # run 7: task.classes has the pool, and the class of every item

    model  the file; whole models are either for choosing settings or for reporting results
    runs   the number of tasks
    half   "choosing", "reporting" or "both": there are no tasks if the model is of the other half

    In run r each class keeps a share of its items that is uniform between 0.1 and 1. Shares and items depend on r only,
    so all models are run on the same items. The pool of the task itself is one class against all others, predicted from
    a probability of 0.5 on: class r, or the next one that is predicted and occurs.
    """

    def __init__(self, folder: str | Path, model: str, runs: int = 100, half: str = "reporting") -> None:
        self.files = RealFamily(folder, model, thinned=False)
        self.model, self.runs = model, checks.whole_number("runs", runs, 1)
        self.half = checks.choice("half", half, HALVES)
        self.name = f"{model} classes"

    def categories(self) -> list[int]:
        return list(range(self.runs)) if self.half in (half_of_model(self.model), "both") else []

    def excluded(self) -> dict[int, str]:
        return {}

    def not_run(self) -> str:
        """A line if the model is in the other half."""
        if self.categories():
            return ""
        return f"{self.name}: not run, because {self.model} is for {half_of_model(self.model)}; --half both runs it too"

    def group_of(self, category: int) -> str:
        """The model."""
        return self.model

    def task_name(self, category: int) -> str:
        return f"{self.model}/run {category}/thinned"

    def load(self, category: int) -> Task:
        """One run as a task."""
        if category not in self.categories():
            raise InputError(f"category must be a run of the half {self.half!r}: got {category!r}")
        every, labels = self.files.scores, self.files.classes_of_items
        kept = np.flatnonzero(thinned(labels, every.shape[1], (SEED, category)))
        scores = np.asarray(every[kept])
        classes = Classes(scores, labels[kept], self.files.best_classes[kept])
        rare = _predicted(classes, category)
        logs = scores[:, rare].astype(np.float32)
        pool = Pool(logs, logs >= np.log(HALF), scale="log")
        return Task(
            "images",
            category,
            pool,
            classes.labels == rare,
            kept=kept,
            name=self.task_name(category),
            alike=self.runs,
            classes=classes,
        )


def thinned(labels: Integers, classes: int, seed: tuple[int, int]) -> Flags:
    """Which items are kept if each class keeps a random share of its items, at least one of them.

    >>> kept = thinned(np.repeat([0, 1], [1000, 3]), 2, (0, 0))
    >>> 100 <= int(kept[:1000].sum()) <= 1000, bool(kept[1000:].any())
    (True, True)
    """
    random = np.random.default_rng(seed)
    share = random.uniform(SMALLEST, LARGEST, size=classes)
    count = np.bincount(labels, minlength=classes)
    wanted = np.maximum(np.round(share * count), 1)
    order = np.lexsort((random.random(len(labels)), labels))  # by class, in random order inside each
    place = np.empty(len(labels), dtype=np.int64)
    place[order] = np.arange(len(labels)) - np.repeat(np.cumsum(count) - count, count)
    kept: Flags = place < wanted[labels]
    return kept


def _predicted(classes: Classes, first: int) -> int:
    """The first class from this one on that occurs and whose probability is 0.5 or more for some item."""
    likely = (classes.scores >= np.log(HALF)).any(axis=0)
    usable = np.flatnonzero(likely & (np.bincount(classes.labels, minlength=len(likely)) > 0))
    if not len(usable):
        raise InputError(f"scores must give a probability of {HALF} or more to some item of some class: none has one")
    return int(usable[np.searchsorted(usable, first % len(likely)) % len(usable)])
