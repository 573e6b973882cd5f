"""The smaller print: sums by hand, labels in doubt, rounds, settings."""

import math

from lowshot.charts.style import title
from lowshot.core.ratio import RoundEstimate
from lowshot.report.by_hand import ByHand
from lowshot.report.facts import Facts
from lowshot.report.words import counted
from lowshot.result import short

SAME = 5e-4  # numbers that look the same with three decimals
SMALL = 0.1  # of the interval: what a single label may change without a stir
FROM = {
    "groups": "Add up the groups: positives that were found, and those expected among the rest.",
    "weights": "Add up the weights of true positives, false positives and missed ones, as shares of the pool.",
    "labels": "Count the labelled items.",
}


def by_hand(facts: Facts) -> str:
    """How the number comes about, and whether these sums give it."""
    sums, now = facts.by_hand, facts.estimate
    if not now.defined:
        return "There is no number to check yet."
    formula = (
        f"{FROM[sums.source]} That gives {_sums(sums)}, so {title(now.metric)} = {_ratio(facts)} = {short(sums.value)}."
    )
    if abs(sums.value - now.value) < SAME:
        return f"{formula} That is the estimate."
    if sums.source == "groups" and facts.waiting:
        return f"{formula} That is with all labels; the estimate, {short(now.value)}, is from those that count so far."
    if sums.source == "groups" and facts.origin.weighted:
        return f"{formula} The estimate, {short(now.value)}, also counts what each item weighs."
    if sums.source == "groups":
        return (
            f"{formula} These are the sums of the middle curve; the estimate, {short(now.value)}, is the middle of"
            f" {title(now.metric)} over all curves that the labels allow."
        )
    if now.rounds:
        return f"{formula} That is the last round; the estimate, {short(now.value)}, is that of the rounds below."
    return f"{formula} The estimate, {short(now.value)}, also speaks for items without a label."


def _ratio(facts: Facts) -> str:
    """Eq. 1, with its numbers."""
    alpha = facts.origin.alpha
    return f"tp / (tp + {alpha:g} fp + {1 - alpha:g} fn)"


def _sums(sums: ByHand) -> str:
    """What the sums are."""
    return f"tp = {short(sums.tp)}, fp = {short(sums.fp)}, fn = {short(sums.fn)}"


def doubt(facts: Facts) -> str:
    """What to do about the label that matters most."""
    name = title(facts.estimate.metric)
    if not facts.doubts:
        changes = f"None of them changes {name}." if facts.estimate.defined else f"{name} is not known yet."
        return f"No single label stands out. {changes}"
    most, interval = facts.doubts[0], facts.estimate.interval
    moves = f"that of {most.row.item}, moves {name} by {short(abs(most.change))}"
    if interval is not None and abs(most.change) < SMALL * interval.width:
        return (
            f"No single label decides: the most important one, {moves}; the interval is {short(interval.width)} wide."
        )
    return f"One label, {moves}: look again."


def tried(facts: Facts) -> str:
    """Which labels were turned around."""
    told = sum(row.label is not None for row in facts.table)
    if facts.tried == told:
        return f"All {counted(told, 'label')} were tried."
    return (
        f"{facts.tried:,} of {counted(told, 'label')} were tried, those that can matter most: unlikely draws, missed"
        " positives far down, false positives."
    )


def agreement(facts: Facts) -> str:
    """How far people agree; nothing where no item has two answers."""
    found = facts.agreed
    if found is None:
        return ""
    kappa = "is not defined, as all answers are the same" if math.isnan(found.kappa) else f"is {short(found.kappa)}"
    return (
        f"{counted(found.people, 'person', 'people')} answered, {counted(found.items, 'item')} by two or more."
        f" {100 * found.same:.0f}\N{NO-BREAK SPACE}% of the pairs of first answers are the same; Cohen's kappa {kappa}"
        " (1: perfect, 0: chance)."
    )


def rounds(facts: Facts) -> list[tuple[RoundEstimate, float]]:
    """The rounds that the estimate is the average of, the oldest first, with their shares in it."""
    each = facts.estimate.rounds
    weight = [one.weight if math.isfinite(one.value) else 0.0 for one in each]
    return [(one, share / (sum(weight) or 1.0)) for one, share in zip(each, weight, strict=True)]


def settings(facts: Facts) -> list[tuple[str, str]]:
    """What it takes to do it again."""
    origin = facts.origin
    named = [("Evaluation", origin.name), ("Question", origin.question)]
    return [
        *((what, text) for what, text in named if text is not None),
        ("Pool", f"{origin.fingerprint}{' (items have weights)' if origin.weighted else ''}"),
        ("Items", f"{origin.items:,}, {origin.predicted:,} of them predicted positive"),
        ("Metric", origin.metric),
        ("Sampler", origin.sampler),
        ("Settings", ", ".join(f"{name}={value!r}" for name, value in origin.settings.items()) or "none"),
        ("Seed", str(origin.seed)),
        ("Labels", f"{facts.labels:,}; {facts.known:,} known before; {facts.estimate.skipped:,} could not be told"),
        ("Reach", str(facts.estimate.reach)),
        ("Versions", f"lowshot {origin.lowshot}, NumPy {origin.numpy}, Python {origin.python}"),
        ("Date", origin.date.isoformat()),
    ]
