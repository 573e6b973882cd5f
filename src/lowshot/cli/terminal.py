"""`lowshot label --terminal`: one key per item."""

from unicodedata import category

import typer

from lowshot.answer import YES_NO, Label
from lowshot.checks import Id
from lowshot.cli.console import counted
from lowshot.cli.models import choice_by, found_by
from lowshot.cli.opening import Opened
from lowshot.errors import InputError

KEYS = YES_NO.keys
HELP = ", ".join([*(f"{key} {YES_NO.word(label)}" for key, label in KEYS.items()), "u undo", "q quit"])


class Session:
    """One person at a terminal. Items reserved for them come first, then free pending items, then new ones."""

    def __init__(self, opened: Opened, solo: bool, who: str) -> None:
        self.opened, self.evaluation, self.solo, self.who = opened, opened.evaluation, solo, who
        self.desk = opened.desk()
        self.answered: list[Id] = []  # items answered in this session, the last one at the end
        self.corrected: set[Id] = set()
        self.upcoming: list[Id] = []  # items to show again after undo, the next one at the end

    def run(self, count: int | None) -> None:
        typer.echo("\n".join(filter(None, [self.opened.header.question, self.opened.about.instructions, HELP])))
        while count is None or len(self.answered) < count:
            item = self._next()
            if item is None or not self._answer(item):
                break
        typer.echo(f"{len(self.answered):,} answered now, {counted(self.evaluation.labels, 'label')} in total")

    def _next(self) -> Id | None:
        while self.upcoming:
            item = self.upcoming.pop()
            if item in self.corrected or item in self.evaluation.pending:  # otherwise somebody answered it meanwhile
                return item
        items = self.desk.take(self.who)
        if not items:
            typer.echo(f"Nothing to label: {self.desk.reason}")
        return items[0] if items else None

    def _answer(self, item: Id) -> bool:
        """Show an item and take its answer; False to end the session."""
        self._show(item)
        key = read_key()
        if key == "q":
            return False
        if key == "u":
            self.upcoming.append(item)
            self._undo()
        else:
            self._keep(item, KEYS[key])
        return True

    def _show(self, item: Id) -> None:
        (shown,) = self.opened.shown([item])
        typer.echo(
            f"\n--- item {len(self.answered) + 1} of this session, {counted(self.evaluation.labels, 'label')} so far"
        )
        fields = shown.fields or {"id": str(item)}
        for name, value in fields.items():
            typer.echo(printable(value if len(fields) == 1 else f"{name}: {value}"))

    def _undo(self) -> None:
        """Show the last item again; the next key replaces its answer."""
        if not self.answered:
            typer.echo("Nothing to undo in this session.")
            return
        self.upcoming.append(self.answered.pop())
        self.corrected.add(self.upcoming[-1])
        typer.echo("The last item again; the new answer replaces the old one:")

    def _keep(self, item: Id, answer: Label) -> None:
        try:
            if item in self.corrected:
                self.evaluation.correct(item, answer)
            else:
                self.evaluation.tell([item], [answer])
        except InputError as error:  # somebody else answered it first
            typer.echo(f"Not stored: {error}")
            return
        self.answered.append(item)
        if self.solo:
            typer.echo(found_by(self.evaluation))
            if (choice := choice_by(self.evaluation)) is not None:
                typer.echo(choice)


def read_key() -> str:
    """Wait for a key that has a meaning; a closed or interrupted terminal means q."""
    while True:
        try:
            key = typer.getchar().lower()
        except (KeyboardInterrupt, EOFError):
            return "q"
        except OSError:
            raise InputError(
                "--terminal needs a terminal to read keys from: stdin is not one; use `lowshot ask` and `lowshot tell`"
            ) from None
        if key in (*KEYS, "u", "q"):
            return key
        if not key:
            return "q"
        typer.echo(HELP)


def printable(text: str) -> str:
    """Without control characters, which would change the state of the terminal.

    >>> printable("Crow\\x1b[31m\\r\\n")
    'Crow�[31m\\n'
    """
    plain = text.replace("\r\n", "\n")
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(letter) else letter for letter in plain)


def _steers(letter: str) -> bool:
    return category(letter) == "Cc" and letter not in "\n\t"
