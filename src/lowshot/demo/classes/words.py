"""The sentences of the demo with many classes: pure functions from a task or an outcome to text."""

from scipy.stats import binom

from lowshot.demo.classes.data import FINE_TUNED, ClassTask
from lowshot.demo.classes.outcome import WORST, Outcome
from lowshot.demo.words import beside_truth

ENOUGH = 20  # runs: a typical error from so many is known to about 15 %
HINT = """\
import lowshot

pool = lowshot.ClassPool(scores, classes=names)      # a row per item, a column per class
evaluation = lowshot.Evaluation(pool, metric="f1_macro")
items = evaluation.ask(10)                           # say which class each of them is, then
evaluation.tell(items, labels)                       # and again, until the interval is narrow enough:
print(evaluation.estimate())
print(evaluation.table(below=0.5))
"""


def introduction(task: ClassTask) -> str:
    """What the demo does."""
    sizes = sorted(task.places.tolist().count(place) for place in range(task.categories))
    return (
        f"A real model, a ResNet-18 fine-tuned on {FINE_TUNED} labels per class, has scored {len(task.pool):,} pictures"
        f" of Tiny-ImageNet for {task.categories} classes, which have {sizes[0]} to {sizes[-1]} pictures each and are"
        " called by their numbers. How good is it, as the mean F1 of all classes (macro F1), and for which classes is"
        ' it bad? Each label answers "which one is it?" and serves all classes. The annotator is simulated from the'
        " known labels; nothing is downloaded."
    )


def verdict(outcome: Outcome) -> str:
    """The estimate beside the truth."""
    return beside_truth(outcome.estimate, outcome.task.truth, len(outcome.task.pool))


def heading(outcome: Outcome) -> str:
    """What the table of the worst classes shows."""
    return f"The {WORST} classes with the lowest estimates:"


def classes(outcome: Outcome) -> str:
    """What the table of all classes is worth."""
    return (
        f"{outcome.named} of these {WORST} are truly among the {WORST} worst. Of all {outcome.task.categories} classes,"
        f" the intervals of {outcome.classes_covered} contain the truth."
    )


def comparison(outcome: Outcome) -> str:
    """How many random labels do the same."""
    runs, same = len(outcome.runs), outcome.random_labels
    first = (
        f"Over {runs} run{'s' * (runs != 1)} with {outcome.labels} labels, the typical error (root mean square) is"
        f" {outcome.typical_error:.3f}, and {outcome.inside} interval{'s' * (outcome.inside != 1)}"
        f" contain{'s' * (outcome.inside == 1)} the truth."
    )
    if same is None:
        most = outcome.random[-1].labels
        return (
            f"{first} Labels of items that are drawn at random have a larger error even if there are {most:,} of them."
        )
    smallest = outcome.random[0].labels
    about = f"at most {same:,}" if same == smallest else f"about {same:,}"
    return f"{first} With items drawn at random, the same error takes {about} labels."


def notes(outcome: Outcome) -> list[str]:
    """What limits the demo: a missed truth, narrow intervals, random labels that do as well, few runs."""
    found = [missed(outcome), too_narrow(outcome), not_better(outcome), few(outcome)]
    return [note for note in found if note]


def missed(outcome: Outcome) -> str:
    """If the interval does not contain the truth."""
    if outcome.covered is not False:
        return ""
    return "The truth is outside the interval this time: a 95 % interval is expected to miss the truth in 1 of 20 runs."


def too_narrow(outcome: Outcome) -> str:
    """If the intervals miss the truth more often than chance explains (binomial test at 5 %)."""
    runs = len(outcome.runs)
    if binom.cdf(outcome.inside, runs, 0.95) >= 0.05:
        return ""
    return f"The 95 % intervals contain the truth in only {outcome.inside} of {runs} runs."


def not_better(outcome: Outcome) -> str:
    """If as many random labels do as well."""
    same = outcome.random_labels
    if same is None or same > outcome.labels:
        return ""
    return f"Random labels do as well here: {same:,} of them have the error of these {outcome.labels}."


def few(outcome: Outcome) -> str:
    """If the typical error is from few runs, so that the number of random labels is rough."""
    runs = len(outcome.runs)
    if runs >= ENOUGH:
        return ""
    return (
        f"A typical error from {runs} run{'s' * (runs != 1)} is rough, and so is the number of random labels; more"
        " --runs make both more exact."
    )
