"""Coverage of the intervals on pools with misleading scores: `make bench-adversarial`, or with a number of runs.

    python benchmarks/adversarial.py 100

For each pool, sampler and number of labels it prints the share of runs whose 95 % interval contains the truth, and the
mean width of the interval, as Markdown. On some of these pools no method can estimate F1 with so few labels; there the
interval should be wide rather than wrong. Below the table it says how often `curve` gave a warning: in runs whose
interval missed the truth by more than half of its width, and in runs whose interval held.

A second table is about thresholds for a recall of at least 0.9 with a probability of 90 %, by both promises: the share
of runs with a certificate, and the share of runs whose certificate is wrong.
"""

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from lowshot import Evaluation, Threshold
from lowshot.core.types import Flags, Floats
from lowshot.pools.memory import Pool
from lowshot.sampler import Acis, Curve, Sampler, Sawade
from lowshot.testing import Task, finish

ITEMS, POSITIVES = 20_000, 60
BUDGETS = (30, 100, 300)  # labels
METHODS: dict[str, Sampler] = {
    "curve": Curve(),
    "curve, background 3": Curve(background=3.0),
    "acis": Acis(),
    "sawade": Sawade(),
}
Made = tuple[Floats, Flags, Flags]  # scores, predictions, labels


def ordinary(random: np.random.Generator, positives: int = POSITIVES, shift: float = 3.0) -> tuple[Floats, Flags]:
    """Scores and labels: normal scores, those of positives higher by `shift` standard deviations."""
    labels = np.zeros(ITEMS, dtype=np.bool_)
    labels[random.choice(ITEMS, positives, replace=False)] = True
    return random.normal(size=ITEMS) + shift * labels, labels


def top(scores: Floats, count: int) -> Flags:
    """Predictions: positive for the `count` highest scores."""
    flags = np.zeros(len(scores), dtype=np.bool_)
    flags[np.argsort(-scores, kind="stable")[:count]] = True
    return flags


def constant(random: np.random.Generator) -> Made:
    _, labels = ordinary(random)
    return np.zeros(ITEMS), random.random(ITEMS) < 0.005, labels


