"""`lowshot label-studio`: tasks to a project of Label Studio and answers back, round after round."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from lowshot import checks
from lowshot.cli import console
from lowshot.cli.console import AllowExternal, AsJson, Margin, Moved, Name, StorePath
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.errors import InputError
from lowshot.integrations.label_studio import tasks
from lowshot.words import counted

if TYPE_CHECKING:
    from lowshot.integrations.label_studio.client import Client
    from lowshot.integrations.label_studio.sync import Change, Received, Sent, Synchronisation, Unfinished, Withdrawn

EXAMPLES = """[bold]Examples[/bold]
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --create Birds
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --project 3 --labels 200
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --project 3 --half-width 0.05 --webhook
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --project 3 --once --json
"""
EVERY = 5.0  # seconds between looks: an annotator who waits for the next round hardly notices
HOST = "127.0.0.1"
SHARE = 5  # a look that takes long, as in a large project, is followed by a pause of so many times its duration
SOONEST = 1.0  # seconds between looks, however often a webhook is called


def label_studio(
    store: StorePath,
    url: Annotated[str, typer.Option(help="Address of Label Studio.")],
    project: Annotated[int | None, typer.Option(min=1, help="Number of the project, as in its address.")] = None,
    create: Annotated[
        str | None,
        typer.Option(
            metavar="TITLE", help="Make a project with this title, or go on with the one that was made so before."
        ),
    ] = None,
    labels: Annotated[int | None, typer.Option(min=1, help="Stop at this number of labels.")] = None,
    half_width: Annotated[float | None, typer.Option(help="Stop when the half-width of the interval is this.")] = None,
    verdict: Annotated[
        bool, typer.Option("--verdict", help="Stop when there is a verdict: which model is better, or a threshold.")
    ] = False,
    margin: Margin = 0.0,
    once: Annotated[bool, typer.Option("--once", help="Receive and send once, and exit; for cron.")] = False,
    count: Annotated[int, typer.Option(min=1, help="Maximum number of tasks that wait for an answer.")] = 100,
    every: Annotated[
        float | None, typer.Option(min=0.1, help=f"Seconds between two looks for answers; {EVERY:g} if not given.")
    ] = None,
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Let Label Studio say when there is an answer, to look at once.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help=f"With --webhook: address to listen on; {HOST} if not given.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="With --webhook: port; any free port if it is 0 or not given.")
    ] = None,
    reached_as: Annotated[
        str | None, typer.Option(help="With --webhook: host name under which Label Studio reaches this machine.")
    ] = None,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Send items to Label Studio and receive the answers, round after round, until a goal or Ctrl-C.

    The token is read from the environment variable LABEL_STUDIO_API_KEY. Tasks have neither score nor prediction.
    """
    if (project is None) == (create is None):
        raise InputError("give either --project, the number of a project, or --create, the title of a new one")
    refuse_waiting_once(once, webhook, every)
    listening = Listening.of(webhook, host, port, reached_as)
    goal = Goal(labels, half_width, verdict, margin)
    goal.check()
    client = client_of(url)
    opened = open_evaluation(store, name, moved, allow_external=allow_external)
    with closing(client), with_advice():
        sync = synchronisation(client, opened, project, create, count)
        work = Work(opened, sync, goal, EVERY if every is None else every)
        with nullcontext() if listening is None else calls(sync, work.wake, listening):
            work.once() if once else work.go_on()
    if as_json:
        console.print_json(work.plain())
    else:
        console.say(work.sentence())


def refuse_waiting_once(once: bool, webhook: bool, every: float | None) -> None:
    """Options about waiting have no effect with --once."""
    if once and webhook:
        raise InputError("--webhook waits for calls and --once does not wait: got both; leave one out")
    if once and every is not None:
        raise InputError(f"--every must come without --once, which looks once: got {every:g} and --once; leave one out")


class Listening(NamedTuple):
    """Where calls of Label Studio arrive."""

    host: str
    port: int
    reached_as: str | None

    @classmethod
    def of(cls, webhook: bool, host: str | None, port: int | None, reached_as: str | None) -> "Listening | None":
        """None without --webhook: the other options must not be given then."""
        if not webhook:
            refuse_no_webhook({"--host": host, "--port": port, "--reached-as": reached_as})
            return None
        if reached_as is None and host in ("", "0.0.0.0", "::"):
            raise InputError(
                f"--reached-as must be this machine's name for Label Studio if --host is {host or 'empty'}: got none"
            )
        if reached_as is not None:
            checks.text("--reached-as", reached_as)
        return cls(HOST if host is None else host, port or 0, reached_as)


