"""CURVE: a Bayesian calibration curve along the ranking; labels where they reduce the variance of F most."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import logsumexp

from lowshot import checks
from lowshot.core.curve.bands import Bands
from lowshot.core.curve.greedy import greedy
from lowshot.core.curve.like import Carried, Profile, Weighed, representatives
from lowshot.core.curve.posterior import Curves, Model, with_background
from lowshot.core.curve.ranges import Contradiction, Ranges, Seen, resampled
from lowshot.core.curve.summary import Summary, summarise, totals
from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Floats, Integers
from lowshot.design import Design
from lowshot.errors import InputError
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.prior import Prior, Remembered
from lowshot.result import Estimate, Plan, Reach
from lowshot.sampler.base import Sampler, refuse_plan_without_items
from lowshot.sampler.curve_goal import ModelGoal
from lowshot.sampler.curve_plan import Future, plan_from
from lowshot.sampler.curve_state import State, state_of, warning
from lowshot.sampler.group_design import ANY, GroupDesign
from lowshot.sampler.reach import out_of_reach, refuse_uncovered
from lowshot.sampler.rounds import undefined

ENDS = (10, 20, 35, 60, 100, 165, 270, 430, 600)  # total labels at the ends of the first rounds
GROWTH = 1.4  # from round to round after that, of the total number of labels
# Intervals are this many times as wide if labels were chosen for other predictions. Without the factor they covered the
# truth in 68 to 95 % of the runs (docs/intervals-tables.md).
FOR_OTHERS = 2.0
# Labels are surprising if they are this much more likely, as a log Bayes factor, when every group has a share of
# positives of its own. 3 is a factor of 20. How often that is so: docs/intervals.md.
SURPRISING = 3.0
IF_SURPRISING = 1.5  # intervals are this many times as wide then
UNLIKE = (
    "this pool is unlike those that the beliefs were learned from: its labels are {times:,.0f} times as likely if every"
    " group of ranks has a share of positives of its own; the interval was made 1.5 times as wide"
)


@dataclass(frozen=True)
class Curve(Sampler):
    """The log-odds of being positive fall along the ranking with slopes that change from time to time. Labels give a
    posterior over such curves; each curve, together with the labels, gives a value of F, and the spread of these values
    is the interval. The next label goes where it is expected to reduce the variance of F most. Draws are uniform inside
    groups of rank and prediction.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5)
    >>> sorted(lowshot.Evaluation(pool, sampler="curve").ask(5))
    [0, 1, 2, 3, 4]

    anytime     wider intervals that cover the truth at all label counts at once, for users who look after every label
                and stop when they like the result
    background  expected number of positives anywhere in the ranking, per predicted positive; 0: none
    insurance   share of labels that are drawn from the whole pool, whatever the curve says
    curves      how many curves are drawn from the posterior
    beliefs     version of the prior; an evaluation in a store keeps the one it began with
    prior       what the user knows: `lowshot.Prior`
    """

    name: ClassVar[str] = "curve"

    anytime: bool = False
    background: float = 0.0
    insurance: float = 0.05
    curves: int = 400
    beliefs: int = 2
    prior: Prior | None = None

    def __post_init__(self) -> None:
        checks.flag("anytime", self.anytime)
        checks.number("background", self.background, 0, 1000)
        checks.number("insurance", self.insurance, 0, 0.5)
        checks.whole_number("curves", self.curves, 50)
        checks.whole_number("beliefs", self.beliefs, 1, 2)
        object.__setattr__(self, "prior", Prior.of(self.prior))  # a store has it as plain data

    def with_prior(self, prior: Prior) -> "Curve":
        if self.prior is not None and self.prior != prior:
            raise InputError(f"prior must be given once: got {prior!r}, and {self.prior!r} with the sampler")
        return replace(self, prior=prior)

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        model = self._model(pool)
        state = state_of(pool, history, model.bands, history.labelled)
        drawn = self._fit(pool, state).curves
        order = self._order(pool, state, drawn, metric, round_size(len(history.rounds)))
        return self._design(pool, history, metric, order, drawn.mean.ravel())

    def restore(self, pool: View, history: History, metric: FBeta, decided: Mapping[str, list[Any]]) -> Design:
        """Without drawing curves: everything that they decided was stored."""
        order, calibration = (np.array(decided.get(name, ()), dtype=np.float64) for name in ("order", "calibration"))
        groups = self._model(pool).bands.count.size
        if not len(order) or len(calibration) != groups or order.max() >= groups:
            return super().restore(pool, history, metric, decided)
        return self._design(pool, history, metric, order.astype(np.int64), calibration)

    def _design(self, pool: View, history: History, metric: FBeta, order: Integers, calibration: Floats) -> GroupDesign:
        return GroupDesign(
            cells=pool.cells(),
            bands=self._model(pool).bands,
            order=order,
            calibration=calibration,
            labelled=history.labelled,
            seen=history.seen,
            size=len(order),
            negatives=not metric.ignores_negatives,
        )

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        state = state_of(pool, history, self._model(pool).bands, history.answered_in_order(history.rounds))
        reach = Reach(pool.total, pool.total)
        refuse_uncovered(history, metric, out_of_reach(pool, history))
        if not state.labels:
            return Estimate(metric.name, np.nan, None, None, 0, reach, undefined(history, metric), history.skipped)
        for_others = self._for_others(pool, history)
        fit = (self.judging_others() if for_others else self)._fit(pool, state)
        found = self._summary(pool, state, fit.curves, metric, confidence)
        highest, surprising = ModelGoal.of(pool, metric).highest, self._surprising(pool, state)
        if for_others:
            found = found.wider(FOR_OTHERS, highest)
        if surprising:
            found = found.wider(IF_SURPRISING, highest)
        return Estimate(
            metric.name,
            found.value,
            found.variance,
            found.interval,
            state.labels,
            reach,
            skipped=history.skipped,
            warning="; ".join(text for text in (warning(pool, history), surprising, *fit.warnings) if text),
        )

    def _surprising(self, pool: View, state: State) -> str:
        """A warning if the labels are unlike those of all pools that the beliefs were learned from."""
        if self.beliefs == 1 or (self.prior is not None and self.prior.remembered is not None):
            return ""

        def make() -> float:
            return self._model(pool).posterior(state.told, state.positive).surprise(state.told, state.positive)

        surprise = pool.cached("curve surprise", make, (self.beliefs, state.told.tobytes(), state.positive.tobytes()))
        return "" if surprise < SURPRISING else UNLIKE.format(times=np.exp(min(surprise, 50.0)))

    def _for_others(self, pool: View, history: History) -> bool:
        """Whether labels were chosen for other predictions than those of this pool."""
        mine = self._model(pool).bands.count
        designs = [round_.design for round_ in history.rounds]
        return any(isinstance(d, GroupDesign) and not np.array_equal(d.bands.count, mine) for d in designs)

    def judging_others(self) -> "Curve":
        """The sampler for other predictions than its own: what is known about the recall is about its own."""
        return self if self.prior is None else replace(self, prior=self.prior.for_others())

    def plan(self, pool: View, history: History, metric: FBeta, half_width: float, confidence: float) -> Plan:
        """By simulation: labels come as some curve of the posterior predicts. Works before the first label, too."""
        refuse_plan_without_items(pool, history, metric)
        state = state_of(pool, history, self._model(pool).bands, history.answered_in_order(history.rounds))

        def width(now: State, drawn: Curves) -> float:
            interval = self._summary(pool, now, drawn, metric, confidence).interval
            return (interval.high - interval.low) / 2

        future = Future(
            curves=lambda now: self._draw(pool, now).curves,
            width=width,
            order=lambda now, drawn, rounds: self._order(pool, now, drawn, metric, round_size(rounds)),
            is_predicted=self._model(pool).bands.is_predicted,
        )
        return plan_from(future, state, len(history.rounds), half_width)

    def _summary(self, pool: View, state: State, drawn: Curves, metric: Metric, confidence: float) -> Summary:
        usual = self._usual(pool, state, drawn, metric, confidence)
        if not self.anytime:
            return usual

        def make() -> Summary:
            nothing = self._without_labels(pool)
            return self._usual(pool, nothing, self._draw(pool, nothing).curves, metric, confidence)

        before = pool.cached("curve without labels", make, (self, metric, confidence))
        return usual.anytime(before, ModelGoal.of(pool, metric).highest)

    def _usual(self, pool: View, state: State, drawn: Curves, metric: Metric, confidence: float) -> Summary:
        found = totals(drawn.chance, state.weight, state.squares, state.positives, np.random.default_rng(1))
        goal, prior = ModelGoal.of(pool, metric), self._model(pool).prior
        usual = summarise(goal.values(found), drawn.weight, confidence, goal.highest, goal.grain(found), prior.stretch)
        if not (prior.keeps_possible and isinstance(metric, FBeta)):
            return usual
        return usual.reaching(zero=not state.hits, one=not state.mistakes)

    def _order(self, pool: View, state: State, drawn: Curves, metric: FBeta, size: int) -> Integers:
        """The groups to label next."""
        chance, goal = drawn.chance, ModelGoal.of(pool, metric)
        each = [state.positives[kind] + chance[:, kind] @ weight for kind, weight in enumerate(state.weight)]
        value, effect = goal.effects(np.stack(each, axis=1), drawn.weight, metric.alpha)
        open_ = state.open.astype(np.float64)
        if metric.ignores_negatives:
            open_ *= goal.is_predicted[:, None]
        there = np.flatnonzero(open_)
        effect = np.repeat(effect, open_.shape[1])[there]
        by_group = chance.reshape(len(chance), -1)[:, there]
        order = there[greedy(by_group, drawn.weight, open_.ravel()[there], value, effect, size)]
        return order if metric.ignores_negatives else self._insured(order, state.labels)

    def _insured(self, order: Integers, labels: int) -> Integers:
        """The order with every 1/insurance-th label drawn from the whole pool, after the first round."""
        number = labels + np.arange(len(order)) + 1
        due = np.floor(number * self.insurance) > np.floor((number - 1) * self.insurance)
        return np.where(due & (number > ENDS[0]), ANY, order)

    def _model(self, pool: View) -> Model:
        def make() -> Model:
            return Model.of(Bands.of(pool.cells(), self._scores(pool)), self.beliefs)

        return pool.cached("curve model", make, self.beliefs)

    def _scores(self, pool: View) -> Floats:
        """The score of each cell, on a scale where distances are meaningful."""
        level = pool.cells().level
        return pool.comparable(level) if self.beliefs == 1 else pool.near_comparable(level)

    def _fit(self, pool: View, state: State) -> "Fit":
        """Curves from the posterior, cached until labels change."""
        seen = (state.told, state.positive, state.weight, state.positives)  # ranges depend on all of them
        key = (self, *(values.tobytes() for values in seen))
        return pool.cached("curves", lambda: self._draw(pool, state), key)

    def _draw(self, pool: View, state: State) -> "Fit":
        """Curves from the posterior. The same labels give the same curves."""
        seen, random = _seen(state), np.random.default_rng(0)
        if self.prior is None:
            return Fit(self._source(pool, seen, self.curves, random))
        like = self._like(pool, seen)
        doubted = like is not None and like.doubted
        if not self.prior.ranges:
            drawn = self._source(pool, seen, self.curves, random)
            return Fit(resampled(*drawn, self.curves), (), doubted)
        ranges = self._ranges(pool, self.prior)
        return Fit(*ranges.apply(partial(self._source, pool), seen, self.curves, random), doubted)

    def _source(self, pool: View, seen: Seen, count: int, random: np.random.Generator) -> Curves:
        """Curves from the posterior, without the ranges that the user knows."""
        drawn, like = self._default(pool, seen, count, random), self._like(pool, seen)
        return drawn if like is None or like.doubted else like.mixed(drawn)

    def _default(self, pool: View, seen: Seen, count: int, random: np.random.Generator) -> Curves:
        """Curves from the posterior, without what the user knows."""
        model = self._model(pool)
        drawn = model.posterior(seen.told, seen.positive).draw(count, random)
        if self.background == 0:
            return drawn
        missed, bands = ~model.bands.is_predicted, model.bands
        expected, negatives = self.background * max(bands.predicted, 1), (seen.told - seen.positive)[missed].sum()
        return with_background(drawn, missed, expected, bands.count[missed].sum(), negatives, random)

    def _ranges(self, pool: View, prior: Prior) -> Ranges:
        def make() -> Ranges:
            nothing, is_predicted = _seen(self._without_labels(pool)), self._model(pool).bands.is_predicted
            return Ranges.of(prior.ranges, partial(self._source, pool), nothing, is_predicted, self.curves)

        return pool.cached("curve ranges", make, (self, prior))

    def _like(self, pool: View, seen: Seen) -> Weighed | None:
        """The earlier evaluation that the user named, weighed by the labels; None if none was named."""
        earlier = None if self.prior is None else self.prior.remembered
        if earlier is None:
            return None
        then, now = Profile(np.array(earlier.score), np.array(earlier.depth)), self._profile(pool)

        def make() -> Weighed:
            carried = pool.cached(
                "curve carried", lambda: Carried.of(np.array(earlier.log_odds), then, now), (self, earlier)
            )
            # The evidence of the labels: relative to no labels, because factors of the prior are not normalised.
            model, nothing = self._model(pool), np.zeros_like(seen.told)
            with_labels, without = model.posterior(seen.told, seen.positive), model.posterior(nothing, nothing)
            return Weighed.of(carried, seen, float(logsumexp(with_labels.evidence) - logsumexp(without.evidence)))

        return pool.cached("curve like", make, (self, earlier, seen.told.tobytes(), seen.positive.tobytes()))

    def _profile(self, pool: View) -> Profile:
        bands, cells = self._model(pool).bands, pool.cells()
        level = self._scores(pool)
        exponent = exponent_of(level)  # sums of very large scores would overflow
        total = np.bincount(bands.find(cells.above), cells.count * divided(level, exponent), len(bands))
        return Profile(np.ldexp(total / np.diff(bands.edge), exponent), bands.depth)

    def remembered(self, pool: View, history: History, metric: FBeta) -> Remembered:
        bands = self._model(pool).bands
        state = state_of(pool, history, bands, history.answered_in_order(history.rounds))
        curves, profile = self._fit(pool, state).curves, self._profile(pool)
        missed = np.tensordot(curves.chance[:, ~bands.is_predicted], bands.count[~bands.is_predicted], 2)
        log_odds = np.round(representatives(curves, missed), 3)  # a thousandth is far below what labels can tell
        return Remembered(
            metric=metric.name,
            labels=round(state.told.sum()),  # those that the curves learned from
            items=pool.total,
            predicted=bands.predicted,
            models=bands.patterns.shape[1],
            score=tuple(profile.score.tolist()),
            depth=tuple(profile.depth.tolist()),
            log_odds=tuple(tuple(tuple(row) for row in curve) for curve in log_odds.tolist()),
        )

    def _without_labels(self, pool: View) -> State:
        return state_of(pool, History(), self._model(pool).bands, np.empty(0, dtype=np.int64))


class Fit(NamedTuple):
    """Curves from the posterior, and what the user said that the labels contradict."""

    curves: Curves
    contradictions: tuple[Contradiction, ...] = ()
    unlike: bool = False  # whether the labels contradict the earlier evaluation

    @property
    def warnings(self) -> list[str]:
        unlike = "the labels contradict the earlier evaluation that was given as like: it was not used"
        return [*map(contradicted, self.contradictions), *([unlike] if self.unlike else [])]


def _seen(state: State) -> Seen:
    return Seen(state.told, state.positive, state.weight, state.positives)


def contradicted(found: Contradiction) -> str:
    """The warning that a range was not used."""
    one = found.range
    return (
        f"the labels contradict the range that was given for {one.name}, {one.low:g} to {one.high:g}: they suggest"
        f" about {found.suggested:.2g}; the range was not used"
    )


def round_size(number: int) -> int:
    """How many labels the round after so many rounds is opened for.

    >>> [round_size(number) for number in range(4)]
    [10, 10, 15, 25]
    """
    if number < len(ENDS):
        return ENDS[number] - (ENDS[number - 1] if number else 0)
    return int(ENDS[-1] * (GROWTH - 1) * GROWTH ** (number - len(ENDS)))
