"""What must be reached, and whether a number reaches it.

A goal is missed if the number is beyond it by more than two standard errors. Between the goal and two standard errors
beyond it the runs do not decide.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.several.sample import Number

BEYOND = 2.0  # standard errors
SCOPES = ("together", "images", "zoo")
MET, OPEN, MISSED = "met", "not decided", "missed"


class Goal(NamedTuple):
    """A limit that a number must not pass."""

    limit: float
    least: bool = False  # whether the number must be at least the limit, not at most
    percent: bool = False

    def __str__(self) -> str:
        shown = f"{100 * self.limit:g} %" if self.percent else f"{self.limit:g}"
        return f"at {'least' if self.least else 'most'} {shown}"

    def verdict(self, found: Number) -> str:
        """Whether the number reaches the goal.

        >>> goal = Goal(0.6)
        >>> [goal.verdict(Number(value, 0.02)) for value in (0.6, 0.63, 0.65)]
        ['met', 'not decided', 'missed']
        >>> Goal(0.93, least=True).verdict(Number(0.9, 0.01))
        'missed'
        """
        excess = (self.limit - found.value) if self.least else (found.value - self.limit)
        if np.isnan(excess):
            return "-"
        if excess <= 0:
            return MET
        return MISSED if excess > BEYOND * found.error else OPEN


def share_at_least(limit: float) -> Goal:
    """For a number that is shown in percent."""
    return Goal(limit, least=True, percent=True)


def share_at_most(limit: float) -> Goal:
    return Goal(limit, percent=True)


@dataclass(frozen=True)
class Line:
    """One line of the table: a number for each scope, and goals for some of them."""

    what: str
    numbers: dict[str, Number]
    goals: dict[str, Goal] = field(default_factory=dict)
    percent: bool = False
    beside: str = ""  # what the number must be read with

    def cells(self) -> list[str]:
        goals = [f"{goal}" if scope == "together" else f"{scope} {goal}" for scope, goal in self.goals.items()]
        shown = [shown_number(self.numbers.get(scope), self.percent) for scope in SCOPES]
        shown[0] += f" ({self.beside})" if self.beside else ""
        return [self.what, "; ".join(goals) or "-", *shown, self.verdict()]

    def verdict(self) -> str:
        """The worst verdict of the goals whose scope has numbers."""
        found = [goal.verdict(self.numbers[scope]) for scope, goal in self.goals.items() if scope in self.numbers]
        return next((verdict for verdict in (MISSED, OPEN, MET) if verdict in found), "-")


@dataclass(frozen=True)
class Worst:
    """The same goal for every group: shown is the group that is furthest beyond it."""

    what: str
    groups: dict[str, Number]
    goal: Goal
    percent: bool = False

    def cells(self) -> list[str]:
        known = {name: found for name, found in self.groups.items() if not np.isnan(found.value)}
        if not known:
            return [self.what, str(self.goal), "-", "", "", "-"]
        choose = min if self.goal.least else max
        name = choose(known, key=lambda each: known[each].value)
        missed = [each for each, found in known.items() if self.goal.verdict(found) == MISSED]
        worst = self.goal.verdict(known[name])
        verdict = f"{MISSED}: {', '.join(missed)}" if missed else worst
        return [self.what, str(self.goal), f"{name} {shown_number(known[name], self.percent)}", "", "", verdict]


Lines = Iterator[Line | Worst]
Tables = tuple[Lines, str]  # what must be reached, and a table of all groups


def shown_number(found: Number | None, percent: bool = False, digits: int = 3) -> str:
    """As a table shows it.

    >>> shown_number(Number(0.654, 0.021), percent=True), shown_number(Number(0.654, 0.0213)), shown_number(None)
    ('65.4 % ± 2.1 %', '0.654 ± 0.021', '-')
    """
    if found is None or np.isnan(found.value):
        return "-"
    if percent:
        return f"{100 * found.value:.1f} % ± {100 * found.error:.1f} %"
    return f"{found.value:.{digits}f} ± {found.error:.{digits}f}"


def bar_table(lines: list[Line | Worst]) -> str:
    """All lines as a Markdown table."""
    head = table_head(["what", "goal", *SCOPES, "verdict"])
    return "\n".join([*head, *(table_row(line.cells()) for line in lines)])
