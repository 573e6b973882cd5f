"""Real score files: the classes of a classifier, each one-vs-all."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Integers, Scores
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot.tasks import thin
from lowshot_bench.families.labels import class_labels
from lowshot_bench.families.matrix import Matrix, column, matrix, summary
from lowshot_bench.families.task import Task, reason

SEED = 2021  # which positives stay is part of the data: it does not change with the seed of a run
LEAST = 1e-6  # threshold


class RealFamily:
    """The classes of `FOLDER/MODEL.npy`, log-softmax [items, classes], with `y` of `FOLDER/labels.npz`.

        family = RealFamily("scores", "simclr_250")      # scores/simclr_250.npy, scores/labels.npz
        task = family.load(7)                            # is it class 7? 0.1 % of the items are

    thinned     keep as many positives, always the same, as make the class this rare: one item in 1,000
    others      further models of the folder, whose predictions for the same items come with each task
    threshold   predict the class where its probability is above this, rather than where it is the most likely one
    thresholds  further thresholds, whose predictions come with each task
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
        self.threshold = None if threshold is None else checks.number("threshold", threshold, LEAST, 1)
        self.thresholds = tuple(checks.number("thresholds", value, LEAST, 1) for value in thresholds)
        self.name = model + ("" if thinned else " all") + ("" if threshold is None else f" threshold {threshold:g}")

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_scores", "_reasons")}

    @property
    def features_file(self) -> Path:
        """The whole score vectors, for HERDING."""
        return self.folder / f"{self.model}.npy"

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
        """Why classes cannot be evaluated."""
        found: dict[int, str] = {}
        for category in range(self._scores.shape[1]):
            kept = self._kept(category)
            positives = int(np.count_nonzero(self._labels[kept] == category))
            if words := reason(positives, int(np.count_nonzero(self._predictions(category, kept)))):
                found[category] = words
        return found

    @cached_property
    def _scores(self) -> Matrix:
        return matrix("scores", self._path(self.model))

    @property
    def _labels(self) -> Integers:
        return class_labels(self.folder / "labels.npz", *self._scores.shape)

    def _best(self, model: str) -> Integers:
        best = summary("scores", self._path(model)).best
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
    """Where the probability is above the threshold; scores are its logarithm."""
    found: Flags = scores > float(np.log(threshold))
    return found
