"""From a sampler's answer to the one a person gets: exact where all is known, skips, population, no predictions."""

import math
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from lowshot.core.finite import finite_pool_variance
from lowshot.core.interval import Interval, share_interval
from lowshot.errors import InputError
from lowshot.history import Assumption, History
from lowshot.metric import COUNTS, FBeta, Metric
from lowshot.pool import Pool
from lowshot.result import Estimate, Reach
from lowshot.sampler.base import Sampler

Target = Literal["pool", "population"]


def estimate(
    sampler: Sampler, pool: Pool, history: History, metric: Metric, confidence: float, target: Target
) -> Estimate:
    """What the labels say about the metric of the pool, or of the population that the pool was drawn from."""
    if pool.predicted_positives == 0 and (nothing := no_predictions(pool, history, metric, confidence)):
        return nothing
    answer = of_pool(sampler, pool, history, metric, confidence)
    if history.skipped and answer.interval is not None:
        answer = replace(answer, interval=_hull(sampler, pool, history, metric, confidence, answer.interval))
    return answer if target == "pool" else of_population(sampler, pool, history, metric, answer)


def of_pool(sampler: Sampler, pool: Pool, history: History, metric: Metric, confidence: float) -> Estimate:
    """The sampler's estimate, or the exact value once every item that matters is labelled."""
    labelled = history.labelled
    matter = pool.predicted_positives if metric.ignores_negatives else len(pool)
    have = int(pool.predictions[labelled].sum()) if metric.ignores_negatives else len(labelled)
    if have < matter:
        return sampler.estimate(pool, history, metric, confidence)
    predictions = pool.predicted(labelled)
    labels, weight = history.values(labelled, predictions), pool.p(labelled) * len(pool)
    tp, fp = weight @ (labels * predictions), weight @ ((1 - labels) * predictions)
    value = metric.of_counts(float(tp), float(fp), float(weight @ (labels * (1 - predictions))), float(weight.sum()))
    reason = (
        "" if math.isfinite(value) else f"every item is labelled and none is positive: {metric.name} does not exist"
    )
    reach = Reach(len(pool) if not metric.ignores_negatives else matter, len(pool))
    interval = Interval(value, value, confidence) if math.isfinite(value) else None
    variance = None if interval is None else 0.0
    return Estimate(metric.name, value, variance, interval, len(labelled), reach, reason, history.skipped)


def no_predictions(pool: Pool, history: History, metric: Metric, confidence: float) -> Estimate | None:
    """What is known without predicted positives and without labels; None where labels are needed.

    Precision does not exist, tp and fp are 0, and so are F and recall if any positive exists.
    """
    labels, reach = len(history.labels), Reach(len(history.labels), len(pool))
    if isinstance(metric, FBeta) and metric.alpha == 1:
        reason = f"no item is predicted positive: {metric.name} does not exist"
        return Estimate(metric.name, math.nan, None, None, labels, reach, reason)
    if (isinstance(metric, FBeta) and labels < len(pool)) or metric.name in ("tp", "fp"):
        condition = " if any positive exists" if isinstance(metric, FBeta) else ""
        reason = f"no item is predicted positive: {metric.name} is exactly 0{condition}"
        return Estimate(metric.name, 0.0, 0.0, Interval(0.0, 0.0, confidence), labels, reach, reason)
    return None


def _hull(
    sampler: Sampler, pool: Pool, history: History, metric: Metric, confidence: float, interval: Interval
) -> Interval:
    """The interval whatever the answers to the skipped items would have been.

    A label that agrees with the prediction raises F, one that disagrees lowers it; counts and prevalence
    follow the label itself. So the extremes are among these four.
    """
    for assume in get_args(Assumption)[1:]:
        other = of_pool(sampler, pool, history.assuming(assume), metric, confidence).interval
        if other is not None:
            interval = interval.hull(other)
    return interval


def of_population(sampler: Sampler, pool: Pool, history: History, metric: Metric, answer: Estimate) -> Estimate:
    """Adds the variance that the pool itself has as a sample of the population."""
    if not isinstance(metric, FBeta) or pool.mass is not None:
        came = metric.name if pool.mass is None else "a pool with weights"
        raise InputError(f"target='population' needs a metric of the F family and a pool without weights: got {came}")
    if answer.variance is None or answer.interval is None or not answer.defined:
        return answer
    confidence = answer.interval.confidence
    tp, fp, fn = (of_pool(sampler, pool, history, COUNTS[name], confidence).value for name in ("tp", "fp", "fn"))
    extra = finite_pool_variance(tp, fp, fn, metric.alpha)
    variance = answer.variance + (extra if math.isfinite(extra) else 0.0)
    effective = tp + metric.alpha * fp + (1 - metric.alpha) * fn
    wider = share_interval(answer.value, variance, effective, 2, confidence)
    return replace(answer, variance=variance, interval=answer.interval.hull(wider))


def labelled_variance(labels: object, predictions: object, metric: FBeta) -> float:
    """The finite-pool variance of a fully labelled set, from its labels and predictions."""
    y, yhat = np.asarray(labels, dtype=bool), np.asarray(predictions, dtype=bool)
    return finite_pool_variance(
        float((y & yhat).sum()), float((~y & yhat).sum()), float((y & ~yhat).sum()), metric.alpha
    )
