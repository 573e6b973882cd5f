"""What is asked of each package of others. Settings are its defaults, unless a comment says why not."""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot_bench.choosing import bargain as our_bargain
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Task
from lowshot_bench.peers.packages import load_for
from lowshot_bench.peers.sharing import (
    CONFIDENCE,
    F1,
    PRECISION,
    PREVALENCE,
    Drawn,
    Interval,
    answer,
    chances,
    draws,
)
from lowshot_bench.several.answers import NORMAL, Answer

Answers = Iterator[Answer]
NOTHING = (float("nan"), None)
LEAST = 1e-6  # probabilities are moved this far from 0 and 1 before a logit is taken
STRATA, BINS = 30, 1000  # of OASIS; see _oasis_sampler
MOST_DRAWS = 10  # per label that is wanted: a proposal that draws the same items again and again ends there
TARGET, DELTA = 0.9, 0.1  # of BARGAIN, as in docs/thresholds.md


@contextmanager
def _quiet() -> Iterator[None]:
    """Others print and warn; what matters of it is in the rows."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


# ---- F1: OASIS and activeeval ----------------------------------------------------------------------------------------


def oasis(experiment: Experiment, task: Task, seed: int) -> Answers:
    """OASIS: adaptive importance sampling over strata of the scores. It has no interval."""
    with _quiet():
        sampler = _oasis_sampler(experiment, task, seed)
    for labels in experiment.budgets:
        if labels > len(task.labels):
            return
        with _quiet():
            while np.isfinite(sampler.cached_labels_).sum() < labels and sampler.t_ < MOST_DRAWS * labels:
                sampler.sample(1)  # sample_distinct() goes on for ever where the same few items are drawn
            value = float(sampler.estimate_[-1])
        yield answer(F1, labels, value, None, task.truth(F1))


def _oasis_sampler(experiment: Experiment, task: Task, seed: int) -> Any:
    """Three things are not its defaults, because it does not run with them today.

    It takes `percentile` and `ptp` from SciPy, which has them no more. Its own numbers of bins and strata divide by the
    interquartile range of the scores, which is 0 or nearly so where most items are surely negative; 30 strata are those
    of its paper. Scores are logits, because strata of equal width in probability put nearly all items into one.
    It draws from NumPy's global generator.
    """
    module = load_for("oasis")
    scipy: Any = __import__("scipy")
    scipy.percentile, scipy.ptp = np.percentile, np.ptp
    chance = np.clip(chances(task), LEAST, 1 - LEAST)
    np.random.seed(seed % 2**32)  # noqa: NPY002
    return module.OASISSampler(
        0.5,
        task.pool.predictions.astype(np.int64),
        np.log(chance) - np.log1p(-chance),
        lambda item: int(task.labels[item]),
        max_iter=MOST_DRAWS * max(experiment.budgets),
        stratification_n_strata=STRATA,
        stratification_n_bins=BINS,
    )


def activeeval(experiment: Experiment, task: Task, seed: int) -> Answers:
    """activeeval as in its README: a static proposal from the classifier's probabilities, and its default estimator.

    The interval is ours, by the delta method from its draws and weights: the default estimator has no variance, and
    that of `AISEstimatorWithVariance` (0.1.2) is far too large, because it multiplies arrays of the shapes (n, 1)
    and (n).
    """
    evaluator = _evaluator(task, seed)
    items, weights = np.zeros(0, dtype=np.int64), np.zeros(0)
    for labels in experiment.budgets:
        if labels > len(task.labels):
            return
        with _quiet():
            items, weights = _query(evaluator, task, items, weights, labels)
            value = float(evaluator.estimate)
        yield answer(F1, labels, value, _delta_interval(task, items, weights, value), task.truth(F1))


def _delta_interval(task: Task, items: Integers, weights: Floats, value: float) -> Interval:
    """The normal interval of F1 from weighted draws with replacement."""
    truth, predicted = (flags[items].astype(np.float64) for flags in (task.labels, task.pool.predictions))
    with np.errstate(all="ignore"):
        effect = weights * (2 * truth * predicted - value * (truth + predicted))
        half = NORMAL * np.sqrt(np.mean(effect**2) / len(items)) / np.mean(weights * (truth + predicted))
    return value - half, value + half


def _evaluator(task: Task, seed: int) -> Any:
    package, proposals = load_for("activeeval"), load_for("activeeval", "activeeval.proposals")
    measures, pools = load_for("activeeval", "activeeval.measures"), load_for("activeeval", "activeeval.pools")
    chance = chances(task)
    pool = pools.Pool(features=np.arange(len(chance))[:, None])
    measure = measures.FMeasure(task.pool.predictions.astype(np.int64))
    response = np.column_stack([1 - chance, chance])
    proposal = proposals.StaticVarMin(pool, measure, response, deterministic=True, random_state=seed % 2**32)
    return package.Evaluator(pool, measure, proposal)


def _query(evaluator: Any, task: Task, items: Integers, weights: Floats, labels: int) -> tuple[Integers, Floats]:
    """All draws until so many distinct items are labelled. What is drawn again costs no label, but counts again."""
    for _ in range(MOST_DRAWS):
        wanted = labels - len(np.unique(items))
        if wanted <= 0:
            break
        new, weight = evaluator.query(wanted)
        evaluator.update(new, task.labels[new].astype(np.int64), weight)
        items, weights = np.concatenate([items, new]), np.concatenate([weights, weight])
    return items, weights


# ---- means: ppi_py and glide -----------------------------------------------------------------------------------------


def ppi(experiment: Experiment, task: Task, seed: int) -> Answers:
    """ppi_py: means of labels with the probability of each item as its prediction, power tuning on.

    F1 is a ratio of two such means. The package has no ratios: the delta method is ours.
    """
    yield from _means(experiment, task, seed, _ppi_mean)
    for drawn in draws(experiment, task, seed, PREVALENCE):
        value, interval = _ppi_f1(task, drawn)
        yield answer(F1, drawn.asked, value, interval, task.truth(F1))


def glide(experiment: Experiment, task: Task, seed: int) -> Answers:
    """glide: `PPIMeanEstimator` with the probability of each item as what the judge says."""
    yield from _means(experiment, task, seed, _glide_mean)


Mean = Callable[[Floats, Floats, Floats], tuple[float, Interval | None]]  # labels, their predictions, others


def _means(experiment: Experiment, task: Task, seed: int, mean: Mean) -> Answers:
    """Precision among the predicted positives, and prevalence."""
    chance, truth = chances(task), task.labels.astype(np.float64)
    for target in (PRECISION, PREVALENCE):
        for drawn in draws(experiment, task, seed, target):
            if not len(drawn.rest):  # all items are labelled: the mean is known
                value = float(truth[drawn.items].mean())
                found: tuple[float, Interval | None] = (value, (value, value))
            else:
                with _quiet():
                    found = mean(truth[drawn.items], chance[drawn.items], chance[drawn.rest])
            yield answer(target, drawn.asked, *found, task.truth(target))


def _ppi_mean(labels: Floats, predicted: Floats, others: Floats) -> tuple[float, Interval | None]:
    module = load_for("ppi")
    value = module.ppi_mean_pointestimate(labels, predicted, others)
    low, high = module.ppi_mean_ci(labels, predicted, others, alpha=1 - CONFIDENCE)
    return _number(value), (_number(low), _number(high))


def _number(value: Any) -> float:
    return float(np.ravel(value)[0])


def _ppi_f1(task: Task, drawn: Drawn) -> tuple[float, Interval | None]:
    """F1 = 2 T / (share of predicted + P) from two PPI means, T of found positives and P of all, and its interval.

    The interval is that of the PPI mean of the influence of each item, (2 found - F1 positive) / denominator, which is
    linear in the labels, so that its prediction is the same function of the probability.
    """
    truth, chance, predicted = task.labels.astype(np.float64), chances(task), task.pool.predictions.astype(np.float64)
    if not len(drawn.rest):
        return task.truth(F1), (task.truth(F1), task.truth(F1))

    def mean(effect: Floats) -> tuple[float, Interval | None]:
        parts: list[tuple[Floats, Integers]] = [(truth, drawn.items), (chance, drawn.items), (chance, drawn.rest)]
        return _ppi_mean(*(values[items] * effect[items] for values, items in parts))

    with _quiet():
        found, positives = mean(predicted)[0], mean(np.ones_like(truth))[0]
        below = float(predicted.mean()) + positives
        if below <= 0:
            return NOTHING
        value = min(max(2 * found / below, 0.0), 1.0)
        interval = mean((2 * predicted - value) / below)[1]
    if interval is None or not np.isfinite(interval).all():
        return NOTHING
    half = (interval[1] - interval[0]) / 2
    return value, (value - half, value + half)


def _glide_mean(labels: Floats, predicted: Floats, others: Floats) -> tuple[float, Interval | None]:
    """It refuses labels that are all alike, which is no answer."""
    truth = np.concatenate([labels, np.full(len(others), np.nan)])
    try:
        found = (
            load_for("glide")
            .PPIMeanEstimator()
            .estimate(truth, np.concatenate([predicted, others]), confidence_level=CONFIDENCE)
        )
    except ValueError:
        return NOTHING
    interval = found.confidence_interval
    return float(interval.mean), (float(interval.lower_bound), float(interval.upper_bound))


# ---- thresholds: BARGAIN beside our own version of it ----------------------------------------------------------------


class _GlobalDraws:
    """A generator that draws as BARGAIN does, from NumPy's global one, so that both versions see the same labels."""

    def __init__(self, seed: int) -> None:
        np.random.seed(seed)  # noqa: NPY002

    def integers(self, high: int, size: int) -> Integers:
        """BARGAIN counts from the lowest score here, we from the highest."""
        return high - 1 - np.random.choice(high, size, replace=True)  # noqa: NPY002

    def permutation(self, items: int) -> Integers:
        return np.random.permutation(items)  # noqa: NPY002


