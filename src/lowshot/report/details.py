"""Texts of the report's later sections: the check by hand, doubtful labels, agreement, rounds, settings."""

import math

from lowshot.charts.style import title
from lowshot.core.ratio import RoundEstimate
from lowshot.report.by_hand import ByHand
from lowshot.report.facts import ReportFacts
from lowshot.report.sentences import counted
from lowshot.result import short

SAME = 5e-4  # values that differ by less are the same when printed with three decimals
SMALL = 0.1  # share of the interval's width: a label that changes the estimate by less needs no second look
FROM = {
    "groups": "Add up the groups: the positives that were found and those expected among the other items.",
    "weights": "Add up the weights of the true positives, false positives and false negatives, as shares of the pool.",
    "labels": "Count the labelled items.",
}


def by_hand(facts: ReportFacts) -> str:
    """How the sums give the metric, and why the estimate differs from them if it does."""
    sums, now = facts.by_hand, facts.estimate
    if not now.defined:
        return "There is no estimate to check yet."
    formula = (
        f"{FROM[sums.source]} That gives {_sums(sums)}, so {title(now.metric)} = {_ratio(facts)} = {short(sums.value)}."
    )
    if abs(sums.value - now.value) < SAME:
        return f"{formula} That is the estimate."
    if sums.source == "groups" and facts.waiting:
        return f"{formula} These sums use all labels; the estimate, {short(now.value)}, uses those that count so far."
    if sums.source == "groups" and facts.origin.weighted:
        return f"{formula} The estimate, {short(now.value)}, also uses the weights of the items."
    if sums.source == "groups":
        return (
            f"{formula} These sums use the average curve; the estimate, {short(now.value)}, lies halfway between"
            f" the mean and the median of {title(now.metric)} over the curves that fit the labels."
        )
    if now.rounds:
        return (
            f"{formula} That is the last round; the estimate, {short(now.value)}, is the average of the rounds below."
        )
    return f"{formula} The estimate, {short(now.value)}, also includes items without a label."


def _ratio(facts: ReportFacts) -> str:
    """The formula of the metric (eq. 1 of the paper), with its alpha."""
    alpha = facts.origin.alpha
    return f"tp / (tp + {alpha:g} fp + {1 - alpha:g} fn)"


def _sums(sums: ByHand) -> str:
    """The three sums."""
    return f"tp = {short(sums.tp)}, fp = {short(sums.fp)}, fn = {short(sums.fn)}"


def doubt(facts: ReportFacts) -> str:
    """Whether the label that would change the estimate most needs a second look."""
    name = title(facts.estimate.metric)
    if not facts.doubts:
        changes = (
            f"If any single label were wrong, {name} would stay the same."
            if facts.estimate.defined
            else f"{name} is not known yet."
        )
        return f"No label needs a second look. {changes}"
    most, interval = facts.doubts[0], facts.estimate.interval
    moves = f"that of {most.row.item}, would change {name} by {short(abs(most.change))}"
    if interval is not None and abs(most.change) < SMALL * interval.width:
        wide = f"the interval is {short(interval.width)} wide"
        return f"No single label changes much: the most important one, {moves}; {wide}."
    return f"One label, {moves}: check it."


def tried(facts: ReportFacts) -> str:
    """How many labels were tried with the opposite value, and which."""
    told = sum(row.label is not None for row in facts.table)
    if facts.tried == told:
        return f"All {counted(told, 'label')} were tried."
    return (
        f"{facts.tried:,} of {counted(told, 'label')} were tried, those that can change the estimate most: unlikely"
        " draws, missed positives far down the ranking, and false positives."
    )


def agreement(facts: ReportFacts) -> str:
    """How often annotators agree; an empty text if no item has two answers."""
    found = facts.agreed
    if found is None:
        return ""
    kappa = "is not defined, as all answers are the same" if math.isnan(found.kappa) else f"is {short(found.kappa)}"
    return (
        f"{counted(found.people, 'person', 'people')} answered, {counted(found.items, 'item')} by two or more."
        f" {100 * found.same:.0f}\N{NO-BREAK SPACE}% of the pairs of first answers are the same; Cohen's kappa {kappa}"
        " (1: always, 0: as often as by chance)."
    )


def rounds(facts: ReportFacts) -> list[tuple[RoundEstimate, float]]:
    """The rounds whose average is the estimate, the oldest first, each with its share of the average."""
    each = facts.estimate.rounds
    weight = [one.weight if math.isfinite(one.value) else 0.0 for one in each]
    return [(one, share / (sum(weight) or 1.0)) for one, share in zip(each, weight, strict=True)]


def settings(facts: ReportFacts) -> list[tuple[str, str]]:
    """What is needed to repeat the evaluation, as (name, value)."""
    origin = facts.origin
    named = [("Evaluation", origin.name), ("Question", origin.question)]
    return [
        *((what, text) for what, text in named if text is not None),
        ("Pool", f"{origin.fingerprint}{' (items have weights)' if origin.weighted else ''}"),
        ("Items", f"{origin.items:,}, {origin.predicted:,} of them predicted positive"),
        ("Metric", origin.metric),
        ("Sampler", origin.sampler),
        ("Settings", ", ".join(f"{name}={value!r}" for name, value in origin.settings.items()) or "none"),
        *([("Known beforehand", origin.prior)] if origin.prior else []),
        ("Seed", str(origin.seed)),
        (
            "Labels",
            f"{facts.labels:,}; {facts.known_drawn or '0 known before'};"
            f" {facts.estimate.skipped:,} answered 'cannot tell'",
        ),
        ("Reach", str(facts.estimate.reach)),
        ("Versions", f"lowshot {origin.lowshot}, NumPy {origin.numpy}, Python {origin.python}"),
        ("Date", origin.date.isoformat()),
    ]
