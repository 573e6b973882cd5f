"""The demo on the terminal: live tables, progress bars, sentences."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from lowshot.demo import words
from lowshot.demo.compare import Comparison, Trial
from lowshot.demo.data import Task
from lowshot.demo.outcome import Outcome
from lowshot.demo.run import Row
from lowshot.result import Estimate

PAUSE = 0.15  # seconds per row on a terminal, because the computation is too fast to watch
SCALE = 22  # characters for F1 from 0 to 1
GLYPHS = str.maketrans("-|o:", "━━●┊")  # instead of ASCII, if the terminal can show them


def introduce(console: Console, task: Task) -> None:
    console.print(Text(words.introduction(task)), end="\n\n")


def watch(console: Console, task: Task, rows: Iterable[Row], labels: int) -> list[Row]:
    """Show the table of rounds while it grows, and at the end with the truth."""
    seen: list[Row] = []
    bar, number = progress(console, "labelling", labels)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for row in rows:
            seen.append(row)
            bar.update(number, completed=row.labels)
            live.update(Group(rounds(console, seen), bar), refresh=True)
            time.sleep(PAUSE if console.is_terminal and not console.quiet else 0)
    console.print(rounds(console, seen, task))
    return seen


def compare(console: Console, trials: Iterable[Trial], total: int) -> list[Trial]:
    """Run the comparison behind a progress bar, which says which sampler ran last."""
    done: list[Trial] = []
    bar, number = progress(console, "comparing samplers", total)
    with bar:
        for trial in trials:
            done.append(trial)
            said = f"comparing samplers: {words.title(trial.sampler)}"
            bar.update(number, completed=len(done), description=said)
    return done


def conclude(console: Console, outcome: Outcome) -> None:
    """Print estimate and truth, the comparison, and notes on them."""
    console.print(Text(words.verdict(outcome), style="bold yellow" if outcome.covered is False else "bold"), end="\n\n")
    console.print(comparison(outcome))
    for note in words.notes(outcome):
        console.print(Text(f"Note: {note}", style="yellow"))


def farewell(console: Console, saved: Path | str) -> None:
    """Where the picture is (or why there is none), and what to do next."""
    line = f"Picture: {saved}" if isinstance(saved, Path) else saved
    console.print(Text(f"\n{line}"), soft_wrap=True)
    console.print("\nNext, your own scores (items are their positions, or what you give as ids=):\n")
    console.print(Syntax(words.HINT, "python", theme="ansi_dark", background_color="default"), soft_wrap=True)


def progress(console: Console, what: str, total: int) -> tuple[Progress, TaskID]:
    """A bar with one task; it disappears when it is done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(SCALE, complete_style="cyan", finished_style="cyan"),
        MofNCompleteColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    return bar, bar.add_task(what, total=total)


def rounds(console: Console, rows: Sequence[Row], task: Task | None = None) -> Table:
    """One line per checkpoint; with a task also the truth."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("round", "labels", "positives", "F1", "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"0{'F1':^{SCALE - 2}}1", no_wrap=True)
    truth = None if task is None else task.truth()
    for before, row in zip([None, *rows], rows, strict=False):
        number = "" if before is not None and before.round == row.round else str(row.round)
        drawn = on_screen(console, scale(row.estimate, truth))
        table.add_row(number, str(row.labels), str(row.positives), *numbers(row.estimate), drawn)
    if task is not None:
        everything = (f"{len(task.pool):,}", str(task.positives), f"{task.truth():.3f}", "exact")
        table.add_section()
        table.add_row("truth", *everything, on_screen(console, scale(None, truth)), style="green")
    return table


def numbers(estimate: Estimate) -> tuple[str, str]:
    """Value and interval, with a dash for what does not exist."""
    value = f"{estimate.value:.3f}" if estimate.defined else "-"
    interval = estimate.interval
    return value, "-" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def scale(estimate: Estimate | None, truth: float | None) -> str:
    """Interval, value and truth on a scale from 0 to 1.

    >>> from lowshot import Estimate, Interval, Reach
    >>> scale(Estimate("f1", 0.5, 0.01, Interval(0.2, 0.9), 30, Reach(600, 50_000)), truth=0.1)
    '  : |-----o--------|  '
    """
    line = [" "] * SCALE
    if estimate is not None and (interval := estimate.interval):
        start, end = place(interval.low), place(interval.high)
        line[start : end + 1] = "-" * (end + 1 - start)
        line[start] = line[end] = "|"
    if truth is not None:
        line[place(truth)] = ":"
    if estimate is not None and estimate.defined:
        line[place(estimate.value)] = "o"
    return "".join(line)


def place(value: float) -> int:
    return round(min(max(value, 0.0), 1.0) * (SCALE - 1))


def on_screen(console: Console, line: str) -> Text:
    """The line in colour, with box characters if the terminal can show them."""
    text = Text(line if console.options.ascii_only else line.translate(GLYPHS), style="cyan")
    text.highlight_regex("[:┊]", "green")
    return text


def comparison(outcome: Outcome) -> Table:
    """One line per sampler."""
    table = Table(
        box=SIMPLE_HEAD, pad_edge=False, title=words.heading(outcome), title_justify="left", title_style="none"
    )
    table.add_column("sampler")
    for name in ("typical error", "times ACIS's", "truth in interval", "interval width"):
        table.add_column(name, justify="right")
    for one in outcome.comparisons:
        table.add_row(*compared(outcome, one), style="bold" if one.sampler == outcome.sampler else "")
    return table


def compared(outcome: Outcome, one: Comparison) -> tuple[str, ...]:
    relative = outcome.relative(one)
    times = "-" if relative is None else f"{relative:.1f}"
    inside = "no interval" if one.inside is None else f"{one.inside} of {one.runs}"
    width = "-" if one.width is None else f"{one.width:.2f}"
    return words.title(one.sampler), f"{one.typical_error:.3f}", times, inside, width
