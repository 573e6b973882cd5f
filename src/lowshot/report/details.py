"""Texts of the report's later sections: the check by hand, mistakes, doubtful labels, agreement, settings."""

import math

from lowshot.charts.model_paths import BANDS
from lowshot.charts.style import percent, title
from lowshot.core.ratio import RoundEstimate
from lowshot.report.by_hand import ByHand, Sums, shares_of_rounds
from lowshot.report.facts import ReportFacts
from lowshot.report.labelled import EXAMPLES, Labelled, Mistake
from lowshot.report.measures import COUNTS
from lowshot.report.sentences import AnyFacts, items, nothing_left, probable, sentence_of
from lowshot.result import Comparison, short, signed
from lowshot.words import counted

SMALL = 0.1  # share of the interval's width: a label that changes the estimate by less needs no second look
FALSE = "fp, those that are predicted and not positive"
SORTED = f"tp, the items that are predicted and positive, {FALSE}, and fn, those that are positive and not predicted"
ITEM_WEIGHTS = "Add up, in the table of labelled items, the column “item weight” over"
FROM = {
    "labels": "Count, in the table of labelled items, {sorted}.",
    "weights": "Add up, in the table of labelled items, the column “weight” over {sorted}.",
    "rounds": "First, the last round: add up, in the table of labelled items, the column “weight” over {sorted}.",
    "counts": (
        "Labelled items count as they are, and every other item with its probability of being positive, which the"
        " sampler fitted to the labels. The table of metrics has the sums."
    ),
    "curves": (
        "First, the average curve: add up the groups below. In groups that are predicted, tp is the sum of the last two"
        " columns, and fp is the number of items less tp; in the others, fn is the sum of the last two columns."
    ),
}


def by_hand(facts: ReportFacts) -> list[str]:
    """What to add up, in steps; the last one gives the estimate. Or why that is not possible."""
    found, now = facts.by_hand, facts.estimate
    if now is not None and not now.defined:
        return ["There is no estimate to check yet."]
    if found is None or now is None:
        return [without_sums(facts)]
    steps = [] if found.sums is None else [_first_step(facts, found, found.sums)]
    name = title(now.metric)
    if found.source == "rounds":
        steps.append(
            "Then, the average of the rounds: multiply the estimate of each round below by its share, and add up. That"
            f" gives {many(found.value)}. That is the estimate, {short(now.value)}."
        )
    if found.spread is not None:
        steps.append(
            f"{'Then, all curves' if steps else 'The estimate uses many curves'}: {found.spread.curves:,} curves that"
            f" fit the labels give one {name} each. Sorted and divided into {len(found.spread.parts)} parts of equal"
            f" weight, their means are in the table of curves below. The mean of these is"
            f" {many(found.spread.mean)}; the median of all curves, between the two parts in the middle, is"
            f" {many(found.spread.median)}. Halfway between mean and median is {many(found.value)}. That is the"
            f" estimate, {short(now.value)}."
        )
    return steps


def _first_step(facts: ReportFacts, found: ByHand, sums: Sums) -> str:
    """The sums, and the metric that follows from them."""
    what = FROM[found.source].format(sorted=SORTED)
    if found.source == "labels" and facts.origin.weighted:
        what = what.replace("Count, in the table of labelled items,", ITEM_WEIGHTS)
    if found.source in ("labels", "weights", "rounds") and facts.counts.cannot_tell:
        what += (
            " Of an item answered 'cannot tell', c(s) of it counts as positive and the rest as negative; where c(s) is"
            " empty, one half."
        )
    metric = title(facts.origin.metric)
    formula = f"tp = {many(sums.tp)}, fp = {many(sums.fp)}, fn = {many(sums.fn)}, so {metric} = {_ratio(facts)}"
    end = "" if found.source in ("curves", "rounds") else " That is the estimate."
    return f"{what} That gives {formula} = {short(sums.value)}.{end}"


def many(value: float) -> str:
    """A number with enough digits that sums of a hundred of them are right to three decimals.

    >>> many(12.3456789), many(0.00001234), many(1234.5), many(3.0)
    ('12.34568', '1.234e-05', '1,234.50000', '3')
    """
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:.6g}" if abs(value) < 1 else f"{value:,.5f}"


