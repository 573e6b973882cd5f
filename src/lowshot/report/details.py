"""Texts of the report's later sections: the check by hand, doubtful labels, agreement, rounds, settings."""

import math

from lowshot.charts.model_paths import BANDS
from lowshot.charts.style import percent, title
from lowshot.core.ratio import RoundEstimate
from lowshot.report.by_hand import ByHand
from lowshot.report.facts import ReportFacts
from lowshot.report.labelled import Labelled
from lowshot.report.measures import COUNTS
from lowshot.report.sentences import AnyFacts, counted, items, nothing_left, sentence_of
from lowshot.result import Comparison, short, signed
from lowshot.result import percent as share

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
    if sums is None or now is None:
        return without_sums(facts)
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


def without_sums(facts: ReportFacts) -> str:
    """Why there are no sums, and what can be checked instead."""
    where = "of each model in the table of the models" if facts.models is not None else "in the table of metrics"
    check = f"tp, fp and fn {where} give {title(facts.origin.metric)} as {_ratio(facts)}"
    if all(nothing_left(found) for found in facts.numbers.values()):
        return f"Every item that matters is labelled: {check}."
    if facts.origin.rankings > 1:
        why = f"are averages over {facts.origin.rankings} rankings of the items, each with curves of its own"
    else:
        why = "are made from groups that are divided by the predictions of several models"
    return f"Estimates {why}, so that no table of groups adds up to them. What you can check: {check}, approximately."


def _ratio(facts: ReportFacts) -> str:
    """The formula of the metric (eq. 1 of the paper), with its alpha."""
    alpha = facts.origin.alpha
    return f"tp / (tp + {alpha:g} fp + {1 - alpha:g} fn)"


def _sums(sums: ByHand) -> str:
    """The three sums."""
    return f"tp = {short(sums.tp)}, fp = {short(sums.fp)}, fn = {short(sums.fn)}"


def comparing(facts: ReportFacts) -> str:
    """The heading of the section that compares models."""
    models = facts.models
    assert models is not None
    if models.main is not None:
        return f"{models.main.candidate} against {models.main.baseline}"
    return f"{models.others[0].candidate} against the others"


def verdict(found: Comparison) -> str:
    """The comparison in sentences."""
    parts = [f"{sentence_of(found)}."]
    if found.interval is None:
        return parts[0]
    low, high = signed(found.interval.low), signed(found.interval.high)
    sure = percent(found.interval.confidence)
    parts.append(f"{title(found.difference)}, with a {sure} interval of the difference from {low} to {high}.")
    by = f" by more than {found.margin:g}" if found.margin else ""
    if found.probability is not None and found.interval.width:
        sure = share(found.probability)
        parts.append(f"{found.candidate} is better than {found.baseline}{by} with probability {sure}.")
    return " ".join(parts)


def thresholds(facts: ReportFacts) -> str:
    """What the section about thresholds shows."""
    of = "" if facts.origin.judged is None else f" of {facts.origin.judged}"
    chosen = "" if facts.choice is None else "The threshold that the labels were spent on, and below it: "
    text = f"precision and recall{of} of what each threshold keeps, from the same labels."
    return f"{chosen}{text}" if chosen else title(text)


def column(name: str) -> str:
    """The heading of a narrow column."""
    return name if name in COUNTS else title(name)


def model_lines(facts: ReportFacts) -> str:
    """What the figure of several models shows."""
    assert facts.models is not None
    shown = len(facts.models.paths)
    told = "Each point is the estimate that the labels up to there gave"
    if shown <= BANDS:
        return f"{told}, with its {percent(facts.confidence)} interval."
    about = len(facts.numbers)
    few = f" The {shown} models with the highest {title(facts.origin.metric)} are shown." if shown < about else ""
    return f"{told}.{few} The intervals are in the table above."


def grouped(facts: ReportFacts) -> bool:
    """Whether items were drawn from groups, so that the probability of a draw is that inside its group."""
    return facts.origin.sampler == "curve"


