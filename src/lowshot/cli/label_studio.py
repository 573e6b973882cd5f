"""`lowshot label-studio`: tasks to a project of Label Studio and answers back, round after round."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lowshot import checks
from lowshot.cli import console
from lowshot.cli.console import AsJson, Margin, Moved, Name, StorePath
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.errors import InputError
from lowshot.integrations.label_studio import tasks
from lowshot.words import counted

if TYPE_CHECKING:
    from lowshot.integrations.label_studio.client import Client
    from lowshot.integrations.label_studio.sync import Change, Received, Sent, Synchronisation, Withdrawn

EXAMPLES = """[bold]Examples[/bold]
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --create Birds
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --project 3 --labels 200
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --project 3 --half-width 0.05 --webhook
  lowshot label-studio birds.db --url http://127.0.0.1:8080 --project 3 --once --json
"""
EVERY = 5.0  # seconds between looks: an annotator who waits for the next round hardly notices
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
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks for answers.")] = EVERY,
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Let Label Studio say when there is an answer, to look at once.")
    ] = False,
    host: Annotated[str, typer.Option(help="With --webhook: address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --webhook: port; 0 for any free port.")] = 0,
    reached_as: Annotated[
        str | None, typer.Option(help="With --webhook: host name under which Label Studio reaches this machine.")
    ] = None,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """Send items to Label Studio and receive the answers, round after round, until a goal or Ctrl-C.

    The token is read from the environment variable LABEL_STUDIO_API_KEY. Tasks have neither score nor prediction.
    """
    if (project is None) == (create is None):
        raise InputError("give either --project, the number of a project, or --create, the title of a new one")
    if webhook and once:
        raise InputError("--webhook waits for calls and --once does not wait: got both; leave one out")
    if webhook and reached_as is None and host in ("", "0.0.0.0", "::"):
        raise InputError(
            f"--reached-as must be this machine's name for Label Studio if --host is {host or 'empty'}: got none"
        )
    goal = Goal(labels, half_width, verdict, margin)
    goal.check()
    client = client_of(url)
    opened = open_evaluation(store, name, moved)
    with closing(client), with_advice():
        sync = synchronisation(client, opened, project, create, count)
        work = Work(opened, sync, goal, every)
        with calls(sync, work.wake, host, port, reached_as) if webhook else nullcontext():
            work.once() if once else work.go_on()
    if as_json:
        console.print_json(work.plain())
    else:
        console.say(work.sentence())


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
def calls(sync: "Synchronisation", wake: Callable[[], None], host: str, port: int, name: str | None) -> Iterator[None]:
    """Label Studio calls `wake` when there is an answer. If it refuses to, answers are found without."""
    from lowshot.integrations.label_studio.webhook import Receiver, registered

    with ExitStack() as stack:
        receiver = stack.enter_context(Receiver(host, port, wake))
        try:
            address = stack.enter_context(registered(sync.client, sync.project, receiver, name, sync.mark))
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
    reason: str = ""  # why there are no further items
    stopped: str = ""  # the option whose goal was reached, "done" or "Ctrl-C"
    _said: set[str] = field(default_factory=set)
    _checked: int = -1  # labels and corrections for which the goal was computed last
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
            self.waiting, self.skipped = self.sync.waiting()
        else:
            self._sent(self.sync.send(self.goal.labels))
            self.stopped = "" if self.waiting or self.skipped or self.opened.evaluation.pending else self._done()
        self._took = time.monotonic() - began

    def _goal(self) -> str:
        """The goal is computed only if there is something new: that can take seconds."""
        state = self.opened.evaluation.labels + len(self.corrected)
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
        self.sent += found.tasks
        self.waiting, self.skipped, self.reason = found.waiting, found.skipped, found.reason
        if found.tasks:
            console.note(f"{counted(found.tasks, 'task')} sent, {counted(found.waiting, 'task')} waiting for an answer")

    def _say(self, text: str) -> None:
        """Once, and not after every look."""
        if text not in self._said:
            console.note(text)
        self._said.add(text)

    def sentence(self) -> str:
        """What was done, and what is left."""
        skipped = f", {self.skipped:,} skipped" if self.skipped else ""
        why = f", {self.stopped} is reached" if self.stopped.startswith("--") else ""
        return (
            f"{counted(self.opened.evaluation.labels, 'label')}{why}; {counted(self.new, 'new label')},"
            f" {len(self.corrected):,} corrected, {counted(self.sent, 'task')} sent, {self.waiting:,} waiting for an"
            f" answer{skipped}"
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
            "stopped": self.stopped,
        }
