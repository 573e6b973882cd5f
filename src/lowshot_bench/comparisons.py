"""The comparisons that decide the paper's claims, each a small function from results to checks."""

import math
from collections.abc import Iterator

import numpy as np

from lowshot_bench.check import (
    ENDS,
    TWICE,
    Check,
    Checks,
    Results,
    at_least,
    at_most,
    error_ratio,
    families,
    lower,
    pick,
    within,
)
from lowshot_bench.summary import Cell, line, paired, ratio

BASELINES = ("sawade", "rand", "topk", "gmm")


def lowest(name: str, labels: tuple[int, ...], others: tuple[str, ...], mine: str = "acis") -> Checks:
    """A method's error is below that of each of the others."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for other in pick(cells, others, labels):
            if (own := cells.get((other.family, mine, "own", other.labels))) is not None:
                yield lower(own, other)

    return checks


def no_better(name: str, labels: tuple[int, ...], methods: tuple[str, ...], than: str) -> Checks:
    """The errors of these methods are not below that of another."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for one in pick(cells, methods, labels):
            value, error, words = error_ratio(one, cells[one.family, than, "own", one.labels])
            yield at_least(value, 1, error, words)

    return checks


def meet(name: str, labels: int, others: tuple[str, ...]) -> Checks:
    """The others' errors are at most twice ACIS's."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for one in pick(cells, others, (labels,)):
            value, error, words = error_ratio(one, cells[one.family, "acis", "own", labels])
            yield at_most(value, TWICE, error, words)

    return checks


def below(name: str, labels: int, limit: float) -> Checks:
    """ACIS's error is below a limit."""

    def checks(results: Results) -> Iterator[Check]:
        for cell in pick(results[name], ("acis",), (labels,)):
            yield at_most(cell.square, limit, cell.square_error, f"{cell.family}: {cell.square:.4f}")

    return checks


def biased(name: str, method: str, low: float, high: float) -> Checks:
    """The bias of a method is between these at the ends of the first four rounds."""

    def checks(results: Results) -> Iterator[Check]:
        for cell in pick(results[name], (method,), ENDS[:4]):
            yield within(
                cell.bias, low, high, cell.bias_error, f"{cell.family} at {cell.labels}: bias {cell.bias:+.3f}"
            )

    return checks


def less_bias(name: str, method: str) -> Checks:
    """The absolute bias of a method is below ACIS's."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for cell in pick(cells, (method,), ENDS[:4]):
            own = cells[cell.family, "acis", "own", cell.labels]
            theirs, mine = paired(cell, own, "error")
            difference = math.copysign(1, theirs.mean()) * theirs - math.copysign(1, mine.mean()) * mine
            error = float(difference.std(ddof=1) / math.sqrt(len(difference)))
            words = f"{cell.family} at {cell.labels}: bias {method} {theirs.mean():+.3f}, acis {mine.mean():+.3f}"
            yield at_most(float(difference.mean()), 0, error, words)

    return checks


def more_variance(name: str, method: str) -> Checks:
    """The errors of a method spread more over tasks than ACIS's do."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for cell in pick(cells, (method,), ENDS[:4]):
            theirs, mine = paired(cell, cells[cell.family, "acis", "own", cell.labels], "error")
            value, error = ratio((theirs - theirs.mean()) ** 2, (mine - mine.mean()) ** 2)
            yield at_least(value, 1, error, f"{cell.family} at {cell.labels}: spread {method} / acis = {value:.2g}")

    return checks


def alike(results: Results) -> Iterator[Check]:
    """ACIS's error on a million items is between a half and twice that on 50,000. Other tasks, so not paired."""
    large, small = results["figure3"], results["figure4"]
    for cell in pick(large, ("acis",), ENDS):
        other = small.get((cell.family.replace("imagenet1m", "imagenet50k"), "acis", "own", cell.labels))
        if other is None:  # tasks of the user's own
            continue
        value = cell.square / other.square
        error = value * math.hypot(cell.square_error / cell.square, other.square_error / other.square)
        yield within(value, 1 / TWICE, TWICE, error, f"{cell.family} / 50,000 at {cell.labels}: {value:.2g}")


def saves(name: str, factor: float, others: tuple[str, ...]) -> Checks:
    """Somewhere, another method needs this many times ACIS's labels for the same error (from 30 labels on)."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for family in families(cells):
            found = [
                (needed(line(cells, family, other), own.square) / own.labels, own.labels, other)
                for own in pick(cells, ("acis",), (30, 70))
                if own.family == family
                for other in others
                if line(cells, family, other)
            ]
            most, labels, other = max(found)
            words = f"{family}: for ACIS's error at {labels}, {other} needs {most:.1f} times as many labels or more"
            yield Check(math.inf if most >= factor else -math.inf, words)

    return checks


def needed(cells: list[Cell], square: float) -> float:
    """Labels for this error: interpolated on logarithms; the most that were tried if it is never reached."""
    ordered = sorted(cells, key=lambda cell: cell.labels)
    labels = np.log([cell.labels for cell in ordered])
    best = np.minimum.accumulate(np.log([max(cell.square, 1e-12) for cell in ordered]))
    return float(np.exp(np.interp(-math.log(square), -best, labels)))
