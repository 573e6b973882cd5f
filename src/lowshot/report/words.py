"""Facts in sentences."""

from lowshot.core.ratio import RoundEstimate
from lowshot.report.byhand import ByHand
from lowshot.report.facts import Facts
from lowshot.result import short

NAMES = {
    "tp": "True positives",
    "fp": "False positives",
    "fn": "Missed positives",
    "prevalence": "Share of positives",
}
SAME = 5e-4  # numbers that look the same with three decimals


def title(metric: str) -> str:
    """The name of a metric as people write it.

    >>> title("f1"), title("recall"), title("fn")
    ('F1', 'Recall', 'Missed positives')
    """
    return NAMES.get(metric, metric[:1].upper() + metric[1:])


def counted(number: int, thing: str) -> str:
    """
    >>> counted(1, "label"), counted(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def headline(facts: Facts) -> str:
    """The whole report in one line."""
    name, now = title(facts.estimate.metric), facts.estimate
    labels = counted(facts.labels, "label") + (f" and {facts.known:,} known before" if facts.known else "")
    if not now.defined:
        return f"{name} is not known yet; {labels}"
    if now.interval is None:
        return f"{name} is {short(now.value)}; without an interval; {labels}"
    low, high = short(now.interval.low), short(now.interval.high)
    return f"{name} is {short(now.value)}; between {low} and {high} with {percent(facts)} confidence; {labels}"


def percent(facts: Facts) -> str:
    return f"{100 * facts.confidence:g}\N{NO-BREAK SPACE}%"


def remarks(facts: Facts) -> list[str]:
    """What a reader must know before the first figure."""
    now = facts.estimate
    waiting = f"{counted(facts.pending, 'item')} are handed out and not answered yet." if facts.pending else ""
    skipped = f"Nobody could tell {counted(now.skipped, 'item')}: " if now.skipped else ""
    skipped += "the interval holds whatever they are." if now.skipped and now.interval else ""
    found = [now.warning and f"Careful: {now.warning}.", now.reason and f"Note: {now.reason}.", skipped, waiting]
    return [text.removesuffix(": ") for text in found if text]


def limits(facts: Facts) -> list[str]:
    """What the interval does not cover."""
    now, settings = facts.estimate, facts.origin.settings
    found = [
        "Wrong labels: every label is taken as it is.",
        "Other items than these: it is about this pool. For the population that the pool was drawn from, use"
        " estimate(target='population'), which is wider.",
    ]
    if now.interval is None:
        found.insert(0, f"There is no interval: sampler {facts.origin.sampler!r} cannot say how far off it is.")
    if not settings.get("anytime"):
        found.append(
            f"Many looks: {percent(facts)} is for one look. If you look after every label and stop when you like what"
            " you see, it is less."
        )
    if now.reach.share < 1:
        found.append(f"What was out of reach: {now.reach}. Positives among the others were never looked for.")
    if settings.get("background") == 0:
        found.append("Positives that hide at random among ordinary items far down, where few labels are.")
    return found


def by_hand(facts: Facts) -> str:
    """How the number comes about, and whether these sums give it."""
    sums, now = facts.by_hand, facts.estimate
    if not now.defined:
        return "There is no number to check yet."
    formula = f"{_FROM[sums.source]} {_sums(sums)}, so {title(now.metric)} = {short(sums.value)}."
    if abs(sums.value - now.value) < SAME:
        return f"{formula} That is the estimate."
    if sums.source == "groups":
        return f"{formula} The estimate, {short(now.value)}, is in the middle of what all possible curves give."
    if len(now.rounds) > 1:
        return (
            f"{formula} That is the last round; the estimate, {short(now.value)}, is the average of the rounds below."
        )
    return f"{formula} The estimate, {short(now.value)}, also speaks for items without a label."


_FROM = {
    "groups": "Add up the groups: positives that were found, and those expected among the rest. Together",
    "weights": "Add up the weights of the labelled items, as shares of the pool. Together",
    "labels": "Count the labelled items. Together",
}


def _sums(sums: ByHand) -> str:
    """What the sums are."""
    return f"true positives {short(sums.tp)}, false positives {short(sums.fp)}, missed positives {short(sums.fn)}"


def doubt(facts: Facts) -> str:
    """What to do about the label that matters most."""
    name = title(facts.estimate.metric)
    if not facts.doubts:
        changes = f"None of them changes {name}." if facts.estimate.defined else f"{name} is not known yet."
        return f"No single label stands out. {changes}"
    most = facts.doubts[0]
    return f"One label, that of {most.row.item}, moves {name} by {short(abs(most.change))}: look again."


def tried(facts: Facts) -> str:
    """Which labels were turned around."""
    told = sum(row.label is not None for row in facts.table)
    if facts.tried == told:
        return f"All {counted(told, 'label')} were tried."
    return (
        f"{facts.tried:,} of {counted(told, 'label')} were tried, those that can matter most: unlikely draws, missed"
        " positives far down, false positives."
    )


def rounds(facts: Facts) -> list[tuple[int, RoundEstimate, float]]:
    """The rounds of an average, the last one last, with their shares; one without a value has none."""
    each = facts.estimate.rounds
    total = sum(one.weight for one in each if one.value == one.value) or 1.0
    return [(number, one, one.weight / total) for number, one in enumerate(each, start=1)]


def settings(facts: Facts) -> list[tuple[str, str]]:
    """What it takes to do it again."""
    origin = facts.origin
    return [
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