def refuse_no_webhook(options: Mapping[str, Any]) -> None:
    """Options that say where calls arrive have no effect if there are none."""
    for option, value in options.items():
        if value is not None:
            raise InputError(f"{option} must come with --webhook: got {value!r} without it; add --webhook")


def client_of(url: str) -> "Client":
    from lowshot.integrations.label_studio.client import KEY, Client, checked_url

    token = os.environ.get(KEY, "")
    if not token.strip():
        raise InputError(
            f"{KEY} must be set in the environment: it is not; copy a token from {checked_url(url)}/user/account and"
            f" `export {KEY}=...`"
        )
    return Client(url, token)


def synchronisation(
    client: "Client", opened: Opened, project: int | None, create: str | None, count: int
) -> "Synchronisation":
    """With a project that exists and takes the answers of this evaluation."""
    from lowshot.integrations.label_studio.sync import SETTLE, Synchronisation, project_for
    from lowshot.labelling.ledger import LONG

    desk, header = opened.desk(LONG), opened.header
    if create is not None:
        checks.text("--create", create)
        config = tasks.config(header.question, opened.about.shown, opened.about.show, opened.evaluation.pool.answers)
        project, new = project_for(client, create, config, opened.evaluation, desk.wanted)
        console.note(f"project {project} was made" if new else f"project {project} was made before: it goes on")
    assert project is not None
    sync = Synchronisation(client, project, desk, opened.shown, count, SETTLE)
    title = sync.check()
    console.note(f"{title!r}: {client.url}/projects/{project}/data")
    return sync


@contextmanager
def calls(sync: "Synchronisation", wake: Callable[[], None], listening: Listening) -> Iterator[None]:
    """Label Studio calls `wake` when there is an answer. If it refuses to, answers are found without."""
    from lowshot.integrations.label_studio.webhook import Receiver, registered

    with ExitStack() as stack:
        receiver = stack.enter_context(Receiver(listening.host, listening.port, wake))
        try:
            address = stack.enter_context(
                registered(sync.client, sync.project, receiver, listening.reached_as, sync.mark)
            )
            console.note(f"webhook {address}")
        except InputError as error:
            console.note(f"no webhook, answers are looked for now and then: {error}")
        yield


@contextmanager
def with_advice() -> Iterator[None]:
    """If Label Studio does not answer, the error says what to do: it may have another address, or not be started."""
    from lowshot.integrations.label_studio.client import Unavailable

    try:
        yield
    except Unavailable as error:
        raise Unavailable(f"{error}; start Label Studio, or correct --url") from None


@dataclass(frozen=True)
class Goal:
    """When to stop; never if nothing is given."""

    labels: int | None = None
    half_width: float | None = None
    verdict: bool = False
    margin: float = 0.0

    def check(self) -> None:
        if self.half_width is not None:
            checks.number("half_width", self.half_width, 0.001, 0.5)
        if self.half_width is not None and self.verdict:
            raise InputError("give either --half-width or --verdict: got both")
        if self.margin and not self.verdict:
            raise InputError(f"--margin must come with --verdict: got {self.margin:g} without it; add --verdict")

    def reached(self, opened: Opened) -> str:
        """The option whose goal is reached; empty if there is none."""
        evaluation = opened.evaluation
        if self.labels is not None and evaluation.labels >= self.labels:
            return "--labels"
        if self.half_width is None and not self.verdict:
            return ""
        found = evaluation.stop_when(self.half_width, verdict=self.verdict, margin=self.margin)
        return ("--verdict" if self.verdict else "--half-width") if found else ""


