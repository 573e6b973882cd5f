"""Labelling in rounds, with the time that each round takes."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from lowshot.evaluation import Evaluation


class Rounds:
    """Asks and tells until an evaluation has so many labels. `seconds` has one number per round: its ask and tell.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> rounds = Rounds(evaluation, lambda items: [0 for _ in items])
    >>> rounds.until(3).labels, len(rounds.seconds)
    (3, 1)
    """

    def __init__(self, evaluation: Evaluation, answer: Callable[[list[Any]], Iterable[Any]]) -> None:
        self.evaluation, self.answer = evaluation, answer
        self.seconds: list[float] = []

    def until(self, labels: int) -> Evaluation:
        """The evaluation with this number of labels, or with fewer if nothing is left to ask."""
        while self.evaluation.labels < labels and self._round(labels):
            pass
        return self.evaluation

    def _round(self, labels: int) -> bool:
        start = time.perf_counter()
        items = self.evaluation.ask(labels - self.evaluation.labels)
        asked = time.perf_counter() - start
        if not items:
            return False
        answers = list(self.answer(items))
        start = time.perf_counter()
        self.evaluation.tell(items, answers)
        self.seconds.append(asked + time.perf_counter() - start)
        return True