def doubt(facts: ReportFacts) -> str:
    """Whether the label that would change the estimate most needs a second look."""
    if not facts.doubts:
        known = any(found.defined for found in facts.numbers.values())
        name = number(facts)
        changes = (
            f"If any single label were wrong, {name} would stay the same." if known else f"{name} is not known yet."
        )
        return f"No label needs a second look. {changes[:1].upper()}{changes[1:]}"
    most = facts.doubts[0]
    interval = facts.numbers[most.of].interval
    moves = f"that of {most.row.item}, would change {number(facts, most.of)} by {short(abs(most.change))}"
    if interval is not None and abs(most.change) < SMALL * interval.width:
        wide = f"{'its' if facts.estimate is None else 'the'} interval is {short(interval.width)} wide"
        return f"No single label changes much: the most important one, {moves}; {wide}."
    return f"One label, {moves}: check it."


def number(facts: ReportFacts, of: str = "") -> str:
    """What a wrong label would change, in words.

    of  a name of `facts.numbers`; empty: any of them
    """
    name = title(facts.origin.metric)
    if facts.estimate is not None:
        return name
    if facts.comparison is not None:
        return f"the difference of {name}"
    return f"{name} of {of or 'each model'}"


def tried(facts: ReportFacts) -> str:
    """How many labels were tried with the opposite value, and which."""
    told = sum(row.label is not None for row in facts.table)
    if facts.tried == told:
        return f"All {counted(told, 'label')} were tried."
    return (
        f"{facts.tried:,} of {counted(told, 'label')} were tried, those that can change the estimate most: unlikely"
        " draws, missed positives far down the ranking, and false positives."
    )


def flipped(facts: ReportFacts) -> str:
    """What the table of doubts shows."""
    if facts.estimate is None and facts.comparison is None:
        return f"{title(facts.origin.metric)} of the model that changes most if only this label had the opposite value."
    name = number(facts)
    return f"{name[:1].upper()}{name[1:]} if only this label had the opposite value."


def predicted(facts: ReportFacts, row: Labelled) -> str:
    """Whether the item is predicted positive; of several models, by which."""
    if facts.estimate is not None:
        return "yes" if row.predicted else "no"
    return ", ".join(row.predicted_by) or "no"


def ranking(facts: ReportFacts) -> str:
    """What the ranks of a report are."""
    if facts.origin.rankings == 1:
        return "Rank 1 has the highest score."
    return (
        "The ranking is by a weighted sum of all scores: of several such sums, the one that the last round was drawn"
        " from. Rank 1 is the best."
    )


def agreement(facts: AnyFacts) -> str:
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
    each = () if facts.estimate is None else facts.estimate.rounds
    weight = [one.weight if math.isfinite(one.value) else 0.0 for one in each]
    return [(one, share / (sum(weight) or 1.0)) for one, share in zip(each, weight, strict=True)]


def settings(facts: AnyFacts) -> list[tuple[str, str]]:
    """What is needed to repeat the evaluation, as (name, value)."""
    origin = facts.origin
    named = [("Evaluation", origin.name), ("Question", origin.question)]
    return [
        *((what, text) for what, text in named if text is not None),
        ("Pool", f"{origin.fingerprint}{' (items have weights)' if origin.weighted else ''}"),
        ("Items", items(facts)),
        *([("Goal", origin.goal)] if origin.goal else []),
        *([("Scores that help", ", ".join(origin.helpers))] if origin.helpers else []),
        ("Metric", origin.metric),
        ("Sampler", origin.sampler),
        ("Settings", ", ".join(f"{name}={value!r}" for name, value in origin.settings.items()) or "none"),
        *([("Known beforehand", origin.prior)] if origin.prior else []),
        ("Seed", str(origin.seed)),
        (
            "Labels",
            f"{facts.labels:,}; {facts.known_drawn or '0 known before'}; {facts.skipped:,} answered 'cannot tell'",
        ),
        ("Reach", str(facts.reach)),
        ("Versions", f"lowshot {origin.lowshot}, NumPy {origin.numpy}, Python {origin.python}"),
        ("Date", origin.date.isoformat()),
    ]
