"""What all requests share: one evaluation, its lock, random names for items, answers that are kept, the last plan."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Annotated, Any

from fastapi import Depends, Request

from lowshot import checks
from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers
from lowshot.class_evaluation import ClassEvaluation
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.labelling import Desk
from lowshot.labelling.counts import Counts
from lowshot.labelling.enough import certifies, until, watched
from lowshot.labelling.items import Part, Pictures, Shown
from lowshot.result import Comparison, Estimate, Plan, Table
from lowshot.threshold_result import BandKind, ThresholdChoice, Thresholds
from lowshot.web.instructions import rendered
from lowshot.web.kept import Kept, Paths
from lowshot.web.log import log
from lowshot.web.missing import MissingPictures
from lowshot.words import counted

UNSEEN = "This item cannot be shown. Tell the owner; choose “cannot tell” to go on."

HALF_WIDTH = 0.05  # what the owner's page waits for if nobody says what is wanted
MOST_PARTS = 20_000  # items whose fields are kept
MOST_TEXTS, MOST_TEXT = 3, 400  # fields of an item in the owner's tables, and characters of each

STEP = 25  # the fewest labels between two plans
GROWTH = 1.2  # the next plan is made at this many times the labels of the last one: a plan takes seconds of CPU time
ROUND = 10  # plans are shown in multiples of this, because they are not more precise
MORE = "more than before, because the answers so far tell less than expected"


class Site:
    """One served evaluation. `Evaluation` is not thread-safe: every access to it must hold `lock`."""

    def __init__(
        self,
        evaluation: Evaluation,
        shown: Shown,
        *,
        wanted: int,
        solo: bool,
        blur: bool,
        half_width: float | None,
        margin: float,
        names: int,
    ) -> None:
        if not isinstance(shown, Shown):
            raise InputError(f"shown must be a lowshot.web.Shown: got {type(shown).__name__}")
        self.desk = Desk(evaluation, wanted, names=names)
        self.evaluation, self.shown, self.answers = evaluation, shown, evaluation.pool.answers
        self.solo, self.blur = checks.flag("solo", solo), checks.flag("blur", blur)
        self.half_width = checks.number("half_width", HALF_WIDTH if half_width is None else half_width, 0.001, 0.5)
        self.margin = checks.number("margin", margin, 0.0, 1.0)
        self.instructions = rendered(shown.instructions)
        self.lock = Lock()
        self.pictures = Pictures(shown.media_root)
        self.missing = MissingPictures(shown, self.pictures)
        self.planned = Planned(evaluation, self.half_width, self.margin)
        self.kept = Kept()
        self.quick = Kept()  # what does not take long, and must not wait for what does
        self.reports = Kept()
        self.paths = Paths(evaluation)
        self.watch = watched(evaluation, half_width, self.margin, self.stop)
        self.looking: Thread | None = None
        self.going_on: set[str] = set()  # annotators who were told that it is enough, and want to label more
        self._items: dict[str, Id] = {}
        self._names: dict[Id, str] = {}
        self._parts: dict[Id, list[Part]] = {}  # of items in the owner's tables
        for item in shown.reference:
            shown.parts(item)
        self.look()

    def name(self, item: Id) -> str:
        """A random name for an item, because its id may reveal the answer."""
        name = self._names.setdefault(item, secrets.token_urlsafe(16))
        self._items[name] = item
        return name

    def item(self, name: str) -> Id:
        if name not in self._items:
            raise InputError("item must be one that this page showed: got another; load the page again")
        return self._items[name]

    def view(self, item: Id) -> dict[str, Any]:
        """What a browser gets of an item: no score, no prediction, no id, no path."""
        try:
            parts = self.shown.parts(item)
        except Exception:  # the owner's `fields` function may raise anything; labelling of other items goes on
            log.exception("item %r cannot be shown", item)
            return {"item": self.name(item), "fields": [{"kind": "text", "name": "", "value": UNSEEN}]}
        return {"item": self.name(item), "fields": [self._field(item, part) for part in parts]}

    def _field(self, item: Id, part: Part) -> dict[str, str]:
        if not part.picture:
            return {"kind": "text", "name": part.name, "value": part.value}
        self.missing.look(item, part.value)
        return {"kind": "picture", "name": "", "value": f"/media/{self.pictures.name(item, part.value)}"}

    def brief(self, item: Id) -> dict[str, Any]:
        """What the owner's tables show of an item: its id, its picture, and the beginning of its first texts.

        Fields are kept, because pages ask for the same items every two seconds and a field may come from a database.
        """
        try:
            parts = self._parts.get(item) or shortened(self.shown.parts(item))
        except Exception:  # as for `view`, which shows why
            return {**self.view(item), "id": str(item)}
        if len(self._parts) >= MOST_PARTS:
            self._parts.clear()
        self._parts[item] = parts
        return {"item": self.name(item), "id": str(item), "fields": [self._field(item, part) for part in parts]}

    def estimate(
        self, history: History, metric: str | None = None, confidence: float = 0.95, model: str | None = None
    ) -> Estimate:
        """The estimate from a snapshot; annotators can go on labelling meanwhile."""
        return self.evaluation.at(history).estimate(metric, model=model, confidence=confidence)

    def category(
        self, history: History, category: str | None = None, metric: str | None = None, confidence: float = 0.95
    ) -> Estimate:
        """The average over all categories, or the estimate of one of them. Kept: all categories are computed at once.

        category  its name as text
        """
        answers, then = self.answers, self.evaluation.at(history)
        assert isinstance(answers, ClassAnswers)
        assert isinstance(then, ClassEvaluation)
        name = None if category is None else answers.named(category)
        asked = ("category", name, metric, confidence)
        return self.kept.of(history, asked, lambda: then.estimate(metric, category=name, confidence=confidence))

    def table(self, history: History, metric: str | None = None, confidence: float = 0.95, **asked: Any) -> Table:
        """All models or categories side by side, from a snapshot. Further arguments as for `Evaluation.table`."""
        then, key = self.evaluation.at(history), ("table", metric, confidence, *sorted(asked.items()))
        return self.kept.of(history, key, lambda: then.table(metric=metric, confidence=confidence, **asked))

    def compare(
        self,
        history: History,
        baseline: str,
        candidate: str,
        metric: str | None = None,
        margin: float = 0.0,
        confidence: float = 0.95,
    ) -> Comparison:
        """Two models compared, from a snapshot."""
        then, asked = self.evaluation.at(history), (baseline, candidate, metric, margin, confidence)
        return self.kept.of(
            history,
            ("compare", *asked),
            lambda: then.compare(baseline, candidate, metric=metric, margin=margin, confidence=confidence),
        )

    def thresholds(
        self, history: History, model: str | None = None, band: BandKind = "pointwise", confidence: float = 0.95
    ) -> Thresholds:
        """Precision and recall at every threshold, from a snapshot."""
        then = self.evaluation.at(history)
        return self.kept.of(
            history,
            ("thresholds", model, band, confidence),
            lambda: then.thresholds(model=model, band=band, confidence=confidence),
        )

    def choice(self, history: History, **asked: Any) -> ThresholdChoice:
        """The threshold for a target, or for that of the goal, from a snapshot; arguments of `choose_threshold`."""
        then = self.evaluation.at(history)
        return self.kept.of(history, ("choice", *sorted(asked.items())), lambda: then.choose_threshold(**asked))

    def own(self, history: History) -> Estimate | None:
        """Of the model that is judged, or the average over all categories; None if several models are judged."""
        if self.evaluation.pool.categories:
            return self.category(history)
        if self.evaluation.model is None:
            return None
        return self.quick.of(history, "estimate", lambda: self.estimate(history))

    def stop(self, history: History) -> bool:
        """Whether labelling can stop, by the goal: there is a verdict, a threshold is certified, or every interval is
        as narrow as wanted.
        """
        if certifies(self.evaluation.goal):
            return self.choice(history).enough
        if not self.evaluation.pool.categories and (one := self.own(history)) is not None:
            return self.narrow(one)
        then = self.evaluation.at(history)
        return self.kept.of(history, ("stop",), lambda: then.stop_when(**until(then, self.half_width, self.margin)))

    def narrow(self, estimate: Estimate) -> bool:
        """Whether its interval is as narrow as wanted."""
        return estimate.interval is not None and bool(estimate.interval.width / 2 <= self.half_width)

    def look(self) -> None:
        """Look whether the goal is reached, if answers have changed: in a thread, so that no annotator waits for it."""
        if self.watch is None:
            return
        with self.lock:
            looking = self.looking is not None and self.looking.is_alive()
            if looking or not self.watch.due(len(self.evaluation.journal.history.answers)):
                return
            self.looking = Thread(target=self.watch.look, args=[self.evaluation.snapshot()], daemon=True)
            self.looking.start()

    def counts(self, history: History) -> Counts:
        """How many items are asked, labelled, waiting and pending."""
        return self.quick.of(history, "counts", lambda: Counts.of(history))

    def snapshot(self) -> History:
        """A copy of the history, so that long computations do not hold the lock."""
        with self.lock:
            return self.evaluation.snapshot()


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


CurrentSite = Annotated[Site, Depends(site_of)]


def shortened(parts: Sequence[Part]) -> list[Part]:
    """All pictures, the first texts, and of each text its beginning.

    >>> [part.value for part in shortened([Part("", "a.png", picture=True), Part("text", "x" * 999)])]
    ['a.png', 'xxx...xxx…']
    """
    pictures, texts = [part for part in parts if part.picture], [part for part in parts if not part.picture]
    return [*pictures, *(part._replace(value=cut(part.value, MOST_TEXT)) for part in texts[:MOST_TEXTS])]


def cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


class Planned:
    """The last plan. New plans are made in a background thread, so that no request waits for them."""

    def __init__(self, evaluation: Evaluation, half_width: float, margin: float = 0.0) -> None:
        self._evaluation, self._until = evaluation, until(evaluation, half_width, margin)
        self._likely: int | None = None  # labels in all until the goal is reached, with those known before
        self._next = 0  # labels at which the next plan is due
        self.making: Thread | None = None
        self.plan: Plan | None = None
        self._known = 0  # labels known before: they count in a plan, but nobody here gave them
        self._made_after = 0  # labels, without those known before, that the last plan learned from
        self._least: int | None = None  # the least number of labels to go that was said, in tens

    def due(self, labels: int) -> bool:
        """Whether a new plan is due; never while one is being made. The caller must make it then."""
        if labels < self._next or (self.making is not None and self.making.is_alive()):
            return False
        self._next = max(labels + STEP, int(GROWTH * labels))
        return True

    def make(self, history: History) -> Thread:
        self.making = Thread(target=self._make, args=[history], daemon=True)
        self.making.start()
        return self.making

    def _make(self, history: History) -> None:
        known, then = len(history.known), self._evaluation.at(history)
        plan, likely = None, None
        with suppress(InputError):  # no interval (yet), or "cannot tell" answers alone make it wider than wanted
            if certifies(then.goal):  # a choice says itself how many labels are missing
                likely = _certified_at(then.choose_threshold())
            else:
                plan = then.plan(**self._until)
                likely = plan.likely
        self._known, self.plan, self._likely = known, plan, likely
        self._made_after = len(history.labels) - known
        if likely is not None:  # half of the runs take more: there is a new plan when the number is reached
            self._next = min(self._next, max(likely - known, len(history.labels) - known + ROUND))

    def in_words(self, labels: int) -> str:
        """How many further labels the goal may take; empty if that is not known."""
        to_go, plan = self.to_go(labels), self.plan
        if to_go is None:
            return ""
        target, why = "a certified threshold" if plan is None else plan.target, self.why(labels)
        made = "" if labels == self._made_after else f" (forecast after {counted(self._made_after, 'label')})"
        return f"{self._ahead(to_go, labels)} for {target}{made}{why and f'; {why}'}"

    def _ahead(self, to_go: int, labels: int) -> str:
        plan, more = self.plan, f"{to_go:,} more labels"
        if plan is not None and plan.likely >= plan.most:
            return f"More than {max(0, plan.most - self._known - labels):,} more labels"
        if not to_go:
            return "A few more labels"
        if plan is None:
            return f"About {more}"
        return f"{plan.ahead(more, _tens(plan.high - self._known) - labels).capitalize()},"

    def to_go(self, labels: int) -> int | None:
        """The number of labels until the goal is reached, for a total in tens; None if that is not known.

        labels  bought so far
        """
        if self._likely is None:
            return None
        found = max(0, _tens(self._likely - self._known) - labels)
        self._least = _tens(found) if self._least is None else min(self._least, _tens(found))
        return found

    def why(self, labels: int) -> str:
        """Why there are more labels to go than was said before; empty if there are not."""
        to_go, least = self.to_go(labels), self._least
        return MORE if to_go is not None and least is not None and _tens(to_go) > least else ""


def _tens(labels: int) -> int:
    """Rounded up."""
    return -(-labels // ROUND) * ROUND


def _certified_at(choice: ThresholdChoice) -> int | None:
    """The labels in all until a threshold is certified; None if that cannot be said."""
    return choice.labels if choice.enough else choice.more and choice.labels + choice.more
