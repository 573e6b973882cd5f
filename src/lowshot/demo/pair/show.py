"""The demo with two models on the terminal: a live table, the classes side by side, sentences."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lowshot.demo.data import BASELINE, CANDIDATE, CATEGORIES, Pair
from lowshot.demo.pair import words
from lowshot.demo.pair.outcome import Outcome, Summary, exact, mean_width
from lowshot.demo.pair.run import Row, Trial
from lowshot.demo.show import behind_bar, grow
from lowshot.result import Comparison, percent

DIFFERENCE = f"{CANDIDATE} - {BASELINE}"
STYLES = {"better": "green", "worse": "red", "tied": "cyan", "undecided": "dim"}  # of verdicts


def introduce(console: Console, pair: Pair) -> None:
    console.print(Text(words.introduction(pair)), end="\n\n")


def watch(console: Console, pair: Pair, rows: Iterable[Row], labels: int) -> list[Row]:
    """Show the table of rounds while it grows, and at the end with the truth."""
    seen = grow(console, rows, labels, rounds)
    console.print(rounds(seen, exact(pair)))
    return seen


def run_all(console: Console, trials: Iterable[tuple[Pair, Trial]], runs: int) -> list[tuple[Pair, Trial]]:
    """Run all classes behind a progress bar."""
    return behind_bar(console, "all classes", trials, runs * len(CATEGORIES), lambda one: f"class {one[0].category}")


def conclude(console: Console, outcome: Outcome) -> None:
    """Print verdict and truth, all classes, and notes on them."""
    console.print(Text(words.verdict(outcome), style="bold yellow" if outcome.right is False else "bold"), end="\n\n")
    console.print(Text(words.heading(outcome)))
    console.print(classes(outcome))
    console.print(Text(words.conclusion(outcome), style="bold"))
    for note in words.notes(outcome):
        console.print(Text(f"Note: {note}", style="yellow"))


def rounds(rows: Sequence[Row], truth: Comparison | None = None) -> Table:
    """One line per checkpoint; at the end the truth, if it is given."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("round", "labels", DIFFERENCE, "95 % interval", f"{CANDIDATE} is better"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for before, row in zip([None, *rows], rows, strict=False):
        number = "" if before is not None and before.round == row.round else str(row.round)
        table.add_row(number, str(row.labels), *cells(row.comparison))
    if truth is not None:
        table.add_section()
        table.add_row("truth", f"{truth.labels:,}", signed(truth.value), "exact", "", truth.verdict, style="green")
    return table


def cells(found: Comparison) -> tuple[str, str, str, Text]:
    """Difference, interval, probability and verdict, with a dash for what does not exist."""
    interval = "-" if found.interval is None else f"{signed(found.interval.low)} to {signed(found.interval.high)}"
    value = signed(found.value) if found.interval is not None else "-"
    probability = "-" if found.probability is None else percent(found.probability)
    return value, interval, probability, Text(found.verdict, style=STYLES[found.verdict])


def signed(value: float) -> str:
    """A difference, with its sign.

    >>> signed(0.0631), signed(-0.2)
    ('+0.063', '-0.200')
    """
    return f"{value:+.3f}"


def classes(outcome: Outcome) -> Table:
    """One line per class."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    own = [f"own\n{name}" for name in ("right", "wrong", "none", "width")]
    for name in ("\nclass", f"truth\n{DIFFERENCE}", "\nlabels", "\nright", "\nwrong", "\nnone", "\nwidth", *own):
        table.add_column(name, justify="right", no_wrap=True)
    for one in outcome.summaries:
        chosen = one.pair.category == outcome.pair.category
        table.add_row(*summarised(one), style="bold" if chosen else "")
    return table


def summarised(one: Summary) -> list[str]:
    """The cells of a class."""
    counts, row = one.counts(), [str(one.pair.category), signed(one.truth.value), f"{one.labels:g}"]
    for way, found in (("pair", one.found), ("own", one.own)):
        width = mean_width(found)
        row += [*map(str, counts[way]), "-" if width is None else f"{width:.2f}"]
    return row
