"""From the sampler's estimate to the one that is reported.

Handles what is the same for every sampler: no predicted positives, all items labelled, "cannot tell" answers, and the
population that the pool was drawn from.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from lowshot.core.counts import count, variance_of_counts
from lowshot.core.interval import Interval, finite, share_interval
from lowshot.errors import InputError
from lowshot.history import Assumption, History
from lowshot.metric import COUNTS, FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Budget, Estimate, Plan, Reach
from lowshot.sampler.base import MOST, Sampler, around
from lowshot.sampler.reach import matters, unanswered

Target = Literal["pool", "population"]


def estimate(
    sampler: Sampler, pool: View, history: History, metric: Metric, confidence: float, target: Target
) -> Estimate:
    """The metric of the pool, or of the population that the pool was drawn from, estimated from the labels."""
    if sampler.whole:
        return _with_doubts(sampler.estimate(pool, history, metric, confidence), history)
    if pool.predicted_positives == 0 and (nothing := no_predictions(pool, history, metric, confidence)):
        return nothing
    answer = _answer(sampler, pool, history, metric, confidence, target)
    if not history.skipped:
        return answer
    if history.skipped == len(history.labels):
        reason = "all answers so far are 'cannot tell': label more items"
        return replace(answer, value=math.nan, variance=None, interval=None, reason=reason)
    # The interval covers whatever the skipped labels would have been. A label that agrees with the prediction raises
    # F, one that disagrees lowers it; counts and prevalence rise with the label. So the extremes are (nearly) among
    # these assumptions.
    for assume in get_args(Assumption)[1:]:
        other = _answer(sampler, pool, history.assuming(assume), metric, confidence, target).interval
        if other is not None and answer.interval is not None:
            answer = replace(answer, interval=answer.interval.hull(other))
    return answer


def plan(sampler: Sampler, pool: View, history: History, metric: FBeta, half_width: float, confidence: float) -> Plan:
    """The total number of labels until the interval is this narrow; the present number if it already is."""
    now = estimate(sampler, pool, history, metric, confidence, "pool")
    if not now.defined and not (pool.predicted_positives and unanswered(pool, history, metric)):
        raise InputError(f"a plan needs a metric that exists: {now.reason}")
    if now.defined and now.interval is not None and now.interval.width / 2 <= half_width:
        labels = now.labels + now.skipped
        return Plan(half_width, labels, labels, labels, labels, MOST)
    skips = _width_of_skips(sampler, pool, history, metric, now)
    if skips >= half_width:
        raise InputError(
            f"half_width must be more than {skips:.2g} for now: got {half_width:g}; the {history.skipped}"
            f" item{'s' * (history.skipped != 1)} answered 'cannot tell' alone widen the interval by that much; give a"
            " larger half_width, label more items, or find out their labels and use correct()"
        )
    if now.labels >= MOST:
        raise InputError(
            f"half_width must be one that fewer than {MOST:,} labels can reach: got {half_width:g}, with {now.labels:,}"
            " labels already; plans do not look further; label more and see the interval, or give a larger half_width"
        )
    found = sampler.plan(pool, history, metric, half_width - skips, confidence)
    least = found.labels if now.defined else found.labels + 1  # an estimate needs a label, however certain it is then
    low, likely, high = (max(count, least) for count in (found.low, found.likely, found.high))
    return replace(found, half_width=half_width, low=low, likely=likely, high=high)


def budgets(
    sampler: Sampler, pool: View, history: History, metric: FBeta, counts: Sequence[int], confidence: float
) -> tuple[Budget, ...]:
    """The half-width of the interval with each of these numbers of labels, which are more than there are now."""
    found = sampler.budgets(pool, history, metric, counts, confidence)
    if not history.skipped:
        return found
    now = estimate(sampler, pool, history, metric, confidence, "pool")
    skips = _width_of_skips(sampler, pool, history, metric, now)
    return tuple(Budget(one.labels, one.low + skips, one.likely + skips, one.high + skips) for one in found)


def enough(history: History, half_width: float | None = None, margin: float | None = None) -> Plan:
    """The plan if the labels so far suffice."""
    labels = len(history.labels)
    return Plan(half_width, labels, labels, labels, labels, MOST, margin)


def more_than_now(plan: Plan) -> Plan:
    """The plan where the labels so far do not suffice: a simulation may have found that they nearly do."""
    low, likely, high = (max(count, plan.labels + 1) for count in (plan.low, plan.likely, plan.high))
    return replace(plan, low=low, likely=likely, high=high)


def after_more(labels: int, more: int, items: int) -> Plan:
    """The plan for a certified threshold in a pool of so many items, if about so many labels are missing.

    >>> print(after_more(100, 60, items=10_000))
    typically 160 labels, nine of ten runs at most 196, for a certified threshold; 100 labels so far
    """
    return Plan(None, *around(labels, labels + more, min(MOST, items)), labels, MOST)


def _width_of_skips(sampler: Sampler, pool: View, history: History, metric: FBeta, now: Estimate) -> float:
    """By how much "cannot tell" answers widen half of the interval; more labels do not reduce this part."""
    if not history.skipped or now.interval is None:
        return 0.0
    without = of_pool(sampler, pool, history, metric, now.interval.confidence).interval
    return 0.0 if without is None else (now.interval.width - without.width) / 2


def _answer(
    sampler: Sampler, pool: View, history: History, metric: Metric, confidence: float, target: Target
) -> Estimate:
    if metric.name == "fn" and pool.predicted_positives == 0:  # every positive is a false negative
        prevalence = of_pool(sampler, pool, history, COUNTS["prevalence"], confidence)
        return _scaled(prevalence, pool.total, "fn")
    answer = of_pool(sampler, pool, history, metric, confidence)
    return answer if target == "pool" else of_population(sampler, pool, history, metric, answer)


def of_pool(sampler: Sampler, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
    """The sampler's estimate; the exact value if every item that can change the metric is answered."""
    if unanswered(pool, history, metric):
        found = _with_doubts(sampler.estimate(pool, history, metric, confidence), history)
        awaited = history.waiting_for
        return replace(found, waiting=history.waiting, waiting_for=awaited) if awaited else found
    labelled = history.labelled
    predictions = pool.predicted(labelled)
    value = metric.of_counts(*count(history.values(labelled, predictions), predictions, pool.p(labelled) * pool.total))
    reach = Reach(matters(pool, metric), pool.total)
    if math.isnan(value):
        reason = f"every item is labelled and none is positive: {metric.name} does not exist"
        return Estimate(metric.name, value, None, None, len(labelled), reach, reason, history.skipped)
    variance = None if history.skipped else 0.0  # the labels of skipped items are unknown
    interval = Interval(value, value, confidence)
    return Estimate(metric.name, value, variance, interval, len(labelled), reach, skipped=history.skipped)


