"""Facts in sentences."""

from lowshot.charts.style import percent, title
from lowshot.report.by_hand import exact
from lowshot.report.facts import Facts
from lowshot.result import short


def counted(number: int, thing: str, things: str = "") -> str:
    """
    >>> counted(1, "label"), counted(1200, "label"), counted(2, "person", "people")
    ('1 label', '1,200 labels', '2 people')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def headline(facts: Facts) -> str:
    """The whole report in one line."""
    name, now = title(facts.estimate.metric), facts.estimate
    counting = f"{facts.labels - facts.waiting:,} of " if facts.waiting else ""
    labels = counting + counted(facts.labels, "label") + (f" and {facts.known:,} known before" if facts.known else "")
    if not now.defined:
        return f"{name} is not known yet; {labels}"
    if now.interval is None:
        return f"{name} is {short(now.value)}; without an interval; {labels}"
    if exact(now):
        return f"{name} is exactly {short(now.value)}; nothing is left to estimate; {labels}"
    low, high = short(now.interval.low), short(now.interval.high)
    sure = f"with {percent(facts.confidence)} confidence"
    return f"{name} is {short(now.value)}; between {low} and {high} {sure}; {labels}"


def chosen(facts: Facts) -> str:
    """How the items were chosen, and from which."""
    reach = facts.estimate.reach
    drawn = "any of them could be drawn" if reach.share == 1 else str(reach)
    origin = facts.origin
    items = f"{origin.items:,} items, {origin.predicted:,} predicted positive"
    return f"{items}. Sampler {origin.sampler} chose what to label: {drawn}."


def remarks(facts: Facts) -> list[str]:
    """What a reader must know before the first figure."""
    now = facts.estimate
    allowed = "; the interval allows for any answer" if now.interval else ""
    disputes = facts.agreed.disputes if facts.agreed else 0
    found = [
        now.warning and f"Careful: {now.warning}.",
        now.reason and f"Note: {now.reason}.",
        now.skipped and f"Nobody could tell {counted(now.skipped, 'item')}{allowed}.",
        disputes and f"People disagree on {counted(disputes, 'item')}: somebody has to decide.",
        facts.waiting
        and f"{facts.waiting:,} of {counted(facts.labels, 'label')} do not count yet, as their items were drawn after"
        " some that have no label; once those are answered, all count.",
        facts.pending and f"Handed out and not answered yet: {counted(facts.pending, 'item')}.",
    ]
    return [text for text in found if text]


def limits(facts: Facts) -> list[str]:
    """What the interval does not cover."""
    now, settings = facts.estimate, facts.origin.settings
    found = [
        "Wrong labels: every label is taken as it is.",
        "Other items than these: it is about this pool. For the population that the pool was drawn from, use"
        " evaluation.estimate(target='population') in Python, which is wider.",
    ]
    if now.interval is None:
        found.insert(0, f"There is no interval: sampler {facts.origin.sampler!r} cannot say how far off it is.")
    if exact(now):
        return found
    if not settings.get("anytime"):
        found.append(
            f"Many looks: {percent(facts.confidence)} is for one look. If you look after every label and stop when you"
            " like what you see, it is less."
        )
    if now.reach.share < 1:
        found.append(f"What was out of reach: {now.reach}. Positives among the others were never looked for.")
    if settings.get("background") == 0:
        found.append("Positives that hide at random among ordinary items far down, where few labels are.")
    return found
