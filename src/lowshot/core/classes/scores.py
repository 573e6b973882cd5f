"""What the scores of a classifier with many classes say about each item: its best classes, and the rest as one.

A pool of 10^6 items and 1,000 classes has 10^9 scores, nearly all of which say "not this one". Per item the `KEPT` best
classes are kept; the others together have one probability, and how often each class is among them is known on average.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowshot.core.types import Floats, Integers

KEPT = 32  # classes per item
SMALLEST = 1e-12  # a probability of 0 counts as this one: nothing is impossible

Places = NDArray[np.int32]  # of classes
Logs = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ClassScores:
    """The scores of N items for K classes, of which each item has one.

    >>> found = ClassScores.of([np.log([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])], kept=2)
    >>> found.candidate.tolist(), np.round(np.exp(found.score), 2)[0], found.rest.round(2)
    ([[0, 1], [2, 1]], array([0.7, 0.2], dtype=float32), array([0.1, 0.1], dtype=float32))
    """

    categories: int  # K
    candidate: Places  # [item, kept]: the best classes of each item, best first; filled up with class 0
    score: Logs  # [item, kept]: the natural logarithm of their probabilities; -inf where the item has fewer classes
    rest: Logs  # [item]: the probability of all other classes together
    tail: Floats  # [class]: its mean probability over all items where it is not among the candidates
    predicted: Places  # [item]
    predicted_score: Logs  # [item]: the natural logarithm of the probability of the predicted class
    weight: Floats  # [item]: its mean is 1

    def __len__(self) -> int:
        return len(self.predicted)

    @classmethod
    def of(
        cls, chunks: Iterable[Any], predicted: Integers | None = None, weight: Floats | None = None, kept: int = KEPT
    ) -> "ClassScores":
        """From rows of scores, one per item and one column per class, in chunks of rows.

        Scores are natural logarithms of probabilities up to a constant per item, as the logits of a softmax are.
        """
        parts: list[tuple[Places, Logs, Logs, Places, Logs]] = []
        tail: Any = 0.0
        for chunk in chunks:
            start = sum(len(part[0]) for part in parts)
            logs = _normalised(_by_rows(chunk))
            given = None if predicted is None else predicted[start : start + len(logs)]
            part, left = _best(logs, kept, given)
            parts.append(part)
            tail = tail + left
        candidate, score, rest, best, best_score = (np.concatenate(column) for column in zip(*parts, strict=True))
        count = len(candidate)
        return cls(
            categories=len(tail),
            candidate=candidate,
            score=score,
            rest=rest,
            tail=tail / count,
            predicted=best,
            predicted_score=best_score,
            weight=np.ones(count) if weight is None else weight,
        )

    def with_predicted_scores(self) -> "ClassScores":
        """The same with the scores of the predicted classes, found among the candidates or as a share of the rest."""
        mine = (self.candidate == self.predicted[:, None]) & np.isfinite(self.score)
        kept = np.where(mine, self.score, -np.inf).max(axis=1)
        left = np.log(np.maximum(self.rest / max(self.categories - self.candidate.shape[1], 1), SMALLEST))
        return replace(self, predicted_score=np.where(np.isfinite(kept), kept, left).astype(np.float32))

    def predictions(self, order: Any) -> tuple[bytes, ...]:
        """For a fingerprint."""
        return (self.predicted[order].tobytes(),)

    @property
    def sureness(self) -> Floats:
        """The score of each item's prediction."""
        return self.predicted_score.astype(np.float64)

    def flags(self, place: int) -> NDArray[np.bool_]:
        """Which items are predicted to be of one class."""
        found: NDArray[np.bool_] = self.predicted == place
        return found

    def of_class(self, place: int) -> Floats:
        """The logarithm of the probability of one class, per item. Where it is not kept, its share of the rest."""
        left = np.maximum(self.rest, SMALLEST) * (self.tail[place] / max(float(self.tail.sum()), SMALLEST) or SMALLEST)
        mine = (self.candidate == place) & np.isfinite(self.score)
        found = np.where(mine.any(axis=1), np.where(mine, self.score, -np.inf).max(axis=1), np.log(left))
        return np.minimum(found.astype(np.float64), 0.0)  # rounding must not make a probability larger than 1


def _by_rows(chunk: Any) -> Logs:
    """The scores in the order of C: NumPy rounds the sum of a row differently if the columns of a data frame lie one
    after the other, and the same scores must give the same fingerprint."""
    return np.asarray(chunk, dtype=np.float32, order="C")


def _normalised(logs: Logs) -> Logs:
    """The same with probabilities that sum to 1."""
    top = logs.max(axis=1, keepdims=True)
    total = np.exp(logs - top).sum(axis=1, keepdims=True)
    shifted: Logs = logs - top - np.log(total)
    return shifted


def _best(logs: Logs, kept: int, predicted: Integers | None) -> tuple[tuple[Places, Logs, Logs, Places, Logs], Floats]:
    """The best classes of some rows, and the sum of what the others have, per class."""
    rows, count = np.arange(len(logs))[:, None], logs.shape[1]
    if count <= kept:
        candidate = np.argsort(-logs, axis=1, kind="stable")
    else:
        some = np.sort(np.argpartition(-logs, kept - 1, axis=1)[:, :kept], axis=1)  # sorted: ties by class
        candidate = some[rows, np.argsort(-logs[rows, some], axis=1, kind="stable")]
    best = candidate[:, 0] if predicted is None else predicted
    left = np.exp(logs)
    left[rows, candidate] = 0.0
    score = logs[rows, candidate]
    places = candidate.astype(np.int32)
    part = (places, score, left.sum(axis=1), best.astype(np.int32), logs[rows[:, 0], best])
    return part, left.sum(axis=0, dtype=np.float64)


