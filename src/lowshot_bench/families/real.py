"""Score files of real classifiers: each class against all others is a task."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Integers, Scores
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot.tasks import thin
from lowshot_bench.families.score_files import Matrix, class_labels, column, matrix, row_summary
from lowshot_bench.families.task import Task, reason_to_exclude

SEED = 2021  # chooses the positives that stay when a class is thinned; part of the data, independent of a run's seed
LOWEST_THRESHOLD = 1e-6  # of a probability; 0 would have no logarithm


class RealFamily:
    """The classes of `FOLDER/MODEL.npy`, log-softmax [items, classes], with `y` of `FOLDER/labels.npz`.

        family = RealFamily("scores", "simclr_250")      # scores/simclr_250.npy, scores/labels.npz
        task = family.load(7)                            # class 7 against all others: 0.1 % positives

    thinned     remove positives until one item in 1,000 is positive; always the same positives are removed
    others      further models of the folder: each task also has their predictions for the same items
    threshold   predict the class where its probability is above this; None: where it is the most likely class
    thresholds  further thresholds: each task also has the predictions that follow from them
    """

    def __init__(
        self,
        folder: str | Path,
        model: str,
        thinned: bool = True,
        others: Sequence[str] = (),
        threshold: float | None = None,
        thresholds: Sequence[float] = (),
    ) -> None:
        self.folder, self.model, self.others = Path(folder), model, tuple(others)
        self.thinned = checks.flag("thinned", thinned)
        self.threshold = None if threshold is None else checks.number("threshold", threshold, LOWEST_THRESHOLD, 1)
        self.thresholds = tuple(checks.number("thresholds", value, LOWEST_THRESHOLD, 1) for value in thresholds)
        self.name = model + ("" if thinned else " all") + ("" if threshold is None else f" threshold {threshold:g}")

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_scores", "_reasons")}

    @property
    def features_file(self) -> Path:
        """The file with the scores of all classes, which HERDING uses as features."""
        return self.folder / f"{self.model}.npy"

    @property
    def scores(self) -> Matrix:
        """The memory-mapped file, [items, classes]."""
        return self._scores

    @property
    def classes_of_items(self) -> Integers:
        """The true class of each item."""
        return self._labels

    @property
    def best_classes(self) -> Integers:
        """The most likely class of each item."""
        return self._best(self.model)

    def categories(self) -> list[int]:
        return [category for category in range(self._scores.shape[1]) if category not in self._reasons]

    def excluded(self) -> dict[int, str]:
        return dict(self._reasons)

    def load(self, category: int) -> Task:
        """One class as a task."""
        checks.whole_number("category", category, 0, self._scores.shape[1] - 1)
        kept, labels = self._kept(category), self._labels == category
        scores = column(self._scores, category)[kept]
        pool = Pool(scores, self._predictions(category, kept, scores), scale="log")
        others = {name: self._best(name)[kept] == category for name in self.others}
        others |= {f"{value:g}": above(scores, value) for value in self.thresholds}
        return Task(self.name, category, pool, labels[kept], others, kept if self.thinned else None)

    def predictions(self, category: int) -> Flags:
        """The predictions of one class, without the rest of its task."""
        return self._predictions(category, self._kept(category))

    def _predictions(self, category: int, kept: Integers, scores: Scores | None = None) -> Flags:
        if self.threshold is None:
            predicted: Flags = self._best(self.model)[kept] == category
            return predicted
        return above(column(self._scores, category)[kept] if scores is None else scores, self.threshold)

    def _kept(self, category: int) -> Integers:
        labels = self._labels == category
        return np.flatnonzero(thin(labels, (SEED, category)) if self.thinned else np.ones_like(labels))

    @cached_property
    def _reasons(self) -> dict[int, str]:
        """The classes that cannot be evaluated, each with the reason."""
        found: dict[int, str] = {}
        for category in range(self._scores.shape[1]):
            kept = self._kept(category)
            positives = int(np.count_nonzero(self._labels[kept] == category))
            if words := reason_to_exclude(positives, int(np.count_nonzero(self._predictions(category, kept)))):
                found[category] = words
        return found

    @cached_property
    def _scores(self) -> Matrix:
        return matrix("scores", self._path(self.model))

    @property
    def _labels(self) -> Integers:
        return class_labels(self.folder / "labels.npz", *self._scores.shape)

    def _best(self, model: str) -> Integers:
        best = row_summary("scores", self._path(model)).best
        if len(best) != len(self._scores):
            raise InputError(f"others must score the same items: {model} has {len(best)} for {len(self._scores)}")
        return best

    def _path(self, model: str) -> Path:
        path = self.folder / f"{model}.npy"
        if not path.is_file():
            there = ", ".join(sorted(found.stem for found in self.folder.glob("*.npy"))) or "no .npy file"
            raise InputError(f"model must be a score file of {self.folder}: got {model!r}; there is {there}")
        return path


def above(scores: Scores, threshold: float) -> Flags:
    """Where the probability is above the threshold. Scores are logarithms of probabilities."""
    found: Flags = scores > float(np.log(threshold))
    return found
