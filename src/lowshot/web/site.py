"""What all handlers share: one evaluation, one lock, and random names for items."""

import logging
import secrets
from threading import Lock, Thread
from typing import Annotated, Any

from fastapi import Depends, Request

from lowshot import checks, estimation
from lowshot.charts.estimate_path import Estimator, LiveEstimatePath
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.labelling import Desk
from lowshot.metric import metric as find_metric
from lowshot.result import Estimate, Plan
from lowshot.web.items import Pictures, Shown

UNSEEN = "This item cannot be shown. Tell the owner; choose “cannot tell” to go on."

log = logging.getLogger("lowshot.web")


class Site:
    """An evaluation is not made for several threads: whoever touches it holds the lock."""

    def __init__(
        self,
        evaluation: Evaluation,
        shown: Shown,
        *,
        wanted: int,
        solo: bool,
        blur: bool,
        half_width: float,
        names: int,
    ) -> None:
        if not isinstance(shown, Shown):
            raise InputError(f"shown must be a lowshot.web.Shown: got {type(shown).__name__}")
        self.desk = Desk(evaluation, wanted, names=names)
        self.evaluation, self.shown, self.answers = evaluation, shown, evaluation.pool.answers
        self.solo, self.blur = checks.flag("solo", solo), checks.flag("blur", blur)
        self.half_width = checks.number("half_width", half_width, 0.001, 0.5)
        self.lock = Lock()
        self.pictures = Pictures(shown.media_root)
        self.planned = Planned(evaluation, self.half_width)
        self.path = LiveEstimatePath(self._estimator())
        self._items: dict[str, Id] = {}
        self._names: dict[Id, str] = {}
        for item in shown.reference:
            shown.parts(item)

    def name(self, item: Id) -> str:
        """A random name for an item: its id may say too much."""
        name = self._names.setdefault(item, secrets.token_urlsafe(16))
        self._items[name] = item
        return name

    def item(self, name: str) -> Id:
        if name not in self._items:
            raise InputError("item must be one that this page showed: it did not; load the page again")
        return self._items[name]

    def view(self, item: Id) -> dict[str, Any]:
        """What people are shown of an item: nothing of the model, no id, no path."""
        try:
            parts = self.shown.parts(item)
        except Exception:  # a function of the owner's may raise anything; the others go on labelling
            log.exception("item %r cannot be shown", item)
            return {"item": self.name(item), "fields": [{"kind": "text", "name": "", "value": UNSEEN}]}
        return {
            "item": self.name(item),
            "fields": [
                {"kind": "picture", "name": "", "value": f"/media/{self.pictures.name(item, part.value)}"}
                if part.picture
                else {"kind": "text", "name": part.name, "value": part.value}
                for part in parts
            ],
        }

    def estimate(self, history: History, metric: str | None = None, confidence: float = 0.95) -> Estimate:
        """From a history that nobody changes: people go on labelling meanwhile."""
        return self._estimator(metric, confidence).estimate(history)

    def _estimator(self, metric: str | None = None, confidence: float = 0.95) -> Estimator:
        mine = self.evaluation
        wanted = mine.metric if metric is None else find_metric(metric)
        return Estimator(mine.sampler, mine.pool.view(), wanted, confidence)

    def snapshot(self) -> History:
        """The history as it is now, for what takes long: that is done without the lock."""
        with self.lock:
            return self.evaluation.snapshot()


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


CurrentSite = Annotated[Site, Depends(site_of)]


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
            self.plan = estimation.plan(sampler, pool, history, metric, self._half_width, 0.95)
        except InputError:  # this sampler has no interval, or none yet; or skipped items alone make it wider
            self.plan = None

    def to_go(self, labels: int) -> int | None:
        """About how many, in tens; None if nobody knows yet."""
        if self.plan is None:
            return None
        total = -(-self.plan.likely // ROUND) * ROUND
        return max(0, total - labels)
