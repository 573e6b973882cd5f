"""The sentences at the top of a report: headline, choice of items, remarks; and the limits of its interval."""

from lowshot.charts.style import percent, title
from lowshot.report.by_hand import exact
from lowshot.report.facts import ReportFacts
from lowshot.result import short


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "label"), counted(1200, "label"), counted(2, "person", "people")
    ('1 label', '1,200 labels', '2 people')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def headline(facts: ReportFacts) -> str:
    """The result in one line."""
    name, now = title(facts.estimate.metric), facts.estimate
    counting = f"{facts.labels - facts.waiting:,} of " if facts.waiting else ""
    labels = counting + counted(facts.labels, "label") + (f" and {facts.known_drawn}" if facts.known else "")
    if not now.defined:
        return f"{name} is not known yet; {labels}"
    if now.interval is None:
        return f"{name} is {short(now.value)}; without an interval; {labels}"
    if exact(now):
        return f"{name} is exactly {short(now.value)}; nothing is left to estimate; {labels}"
    low, high = short(now.interval.low), short(now.interval.high)
    sure = f"with {percent(facts.confidence)} confidence"
    return f"{name} is {short(now.value)}; between {low} and {high} {sure}; {labels}"


def chosen(facts: ReportFacts) -> str:
    """The size of the pool, the sampler, and how many of the items could be drawn."""
    reach = facts.estimate.reach
    drawn = "every item could be drawn" if reach.share == 1 else str(reach)
    origin = facts.origin
    items = f"{origin.items:,} items, {origin.predicted:,} predicted positive"
    return f"{items}. Sampler {origin.sampler} chose the items to label: {drawn}."


def remarks(facts: ReportFacts) -> list[str]:
    """Warnings and open work that a reader must know before the first figure."""
    now = facts.estimate
    allowed = "; the interval allows for either label" if now.interval else ""
    disputes = facts.agreed.disputes if facts.agreed else 0
    found = [
        now.warning and f"Careful: {now.warning}.",
        now.reason and f"Note: {now.reason}.",
        now.skipped and f"{counted(now.skipped, 'item was', 'items were')} answered 'cannot tell'{allowed}.",
        disputes and f"People disagree on {counted(disputes, 'item')}: the owner has to decide.",
        facts.waiting
        and f"{facts.waiting:,} of {counted(facts.labels, 'label')} do not count yet, because items drawn before"
        " theirs have no label; they count once those items are answered.",
        facts.pending and f"Handed out and not answered yet: {counted(facts.pending, 'item')}.",
    ]
    return [text for text in found if text]


def limits(facts: ReportFacts) -> list[str]:
    """Errors that the interval does not include."""
    now, settings = facts.estimate, facts.origin.settings
    found = [
        "Wrong labels: every label is taken as correct.",
        "Items outside the pool: the interval is for this pool. For the population that the pool was sampled from, use"
        " evaluation.estimate(target='population') in Python, which gives a wider interval.",
    ]
    if now.interval is None:
        found.insert(0, f"There is no interval: sampler {facts.origin.sampler!r} does not estimate its error.")
    if exact(now):
        return found
    if not settings.get("anytime"):
        found.append(
            "Repeated looks: the interval is meant for one look. If you look after every label and stop when you like"
            " the result, its coverage is lower."
        )
    if now.reach.share < 1:
        found.append(f"Items that could not be drawn: {now.reach}. Nobody looked for positives among the others.")
    if settings.get("background") == 0:
        found.append("Positives that are scattered at random far down the ranking, where there are few labels.")
    return found
