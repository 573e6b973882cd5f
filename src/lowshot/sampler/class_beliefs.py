"""What sampler `classes` believes after the labels of a history: kept with the view, so that it is computed once."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from lowshot.core.classes import estimates, influence, several
from lowshot.core.classes.estimates import Posterior
from lowshot.core.classes.fit import fit
from lowshot.core.classes.influence import Aim
from lowshot.core.classes.labelled import FIRST_NO, NONE_OF_THEM, Labelled
from lowshot.core.classes.scores import ClassScores, MultiScores
from lowshot.core.classes.table import ClassTable
from lowshot.core.interval import normal_quantile
from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import ItemDesign
from lowshot.history import History
from lowshot.pools.class_view import ClassView

Assumed = Literal["right", "wrong"]
ASSUMED: tuple[Assumed, ...] = ("right", "wrong")  # what items may be that nobody could tell
MOST_PARTS = 100  # of a pool, of which results are kept
ALONE = 1  # thread: matrices are small, and sums must not depend on how many processors there are


class Told(NamedTuple):
    """The labels that are used, and the draws that brought them."""

    item: Integers
    label: list[int]  # as the pool's answers have them
    teaches: Flags  # whether beliefs learn from it; not where the item was chosen in some other way
    draws: tuple[Integers, Integers, Floats]  # items, numbers of rounds, probabilities

    @property
    def key(self) -> tuple[Any, ...]:
        arrays = (self.item, self.teaches, *self.draws)
        return (*(array.tobytes() for array in arrays), tuple(self.label))


def told(view: ClassView, history: History, assumed: Assumed | None) -> Told:
    """The labels of a history. Answers to draws after the first one without an answer have to wait."""
    uniform = np.array(sorted(history.uniform), dtype=np.int64)
    before = (uniform, np.zeros(len(uniform), dtype=np.int64), np.full(len(uniform), 1 / view.total))
    drawn = [before, *(_drawn(history, number) for number in range(len(history.rounds)))]
    items, rounds, probability = (np.concatenate(part) for part in zip(*drawn, strict=True))
    used, label = [], []
    for item in history.answered_in_order(history.rounds).tolist():
        found = history.labels[item]
        found = _guess(view, item, assumed) if found is None and assumed is not None else found
        if found is not None:
            used.append(item)
            label.append(found)
    chosen = np.array(used, dtype=np.int64)
    asked = np.fromiter(history.asked, dtype=np.int64, count=len(history.asked))
    return Told(chosen, label, np.isin(chosen, uniform) | np.isin(chosen, asked), (items, rounds, probability))


def _drawn(history: History, number: int) -> tuple[Integers, Integers, Floats]:
    """The draws of a round that count, if their probabilities are those of items. Round 0 are the known labels."""
    round_ = history.rounds[number]
    count = history.prefix(round_) if isinstance(round_.design, ItemDesign) else 0
    return round_.draws.items[:count], np.full(count, number + 1), round_.draws.probability[:count]


class Believed(ABC):
    """Beliefs after some labels, and what follows from them."""

    def __init__(self, items: Integers) -> None:
        self.items = items  # whose labels are used
        self._posteriors: dict[bytes | None, Posterior] = {}

    @property
    def labels(self) -> int:
        """How many labels are used."""
        return len(self.items)

    def posterior(self, part: Flags | None = None) -> Posterior:
        """Of the pool, or of a part of it."""
        key = None if part is None else part.tobytes()
        if key not in self._posteriors:
            if len(self._posteriors) >= MOST_PARTS:
                self._posteriors.clear()
            with threadpool_limits(ALONE):
                self._posteriors[key] = self._posterior(part)
        return self._posteriors[key]

    @abstractmethod
    def _posterior(self, part: Flags | None) -> Posterior: ...

    @abstractmethod
    def design(self, aim: Aim) -> Floats:
        """The numbers from which the probabilities of draws are made (`drawing`)."""

    @abstractmethod
    def _spreads(self, aim: Aim) -> Floats:
        """[item]: the standard deviation of what it adds to what is to be known."""

    def needed(self, aim: Aim, half_width: float, confidence: float) -> float:
        """About how many labels an interval of this half-width takes.

        If n items are drawn in proportion to their standard deviations s, the variance is (sum of s)^2 / n (Neyman).
        """
        return (normal_quantile(confidence) * float(self._spreads(aim).sum()) / half_width) ** 2


class _OfOne(Believed):
    """Every item has one class, or none of them."""

    def __init__(self, table: ClassTable, given: Told) -> None:
        super().__init__(given.item)
        code = np.array(given.label, dtype=np.int64)
        self._table, self._labelled = table, Labelled.of(given.item, code, given.teaches, given.draws)
        with threadpool_limits(ALONE):
            self._beliefs = fit(table, self._labelled)

    def _posterior(self, part: Flags | None) -> Posterior:
        return estimates.posterior(self._table, self._beliefs, self._labelled, part)

    def design(self, aim: Aim) -> Floats:
        return influence.design_parameters(self._table, self._beliefs, self._labelled, aim)

    def _spreads(self, aim: Aim) -> Floats:
        return influence.spreads(self._table, self.design(aim))[0]


class _OfSeveral(Believed):
    """Any number of classes apply to an item."""

    def __init__(self, scores: MultiScores, given: Told, truth: several.Truth) -> None:
        super().__init__(given.item)
        complete = (truth != several.UNKNOWN).all(axis=1)
        # Only complete labels stand for items that were not drawn.
        code = np.where(complete, 0, FIRST_NO)
        expansion = Labelled.of(given.item, code, draws=given.draws).expansion
        self._scores, self._labelled = scores, several.MultiLabelled(given.item, truth, given.teaches, expansion)
        with threadpool_limits(ALONE):
            self._beliefs = several.fit(scores, self._labelled)

    def _posterior(self, part: Flags | None) -> several.MultiPosterior:
        return several.posterior(self._scores, self._beliefs, self._labelled, part)

    def design(self, aim: Aim) -> Floats:
        return several.design_parameters(self._posterior(None), aim)

    def _spreads(self, aim: Aim) -> Floats:
        return several.spreads(self._scores, self.design(aim))[0]


def believed(view: ClassView, history: History, assumed: Assumed | None = None) -> Believed:
    """What is believed after the labels of a history.

    assumed  what the items are that nobody could tell; None: they count as items without a label
    """
    given = told(view, history, assumed)

    def make() -> Believed:
        if isinstance(view.table, ClassScores):
            return _OfOne(_table(view), given)
        return _OfSeveral(view.table, given, _truth(view, given))

    return view.cached(f"beliefs {assumed}", make, given.key)


def _table(view: ClassView) -> ClassTable:
    scores = view.table
    assert isinstance(scores, ClassScores)
    return view.cached("class table", lambda: ClassTable.of(scores))


def _truth(view: ClassView, given: Told) -> several.Truth:
    """[label, class]: 1, 0, or unknown."""
    count = len(view.answers.names)
    rows = [[view.answers.truth(label, place) for place in range(count)] for label in given.label]
    found = [[several.UNKNOWN if one is None else one for one in row] for row in rows]
    return np.array(found, dtype=np.int8).reshape(len(given.label), count)


def drawing(view: ClassView, closed: Integers) -> Callable[[Floats], tuple[Floats, Floats]]:
    """From the numbers of a design to the probability of every item, and to how likely its prediction is right."""

    def of(parameters: Floats) -> tuple[Floats, Floats]:
        if isinstance(view.table, ClassScores):
            return influence.draw_probabilities(_table(view), parameters, closed)
        return several.draw_probabilities(view.table, parameters, closed)

    return of


def _guess(view: ClassView, item: int, assumed: Assumed) -> int:
    """The label of an item that nobody could tell, if its prediction is right or wrong."""
    table = view.table
    if isinstance(table, ClassScores):
        predicted = int(table.predicted[item])
        if assumed == "right":
            return predicted
        return next((int(one) for one in table.candidate[item] if one != predicted), NONE_OF_THEM)
    mine = table.item == item
    predicted_places = table.place[mine & table.predicted].tolist()
    if assumed == "right":
        return sum(1 << place for place in predicted_places)
    return 0 if predicted_places else 1 << int(table.place[mine][0])