def without_sums(facts: ReportFacts) -> str:
    """Why there are no sums, and what can be checked instead."""
    where = "of each model in the table of the models" if facts.models is not None else "in the table of metrics"
    check = f"tp, fp and fn {where} give {title(facts.origin.metric)} as {_ratio(facts)}"
    if all(nothing_left(found) for found in facts.numbers.values()):
        return f"Every item that matters is labelled: {check}."
    if facts.estimate is not None:
        return f"No sum over one table gives this estimate. What you can check: {check}, approximately."
    return (
        f"Estimates of several models are averages over many curves, so that no sum over one table gives them. What you"
        f" can check: {check}, approximately."
    )


def _ratio(facts: ReportFacts) -> str:
    """The formula of the metric (eq. 1 of the paper), with its alpha."""
    alpha = facts.origin.alpha
    return f"tp / (tp + {alpha:g} fp + {1 - alpha:g} fn)"


def comparing(facts: ReportFacts) -> str:
    """The heading of the section that compares models."""
    models = facts.models
    assert models is not None
    if models.main is not None:
        return f"{models.main.candidate} against {models.main.baseline}"
    return f"{models.others[0].candidate} against the others"


def verdict(facts: ReportFacts, found: Comparison) -> str:
    """The comparison in sentences."""
    parts = [f"{sentence_of(found)}."]
    if found.interval is None:
        return parts[0]
    low, high = signed(found.interval.low), signed(found.interval.high)
    sure = percent(found.interval.confidence)
    parts.append(f"{title(found.difference)}, with a {sure} interval of the difference from {low} to {high}.")
    by = f" by more than {found.margin:g}" if found.margin else ""
    if found.probability is not None and found.interval.width:
        sure = probable(facts, found.probability)
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
    found, now = facts.by_hand, facts.estimate
    if now is None or found is None or found.source != "rounds":
        return []
    return [pair for pair in zip(now.rounds, shares_of_rounds(now), strict=True) if pair[1]]


def mistaken(facts: ReportFacts, mistake: Mistake) -> str:
    """The models that are wrong; nothing if there is one model."""
    return "" if facts.estimate is not None else f"{', '.join(mistake.models)}: "


def mistakes(found: list[Mistake], what: str, order: str) -> str:
    """How many of the labelled items they are, and which are shown."""
    shown = "" if len(found) <= EXAMPLES else f" The {EXAMPLES} with the {order} rank are shown."
    return f"{counted(len(found), f'labelled item is a {what}', f'labelled items are {what}s')}.{shown}"


def path_axis(facts: AnyFacts) -> str:
    """What the number of labels in figures is, where it is not that of the headline."""
    counts = facts.counts
    if counts.answered == counts.counted:
        return ""
    return (
        f"Here every answer counts as a label, {counts.answered:,} in all, including 'cannot tell' and those that wait."
    )


def settings(facts: AnyFacts) -> list[tuple[str, str]]:
    """Where the numbers come from and what is needed to repeat the evaluation, as (name, value)."""
    origin = facts.origin
    people = ", ".join(f"{name} {number:,}" for name, number in origin.people.items())
    known = [
        ("Evaluation", origin.name),
        ("Question", origin.question),
        *origin.about.items(),
        ("Pool", f"fingerprint {origin.fingerprint}{' (items have weights)' if origin.weighted else ''}"),
        ("Items", items(facts)),
        ("Goal", origin.goal),
        ("Scores that help", ", ".join(origin.helpers)),
        ("Metric", origin.metric),
        ("Sampler", origin.sampler),
        ("Settings", ", ".join(f"{name}={value!r}" for name, value in origin.settings.items()) or "none"),
        ("Known beforehand", origin.prior),
        ("Seed", str(origin.seed)),
        ("Labels", str(facts.counts)),
        ("Labelled by", people and f"{people} (items answered)"),
        ("Begun", origin.began),
        ("Last label", origin.last_label),
        ("Report written", origin.written),
        ("Reach", str(facts.reach)),
        ("Versions", f"lowshot {origin.lowshot}, NumPy {origin.numpy}, Python {origin.python}"),
    ]
    return [(name, value) for name, value in known if value]
