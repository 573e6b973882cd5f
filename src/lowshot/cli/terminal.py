"""`lowshot label --terminal`: one key per item; where there are many classes, also a search by name."""

import os
import sys
from collections.abc import Sequence
from typing import Any
from unicodedata import category, normalize

import typer

from lowshot.answer import YES_NO
from lowshot.checks import Id
from lowshot.class_answer import OTHER
from lowshot.cli.console import say
from lowshot.cli.models import choice_by, found_by, skipped_in_words
from lowshot.cli.opening import Opened
from lowshot.errors import InputError
from lowshot.pools.class_pool import ClassPool
from lowshot.words import counted

KEYS = YES_NO.keys
HELP = ", ".join([*(f"{key} {YES_NO.word(label)}" for key, label in KEYS.items()), "u undo", "q quit"])

NO_TERMINAL = "--terminal needs a terminal to read keys from: stdin is not one; use `lowshot ask` and `lowshot tell`"
SEARCH, NONE, CANNOT, ENTER = "/", "n", "s", ("\r", "\n")
FOUND = 9  # classes that a search shows: each has a digit as its key


class Session:
    """One person at a terminal. Items reserved for them come first, then free pending items, then new ones."""

    help = HELP

    def __init__(self, opened: Opened, solo: bool, who: str) -> None:
        self.opened, self.evaluation, self.solo, self.who = opened, opened.evaluation, solo, who
        self.desk = opened.desk()
        self.answered: list[Id] = []  # items answered in this session, the last one at the end
        self.corrected: set[Id] = set()
        self.upcoming: list[Id] = []  # items to show again after undo, the next one at the end

    def run(self, count: int | None) -> None:
        say("\n".join(filter(None, [self.opened.header.question, self.opened.about.instructions, self.help])))
        while count is None or len(self.answered) < count:
            item = self._next()
            if item is None or not self._answer(item):
                break
        skipped = skipped_in_words(self.evaluation.snapshot().skipped)
        say(f"{len(self.answered):,} answered now, {counted(self.evaluation.labels, 'label')} in total{skipped}")

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
    """The same where there are many classes: some likely ones by their digits, the others by a search."""

    help = "a digit chooses a category, / searches, n none of these, s cannot tell, u undo, q quit"

    def __init__(self, opened: Opened, solo: bool, who: str, pool: ClassPool) -> None:
        super().__init__(opened, solo, who)
        self.pool, self.answers = pool, pool.answers
        if self.answers.several:
            self.help = self.help.replace("chooses a category", "chooses a category or takes it back, Enter ends")

    def _asked(self, item: Id) -> Any:
        from lowshot import which

        likely = shown = which.candidates(self.pool, item, self.evaluation.seed)
        chosen: list[str] = []
        while True:
            say(menu(shown, chosen))
            key = read_key(self.help, (*keys_of(shown), SEARCH, NONE, CANNOT, "u", "q", *ENTER))
            if key in ("u", "q"):
                return key
            if key == CANNOT:
                return None
            if key == NONE:
                return OTHER
            if key == SEARCH:
                shown = self._searched() or likely
            elif key in ENTER:
                if self.answers.several and chosen:
                    return [self.answers.named(name) for name in chosen]
            elif not self.answers.several:
                return self.answers.named(shown[int(key) - 1])
            else:
                name = shown[int(key) - 1]
                chosen = [one for one in chosen if one != name] if name in chosen else [*chosen, name]

    def _searched(self) -> list[str]:
        """The classes that fit what is typed; none if nothing is typed."""
        try:
            text = input("part of the name: ").strip()
        except (KeyboardInterrupt, EOFError):
            return []
        if not text:
            return []
        found = fitting(text, [str(name) for name in self.answers.names])
        if not found:
            say(f"No category fits {printable(text)!r}.")
        elif len(found) > FOUND:
            say(f"{len(found):,} categories fit; the first {FOUND}:")
        return found[:FOUND]


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


def fitting(text: str, names: Sequence[str]) -> list[str]:
    """The names that contain all words of a text: the name itself first, then those that begin with it.

    As on the labelling page, accents, capitals and the order of the words do not matter.

    >>> fitting("crow", ["scarecrow", "crow", "Crowned crane", "heron"])
    ['crow', 'Crowned crane', 'scarecrow']
    >>> fitting("eider king", ["King Éider", "kingfisher"])
    ['King Éider']
    """
    wanted = plainly(text)
    plain = {name: plainly(name) for name in names}
    found = [name for name in names if all(word in plain[name] for word in wanted.split())]
    return sorted(found, key=lambda name: (plain[name] != wanted, not plain[name].startswith(wanted)))


def plainly(text: str) -> str:
    """Without accents and capitals."""
    return "".join(letter for letter in normalize("NFD", text) if category(letter) != "Mn").casefold()


def session(opened: Opened, solo: bool, who: str) -> Session:
    """For the answers that the items of the pool take."""
    pool = opened.evaluation.pool
    return ClassSession(opened, solo, who, pool) if isinstance(pool, ClassPool) else Session(opened, solo, who)


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


def printable(text: str) -> str:
    """Without control characters, which would change the state of the terminal.

    >>> printable("Crow\\x1b[31m\\r\\n")
    'Crow�[31m\\n'
    """
    plain = text.replace("\r\n", "\n")
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(letter) else letter for letter in plain)


def _steers(letter: str) -> bool:
    return category(letter) == "Cc" and letter not in "\n\t"
