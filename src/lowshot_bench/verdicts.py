"""Checks and verdicts: one comparison supports a claim, contradicts it or leaves it undecided."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lowshot_bench.summary import Cell, Cells, families, paired, ratio

Results = dict[str, Cells]  # by the name of the experiment
ENDS = (10, 30, 70, 150, 310)  # numbers of labels at the ends of ACIS's rounds
TWICE = 2.0  # where the paper says "alike" or "meet", errors within this factor count as equal
DECISIVE = 2.0  # standard errors from the limit beyond which a comparison is decided, about 95 %


@dataclass(frozen=True)
class Check:
    """One comparison. `margin` is its distance from the limit in standard errors, positive if it supports the claim.

    >>> Check(3.0, "").true, Check(-0.5, "").true, Check(-9.0, "").true
    (True, None, False)
    """

    margin: float
    words: str

    @property
    def true(self) -> bool | None:
        """Whether the comparison supports the claim; None if it is within two standard errors of the limit."""
        return None if abs(self.margin) < DECISIVE or math.isnan(self.margin) else self.margin > 0


Checks = Callable[[Results], Iterator[Check]]


def verdict(checks: list[Check]) -> str:
    """The verdict on a claim from all its comparisons.

    >>> verdict([Check(3, ""), Check(1, "")]), verdict([Check(3, ""), Check(-3, "")])
    ('holds', 'holds in part')
    """
    found = {check.true for check in checks}
    if found == {None}:
        return "undecided"
    return "holds" if False not in found else "holds in part" if True in found else "does not hold"


def at_most(value: float, limit: float, error: float, words: str) -> Check:
    """Check that the value is at most the limit. `error` is its standard error.

    With a standard error of 0 or NaN (there is only one task), the value itself decides.
    """
    if not error > 0:
        return Check(math.inf if value <= limit else -math.inf, words)
    return Check((limit - value) / error, f"{words} ± {short(error)}")


def at_least(value: float, limit: float, error: float, words: str) -> Check:
    """Check that the value is at least the limit."""
    return at_most(-value, -limit, error, words)


def within(value: float, low: float, high: float, error: float, words: str) -> Check:
    """Check that the value is between two limits. The margin is that of the nearer limit."""
    return min(at_least(value, low, error, words), at_most(value, high, error, words), key=lambda check: check.margin)


def lower(one: Cell, other: Cell) -> Check:
    """Check that the first cell has the lower mean squared error."""
    value, error, words = error_ratio(one, other)
    return at_most(value, 1, error, words)


def error_ratio(one: Cell, other: Cell) -> tuple[float, float, str]:
    """The ratio of two mean squared errors on the same tasks, its standard error, and a description."""
    value, error = ratio(*paired(one, other))
    names = one.method, other.method
    if one.target != other.target:
        names = f"for {one.target}", "own set"
    return value, error, f"{one.family} at {one.labels}: error {names[0]} / {names[1]} = {short(value)}"


def pick(cells: Cells, methods: tuple[str, ...], labels: tuple[int, ...]) -> Iterator[Cell]:
    """The cells of these methods at these numbers of labels, evaluated on their own predictions, by family."""
    for family in families(cells):
        for budget in labels:
            for method in methods:
                if (cell := cells.get((family, method, "own", budget))) is not None:
                    yield cell


def short(value: float) -> str:
    """Two significant digits below 10, whole numbers from there on.

    >>> short(0.1234), short(123.4)
    ('0.12', '123')
    """
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"