def from_rows(
    item: Integers, place: Integers, given: NDArray[Any], log: Floats, items: int, categories: int, kept: int = KEPT
) -> tuple[Places, Logs, Floats]:
    """Candidates, scores and, per item, the probability of its classes that are not kept, from one row per item and
    class that has a score.

    given  the scores as they were given: they rank the classes, so that no rounding of their logarithms does
    log    the natural logarithms of probabilities

    >>> shares = np.array([0.2, 0.9, 0.7])
    >>> candidate, score, _ = from_rows(np.array([0, 1, 0]), np.array([2, 1, 0]), shares, np.log(shares), 2, 3)
    >>> candidate.tolist(), np.exp(score).round(1)[1]
    ([[0, 2], [1, 0]], array([0.9, 0. ], dtype=float32))
    """
    order = np.lexsort((-place, given, -item))[::-1]  # not -given: whole numbers may have no negative
    item, place, log = item[order], place[order], log[order]
    first = np.searchsorted(item, np.arange(items))
    number = np.arange(len(item)) - first[item]  # of a row among those of its item
    width = min(kept, categories, int(number.max()) + 1)
    candidate = np.zeros((items, width), dtype=np.int32)
    score = np.full((items, width), -np.inf, dtype=np.float32)
    there = number < width
    candidate[item[there], number[there]] = place[there]
    with np.errstate(over="ignore"):  # a logarithm that is too small is that of 0
        score[item[there], number[there]] = log[there]
    dropped: Floats = np.bincount(item[~there], weights=np.exp(log[~there]), minlength=items).astype(np.float64)
    return candidate, score, dropped


@dataclass(frozen=True, eq=False)
class MultiScores:
    """The scores of N items for K classes, any number of which apply to an item: pairs of an item and a class.

    The best classes of each item are listed, and all that are predicted. About every other pair only is known that
    nothing predicts it.

    >>> scores = np.array([[2.0, -3.0, -1.0], [0.5, 1.0, -4.0]])
    >>> found = MultiScores.of([scores], scores > 0, kept=1)
    >>> found.item.tolist(), found.place.tolist(), found.unlisted.tolist()
    ([0, 1, 1], [0, 1, 0], [0, 1, 2])
    """

    categories: int  # K
    items: int  # N
    item: Integers  # [pair]
    place: Places  # [pair]: the class
    score: Logs  # [pair]: log-odds, or a score on any scale that grows with them
    predicted: NDArray[np.bool_]  # [pair]
    unlisted: Integers  # [class]: items of which the pair with this class is not listed
    unlisted_score: Floats  # [class]: the mean score of those; 0 where there are none
    weight: Floats  # [item]: its mean is 1

    def __len__(self) -> int:
        return self.items

    def predictions(self, order: Any) -> tuple[bytes, ...]:
        """For a fingerprint."""
        row = np.empty(self.items, dtype=np.int64)
        row[np.arange(self.items)[order]] = np.arange(self.items)
        item, place = row[self.item[self.predicted]], self.place[self.predicted]
        pairs = np.lexsort((place, item))
        return item[pairs].tobytes(), place[pairs].tobytes()

    @property
    def sureness(self) -> Floats:
        """The best score of each item."""
        found = np.full(self.items, -np.inf)
        np.maximum.at(found, self.item, self.score)
        return found

    def of_class(self, place: int) -> Floats:
        """The score of one class, per item; where it is not listed, the mean of such items."""
        found = np.full(self.items, min(self.unlisted_score[place], float(self.score.min())))
        mine = self.place == place
        found[self.item[mine]] = self.score[mine]
        return found

    def flags(self, place: int) -> NDArray[np.bool_]:
        """Which items are predicted to be of one class."""
        found = np.zeros(self.items, dtype=np.bool_)
        found[self.item[(self.place == place) & self.predicted]] = True
        return found

    @classmethod
    def of(
        cls, chunks: Iterable[Any], predicted: NDArray[np.bool_], weight: Floats | None = None, kept: int = KEPT
    ) -> "MultiScores":
        """From rows of scores in chunks, and a row of predictions per item."""
        parts: list[tuple[Integers, Places, Logs, NDArray[np.bool_]]] = []
        left: Any = 0.0
        start = 0
        for chunk in chunks:
            scores = _by_rows(chunk)
            mine = predicted[start : start + len(scores)]
            listed = mine.copy()
            best = np.argpartition(-scores, min(kept, scores.shape[1]) - 1, axis=1)[:, :kept]
            np.put_along_axis(listed, best, True, axis=1)
            item, place = np.nonzero(listed)
            order = np.lexsort((place, -scores[item, place], item))
            item, place = item[order], place[order]
            parts.append((item + start, place.astype(np.int32), scores[item, place], mine[item, place]))
            left = left + np.where(listed, 0.0, scores).sum(axis=0, dtype=np.float64)
            start += len(scores)
        item, place, score, flags = (np.concatenate(column) for column in zip(*parts, strict=True))
        unlisted = start - np.bincount(place, minlength=len(left))
        return cls(
            categories=len(left),
            items=start,
            item=item,
            place=place.astype(np.int32),
            score=score,
            predicted=flags,
            unlisted=unlisted,
            unlisted_score=left / np.maximum(unlisted, 1),
            weight=np.ones(start) if weight is None else weight,
        )