def _with_doubts(answer: Estimate, history: History) -> Estimate:
    """With a warning if known labels that are said to be drawn uniformly do not look like it."""
    if not history.doubted:
        return answer
    doubt = (
        f"the {len(history.doubted)} known labels given as drawn uniformly do not look like it, so they are used as"
        " labels that were chosen in some other way; give only labels of items that were drawn at random from this pool"
    )
    return replace(answer, warning="; ".join(part for part in (answer.warning, doubt) if part))


def _scaled(answer: Estimate, factor: float, name: str) -> Estimate:
    """The estimate of `factor` times the metric, under another name."""
    interval, variance = answer.interval, answer.variance
    return replace(
        answer,
        metric=name,
        value=answer.value * factor,
        variance=None if variance is None else variance * factor**2,
        interval=interval and Interval(interval.low * factor, interval.high * factor, interval.confidence),
    )


def no_predictions(pool: View, history: History, metric: Metric, confidence: float) -> Estimate | None:
    """The answer that needs no labels, for a pool without predicted positives; None if labels are needed.

    Precision does not exist; tp and fp are 0; F and recall are 0 if there is any positive.
    """
    labels = len(history.labels)
    blank = Estimate(metric.name, math.nan, None, None, labels, Reach(labels, pool.total), skipped=history.skipped)
    if isinstance(metric, FBeta) and metric.alpha == 1:
        return replace(blank, reason=f"no item is predicted positive: {metric.name} does not exist")
    if (isinstance(metric, FBeta) and labels < pool.total) or metric.name in ("tp", "fp"):
        condition = " if any positive exists" if isinstance(metric, FBeta) else ""
        reason = f"no item is predicted positive: {metric.name} is exactly 0{condition}"
        return replace(blank, value=0.0, variance=0.0, interval=Interval(0.0, 0.0, confidence), reason=reason)
    return None


def of_population(sampler: Sampler, pool: View, history: History, metric: Metric, answer: Estimate) -> Estimate:
    """Add the variance of the pool as a sample of the population."""
    if not isinstance(metric, FBeta) or pool.weighted:
        came = "a pool with weights" if pool.weighted else metric.name
        raise InputError(f"target='population' needs a metric of the F family and a pool without weights: got {came}")
    if answer.interval is None or not answer.defined:
        return replace(answer, reason=answer.reason or f"{sampler.name} has no variance to add the pool's own to")
    confidence, alpha = answer.interval.confidence, metric.alpha

    def counted(name: str) -> float:
        return of_pool(sampler, pool, history, COUNTS[name], confidence).value

    # Only counts that the metric depends on: a design for precision does not estimate fn.
    tp, fp, fn = counted("tp"), counted("fp") if alpha > 0 else 0.0, counted("fn") if alpha < 1 else 0.0
    own = math.nan if answer.variance is None else answer.variance
    variance = own + variance_of_counts(tp, fp, fn, alpha)
    wider = share_interval(answer.value, variance, tp + alpha * fp + (1 - alpha) * fn, 2, confidence)
    return replace(answer, variance=finite(variance), interval=answer.interval.hull(wider))
