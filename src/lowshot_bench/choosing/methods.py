"""What each method returns at its numbers of labels, judged by the truth.

posterior   labels for the threshold (goal: Threshold), looked at after every round as well
design      the same with promise="design"
plain       labels for F1, then `choose_threshold`
supg        the algorithms of SUPG
bargain     the algorithms of BARGAIN

Every number is an answer of its own. Its target is what the labels were drawn for or what was asked ("recall",
"precision" or "f1") and one of these words:

set         recall or precision of the returned set; truth: the target; warned: not certified; probability: as stated
bare        the same of all items above the threshold, without the labels
other       precision of the set if recall was asked for, and recall if precision was
kept        items of the set; truth: those of the oracle; low and high: positives and items of the pool
first       as set, at the first look that was certified; there is no answer if none was
first kept  as kept, at that look
band        1 if the simultaneous band holds the true precision and recall at all thresholds, else 0; truth: 0.95
band width  the mean width of both curves
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

import lowshot
from lowshot.core.types import Floats
from lowshot.evaluation import Evaluation
from lowshot.pools.scale import probabilities
from lowshot.sampler.curve import ENDS
from lowshot_bench.choosing import bargain, supg
from lowshot_bench.choosing.chosen import NONE, Choose, Chosen
from lowshot_bench.choosing.ranking import EQUAL, Ranking
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer, labelled

WANTED = ("recall", "precision")
TARGET = 0.9
CONFIDENCE = 0.9
BAND_LABELS = (150, 310)  # where simultaneous bands are looked at
BAND = 0.95  # confidence of a simultaneous band
LEAST_KEPT = 10  # precision of fewer items is 0 or 1 or nearly so; no band is judged there
SHUFFLE = 15  # seed of the order of items with the same score; part of the data, independent of a run's seed
Answers = Iterator[Answer]


def answers(experiment: Experiment, task: Task, method: str, seed: int) -> Answers:
    """The answers of one run."""
    return METHODS[method](experiment, task, seed)


# ---- the methods of this package -------------------------------------------------------------------------------------


def _for_threshold(promise: str, experiment: Experiment, task: Task, seed: int) -> Answers:
    for wanted in WANTED:
        goal = lowshot.Threshold(**_targets(wanted), promise=promise, confidence=CONFIDENCE)
        yield from _looks(experiment, task, wanted, Evaluation(task.pool, seed=seed, goal=goal), promise == "posterior")


def _targets(wanted: str) -> dict[str, Any]:
    return {wanted: TARGET}


def _looks(experiment: Experiment, task: Task, wanted: str, evaluation: Evaluation, bands: bool) -> Answers:
    """At every budget, and after every round until a look is certified."""
    rounds = [end for end in ENDS if end <= max(experiment.budgets)]
    stopped = False
    for labels in sorted({*experiment.budgets, *rounds, *(BAND_LABELS if bands else ())}):
        if labels > len(task.labels):
            return
        labelled(evaluation, task, labels)
        if labels in BAND_LABELS and bands:
            yield from _band(task, evaluation, labels, wanted)
        if labels not in experiment.budgets and (stopped or labels not in rounds):
            continue
        chosen, probability = _choice(task, evaluation, wanted)
        if chosen.certified and not stopped:
            stopped = True
            yield from _first(ranking_of(task), wanted, labels, chosen, probability)
        if labels in experiment.budgets:
            yield from judged(ranking_of(task), wanted, labels, chosen, probability)


def _plain(experiment: Experiment, task: Task, seed: int) -> Answers:
    evaluation = Evaluation(task.pool, experiment.metric, "curve", seed)
    for labels in sorted({*experiment.budgets, *BAND_LABELS}):
        if labels > len(task.labels):
            return
        labelled(evaluation, task, labels)
        if labels in BAND_LABELS:
            yield from _band(task, evaluation, labels, experiment.metric)
        for wanted in WANTED if labels in experiment.budgets else ():
            yield from judged(ranking_of(task), wanted, labels, *_choice(task, evaluation, wanted))


def _choice(task: Task, evaluation: Evaluation, wanted: str) -> tuple[Chosen, float | None]:
    """The choice of a threshold as a set of items, and the probability that it meets the target.

    Without a threshold a user who needs recall must keep everything, and one who needs precision only what was seen.
    """
    choice = evaluation.choose_threshold(**_targets(wanted), confidence=CONFIDENCE)
    scores = ranking_of(task).scores
    threshold = choice.threshold
    if threshold is None:
        threshold = float(scores.min()) if wanted == "recall" else NONE
    kept = scores >= threshold
    kept[np.asarray(choice.added, dtype=np.int64)] = True  # ids are positions
    kept[np.asarray(choice.removed, dtype=np.int64)] = False
    return Chosen(kept, threshold, choice.certified), choice.probability


def _band(task: Task, evaluation: Evaluation, labels: int, drawn_for: str) -> Answers:
    """Whether the simultaneous band holds the truth. A curve that does not exist counts as a band from 0 to 1."""
    found, ranking = evaluation.thresholds(band="simultaneous", confidence=BAND), ranking_of(task)
    chosen = np.asarray(found.kept) >= LEAST_KEPT
    hits = ranking.hits[np.asarray(found.kept)[chosen]]
    truths = {"precision": hits / np.asarray(found.kept)[chosen], "recall": hits / ranking.positives}
    held, widths = True, [1.0]
    if chosen.any():
        ends = {name: (getattr(found, name).low[chosen], getattr(found, name).high[chosen]) for name in truths}
        held = all(_within(truths[name], *ends[name]) for name in truths)
        widths = [float((high - low).mean()) for low, high in ends.values()]
    yield Answer(f"{drawn_for} band", labels, float(held), None, None, BAND)
    yield Answer(f"{drawn_for} band width", labels, float(np.mean(widths)), None, None, math.nan)


def _within(truth: Floats, low: Floats, high: Floats) -> bool:
    return bool(((truth >= low - EQUAL) & (truth <= high + EQUAL)).all())


# ---- the methods of others -------------------------------------------------------------------------------------------


def _peer(choose: dict[str, Choose], experiment: Experiment, task: Task, seed: int) -> Answers:
    ranking = _sorted(task)
    for number, wanted in enumerate(WANTED):
        for labels in experiment.budgets:
            if labels <= len(task.labels):
                random = np.random.default_rng([seed, number, labels])
                oracle, delta = ranking.labels.__getitem__, 1 - CONFIDENCE
                yield from judged(
                    ranking, wanted, labels, choose[wanted](ranking.scores, oracle, labels, TARGET, delta, random)
                )


@lru_cache(maxsize=1)
def _sorted(task: Task) -> Ranking:
    """The items in the order of their scores, which are probabilities here: sorted once for all runs of the task.

    Items of the same score are in random order, because these methods may put a threshold between them.
    """
    scores = np.asarray(task.pool.scores, dtype=np.float64)
    shuffled = np.random.default_rng(SHUFFLE).permutation(len(scores))
    order = shuffled[np.argsort(-scores[shuffled], kind="stable")]
    return Ranking(probabilities(scores[order], task.pool.scale), task.labels[order])


# ---- judging ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def ranking_of(task: Task) -> Ranking:
    """The truth about a task."""
    return Ranking(np.asarray(task.pool.scores, dtype=np.float64), task.labels)


def judged(ranking: Ranking, wanted: str, labels: int, chosen: Chosen, probability: float | None = None) -> Answers:
    """All numbers of one choice."""
    bare = ranking.scores >= chosen.threshold
    reached = {"recall": ranking.recall_of, "precision": ranking.precision_of}
    other = WANTED[1 - WANTED.index(wanted)]
    best = ranking.smallest(TARGET) if wanted == "recall" else ranking.largest(TARGET)
    size = float(np.count_nonzero(chosen.kept))

    def share(what: str, value: float, truth: float = TARGET) -> Answer:
        return Answer(f"{wanted} {what}", labels, down(value), None, None, truth, probability, not chosen.certified)

    yield share("set", reached[wanted](chosen.kept))
    yield share("bare", reached[wanted](bare))
    yield share("other", reached[other](chosen.kept), math.nan)
    pool = (float(ranking.positives), float(len(ranking.labels)))
    yield Answer(f"{wanted} kept", labels, size, *pool, float(best), probability, not chosen.certified)


def _first(ranking: Ranking, wanted: str, labels: int, chosen: Chosen, probability: float | None) -> Answers:
    names = {f"{wanted} set": f"{wanted} first", f"{wanted} kept": f"{wanted} first kept"}
    for answer in judged(ranking, wanted, labels, chosen, probability):
        if answer.target in names:
            yield answer._replace(target=names[answer.target])


def down(value: float) -> float:
    """Rounded down to 4 decimals, so that packed rows do not show a target as met that was missed.

    >>> down(0.89996), down(0.9), down(27 / 30)
    (0.8999, 0.9, 0.9)
    """
    return math.floor(value * 1e4 + EQUAL) / 1e4


METHODS: dict[str, Callable[[Experiment, Task, int], Answers]] = {
    "posterior": partial(_for_threshold, "posterior"),
    "design": partial(_for_threshold, "design"),
    "plain": _plain,
    "supg": partial(_peer, {"recall": supg.choose_recall, "precision": supg.choose_precision}),
    "bargain": partial(_peer, {"recall": bargain.choose_recall, "precision": bargain.choose_precision}),
}