def bargain(experiment: Experiment, task: Task, seed: int) -> Answers:
    """Items in the set that BARGAIN returns; truth: those that our version returns on the same draws.

    `warned` says that the two sets differ.
    """
    labels, seed = max(experiment.budgets), seed % 2**32
    if labels > len(task.labels):
        return
    # Sorted and distinct, so that both versions have the same order of items
    order = np.argsort(chances(task), kind="stable")
    truth = task.labels[order]
    rank = np.arange(1, len(order) + 1) / (len(order) + 1)
    for wanted, ours in (("recall", our_bargain.choose_recall), ("precision", our_bargain.choose_precision)):
        with _quiet():
            theirs = np.unique(_bargain_set(wanted, truth, rank, labels, seed))
        draws_alike: Any = _GlobalDraws(seed)
        mine = np.flatnonzero(ours(rank, truth.__getitem__, labels, TARGET, DELTA, draws_alike).kept)
        same = np.array_equal(theirs, mine)
        yield Answer(f"bargain {wanted}", labels, float(len(theirs)), None, None, float(len(mine)), warned=not same)


def _bargain_set(wanted: str, truth: Any, rank: Floats, labels: int, seed: int) -> Any:
    package = load_for("bargain")
    models = load_for("bargain", "BARGAIN.models.AbstractModels")

    class Scores(models.Proxy):  # type: ignore[misc, name-defined]
        def get_preds_and_scores(self, indxs: Any, data_records: Any) -> tuple[Any, Any]:
            return np.ones(len(indxs), dtype=np.int64), rank[np.asarray(indxs)]

    class Person(models.Oracle):  # type: ignore[misc, name-defined]
        def oracle_func(self, input: Any, proxy_output: Any) -> tuple[bool, bool]:
            return True, bool(truth[int(input)])

    kind = {"recall": package.BARGAIN_R, "precision": package.BARGAIN_P}[wanted]
    process = kind(Scores(verbose=False), Person(verbose=False, max_workers=1), DELTA, TARGET, labels, seed=seed)
    return process.process(np.arange(len(truth)))
