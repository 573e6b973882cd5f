"""The sentences at the top of a report: headline, choice of items, remarks; and the limits of its interval."""

from lowshot.charts.style import percent, title
from lowshot.report.by_hand import exact
from lowshot.report.class_facts import ClassFacts
from lowshot.report.facts import ReportFacts
from lowshot.report.models import ModelFacts
from lowshot.report.origin import UNNAMED
from lowshot.result import Comparison, Estimate, short, signed
from lowshot.result import percent as share
from lowshot.words import counted

AnyFacts = ReportFacts | ClassFacts
FEW_PEOPLE = 4  # so many are named at the top of the report; all of them at its end
CURVES_TELL = 1e-3  # hundreds of curves say nothing about smaller probabilities


def headline(facts: AnyFacts) -> str:
    """The result in one line."""
    counts = facts.counts
    labels = counted(counts.counted, "label") + (f" and {counts.known_in_words}" if counts.known else "")
    return f"{_result(facts)}; {labels}"


def _result(facts: AnyFacts) -> str:
    name, now = title(facts.origin.metric), facts.estimate
    if facts.comparison is not None:
        return compared(facts.comparison, facts.confidence)
    if now is None:
        assert facts.models is not None
        return f"{_leading(facts)}; {_values(facts.models, name)}"
    of = "" if facts.origin.judged is None else f" of {facts.origin.judged}"
    if not now.defined:
        return f"{name}{of} is not known yet"
    if now.interval is None:
        return f"{name}{of} is {short(now.value)}; without an interval"
    if exact(now):
        return f"{name}{of} is exactly {short(now.value)}; nothing is left to estimate"
    low, high = short(now.interval.low), short(now.interval.high)
    return f"{name}{of} is {short(now.value)}; between {low} and {high} with {percent(facts.confidence)} confidence"


def compared(found: Comparison, confidence: float) -> str:
    """The verdict, the difference and its interval, in words."""
    name, verdict = title(found.metric), sentence_of(found)
    if not found.defined:
        return f"{verdict}: the difference of {name} is not known yet"
    if found.interval is None:
        return f"{verdict}: {title(found.difference)}"
    if found.interval.width == 0:
        return f"{verdict}: {title(found.difference)}; nothing is left to estimate"
    low, high = signed(found.interval.low), signed(found.interval.high)
    sure = f"with {percent(confidence)} confidence"
    return f"{verdict}: the difference of {name} is {signed(found.value)}; between {low} and {high} {sure}"


def sentence_of(found: Comparison) -> str:
    """The verdict as a sentence without a full stop. The name of a model at its beginning stays as it is."""
    return found.sentence if found.decided else f"{found.sentence[:1].upper()}{found.sentence[1:]}"


def _leading(facts: AnyFacts) -> str:
    """The model that is most likely the best, and how likely that is."""
    models = facts.models
    assert models is not None
    sure = probable(facts, models.leader.best)
    return f"{models.leader.name} is the best of {len(models.every)} models with probability {sure}"


def probable(facts: AnyFacts, probability: float | None) -> str:
    """A probability in per cent. One of curves is never 0 or 1, even if it is so for all curves that were drawn."""
    if probability is not None and not all(nothing_left(found) for found in facts.numbers.values()):
        probability = min(max(probability, CURVES_TELL), 1 - CURVES_TELL)
    return share(probability)


def _values(models: ModelFacts, name: str) -> str:
    """The lowest and the highest value."""
    found = [one.measures[0].estimate for one in models.every]
    values = [each.value for each in found if each is not None and each.defined]
    return f"{name} from {short(min(values))} to {short(max(values))}" if values else f"{name} is not known yet"


def chosen(facts: AnyFacts) -> str:
    """The size of the pool, the sampler, and how many of the items could be drawn."""
    drawn = "every item could be drawn" if facts.reach.share == 1 else str(facts.reach)
    origin, goal = facts.origin, facts.origin.goal
    purpose = "" if goal is None else f" for {goal}"
    return f"{items(facts)}. Sampler {origin.sampler} chose the items to label{purpose}: {drawn}."


def source(facts: AnyFacts) -> str:
    """The file of the pool, who labelled, and when; what is not known is left out."""
    origin = facts.origin
    names = ["others" if name == UNNAMED else name for name in origin.people]
    who = " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
    if len(names) > FEW_PEOPLE:
        named = counted(len(origin.people.keys() - {UNNAMED}), "person", "people")
        who = f"{named} and others" if UNNAMED in origin.people else named
    found = [f"{name}: {origin.about[name]}." for name in ("Pool file", "Threshold") if name in origin.about]
    found += [f"Labelled by {who}."] if origin.people.keys() - {UNNAMED} else []
    found += [f"Last label {origin.last_label}."] if origin.last_label else []
    return " ".join(found)


