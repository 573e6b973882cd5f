"""`lowshot estimate --at-least`: is the metric surely reached, surely missed, or undecided?"""

from enum import Enum

from lowshot.result import Estimate


class Verdict(Enum):
    """With its exit code."""

    REACHED = 0
    MISSED = 3
    UNDECIDED = 4

    @property
    def word(self) -> str:
        return self.name.lower()


def verdict(estimate: Estimate, at_least: float) -> Verdict:
    """The interval decides, never the value alone.

    >>> from lowshot import Interval, Reach
    >>> verdict(Estimate("f1", 0.85, 0.001, Interval(0.79, 0.9), 100, Reach(600, 600)), 0.8)
    <Verdict.UNDECIDED: 4>
    """
    if estimate.interval is None:
        return Verdict.UNDECIDED
    if estimate.interval.low >= at_least:
        return Verdict.REACHED
    return Verdict.MISSED if estimate.interval.high < at_least else Verdict.UNDECIDED


def in_words(found: Verdict, metric: str, at_least: float) -> str:
    """What the verdict means.

    >>> in_words(Verdict.REACHED, "f1", 0.8)
    'reached: the whole interval of f1 is at least 0.8'
    """
    return {
        Verdict.REACHED: f"reached: the whole interval of {metric} is at least {at_least:g}",
        Verdict.MISSED: f"missed: the whole interval of {metric} is below {at_least:g}",
        Verdict.UNDECIDED: f"undecided: {metric} may be below {at_least:g} or not; label more items",
    }[found]
