"""The demo with many classes on the terminal: a live table, the worst classes, sentences."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lowshot.demo.classes import words
from lowshot.demo.classes.data import ClassTask
from lowshot.demo.classes.outcome import Outcome
from lowshot.demo.classes.run import Row
from lowshot.demo.show import SCALE, behind_bar, grow, numbers, on_screen, scale
from lowshot.result import Estimate, short


def introduce(console: Console, task: ClassTask) -> None:
    console.print(Text(words.introduction(task)), end="\n\n")


def watch(console: Console, task: ClassTask, rows: Iterable[Row], labels: int) -> list[Row]:
    """Show the table of rounds while it grows, and at the end with the truth."""
    seen = grow(console, rows, labels, lambda so_far: rounds(console, so_far))
    console.print(rounds(console, seen, task))
    return seen


def run_all(console: Console, trials: Iterable[Estimate], runs: int) -> list[Estimate]:
    """Further runs behind a progress bar."""
    return behind_bar(console, "further runs", trials, runs, lambda _: "further runs")


def conclude(console: Console, outcome: Outcome) -> None:
    """Print estimate and truth, the worst classes, what random labels do, and notes."""
    console.print(Text(words.verdict(outcome), style="bold yellow" if outcome.covered is False else "bold"), end="\n\n")
    console.print(Text(words.heading(outcome)))
    console.print(worst(outcome))
    console.print(Text(words.classes(outcome)), end="\n\n")
    console.print(Text(words.comparison(outcome), style="bold"))
    for note in words.notes(outcome):
        console.print(Text(f"Note: {note}", style="yellow"))


def rounds(console: Console, rows: Sequence[Row], task: ClassTask | None = None) -> Table:
    """One line per checkpoint; with a task also the truth."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("round", "labels", "macro F1", "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"0{'macro F1':^{SCALE - 2}}1", no_wrap=True)
    truth = None if task is None else task.truth
    for before, row in zip([None, *rows], rows, strict=False):
        number = "" if before is not None and before.round == row.round else str(row.round)
        drawn = on_screen(console, scale(row.estimate, truth))
        table.add_row(number, str(row.labels), *numbers(row.estimate), drawn)
    if task is not None:
        table.add_section()
        drawn = on_screen(console, scale(None, truth))
        table.add_row("truth", f"{len(task.pool):,}", f"{task.truth:.3f}", "exact", drawn, style="green")
    return table


def worst(outcome: Outcome) -> Table:
    """The classes with the lowest estimates, beside their truth."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("class", "F1", "95 % interval", "truth", "labels"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in outcome.worst:
        interval = "-" if row["low"] is None else f"{short(row['low'])} to {short(row['high'])}"
        truth = outcome.task.truths[row["category"]]
        cells = (str(row["category"]), short(row["value"]), interval, short(truth), str(row["labels"]))
        table.add_row(*cells, style="" if outcome.contains(row) else "yellow")
    return table
