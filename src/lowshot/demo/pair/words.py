"""The sentences of the demo with two models: pure functions from a pair or an outcome to text."""

from lowshot.demo.data import BASELINE, CANDIDATE, FINE_TUNED, Pair
from lowshot.demo.pair.outcome import Count, Outcome, Summary
from lowshot.demo.words import rarity

HINT = """\
import lowshot

pool = lowshot.Pool({"v1": old, "v2": new}, threshold=0.5)
evaluation = lowshot.Evaluation(pool, goal=("v1", "v2"))
items = evaluation.ask(10)          # label these, then
evaluation.tell(items, labels)      # and again, until evaluation.stop_when(verdict=True)
print(evaluation.compare("v1", "v2"))
"""


def introduction(pair: Pair) -> str:
    """What the demo does."""
    return (
        f"Two real models have scored {len(pair.pool):,} pictures of Tiny-ImageNet for class {pair.category}:"
        f" {BASELINE}, a ResNet-18 fine-tuned on {FINE_TUNED[BASELINE]} labels per class, and {CANDIDATE}, the same"
        f" network fine-tuned on {FINE_TUNED[CANDIDATE]}. {pair.candidate.positives} pictures are positive:"
        f" {rarity(pair.candidate)}. The models disagree on {pair.disagreements:,}. Is {CANDIDATE} better, measured in"
        " F1? The annotator is simulated from the known labels; nothing is downloaded."
    )


def verdict(outcome: Outcome) -> str:
    """The verdict beside the truth."""
    pair, truth = outcome.pair, outcome.truth
    values = f"{pair.candidate.truth():.3f} against {pair.baseline.truth():.3f}"
    exact = f"f1 is {abs(truth.value):.3f} {'higher' if truth.value > 0 else 'lower'} ({values})"
    if outcome.right is None:
        judged = f"{CANDIDATE} is {truth.verdict}, but {outcome.comparison.labels} labels do not decide it"
    else:
        judged = f"the verdict is {'right' if outcome.right else 'WRONG'}"
    return f"Verdict: {outcome.comparison}\nTruth:   {exact}, from all {truth.labels:,} labels: {judged}"


def heading(outcome: Outcome) -> str:
    """What the table of all classes shows."""
    runs = max(len(one.trials) for one in outcome.summaries)
    return (
        f"All {len(outcome.summaries)} classes, {runs} run{'s' * (runs > 1)} each. A run looks after each round and"
        f" stops at its first verdict, or after {outcome.most} labels; labels: their median. Own: a separate evaluation"
        " of each model, with half of the labels of the run."
    )


def conclusion(outcome: Outcome) -> str:
    """The verdicts of all classes in one sentence per way."""
    pair, own, own_all = (outcome.total(way) for way in ("pair", "own", "own_all"))
    return (
        f"Verdicts in {pair.runs} runs: {pair}. Separate evaluations: {own} with as many labels; {own_all} with all"
        f" {outcome.most} labels in every run."
    )


def notes(outcome: Outcome) -> list[str]:
    """What limits the demo: a verdict that was taken back, a missed truth, wrong or missing verdicts, easy classes."""
    found = [taken_back(outcome), missed(outcome), *map(wrong, outcome.summaries), undecided(outcome)]
    return [note for note in [*found, one_sided(outcome)] if note]


def taken_back(outcome: Outcome) -> str:
    """If there was a verdict with fewer labels, and there is none or another one with all of them."""
    first, last = outcome.first, outcome.comparison
    if first is None or last.verdict == first.comparison.verdict:
        return ""
    return (
        f"After {first.labels} labels the verdict was '{first.comparison.verdict}'; with all {last.labels} it is"
        f" '{last.verdict}'. The more often you look, the more likely is a wrong verdict."
    )


def missed(outcome: Outcome) -> str:
    """If the interval does not contain the truth."""
    if outcome.covered is not False:
        return ""
    return (
        "The true difference is outside the interval this time: a 95 % interval is expected to miss it in 1 of 20 runs."
    )


def wrong(one: Summary) -> str:
    """If runs on a class named the worse model."""
    found: Count = one.counts()["pair"]
    return f"Class {one.pair.category}: {found.wrong} of {found.runs} verdicts are wrong." if found.wrong else ""


def undecided(outcome: Outcome) -> str:
    """Which classes have runs without a verdict."""
    counts = {one.pair.category: one.counts()["pair"] for one in outcome.summaries}
    stay = [f"class {category} in {n.undecided} of {n.runs} runs" for category, n in counts.items() if n.undecided]
    return f"Undecided after {outcome.most} labels: {', '.join(stay)}." if stay else ""


def one_sided(outcome: Outcome) -> str:
    """If the truth is the same everywhere, so that a program that always says so would look good."""
    verdicts = {one.truth.verdict for one in outcome.summaries}
    if len(verdicts) > 1:
        return ""
    return (
        f"The truth is '{verdicts.pop()}' in all of these classes. They show how soon there is a verdict, but cannot"
        " show how often verdicts are wrong where models are about equally good."
    )