@dataclass
class Work:
    """Receives and sends until the goal is reached, and counts."""

    opened: Opened
    sync: "Synchronisation"
    goal: Goal
    every: float
    new: int = 0
    corrected: list["Change"] = field(default_factory=list)
    withdrawn: tuple["Withdrawn", ...] = ()  # of the last look
    sent: int = 0
    waiting: int = 0
    skipped: int = 0
    disputed: int = 0
    reason: str = ""  # why there are no further items
    stopped: str = ""  # the option whose goal was reached, "done" or "Ctrl-C"
    _said: set[str] = field(default_factory=set)
    _checked: int = -1  # answers, corrections too, for which the goal was computed last
    _took: float = 0.0  # seconds of the last look
    _hint: threading.Event = field(default_factory=threading.Event)

    def wake(self) -> None:
        """Look now: there may be an answer."""
        self._hint.set()

    def once(self) -> None:
        """One synchronisation. An item that had no task must have none after a while, either, to be sent again."""
        self._look()
        if self.sync.unsettled and not self.stopped:
            time.sleep(self.sync.settle)
            self._look()

    def go_on(self) -> None:
        """Look again and again. Only the first look fails if Label Studio does not answer."""
        from lowshot.integrations.label_studio.client import Unavailable

        down = False
        try:
            self._look()
            while not self.stopped:
                self._pause()
                try:
                    self._look()
                except Unavailable as error:
                    if not down:
                        console.note(f"{error}: trying again every {self.every:g} seconds")
                    down = True
                    continue
                if down:
                    console.note(f"{self.sync.client.url} answers again")
                down = False
        except KeyboardInterrupt:
            self.stopped = "Ctrl-C"

    def _pause(self) -> None:
        """Until the next look is due, or a webhook says that there is something."""
        if self._hint.wait(max(self.every, SHARE * self._took)):
            time.sleep(min(SOONEST, self.every))
            self._hint.clear()

    def _look(self) -> None:
        began = time.monotonic()
        self._received(self.sync.receive())
        self.stopped = self._goal()
        if self.stopped:
            self._left(self.sync.unfinished())
        else:
            self._sent(self.sync.send(self.goal.labels))
            self.stopped = "" if self.opened.evaluation.pending else self._done()
        self._took = time.monotonic() - began

    def _goal(self) -> str:
        """The goal is computed only if there is something new, here or on the owner's page: that can take seconds."""
        state = len(self.opened.evaluation.snapshot().answers)
        if state == self._checked:
            return ""
        self._checked = state
        return self.goal.reached(self.opened)

    def _done(self) -> str:
        if self.reason:
            self._say(self.reason)
        return "done" if self.reason else ""

    def _received(self, found: "Received") -> None:
        self.new += found.labels
        self.corrected += found.corrected
        if found.labels:
            console.note(f"{counted(found.labels, 'new label')}, {self.opened.evaluation.labels:,} in all")
        for one in found.corrected:
            console.note(f"corrected: {one}")
        self.withdrawn = found.withdrawn
        for text in (*found.unused, *map(str, found.withdrawn)):
            self._say(text)

    def _sent(self, found: "Sent") -> None:
        self.sent, self.reason = self.sent + found.tasks, found.reason
        if found.tasks:
            waiting = counted(found.unfinished.waiting, "task")
            console.note(f"{counted(found.tasks, 'task')} sent, {waiting} waiting for an answer")
        self._left(found.unfinished)

    def _left(self, unfinished: "Unfinished") -> None:
        self.waiting, self.skipped, self.disputed = unfinished
        if self.disputed:
            self._say(f"{counted(self.disputed, 'item')} disputed: decide on the owner's page")

    def _say(self, text: str) -> None:
        """Once, and not after every look."""
        if text not in self._said:
            console.note(text)
        self._said.add(text)

    def sentence(self) -> str:
        """What was done, and what is left."""
        skipped = f", {self.skipped:,} skipped" if self.skipped else ""
        disputed = f", {self.disputed:,} disputed" if self.disputed else ""
        why = f", {self.stopped} is reached" if self.stopped.startswith("--") else ""
        return (
            f"{counted(self.opened.evaluation.labels, 'label')}{why}; {counted(self.new, 'new label')},"
            f" {len(self.corrected):,} corrected, {counted(self.sent, 'task')} sent, {self.waiting:,} waiting for an"
            f" answer{skipped}{disputed}"
        )

    def plain(self) -> dict[str, Any]:
        return {
            "name": self.opened.header.name,
            "project": self.sync.project,
            "labels": self.opened.evaluation.labels,
            "new": self.new,
            "corrected": [one.plain() for one in self.corrected],
            "withdrawn": [one.item for one in self.withdrawn],
            "sent": self.sent,
            "waiting": self.waiting,
            "skipped": self.skipped,
            "disputed": self.disputed,
            "stopped": self.stopped,
        }
