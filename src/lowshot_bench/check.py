"""A comparison that speaks for or against a claim, or cannot tell."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lowshot_bench.summary import Cell, Cells, paired, ratio

Results = dict[str, Cells]  # by experiment
ENDS = (10, 30, 70, 150, 310)  # the ends of ACIS's rounds
TWICE = 2.0


@dataclass(frozen=True)
class Check:
    """One comparison. `margin` is how far on the claim's side it is, in standard errors.

    >>> Check(3.0, "").true, Check(-0.5, "").true, Check(-9.0, "").true
    (True, None, False)
    """

    margin: float
    words: str

    @property
    def true(self) -> bool | None:
        """For the claim, against it, or, within two standard errors, undecided."""
        return None if abs(self.margin) < 2 or math.isnan(self.margin) else self.margin > 0


Checks = Callable[[Results], Iterator[Check]]


def verdict(checks: list[Check]) -> str:
    """In words.

    >>> verdict([Check(3, ""), Check(1, "")]), verdict([Check(3, ""), Check(-3, "")])
    ('holds', 'holds in part')
    """
    found = {check.true for check in checks}
    if found == {None}:
        return "undecided"
    return "holds" if False not in found else "holds in part" if True in found else "does not hold"


def at_most(value: float, limit: float, error: float, words: str) -> Check:
    """The value is at most the limit. Without a standard error (0 or NaN: one task) what is seen decides."""
    if not error > 0:
        return Check(math.inf if value <= limit else -math.inf, words)
    return Check((limit - value) / error, f"{words} ± {_short(error)}")


def at_least(value: float, limit: float, error: float, words: str) -> Check:
    """The value is at least the limit."""
    return at_most(-value, -limit, error, words)


def within(value: float, low: float, high: float, error: float, words: str) -> Check:
    """The value is between two bounds: as far inside, or outside, as the nearer one."""
    return min(at_least(value, low, error, words), at_most(value, high, error, words), key=lambda check: check.margin)


def error_ratio(one: Cell, other: Cell) -> tuple[float, float, str]:
    """One error over the other on the same tasks: value, standard error, words."""
    value, error = ratio(*paired(one, other))
    names = one.method, other.method
    if one.target != other.target:
        names = f"for {one.target}", "own set"
    return value, error, f"{one.family} at {one.labels}: error {names[0]} / {names[1]} = {_short(value)}"


def lower(one: Cell, other: Cell) -> Check:
    """The first has the lower error."""
    value, error, words = error_ratio(one, other)
    return at_most(value, 1, error, words)


def families(cells: Cells) -> list[str]:
    return list(dict.fromkeys(key[0] for key in cells))


def pick(cells: Cells, methods: tuple[str, ...], labels: tuple[int, ...]) -> Iterator[Cell]:
    """Cells of these methods for their own predictions, family by family."""
    for family in families(cells):
        for budget in labels:
            for method in methods:
                if (cell := cells.get((family, method, "own", budget))) is not None:
                    yield cell


def _short(value: float) -> str:
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"
