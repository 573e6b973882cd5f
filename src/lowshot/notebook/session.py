"""One person labels in a notebook: one item at a time, with a way back. Plain Python, without Jupyter."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from lowshot import checks, which
from lowshot.checks import Id
from lowshot.errors import LowshotError
from lowshot.journal import Journal
from lowshot.notebook.showing import Part, finder, parts_of
from lowshot.pools.base import BasePool
from lowshot.pools.class_pool import ClassPool
from lowshot.result import Estimate, Table
from lowshot.words import counted

ELSEWHERE = "This item was answered somewhere else meanwhile. Your answer was not saved."


class Labelled(Protocol):
    """What a session uses of an `Evaluation`."""

    reason: str
    seed: int

    @property
    def pool(self) -> BasePool: ...
    @property
    def labels(self) -> int: ...
    @property
    def pending(self) -> list[Id]: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def model(self) -> str | None: ...
    @property
    def question(self) -> str | None: ...
    def ask(self, n: int = 1) -> list[Id]: ...
    def tell(self, items: Iterable[Id], labels: Iterable[Any]) -> None: ...
    def correct(self, item: Id, label: Any) -> None: ...
    def estimate(self) -> Estimate: ...
    def table(self) -> Table: ...


class Session:
    """Labels an evaluation, one item at a time. Each answer is told to the evaluation, and so is in its store, before
    the next item is shown.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5, ids=["a", "b", "c"]))
    >>> session = Session(evaluation)
    >>> session.receive({"action": "answer", "serial": session.serial, "answer": "yes"})
    >>> evaluation.labels, session.state()["stage"]
    (1, 'item')

    show      what is shown of an item: see `finder`
    question  what is asked; that of the evaluation if None
    labels    labels of the evaluation after which the session is done; None: when nothing is left to ask
    solo      whether the estimate is shown while items are labelled. Who sees it may stop at a number they like
    """

    def __init__(
        self,
        evaluation: Labelled,
        show: Any = None,
        *,
        question: str | None = None,
        labels: int | None = None,
        solo: bool = False,
    ) -> None:
        self.evaluation, self.solo = evaluation, checks.flag("solo", solo)
        self.wanted = None if labels is None else checks.whole_number("labels", labels, 1)
        usual = "Which one is it?" if evaluation.pool.categories else "Is it one?"
        self.question = (evaluation.question or usual) if question is None else checks.text("question", question)
        self._find = finder(show, evaluation.pool)
        self.serial = 0  # of what is displayed: an answer to something else is ignored
        self.message = ""
        self._replies = 0
        self._item: Id | None = None
        self._parts: list[Part] = []
        self._answered: list[Id] = []  # in this session, the last one at the end
        self._back: int | None = None  # the place in `_answered` of the item whose answer is being changed
        self._next()

    @property
    def item(self) -> Id | None:
        """The item that is displayed; None if the session is done."""
        return self._item

    def receive(self, message: Mapping[str, Any]) -> None:
        """What somebody did: {"action": "answer", "serial": 3, "answer": "yes"}; or "undo", or "again"."""
        self._replies += 1
        if not isinstance(message, Mapping) or message.get("serial") != self.serial:
            return  # a second click, or a view of an earlier item: the reply shows the present one
        self.message = ""
        action = message.get("action")
        try:
            if action == "answer" and self._item is not None:
                self._answer(self._item, str(message.get("answer")))
            elif action == "undo":
                self._undo()
            elif action == "again":
                self._next()
        except LowshotError as error:
            self.message = str(error)

    def _answer(self, item: Id, word: str) -> None:
        answers, evaluation = self.evaluation.pool.answers, self.evaluation
        value = answers.value(answers.label(word))
        if self._back is not None:
            evaluation.correct(item, value)
        else:
            try:
                evaluation.tell([item], [value])
            except LowshotError:
                if item in evaluation.pending:
                    raise  # the same item stays, so that nothing is lost
                self._next()
                self.message = ELSEWHERE
                return
            self._answered.append(item)
        self._next()

    def _undo(self) -> None:
        """Show the item before, so that its answer can be changed."""
        place = len(self._answered) if self._back is None else self._back
        if place:
            self.evaluation.journal.refresh()  # another process may have corrected the answer
            self._back = place - 1
            self._display(self._answered[self._back])

    def _next(self) -> None:
        """Show the next item: first one that was asked and has no answer, because later labels wait for it."""
        self._back = None
        try:
            self._display(None if self.reached else self._upcoming())
        except LowshotError as error:
            self._display(None)
            self.message = str(error)

    @property
    def reached(self) -> bool:
        """Whether there are as many labels as were wanted."""
        return self.wanted is not None and self.evaluation.labels >= self.wanted

    def _upcoming(self) -> Id | None:
        held = self.evaluation.journal.held()
        waiting = (item for item in self.evaluation.pending if str(item) not in held)
        first = next(waiting, None)
        return next(iter(self.evaluation.ask(1)), None) if first is None else first

    def _display(self, item: Id | None) -> None:
        self._item, self.serial, self._parts = item, self.serial + 1, []
        if item is None:
            return
        try:
            self._parts = parts_of(self._find(item))
        except Exception as error:  # of the user's function, whatever it is: the item can still be answered or undone
            self._parts = [{"name": "", "text": str(item)}]
            self.message = f"{type(error).__name__}: {error}"

    def state(self) -> dict[str, Any]:
        """What is displayed, as plain data."""
        done = self._item is None
        return {
            "reply": self._replies,  # so that every message gets an answer, even if nothing changed
            "serial": self.serial,
            "stage": "done" if done else "item" if self._back is None else "change",
            "question": self.question,
            "parts": self._parts,
            "previous": self._previous,
            "labels": self.evaluation.labels,
            "wanted": self.wanted,
            "undo": bool(self._answered) and self._back != 0,
            "message": self.message,
            "found": self._found() if done or self.solo else "",
            "reason": self._reason if done else "",
            "again": done and not self.reached,
            **self._choices,
        }

    @property
    def _reason(self) -> str:
        """Why nothing more is asked."""
        if not self.reached:
            return self.evaluation.reason
        history = self.evaluation.journal.history
        unclear = sum(label is None for label in history.labels.values())
        of_them = f", {unclear:,} of them 'cannot tell'" if unclear else ""
        return f"{counted(self.evaluation.labels, 'label')}{of_them}."

    @property
    def _previous(self) -> str:
        """The answer that is being changed, as a word."""
        if self._back is None or self._item is None:
            return ""
        pool = self.evaluation.pool
        return pool.answers.word(self.evaluation.journal.history.labels[pool.position(self._item)])

    def _found(self) -> str:
        """The estimate in words, or one line per model."""
        try:
            return str(self.evaluation.table() if self.evaluation.model is None else self.evaluation.estimate())
        except LowshotError as error:
            return str(error)

    @property
    def _choices(self) -> dict[str, Any]:
        """What can be answered besides "cannot tell"."""
        pool = self.evaluation.pool
        if not isinstance(pool, ClassPool):
            return {"kind": "yes or no"}
        likely = [] if self._item is None else which.candidates(pool, self._item, self.evaluation.seed)
        return {
            "kind": "several" if pool.answers.several else "which",
            "candidates": likely,
            "searched": which.searched(pool),
        }
