"""`lowshot label --terminal`: one key per item; where there are many classes, also names that are typed."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

from lowshot.answer import YES_NO
from lowshot.checks import Id
from lowshot.class_answer import OTHER
from lowshot.cli.console import printable, say
from lowshot.cli.models import choice_by, found_by, skipped_in_words
from lowshot.cli.opening import Opened
from lowshot.errors import InputError
from lowshot.labelling.enough import ENOUGH, Watch
from lowshot.pools.class_pool import ClassPool
from lowshot.words import counted

KEYS = YES_NO.keys
HELP = ", ".join([*(f"{key} {YES_NO.word(label)}" for key, label in KEYS.items()), "u undo", "q quit"])

NO_TERMINAL = "--terminal needs a terminal to read keys from: stdin is not one; use `lowshot ask` and `lowshot tell`"
MORE = "m label more anyway, u undo, q quit"
NAME, NONE, CANNOT, ENTER = "/", "n", "s", ("\r", "\n")


class Session:
    """One person at a terminal. Items reserved for them come first, then free pending items, then new ones."""

    help = HELP

    def __init__(self, opened: Opened, solo: bool, who: str, watch: Watch | None = None) -> None:
        self.opened, self.evaluation, self.solo, self.who, self.watch = opened, opened.evaluation, solo, who, watch
        self.desk = opened.desk()
        self.answered: list[Id] = []  # items answered in this session, the last one at the end
        self.corrected: set[Id] = set()
        self.upcoming: list[Id] = []  # items to show again after undo, the next one at the end

    def run(self, count: int | None) -> None:
        say("\n".join(filter(None, [self.opened.header.question, self.opened.about.instructions, self.help])))
        while count is None or len(self.answered) < count:
            item = None if self._stops() else self._next()
            if item is None or not self._answer(item):
                break
        skipped = skipped_in_words(self.evaluation.snapshot().skipped)
        say(f"{len(self.answered):,} answered now, {counted(self.evaluation.labels, 'label')} in total{skipped}")

    def _stops(self) -> bool:
        """Whether the session ends because the goal is reached. Whoever wants to label more is not asked again."""
        while not self.upcoming and (found := self._found()) is not None:
            say("\n".join(["", ENOUGH, *map(printable, found), MORE]))
            key = read_key(MORE, ("m", "u", "q"))
            if key == "q":
                return True
            if key == "m":
                self.watch = None
            else:
                self._undo()
        return False

    def _found(self) -> Sequence[str] | None:
        """What was found if the goal is reached, as far as the last look saw."""
        history = self.evaluation.journal.history
        if self.watch is not None and self.watch.due(len(history.answers)):
            self.watch.look(self.evaluation.snapshot())
        return None if self.watch is None else self.watch.found

    def _next(self) -> Id | None:
        while self.upcoming:
            item = self.upcoming.pop()
            if item in self.corrected or item in self.evaluation.pending:  # otherwise somebody answered it meanwhile
                return item
        items = self.desk.take(self.who)
        if not items:
            say(f"Nothing to label: {self.desk.reason}")
        return items[0] if items else None

    def _answer(self, item: Id) -> bool:
        """Show an item and take its answer; False to end the session."""
        self._show(item)
        found = self._asked(item)
        if found == "q":
            return False
        if found == "u":
            self.upcoming.append(item)
            self._undo()
        else:
            self._keep(item, found)
        return True

    def _asked(self, item: Id) -> Any:
        """The answer as it is told; or "u" or "q", which are no answers."""
        key = read_key(self.help, (*KEYS, "u", "q"))
        return KEYS.get(key, key)

    def _show(self, item: Id) -> None:
        (shown,) = self.opened.shown([item])
        say(f"\n--- item {len(self.answered) + 1} of this session, {counted(self.evaluation.labels, 'label')} so far")
        fields = shown.fields or {"id": str(item)}
        for name, value in fields.items():
            say(printable(value if len(fields) == 1 else f"{name}: {value}"))

    def _undo(self) -> None:
        """Show the last item again; the next key replaces its answer."""
        if not self.answered:
            say("Nothing to undo in this session.")
            return
        self.upcoming.append(self.answered.pop())
        self.corrected.add(self.upcoming[-1])
        say("The last item again; the new answer replaces the old one:")

    def _keep(self, item: Id, answer: Any) -> None:
        try:
            if item in self.corrected:
                self.evaluation.correct(item, answer)
            else:
                self.evaluation.tell([item], [answer])
        except InputError as error:  # somebody else answered it first
            say(f"Not stored: {error}")
            return
        self.answered.append(item)
        if self.solo:
            say(found_by(self.evaluation))
            if (choice := choice_by(self.evaluation)) is not None:
                say(choice)


class ClassSession(Session):
    """The same where there are many classes: some likely ones by their digits, the others by their names."""

    help = "a digit chooses a category, / lets you type its name, n none of these, s cannot tell, u undo, q quit"

    def __init__(self, opened: Opened, solo: bool, who: str, pool: ClassPool, watch: Watch | None = None) -> None:
        super().__init__(opened, solo, who, watch)
        self.pool, self.answers = pool, pool.answers
        if self.answers.several:
            self.help = self.help.replace("chooses a category", "chooses a category or takes it back, Enter ends")

    def _asked(self, item: Id) -> Any:
        from lowshot import which

        shown, chosen = which.candidates(self.pool, item, self.evaluation.seed), list[str]()
        while True:
            say(menu(shown, chosen))
            key = read_key(self.help, (*keys_of(shown), NAME, NONE, CANNOT, "u", "q", *ENTER))
            if key in ("u", "q"):
                return key
            if key == CANNOT:
                return None
            if key == NONE:
                return OTHER
            if key in ENTER and chosen:
                return [self.answers.named(name) for name in chosen]
            name = None if key in ENTER else self._typed() if key == NAME else shown[int(key) - 1]
            if name is None:
                continue
            if not self.answers.several:
                return self.answers.named(name)
            chosen = [one for one in chosen if one != name] if name in chosen else [*chosen, name]

    def _typed(self) -> str | None:
        """The name of a class that is typed; None if nothing is typed, or a name that no class has."""
        try:
            text = input("name: ").strip()
            return str(self.answers.named(text)) if text else None
        except (KeyboardInterrupt, EOFError):
            return None
        except InputError as error:  # with the nearest names
            say(printable(str(error)))
            return None


def keys_of(shown: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, len(shown) + 1))


def menu(shown: Sequence[str], chosen: Sequence[str]) -> str:
    """The classes with their keys; a star before those that were chosen.

    >>> menu(["heron", "crow"], ["crow"])
    '1 heron   2 *crow'
    """
    keyed = zip(keys_of(shown), shown, strict=True)
    others = [name for name in chosen if name not in shown]
    parts = [f"{key} {'*' if name in chosen else ''}{printable(name)}" for key, name in keyed]
    return "   ".join([*parts, *(f"*{printable(name)}" for name in others)])


def session(opened: Opened, solo: bool, who: str, watch: Watch | None = None) -> Session:
    """For the answers that the items of the pool take."""
    pool = opened.evaluation.pool
    if isinstance(pool, ClassPool):
        return ClassSession(opened, solo, who, pool, watch)
    return Session(opened, solo, who, watch)


def refuse_no_terminal() -> None:
    """Before an item is reserved for somebody who cannot answer it."""
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # no file: another program passes keys
        return
    if not os.isatty(descriptor):
        try:
            os.close(os.open("/dev/tty", os.O_RDWR))  # keys are read from it, if stdin is something else
        except OSError:
            raise InputError(NO_TERMINAL) from None


def read_key(help_: str, known: Sequence[str]) -> str:
    """Wait for a key that has a meaning; a closed or interrupted terminal means q."""
    while True:
        try:
            key = typer.getchar().lower()
        except (KeyboardInterrupt, EOFError):
            return "q"
        except OSError:
            raise InputError(NO_TERMINAL) from None
        if key in known:
            return key
        if not key:
            return "q"
        say(help_)
