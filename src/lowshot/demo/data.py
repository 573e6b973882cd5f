"""Real scores that are shipped: six categories, each scored by two classifiers on the same 55,084 images; and 34
classes, scored by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowshot import checks, tasks
from lowshot.checks import Id
from lowshot.core.types import Flags, Integers
from lowshot.errors import InputError
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.memory import Pool

CATEGORIES = {83: 5, 181: 25, 7: 50, 135: 75, 193: 90, 109: 97}  # class: per cent of the odd classes with a lower F1
DEFAULT = 7  # the class with the median F1
ITEMS = 55_084  # images in the file
BASELINE, CANDIDATE = "v1", "v2"  # the two models, fine-tuned on 50 and 250 labels per class; the demo shows v2
FILES = {BASELINE: "tinyimagenet_50.npz", CANDIDATE: "tinyimagenet.npz"}
CLASSES = "tinyimagenet_classes.npz"
SEED = 2021  # chooses the positives that stay; fixed, so that every run has the same pool


class StoredColumns(NamedTuple):
    """One value per image: score, prediction, label."""

    scores: NDArray[np.float16]
    predictions: Flags
    labels: Flags


@dataclass(frozen=True, eq=False)
class Task(tasks.Task):
    """A category to evaluate, and the labels that the simulated annotator knows.

    >>> task = load(109)
    >>> task.pool, task.positives
    (Pool(54,861 items, 122 predicted positive), 55)
    >>> task.answer([0, 1, 2])
    [0, 0, 0]
    """

    category: int


@dataclass(frozen=True, eq=False)
class Pair:
    """A category that two models have scored: each as a task of its own, and both in one pool.

    >>> pair = load_pair(109)
    >>> pair.pool, pair.disagreements
    (Pool(54,861 items; predicted positive: v1 178, v2 122), 210)
    >>> round(pair.baseline.truth(), 3), round(pair.candidate.truth(), 3), round(pair.difference, 3)
    (0.258, 0.463, 0.206)
    """

    baseline: Task
    candidate: Task
    pool: Pool

    @property
    def category(self) -> int:
        return self.candidate.category

    @property
    def difference(self) -> float:
        """The true F1 of the candidate minus that of the baseline."""
        return self.candidate.truth() - self.baseline.truth()

    @property
    def disagreements(self) -> int:
        """How many items only one of the models predicts positive."""
        return int(np.count_nonzero(self.baseline.pool.predictions != self.candidate.pool.predictions))

    def answer(self, items: Sequence[Id]) -> list[int]:
        """What a person would say about these items."""
        return self.candidate.answer(items)


@dataclass(frozen=True, eq=False)
class ClassTask:
    """A pool with many classes, and the class of every item, which the simulated annotator knows.

    >>> task = load_classes()
    >>> task.pool, round(task.truth, 3)
    (ClassPool(4,985 items, 34 classes), 0.469)
    >>> task.answer([0, 1, 2])
    [150, 60, 120]
    """

    pool: ClassPool
    places: Integers  # [item]: the place of its class

    def answer(self, items: Sequence[Id]) -> list[Id]:
        """What a person would say about these items."""
        return [self.pool.categories[place] for place in self.places[self.pool.positions(items)].tolist()]

    @cached_property
    def predicted(self) -> Integers:
        """[item]: the place of the predicted class."""
        place_of = {name: place for place, name in enumerate(self.pool.categories)}
        names = self.pool.predicted_names(np.arange(len(self.pool)))
        return np.array([place_of[name] for (name,) in names], dtype=np.int64)

    @cached_property
    def truths(self) -> dict[Id, float]:
        """The F1 of each class, from all labels."""
        size = len(self.pool.categories)
        hits = np.bincount(self.places[self.places == self.predicted], minlength=size)
        true, predicted = (np.bincount(places, minlength=size) for places in (self.places, self.predicted))
        return dict(zip(self.pool.categories, (2 * hits / (true + predicted)).tolist(), strict=True))

    @property
    def truth(self) -> float:
        """The macro F1, from all labels."""
        return float(np.mean(list(self.truths.values())))


def load(category: int = DEFAULT, *, all_positives: bool = False, model: str = CANDIDATE) -> Task:
    """One category as a task, with one positive in 1,000 items unless `all_positives`.

    >>> load(7).positives, load(7, all_positives=True).positives
    (55, 276)
    """
    columns = read(category, model)
    kept = np.ones(ITEMS, dtype=np.bool_) if all_positives else tasks.thin(columns.labels, SEED)
    pool = Pool(columns.scores[kept], columns.predictions[kept], scale="log")
    return Task(pool, columns.labels[kept], category)


def load_pair(category: int = DEFAULT, *, all_positives: bool = False) -> Pair:
    """One category with both models, on the same items as `load`."""
    alone = {model: load(category, all_positives=all_positives, model=model) for model in FILES}
    scores = {model: task.pool.scores for model, task in alone.items()}
    predictions = {model: task.pool.predictions for model, task in alone.items()}
    return Pair(alone[BASELINE], alone[CANDIDATE], Pool(scores, predictions, scale="log"))


def load_classes() -> ClassTask:
    """34 classes, called by their numbers, as one classifier scored 4,985 pictures of them."""
    with files("lowshot.demo").joinpath("data", CLASSES).open("rb") as file, np.load(file) as stored:
        category, scores, labels = stored["category"], stored["scores"], stored["labels"]
    return ClassTask(ClassPool(scores, classes=category.tolist()), np.searchsorted(category, labels).astype(np.int64))


def read(category: int, model: str = CANDIDATE) -> StoredColumns:
    """The columns of a category as stored, with all images. The labels are the same in the files of both models."""
    if category not in CATEGORIES:
        raise InputError(f"category must be one of {', '.join(map(str, CATEGORIES))}: got {category!r}")
    name = FILES[checks.choice("model", model, list(FILES))]
    with files("lowshot.demo").joinpath("data", name).open("rb") as file, np.load(file) as stored:
        row = stored["category"].tolist().index(category)
        return StoredColumns(stored["scores"][row], _bits(stored["predictions"][row]), _bits(stored["labels"][row]))


def _bits(packed: NDArray[np.uint8]) -> Flags:
    return np.unpackbits(packed, count=ITEMS).astype(np.bool_)
