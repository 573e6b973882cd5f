"""Sends the items of a desk to a project of Label Studio, and receives their answers.

Nothing is remembered but what the store and Label Studio have, so that a process may end at any moment:

- Items are reserved in the store first and sent then. Tasks have the id of the item and the mark of the evaluation.
- An item that is reserved and has no task is sent again, but only if a list of all tasks `SETTLE` seconds later has
  none, either: a request of a process that was killed, or that took too long, may still be carried out. If it is
  carried out later than that, the item has two tasks, and the younger one is deleted, unless somebody has worked on it.
- The answer of an item is written with the name that gave it, so that only an answer which has changed in Label Studio
  is a correction: a label that the owner has changed since then stays.
"""

import hashlib
import json
import math
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from lowshot import checks
from lowshot.answer import Empty, Label
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.integrations.label_studio import tasks
from lowshot.integrations.label_studio.client import PAGE, Client
from lowshot.integrations.logged import identity
from lowshot.labelling.desk import Desk
from lowshot.labelling.ledger import LABEL_STUDIO
from lowshot.labelling.rows import Item, Row, filled

COUNT = 100  # tasks that wait for an answer, at most: mostly a whole round
EXTRA = 10  # items beyond a round whose last answers do not come: they are skipped, disputed or reserved for others
SETTLE = 10.0  # seconds: longer than Label Studio takes for a request to import tasks
WHOLE = 60.0  # seconds after which all tasks are listed, also unchanged ones: deleted tasks are noticed only then
LONGEST = 500  # characters of a message about an answer: annotators may send lists of any length
OVERLAP = timedelta(seconds=10)  # a change may be visible so much later than its time says
ABOUT = "Tasks of lowshot, evaluation "  # begins the description of a project that was made for an evaluation


class Task(NamedTuple):
    """What Label Studio has of an item: the number of its task, and the annotations of all tasks that it has."""

    number: int
    annotations: list[dict[str, Any]]

    @property
    def skipped(self) -> bool:
        """Whether somebody has skipped it, and nobody has answered, not even something that cannot be read."""
        return bool(self.annotations) and _is_empty(self.annotations)


class Change(NamedTuple):
    """An answer that was changed in Label Studio, in words."""

    item: Id
    before: str
    now: str

    def __str__(self) -> str:
        return f"{self.item!r} was answered {self.before!r} before and now {self.now!r}"

    def plain(self) -> dict[str, Any]:
        return {"id": self.item, "before": self.before, "now": self.now}


class Withdrawn(NamedTuple):
    """An answer that Label Studio has no longer: its annotation was deleted, or the task skipped afterwards."""

    item: Id
    answer: str

    def __str__(self) -> str:
        return (
            f"the answer {self.answer!r} to item {self.item!r} was deleted in Label Studio: it stays until the task is"
            " answered again, or you decide on the owner's page"
        )


class Received(NamedTuple):
    """Labels that are new, answers that were changed, why other answers were not used, and what was withdrawn."""

    labels: int
    corrected: tuple[Change, ...]
    unused: tuple[str, ...]
    withdrawn: tuple[Withdrawn, ...]


class Unfinished(NamedTuple):
    """How many of the items that were sent wait for an answer, and how many were skipped; and how many items of the
    evaluation have answers that disagree, as on the owner's page."""

    waiting: int
    skipped: int
    disputed: int


class Sent(NamedTuple):
    """Tasks that were sent now; what has no label yet; why there are no further items."""

    tasks: int
    unfinished: Unfinished
    reason: str


def mark_of(evaluation: Evaluation) -> str:
    """What tells the tasks of an evaluation from all others: its name, and a hash of what makes it this one.

    The same name and pool are not enough: whoever begins again, because the question was wrong, must not get the
    answers to the old question.
    """
    facts = [*identity(evaluation).values(), evaluation.pool.fingerprint, evaluation.question]
    return f"{evaluation.name} {hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]}"


def project_for(client: Client, title: str, config: str, evaluation: Evaluation, annotators: int) -> tuple[int, bool]:
    """The number of the project that was made for this evaluation under this title, and whether it was made now."""
    about = f"{ABOUT}{mark_of(evaluation)}"
    same = {int(one["id"]): str(one.get("description")) for one in client.projects() if one.get("title") == title}
    for number, description in same.items():
        if description == about:
            return number, False
    _refuse_project_of_another(title, same, mark_of(evaluation))
    return client.create(title, about, config, annotators), True


def _refuse_project_of_another(title: str, same: dict[int, str], mark: str) -> None:
    """Two projects of one title could not be told from each other: people would answer the wrong question.

    same  the descriptions of the projects with this title, by number
    """
    for number, description in same.items():
        if description.startswith(ABOUT):
            raise InputError(
                f"--create must be a title that no other evaluation has: project {number}, {title!r}, was made for"
                f" evaluation {description.removeprefix(ABOUT)!r}, and this one is {mark!r}; give another title, or"
                f" rename or delete project {number} in Label Studio"
            )