def items(facts: AnyFacts) -> str:
    """How many items there are, and how many are predicted positive, or how many categories they have."""
    counts = facts.origin.predicted
    if facts.origin.categories:
        return f"{facts.origin.items:,} items, {facts.origin.categories:,} categories"
    if len(counts) == 1:
        return f"{facts.origin.items:,} items, {sum(counts.values()):,} predicted positive"
    return f"{facts.origin.items:,} items; predicted positive: {', '.join(f'{n} {c:,}' for n, c in counts.items())}"


def remarks(facts: AnyFacts) -> list[str]:
    """Warnings and open work that a reader must know before the first figure."""
    disputes = facts.agreed.disputes if facts.agreed else 0
    found = [
        facts.warning and f"Careful: {facts.warning}.",
        facts.reason and f"Note: {facts.reason}.",
        disputes and f"People disagree on {counted(disputes, 'item')}: the owner has to decide.",
        open_work(facts) and labels(facts),
    ]
    return [text for text in found if text]


def open_work(facts: AnyFacts) -> bool:
    """Whether somebody has to answer before all labels count."""
    return bool(facts.counts.pending or facts.counts.waiting)


def explains(facts: AnyFacts) -> bool:
    """Whether the number of labels that count is not simply the number of items asked, though nothing is open."""
    counts = facts.counts
    return not open_work(facts) and bool(counts.known or counts.cannot_tell)


def labels(facts: AnyFacts) -> str:
    """Why the number of labels in the headline is not the number of items that were asked."""
    counts = facts.counts
    has_interval = any(found.interval is not None for found in facts.numbers.values())
    parts = [f"{counts}."]
    if counts.cannot_tell and has_interval:
        parts.append("The interval allows for either label of an item answered 'cannot tell'.")
    if counts.waiting:
        parts.append("Waiting labels count once the items that were drawn before theirs are answered.")
    return " ".join(parts)


def limits(facts: ReportFacts) -> list[str]:
    """Errors that the interval does not include."""
    now, settings = facts.estimate, facts.origin.settings
    found = [
        "Wrong labels: every label is taken as correct.",
        "Items outside the pool: the interval is for this pool."
        + (
            " For the population that the pool was sampled from, use evaluation.estimate(target='population') in"
            " Python, which gives a wider interval."
            if now is not None
            else " A pool of other items may give another answer."
        ),
    ]
    if now is not None and now.interval is None:
        found.insert(0, f"There is no interval: sampler {facts.origin.sampler!r} does not estimate its error.")
    if all(nothing_left(number) for number in facts.numbers.values()):
        return found
    if not settings.get("anytime"):
        found.append(
            "Repeated looks: the interval is meant for one look. If you look after every label and stop when you like"
            " the result, its coverage is lower."
        )
    if facts.reach.share < 1:
        found.append(f"Items that could not be drawn: {facts.reach}. Nobody looked for positives among the others.")
    if settings.get("background") == 0:
        found.append("Positives that are scattered at random far down the ranking, where there are few labels.")
    return found


def class_limits(facts: ClassFacts) -> list[str]:
    """The same for many categories."""
    found = [
        "Wrong labels: every label is taken as correct.",
        "Items outside the pool: the intervals are for this pool.",
        "All categories at once: each interval is meant for its category alone. Of many categories, some lie outside"
        " their intervals, and the lowest value of all is partly the lowest by chance.",
    ]
    if not exact(facts.estimate):
        found.append(
            "Repeated looks: the intervals are meant for one look. If you look after every label and stop when you like"
            " the result, their coverage is lower."
        )
    return found


def nothing_left(found: Estimate | Comparison) -> bool:
    """Whether every item that matters is labelled, so that the value has no error."""
    if isinstance(found, Estimate):
        return exact(found)
    return found.interval is not None and found.interval.width == 0


def promises(facts: ReportFacts) -> list[str]:
    """What the verdicts and probabilities of several models mean; nothing for one model."""
    models = facts.models
    if models is None:
        return []
    sure, missed = percent(facts.confidence), f"{100 * (1 - facts.confidence):.3g}"
    margin = f"the margin, {models.margin:g}," if models.margin else "0"
    below = f"-{models.margin:g}" if models.margin else "0"
    found = [
        f"“Better” is said only if the whole {sure} interval of the difference is above {margin} and “worse” only if it"
        f" is below {below}. Such a verdict is wrong only if the interval misses the true difference. If the interval"
        f" keeps what it promises, that happens in at most {missed} of 100 evaluations.",
        "“Undecided” does not mean that the models are equally good: these labels do not tell which one is better."
        + (
            f" “Tied” means that the difference is smaller than {models.margin:g}."
            if models.margin
            else " “Tied” needs a margin, a difference that does not matter to you: report.write(..., margin=0.02)."
        ),
        f"A verdict is about {title(facts.origin.metric)} at the thresholds of these models. With another threshold or"
        " another metric the better model may be the other one.",
        "The probability of being the best follows from the curves that fit the labels. It is no guarantee, it does not"
        " allow for repeated looks, and models that predict almost the same items share it.",
    ]
    if len(models.others) > 1:
        found.append(
            f"Each of the {len(models.others)} comparisons is judged by itself: the more of them there are, the more"
            " likely it is that one of the verdicts is wrong."
        )
    return found