def reversed_(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return -scores, top(-scores, POSITIVES), labels


def independent(random: np.random.Generator) -> Made:
    _, labels = ordinary(random)
    scores = random.normal(size=ITEMS)
    return scores, top(scores, POSITIVES), labels


def confident_mistakes(random: np.random.Generator) -> Made:
    """The 30 highest scores belong to negatives."""
    scores, labels = ordinary(random)
    wrong = random.choice(np.flatnonzero(~labels), 30, replace=False)
    scores[wrong] = 8 + random.random(30)
    return scores, top(scores, 90), labels


def hidden(random: np.random.Generator) -> Made:
    """80 % of the positives have scores like negatives, so that recall is about 0.2."""
    scores, labels = ordinary(random, shift=4.0)
    lost = random.choice(np.flatnonzero(labels), round(0.8 * POSITIVES), replace=False)
    scores[lost] = random.normal(size=len(lost))
    return scores, top(scores, 20), labels


def one_positive(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random, positives=1)
    return scores, top(scores, 10), labels


def one_prediction(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return scores, top(scores, 1), labels


def no_prediction(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return scores, top(scores, 0), labels


def half_predicted(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return scores, top(scores, ITEMS // 2), labels


def nearly_perfect(random: np.random.Generator) -> Made:
    """Two mistakes among 60 predictions, and none below."""
    scores, labels = ordinary(random, shift=12.0)
    predictions = labels.copy()
    predictions[random.choice(np.flatnonzero(~labels), 2, replace=False)] = True
    return scores + 3 * predictions, predictions, labels


def screening(random: np.random.Generator) -> Made:
    """5 % of the items are flagged, 17 for each positive, and 97 % of the positives are among them."""
    scores, labels = ordinary(random, shift=3.5)
    return scores, scores > 1.645, labels


def stripes(random: np.random.Generator) -> Made:
    """Every other stretch of 25 predicted positives is positive, which no score does."""
    scores = np.sort(random.normal(size=ITEMS))[::-1].copy()
    rank = np.arange(ITEMS)
    return scores, rank < 200, (rank < 200) & (rank // 25 % 2 == 1)


POOLS: dict[str, Callable[[np.random.Generator], Made]] = {
    "constant scores": constant,
    "reversed scores": reversed_,
    "scores independent of the label": independent,
    "30 confident mistakes": confident_mistakes,
    "recall 0.2, the rest anywhere": hidden,
    "one positive": one_positive,
    "one predicted positive": one_prediction,
    "no predicted positive": no_prediction,
    "half of the pool predicted": half_predicted,
    "nearly perfect": nearly_perfect,
    "screening, recall 0.97": screening,
    "positives in stripes": stripes,
}


class Outcome(NamedTuple):
    """One estimate of one run."""

    held: bool  # the interval contains the truth
    width: float
    far: bool  # it misses the truth by more than half of its width
    warned: bool


def outcomes(make: Callable[[np.random.Generator], Made], sampler: Sampler, runs: int) -> list[list[Outcome]]:
    """[number of labels, run]. A run without an interval counts as [0, 1]."""
    found: list[list[Outcome]] = [[] for _ in BUDGETS]
    for run in range(runs):
        scores, predictions, labels = make(np.random.default_rng([5, run]))
        task = Task(Pool(scores, predictions, scale="logit"), labels)
        evaluation, truth = Evaluation(task.pool, sampler=sampler, seed=run), task.truth()
        for place, budget in enumerate(BUDGETS):
            estimate = finish(evaluation, labels, budget).estimate()
            low, high = (0.0, 1.0) if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
            distance = max(low - truth, truth - high, 0.0)
            found[place].append(Outcome(not distance, high - low, distance > (high - low) / 2, bool(estimate.warning)))
    return found


def cell(runs: list[Outcome]) -> str:
    held, width = (np.mean([getattr(run, name) for run in runs]) for name in ("held", "width"))
    return f"{held:.0%} / {width:.2f}"


def warnings(runs: list[Outcome]) -> Iterator[str]:
    """How often there was a warning when the interval was far off, and when it held."""
    for title, chosen in (
        ("missed by more than half of its width", [run for run in runs if run.far]),
        ("held", [run for run in runs if run.held]),
    ):
        yield f"{title}: a warning in {sum(run.warned for run in chosen)} of {len(chosen)} runs"


def promised(make: Callable[[np.random.Generator], Made], promise: str, runs: int) -> list[str]:
    """For each number of labels: how many runs certify a recall, and how many of them are wrong."""
    certified, wrong = np.zeros(len(BUDGETS)), np.zeros(len(BUDGETS))
    goal = Threshold(recall=0.9, confidence=0.9, promise=promise)
    for run in range(runs):
        scores, predictions, labels = make(np.random.default_rng([5, run]))
        first_guess = predictions if predictions.any() else top(scores, 1)
        evaluation = Evaluation(Pool(scores, first_guess, scale="logit"), seed=run, goal=goal)
        for place, budget in enumerate(BUDGETS):
            choice = finish(evaluation, labels, budget).choose_threshold()
            if choice.certified and choice.threshold is not None:
                kept = scores >= choice.threshold
                kept[list(choice.added)], kept[list(choice.removed)] = True, False
                certified[place] += 1
                wrong[place] += labels[kept].sum() < 0.9 * labels.sum() - 1e-9
    return [f"{one / runs:.0%} / {bad / runs:.0%}" for one, bad in zip(certified, wrong, strict=True)]


def main() -> None:
    runs, echo = int(sys.argv[1]) if len(sys.argv) > 1 else 100, Console(soft_wrap=True, highlight=False).print
    columns = [f"{name}: {budget}" for name in METHODS for budget in BUDGETS]
    echo(f"coverage / width, {runs} runs, {ITEMS:,} items, {POSITIVES} positives\n")
    echo(f"| pool | {' | '.join(columns)} |\n|{' --- |' * (len(columns) + 1)}")
    of_curve: list[list[Outcome]] = [[] for _ in BUDGETS]
    for name, make in track(list(POOLS.items()), "pools", console=Console(stderr=True)):
        found = [outcomes(make, sampler, runs) for sampler in METHODS.values()]
        echo(f"| {name} | {' | '.join(cell(one) for method in found for one in method)} |")
        of_curve = [[*before, *new] for before, new in zip(of_curve, found[0], strict=True)]
    for budget, one in zip(BUDGETS, of_curve, strict=True):
        echo(f"\ncurve at {budget} labels, interval {'; '.join(warnings(one))}")
    promises = ("posterior", "design")
    columns = [f"{promise}: {budget}" for promise in promises for budget in BUDGETS]
    echo(f"\nrecall certified / wrongly certified, {runs} runs\n")
    echo(f"| pool | {' | '.join(columns)} |\n|{' --- |' * (len(columns) + 1)}")
    for name, make in track(list(POOLS.items()), "promises", console=Console(stderr=True)):
        echo(f"| {name} | {' | '.join(one for promise in promises for one in promised(make, promise, runs))} |")


if __name__ == "__main__":
    main()
