"""Labels still to go. Looked at now and then, never after a single answer: that would hint at the prediction."""

from threading import Thread

from lowshot.durable import Evaluation
from lowshot.errors import InputError
from lowshot.history import History
from lowshot.result import Plan

STEP = 50  # labels until the plan is made again, ...
GROWTH = 1.5  # ... and times as many as at the last one: a plan takes seconds of a processor that others need
ROUND = 10


class Planned:
    """The last plan. Another is made in the background: people at the page do not wait for it."""

    def __init__(self, evaluation: Evaluation, half_width: float) -> None:
        self._evaluation, self._half_width = evaluation, half_width
        self._next = 0  # labels
        self.making: Thread | None = None
        self.plan: Plan | None = None

    def due(self, labels: int) -> bool:
        """Whether it is time for another; true once, and not while one is being made."""
        if labels < self._next or (self.making is not None and self.making.is_alive()):
            return False
        self._next = max(labels + STEP, int(GROWTH * labels))
        return True

    def make(self, history: History) -> Thread:
        self.making = Thread(target=self._make, args=[history], daemon=True)
        self.making.start()
        return self.making

    def _make(self, history: History) -> None:
        sampler, pool, metric = self._evaluation.sampler, self._evaluation.pool.view(), self._evaluation.metric
        try:
            self.plan = sampler.plan(pool, history, metric, self._half_width, 0.95)
        except InputError:  # this sampler has no interval, or none yet
            self.plan = None

    def to_go(self, labels: int) -> int | None:
        """About how many, in tens; None if nobody knows yet."""
        if self.plan is None:
            return None
        total = -(-self.plan.likely // ROUND) * ROUND
        return max(0, total - labels)
