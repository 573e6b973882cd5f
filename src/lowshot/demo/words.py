"""The sentences of the demo: pure functions from a task or an outcome to text."""

from scipy.stats import binom

from lowshot.demo.compare import Comparison
from lowshot.demo.data import CATEGORIES, Task
from lowshot.demo.outcome import Outcome

HINT = """\
import lowshot

pool = lowshot.Pool(scores, threshold=0.5)
evaluation = lowshot.Evaluation(pool)
items = evaluation.ask(10)          # label these, then
evaluation.tell(items, labels)      # and again, until the interval is narrow enough:
print(evaluation.estimate())
"""


def title(sampler: str) -> str:
    """A sampler as the paper writes it.

    >>> title("acis_last"), title("topk")
    ('ACIS-LAST', 'TOP-K')
    """
    return "TOP-K" if sampler == "topk" else sampler.upper().replace("_", "-")


def rarity(task: Task) -> str:
    """How rare the category is, to two digits.

    >>> from lowshot.demo.data import load
    >>> rarity(load())
    'one in 1,000'
    """
    return f"one in {float(f'{len(task.pool) / task.positives:.2g}'):,.0f}"


def introduction(task: Task) -> str:
    """What the demo does."""
    lower = CATEGORIES[task.category]
    return (
        f"A real model, a ResNet-18 fine-tuned on 250 labels per class, has scored {len(task.pool):,} pictures of"
        f" Tiny-ImageNet for class {task.category} (its F1 is higher than that of {lower} % of the classes)."
        f" {task.positives} of them are positive: {rarity(task)}. How good is it, measured in F1? The annotator is"
        " simulated from the known labels; nothing is downloaded."
    )


def verdict(outcome: Outcome) -> str:
    """The estimate and the truth in two lines, and whether the interval contains it."""
    truth = f"{outcome.estimate.metric} = {outcome.task.truth():.3f}, from all {len(outcome.task.pool):,} labels"
    inside = {None: "", True: ": inside the interval", False: ": OUTSIDE the interval"}[outcome.covered]
    return f"Estimate: {outcome.estimate}\nTruth:    {truth}{inside}"


def heading(outcome: Outcome) -> str:
    """What the comparison compares."""
    runs = max(one.runs for one in outcome.comparisons)
    single = [title(one.sampler) for one in outcome.comparisons if one.runs < runs]
    same = f"; every run of {' and '.join(single)} is the same" if single else ""
    return f"Typical error (root mean square) with {outcome.labels} labels, {runs} runs per sampler{same}:"


def notes(outcome: Outcome) -> list[str]:
    """What limits the comparison: missed truth, better samplers, narrow intervals, runs without an estimate."""
    found = [too_narrow(one) for one in outcome.comparisons] + [no_answer(one) for one in outcome.comparisons]
    return [note for note in [missed(outcome), better(outcome), *found] if note]


def missed(outcome: Outcome) -> str:
    """If the interval does not contain the truth."""
    if outcome.covered is not False:
        return ""
    return "The truth is outside the interval this time: a 95 % interval is expected to miss the truth in 1 of 20 runs."


def better(outcome: Outcome) -> str:
    """If the chosen sampler is not the best."""
    chosen = outcome.of(outcome.sampler)
    if chosen is None:
        return ""
    answering = [one for one in outcome.comparisons if 2 * one.undefined < one.runs]
    ahead = [title(one.sampler) for one in answering if one.typical_error < chosen.typical_error]
    if not ahead:
        return ""
    closer = f"{' and '.join(ahead)} {'is' if len(ahead) == 1 else 'are'} closer to the truth"
    return f"{title(outcome.sampler)} is not the best here: {closer}."


def too_narrow(one: Comparison) -> str:
    """If the intervals miss the truth more often than chance explains (binomial test at 5 %)."""
    if one.inside is None or binom.cdf(one.inside, one.runs, 0.95) >= 0.05:
        return ""
    return f"{title(one.sampler)}'s 95 % intervals contain the truth in only {one.inside} of {one.runs} runs."


def no_answer(one: Comparison) -> str:
    """If runs ended without an estimate."""
    if not one.undefined:
        return ""
    return f"{title(one.sampler)} had no estimate in {one.undefined} of {one.runs} runs; such a run counts as F1 = 0."