class Synchronisation:
    """One evaluation and one project.

    desk      reserves the items for the name "Label Studio"
    shown     what annotators see of items
    settle    seconds after which an item without a task is sent again
    whole     seconds after which all tasks are listed again, and not only those that have changed
    """

    def __init__(
        self,
        client: Client,
        project: int,
        desk: Desk,
        shown: Callable[[list[Id]], list[Item]],
        count: int = COUNT,
        settle: float = SETTLE,
        whole: float = WHOLE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client, self.project, self.desk, self.shown = client, project, desk, shown
        self.count = checks.whole_number("count", count, 1)
        self.mark = mark_of(desk.evaluation)
        self.settle, self._whole, self._clock = settle, whole, clock
        self._rows: dict[int, dict[str, Any]] = {}  # tasks by number, as Label Studio lists them
        self._listed, self._latest = -math.inf, _time({})  # when all were listed; the time of the last change
        self._tasks: dict[Id, Task] = {}  # as they were received last
        self._twins: list[int] = []  # second tasks of items that nobody had worked on, as they were received last
        self._missing: dict[Id, float] = {}  # reserved items without a task, and since when that is known
        self.unsettled = False  # whether items had no task and were not sent again yet

    def check(self) -> str:
        """Refuse a project whose annotators cannot give the answers of this evaluation; its title."""
        found = self.client.project(self.project)
        tasks.refuse_other_choices(self.project, found.get("parsed_label_config"), self.desk.evaluation.pool.answers)
        return str(found["title"])

    def receive(self) -> Received:
        """Read all annotations and tell those that are new or changed."""
        self._tasks = self._found()
        evaluation, corrected, unused, withdrawn = self.desk.evaluation, list[Change](), list[str](), list[Withdrawn]()
        with self.desk.transaction():
            before, said = evaluation.labels, self.desk.said()
            for item, task in self._tasks.items():
                given = {one.annotator: one.label for one in said.get(item, ()) if not one.final}
                named = self._named(task)
                for name, annotations in named.items():
                    self._take(item, name, annotations, given, corrected, unused)
                if not any(one.final for one in said.get(item, ())):
                    withdrawn += self._withdrawn(item, named, given)
            return Received(evaluation.labels - before, tuple(corrected), tuple(unused), tuple(withdrawn))

    def _list(self) -> list[dict[str, Any]]:
        """The tasks of this evaluation, the oldest first. Listing all of them takes Label Studio seconds."""
        now = self._clock()
        whole = now - self._listed >= self._whole or bool(self._without_task(now))
        found = self.client.tasks(self.project, self.mark, None if whole else self._latest - OVERLAP)
        changed = {int(one["id"]): one for one in found}
        self._rows = changed if whole else {**self._rows, **changed}
        self._listed = now if whole else self._listed
        self._latest = max([self._latest, *map(_time, changed.values())])
        return [self._rows[number] for number in sorted(self._rows)]

    def _found(self) -> dict[Id, Task]:
        """The tasks by item. The second task of an item, if nobody has worked on it, is remembered."""
        pool, found, self._twins = self.desk.evaluation.pool, dict[Id, Task](), []
        for one in self._list():
            number, annotations = int(one["id"]), list(one.get("annotations") or [])
            item = pool.id_of(str(one["data"].get("id")))
            if item not in pool:
                continue
            if item not in found:
                found[item] = Task(number, annotations)
            elif _is_untouched(one):
                self._twins.append(number)
            else:
                found[item].annotations.extend(annotations)
        return found

    def _delete_twins(self) -> None:
        """Each is read again first: somebody may have answered it since it was listed."""
        for number in self._twins:
            task = self.client.task(number)
            if task is not None and not _is_untouched(task):
                continue
            if task is not None:
                self.client.delete_task(number)
            self._rows.pop(number, None)
        self._twins = []

    def _named(self, task: Task) -> dict[str, list[dict[str, Any]]]:
        """Annotations by the name that the answer is written with. If several people must agree, each has a name."""
        if self.desk.wanted == 1:
            return {LABEL_STUDIO: task.annotations}
        return {f"{LABEL_STUDIO} user {who}": theirs for who, theirs in tasks.by_person(task.annotations).items()}

    def _take(
        self,
        item: Id,
        name: str,
        annotations: list[dict[str, Any]],
        given: dict[str, Label],
        corrected: list[Change],
        unused: list[str],
    ) -> None:
        """Tell an answer that is new or changed. One that cannot be read, which anybody can send, stops no other."""
        answers = self.desk.evaluation.pool.answers
        try:
            label = filled(Row(item, tasks.last_choice(item, annotations)), answers).label
        except InputError as error:
            unused.append(textwrap.shorten(str(error), LONGEST, placeholder=" ..."))
            return
        if isinstance(label, Empty) or (name in given and given[name] == label):
            return
        if not self.desk.may_answer(name, item, LABEL_STUDIO):
            if self.desk.evaluation.history["labels"].get(item, self) != answers.value(label):
                unused.append(
                    f"the answer {answers.word(label)!r} to item {item!r} is not used: it was labelled elsewhere, or"
                    " was never asked"
                )
            return
        self.desk.answer(name, item, answers.value(label), LABEL_STUDIO)
        if name in given:
            corrected.append(Change(item, answers.word(given[name]), answers.word(label)))

    def _withdrawn(
        self, item: Id, named: dict[str, list[dict[str, Any]]], given: dict[str, Label]
    ) -> Iterator[Withdrawn]:
        """Answers whose annotations are gone. A history has no way back: rounds were chosen with these labels."""
        ours = {LABEL_STUDIO} if self.desk.wanted == 1 else {name for name in given if name.startswith(LABEL_STUDIO)}
        for name in ours & given.keys():
            if _is_empty(named.get(name, [])):
                yield Withdrawn(item, self.desk.evaluation.pool.answers.word(given[name]))

    def send(self, labels: int | None = None) -> Sent:
        """Send what is reserved and has no task, and further items if there is room; delete second tasks.

        labels  the number of labels that is wanted in all; no more items are sent than it takes
        """
        self._delete_twins()
        desk, there = self.desk, self._tasks
        desk.keep(LABEL_STUDIO, there)
        held, now = desk.held_by(LABEL_STUDIO), self._clock()
        self._missing = {item: self._missing.get(item, now) for item in held if item not in there}
        again = self._without_task(self._listed)
        self.unsettled = len(again) < len(self._missing)
        unfinished, reason, fresh = self.unfinished(), "", list[Id]()
        if (room := self._room(unfinished.waiting, labels)) > 0:
            taken = desk.take_more(LABEL_STUDIO, room)
            unfinished, reason = self.unfinished(), "" if taken else desk.reason
            fresh = [item for item in taken if item not in there]
        self._import(again + fresh)
        return Sent(len(again) + len(fresh), unfinished, reason)

    def _without_task(self, listed: float) -> list[Id]:
        """Items that are to be sent again if a list of all tasks that was begun at this time does not have them."""
        return [item for item, since in self._missing.items() if listed - since >= self.settle]

    def unfinished(self) -> Unfinished:
        """What is left after the answers that were received last. A disputed item does not wait for an answer: those
        who were to give one have given it."""
        held, disputed = self.desk.held_by(LABEL_STUDIO), self.desk.disputed()
        rest = {*held} - {*disputed}
        skipped = sum(item in self._tasks and self._tasks[item].skipped for item in rest)
        return Unfinished(len(rest) - skipped, skipped, len(disputed))

    def _room(self, waiting: int, labels: int | None) -> int:
        """How many further items may be sent. The next round is worth waiting for: it is chosen with these labels."""
        evaluation = self.desk.evaluation
        rounds = evaluation.snapshot().rounds
        size = rounds[-1].design.size if rounds else None
        if size is None or rounds[-1].asked < size:  # there is no next round, or this one has further items
            room = self.count - waiting
        elif waiting:
            return 0
        else:
            room = min(self.count, EXTRA) if evaluation.pending else self.count
        return room if labels is None else min(room, labels - evaluation.labels - waiting)

    def _import(self, items: list[Id]) -> None:
        """In an order that says nothing about the scores, as the order of the draws may, and in pieces: a request with
        very many tasks would take longer than the client waits."""
        mixed = self._mixed(items)
        for start in range(0, len(mixed), PAGE):
            self._import_piece(mixed[start : start + PAGE])

    def _import_piece(self, items: list[Id]) -> None:
        try:
            self.client.send(self.project, tasks.marked(self.shown(items), self.mark))
        finally:  # until Label Studio lists them: also a request that failed may still be carried out
            self._missing.update(dict.fromkeys(items, self._clock()))

    def _mixed(self, items: Iterable[Id]) -> list[Id]:
        seed = self.desk.evaluation.seed
        return sorted(items, key=lambda item: hashlib.sha256(f"{seed} {item}".encode()).digest())


def _is_untouched(task: dict[str, Any]) -> bool:
    """Whether nobody has answered, skipped or begun to answer a task."""
    return not (task.get("annotations") or task.get("drafts") or task.get("draft_exists"))


def _is_empty(annotations: list[dict[str, Any]]) -> bool:
    """Whether nobody has chosen anything; something that cannot be read was chosen."""
    try:
        return not tasks.last_choice("", annotations)
    except InputError:
        return False


def _time(task: dict[str, Any]) -> datetime:
    """When a task was changed last, by Label Studio's clock."""
    found = datetime.fromisoformat(task.get("updated_at") or "2000-01-01T00:00:00Z")
    return found if found.tzinfo else found.replace(tzinfo=UTC)
