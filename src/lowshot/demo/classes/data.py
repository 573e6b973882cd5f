"""The data of the demo with many classes: 34 classes of Tiny-ImageNet, as one real classifier scored their pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

import numpy as np

from lowshot.checks import Id
from lowshot.core.types import Floats, Integers
from lowshot.pools.class_pool import ClassPool

FILE = "tinyimagenet_classes.npz"
FINE_TUNED = 50  # labels per class on which the classifier was fine-tuned


@dataclass(frozen=True, eq=False)
class ClassTask:
    """A pool with many classes, and the true class of every item, which the simulated annotator knows.

    >>> task = load()
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

    @property
    def categories(self) -> int:
        return len(self.pool.categories)

    @cached_property
    def truths(self) -> dict[Id, float]:
        """The F1 of each class, from all labels."""
        found = f1_of(confusion(self.predicted, self.places, self.categories))
        return dict(zip(self.pool.categories, found.tolist(), strict=True))

    @property
    def truth(self) -> float:
        """The macro F1, from all labels."""
        return float(np.mean(list(self.truths.values())))


def confusion(predicted: Integers, true: Integers, categories: int) -> Floats:
    """[predicted class, true class]: how many items.

    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    counts = np.bincount(predicted * categories + true, minlength=categories**2)
    return counts.reshape(categories, categories).astype(np.float64)


def f1_of(table: Floats) -> Floats:
    """The F1 of each class; NaN where it is neither predicted nor true.

    >>> f1_of(np.array([[1.0, 1.0], [0.0, 1.0]])).round(2).tolist()
    [0.67, 0.67]
    """
    both = table.sum(axis=0) + table.sum(axis=1)
    found: Floats = np.divide(2 * np.diag(table), both, out=np.full(len(table), np.nan), where=both > 0)
    return found


def load() -> ClassTask:
    """The pool, whose classes are called by their numbers in Tiny-ImageNet."""
    with files("lowshot.demo").joinpath("data", FILE).open("rb") as file, np.load(file) as stored:
        category, scores, labels = stored["category"], stored["scores"], stored["labels"]
    pool = ClassPool(scores, classes=category.tolist())
    return ClassTask(pool, np.searchsorted(category, labels).astype(np.int64))
