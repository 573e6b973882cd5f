"""Files of the user: the logits of a classifier with several classes, or one binary model."""

from functools import cached_property
from pathlib import Path

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Integers
from lowshot.pools import columns
from lowshot.pools.memory import Pool
from lowshot.pools.scale import Scale
from lowshot_bench.families.score_files import Matrix, RowSummary, class_labels, column, mapped, matrix, row_summary
from lowshot_bench.families.task import Task, reason_to_exclude


class LogitsFamily:
    """A classifier with several classes, each against all others: logits [items, classes], labels [items].

        family = LogitsFamily("logits.npy", "y.npy")
        task = family.load(7)

    The logits are float16 or float32 and stay on disk. One pass in blocks, once per process, finds the predicted class
    and log(sum(exp)) of each item; each task then reads one column. The score is the logarithm of the softmax.
    """

    def __init__(self, logits_path: str | Path, labels_path: str | Path) -> None:
        self.logits_path, self.labels_path = Path(logits_path), Path(labels_path)
        self.name = self.logits_path.stem

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_logits"}

    def categories(self) -> list[int]:
        excluded = self.excluded()
        return [category for category in range(self._logits.shape[1]) if category not in excluded]

    def excluded(self) -> dict[int, str]:
        classes = self._logits.shape[1]
        positives = np.bincount(self._labels, minlength=classes).tolist()
        predicted = np.bincount(self._summary.best, minlength=classes).tolist()
        why = (reason_to_exclude(*counts) for counts in zip(positives, predicted, strict=True))
        return {category: words for category, words in enumerate(why) if words}

    def load(self, category: int) -> Task:
        """One class as a task."""
        checks.whole_number("category", category, 0, self._logits.shape[1] - 1)
        best, total = self._summary
        scores = (column(self._logits, category) - total).astype(np.float32)
        return Task(self.name, category, Pool(scores, best == category, scale="log"), self._labels == category)

    @cached_property
    def _logits(self) -> Matrix:
        return matrix("logits", self.logits_path)

    @property
    def _summary(self) -> RowSummary:
        return row_summary("logits", self.logits_path)

    @property
    def _labels(self) -> Integers:
        return class_labels(self.labels_path, *self._logits.shape)


class BinaryFamily:
    """One binary model: a score, a 0/1 prediction and a 0/1 label per item. The only class is 0.

        family = BinaryFamily("scores.npy", "predictions.npy", "y.npy", scale="probability")
        task = family.load(0)

    `scale` is that of `lowshot.Pool`; samplers that need probabilities refuse a pool without it.
    """

    def __init__(
        self,
        scores_path: str | Path,
        predictions_path: str | Path,
        labels_path: str | Path,
        scale: Scale | None = None,
    ) -> None:
        self.scores_path, self.predictions_path = Path(scores_path), Path(predictions_path)
        self.labels_path, self.scale = Path(labels_path), scale
        self.name = self.scores_path.stem

    def categories(self) -> list[int]:
        return [] if self.excluded() else [0]

    def excluded(self) -> dict[int, str]:
        task = self.load(0)
        words = reason_to_exclude(task.positives, task.pool.predicted_positives)
        return {0: words} if words else {}

    def load(self, category: int = 0) -> Task:
        """The only task of the family."""
        checks.whole_number("category", category, 0, 0)
        pool = Pool(
            mapped("scores", self.scores_path), self._flags("predictions", self.predictions_path), scale=self.scale
        )
        labels = self._flags("labels", self.labels_path)
        columns.same_length("labels", len(labels), len(pool))
        return Task(self.name, 0, pool, labels)

    def _flags(self, name: str, path: Path) -> Flags:
        return columns.binary(name, mapped(name, path))
