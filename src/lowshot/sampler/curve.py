"""CURVE: a Bayesian calibration curve along the ranking; labels where they reduce the variance of F most."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lowshot import checks
from lowshot.core.curve.greedy import greedy
from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.summary import Summary, decided, interval_of, summarise
from lowshot.core.interval import Interval
from lowshot.core.types import Floats, Integers
from lowshot.design import Design, past_of
from lowshot.errors import InputError
from lowshot.goal import Goal, Threshold, judged_by
from lowshot.history import History
from lowshot.metric import F_METRICS, FBeta, Metric
from lowshot.pools.base import View
from lowshot.pools.slices import Split
from lowshot.prior import Prior, Remembered
from lowshot.result import Budget, Estimate, Plan, Reach
from lowshot.sampler import looks
from lowshot.sampler.base import AtCuts, InParts, Proven, Sampler, Several, refuse_plan_without_items
from lowshot.sampler.curve_cuts import Boundary, along
from lowshot.sampler.curve_fit import Believed, Fit, Fitter
from lowshot.sampler.curve_forecast import Forecast, Future
from lowshot.sampler.curve_goal import Effects, ModelGoal, Wanted
from lowshot.sampler.curve_joint import Fitters, Positives, totals_of
from lowshot.sampler.curve_slices import SlicePositives, positives_by_slice
from lowshot.sampler.curve_state import State, warning
from lowshot.sampler.group_design import ANY, GroupDesign
from lowshot.sampler.reach import out_of_reach, refuse_uncovered
from lowshot.sampler.rounds import undefined

ENDS = (10, 20, 35, 60, 100, 165, 270, 430, 600)  # total labels at the ends of the first rounds
GROWTH = 1.4  # from round to round after that, of the total number of labels
FURTHER = 50  # groups, at least, that are chosen beyond a round
# Labels are surprising if they are this much more likely, as a log Bayes factor, when every group has a share of
# positives of its own. 3 is a factor of 20. How often that is so: docs/intervals.md.
SURPRISING = 3.0
IF_SURPRISING = 1.5  # intervals are this many times as wide then
# The same for a model of which only predictions are known: its jump is not the same everywhere. Image models, even
# classes, 70 and 150 labels: 96 and 88 % of the intervals hold with 1.0 (96 runs), 99 and 97 % with 1.3 (144 runs).
IF_UNSCORED = 1.15
# Forecasts before the first label are of intervals this many times as wide: simulated pools are all as pools are
# believed to be. On half of the pools of docs/how-many-labels.md, with 1.0, 40 % of the runs had intervals that were as
# narrow as the median simulation, with 1.1 46 %; after ten labels 50 % had with 1.0.
IF_UNSEEN = 1.1
# Where a promise rests on curves, they learn from each label as from so much of one: they are too sure of how few
# positives lie far below the labels. Choosing half, 100 / 200 / 400 labels, recall of at least 0.9 promised with 90 %:
# kept in 89 / 92 / 93 % of the runs on image models with 1.0, in 95 / 93 / 95 % with 0.7, whose sets are 10
# to 50 % larger. 0.85 lies between (docs/research.md).
TRUST = 0.85
UNLIKE = (
    "the positives of this pool are spread along the ranking unlike those of the pools that lowshot learned from"
    " (Bayes factor {times:,.0f}); the interval was made 1.5 times as wide"
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
    prior       what the user knows: `lowshot.Prior`
    goal        what labels are spent on if several models are judged: a model, "each", "best", or a pair
    """

    name: ClassVar[str] = "curve"

    anytime: bool = False
    background: float = 0.0
    insurance: float = 0.05
    curves: int = 400
    prior: Prior | None = None
    goal: Goal | None = None

    def __post_init__(self) -> None:
        checks.flag("anytime", self.anytime)
        checks.number("background", self.background, 0, 1000)
        checks.number("insurance", self.insurance, 0, 0.5)
        checks.whole_number("curves", self.curves, 50)
        object.__setattr__(self, "prior", Prior.of(self.prior))  # a store has both as plain data
        object.__setattr__(self, "goal", Threshold.of(self.goal))

    def with_prior(self, prior: Prior) -> "Curve":
        if self.prior is not None and self.prior != prior:
            raise InputError(f"prior must be given once: got {prior!r}, and {self.prior!r} with the sampler")
        return replace(self, prior=prior)

    def with_goal(self, goal: Goal) -> "Curve":
        return replace(self, goal=goal)

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        if isinstance(self.goal, Threshold) and self.goal.by_design:
            look = looks.propose(pool, history, self.goal, lambda: self.at_cuts(pool, history, cautious=True).along)
            if look is not None:
                return look
        fitters = self._fitters(pool)
        states = fitters.states(history, history.labelled)
        best = fitters.best(states)
        drawn = fitters.along(best, states)
        size, fitter = round_size(len(history.rounds)), fitters.every[best]
        order = self._order(pool, fitter, states[best], drawn, metric, size)
        expected = states[best].expecting(order, drawn.mean, fitter.bands.is_predicted)
        later = fitter.fit(expected, self.curves).curves  # alone: the other rankings do not have these labels
        order = np.append(order, self._order(pool, fitter, expected, later, metric, further(size)))
        return self._design(pool, best, history, metric, order, drawn.mean.ravel(), size)

    def restore(self, pool: View, history: History, metric: FBeta, decided: Mapping[str, list[Any]]) -> Design:
        """Without drawing curves: everything that they decided was stored."""
        if (past := past_of(decided)) is not None:
            return past
        order, calibration = (np.array(decided.get(name, ()), dtype=np.float64) for name in ("order", "calibration"))
        if "look" in decided:
            cut, below, may, size = decided["look"]
            return looks.design(pool, history, cut, bool(below), may, size, calibration)
        fitters, place = self._fitters(pool), int(decided.get("ranking", [0])[0])
        groups = fitters.every[place].bands.count.size if place < len(fitters.every) else -1
        if not len(order) or len(calibration) != groups or order.max() >= groups:
            return self.propose(pool, history, metric)  # the bands are others than those that were stored
        size = int(decided["size"][0])
        return self._design(pool, place, history, metric, order.astype(np.int64), calibration, size)

    def _design(
        self, pool: View, place: int, history: History, metric: FBeta, order: Integers, calibration: Floats, size: int
    ) -> GroupDesign:
        fitter = self._fitters(pool).every[place]
        return GroupDesign(
            cells=fitter.ranking.cells(),
            bands=fitter.bands,
            order=order,
            calibration=calibration,
            ranking=place,
            labelled=history.labelled,
            seen=history.seen,
            size=min(size, len(order)),
            negatives=not metric.ignores_negatives,
        )

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        states = self._states(pool, history)
        labels, reach = states[0].labels, Reach(pool.total, pool.total)
        refuse_uncovered(history, metric, out_of_reach(pool, history))
        if not labels:
            return Estimate(metric.name, np.nan, None, None, 0, reach, undefined(history, metric), history.skipped)
        positives = self._fitters(pool).positives(states)
        found = self._summary(pool, positives, metric, confidence)
        surprising = self._surprising(pool, states)
        found = found.wider(self._times(pool, surprising, [pool.joint.judged]), ModelGoal.of(pool, metric).highest)
        return Estimate(
            metric.name,
            found.value,
            found.variance,
            found.interval,
            labels,
            reach,
            skipped=history.skipped,
            warning=self._warning(pool, history, positives, surprising),
        )

    def several(
        self, pool: View, history: History, metric: Metric, models: Sequence[str], part: Split | None = None
    ) -> Several:
        states = self._states(pool, history)
        refuse_uncovered(history, metric, out_of_reach(pool, history))
        positives = self._fitters(pool).positives(states)
        totals, weight = positives.totals, positives.weight
        if part is not None:
            drawn = self._by_slice(pool, history, states, part)
            totals, weight = drawn.of_parts(part)[0], drawn.weight
        places = [pool.joint.models.index(model) for model in models]
        goals = [
            self._goals_inside(pool, metric, part, place)[0] if part is not None else ModelGoal.of(pool, metric, model)
            for place, model in zip(places, models, strict=True)
        ]
        values, grain = [goal.values(totals) for goal in goals], max(goal.grain(totals) for goal in goals)
        surprising = self._surprising(pool, states)
        times = self._times(pool, surprising, places)
        warning = self._warning(pool, history, positives, surprising, places)
        found = Several(np.stack(values, axis=1), weight, states[0].labels, times, warning, grain)
        if not self.anytime or not states[0].labels:
            return found
        return found._replace(before=self.several(pool, History(), metric, models, part))

    def _by_slice(self, pool: View, history: History, states: tuple[State, ...], split: Split) -> SlicePositives:
        answered = history.answered_in_order(history.rounds)
        return positives_by_slice(self._fitters(pool), states, pool, history, answered, split)

    def in_parts(self, pool: View, history: History, metric: Metric, split: Split) -> InParts:
        states, fitters = self._states(pool, history), self._fitters(pool)
        refuse_uncovered(history, metric, out_of_reach(pool, history))
        drawn = self._by_slice(pool, history, states, split)
        totals, goals = drawn.of_parts(split), self._goals_inside(pool, metric, split, pool.joint.judged)
        surprising = self._surprising(pool, states)
        found = InParts(
            values=np.stack([goal.values(each) for goal, each in zip(goals, totals, strict=True)]),
            weight=drawn.weight,
            highest=np.array([goal.highest for goal in goals]),
            grain=np.array([goal.grain(each) for goal, each in zip(goals, totals, strict=True)]),
            stretch=fitters.every[0].model.prior.stretch,
            times=self._times(pool, surprising, [pool.joint.judged]),
            warning=self._warning(pool, history, fitters.positives(states), surprising),
        )
        if not self.anytime or not states[0].labels:
            return found
        return found._replace(before=self.in_parts(pool, History(), metric, split))

    @staticmethod
    def _goals_inside(pool: View, metric: Metric, split: Split, model: int) -> list[ModelGoal]:
        """The metric of a model, by its place, in each part."""
        items, joint = split.inside(), pool.joint
        weight, part = pool.p(items) * pool.total, split.part[split.code[items]]
        cells = joint.rankings[0].cells()
        share = joint.patterns[cells.pattern[cells.find(items)], model]
        each, predicted = (np.bincount(part, values, split.parts).tolist() for values in (weight, weight * share))
        goal = ModelGoal.of(pool, metric, joint.models[model])
        return [goal.inside(*pair) for pair in zip(predicted, each, strict=True)]

    def at_cuts(self, pool: View, history: History, cautious: bool = False) -> AtCuts:
        if not pool.joint.scored[pool.joint.judged]:
            raise InputError("model must have a score: this one has predictions only, and so no other threshold")
        refuse_uncovered(history, F_METRICS["recall"], 0)
        states, fitters = self._states(pool, history), self._fitters(pool)
        surprising, learned = self._surprising(pool, states), states
        if cautious:
            learned = tuple(one._replace(told=TRUST * one.told, positive=TRUST * one.positive) for one in states)
        return AtCuts(
            along(fitters, pool, learned, history, history.answered_in_order(history.rounds)),
            states[0].labels,
            fitters.every[0].model.prior.stretch,
            IF_SURPRISING if surprising else 1.0,
            self._warning(pool, history, fitters.positives(states), surprising),
        )

    def proven(self, pool: View, history: History, goal: Threshold) -> Proven:
        return looks.proven(pool, history, goal)

    @staticmethod
    def _times(pool: View, surprising: str, models: Sequence[int]) -> float:
        """How many times as wide an interval about these models has to be as the posterior says."""
        scored = all(pool.joint.scored[model] for model in models)
        return (IF_SURPRISING if surprising else 1.0) * (1.0 if scored else IF_UNSCORED)

    def _warning(
        self, pool: View, history: History, positives: Positives, surprising: str, models: Sequence[int] | None = None
    ) -> str:
        """About these models, by their places; without any, about the one that is judged."""
        places = [pool.joint.judged] if models is None else models
        missed = next(filter(None, (warning(pool, history, place) for place in places)), "")
        return "; ".join(text for text in (missed, surprising, *positives.warnings) if text)

    def _surprising(self, pool: View, states: tuple[State, ...]) -> str:
        """A warning if the labels are unlike those of all pools that the beliefs were learned from."""
        if self.prior is not None and self.prior.remembered is not None:
            return ""
        fitters = self._fitters(pool)
        best = fitters.best(states)
        surprise = fitters.every[best].surprise(states[best])
        return "" if surprise < SURPRISING else UNLIKE.format(times=np.exp(min(surprise, 50.0)))

    def plan(self, pool: View, history: History, metric: FBeta, half_width: float, confidence: float) -> Plan:
        """By simulation: labels come as some curve of the posterior predicts. Works before the first label, too."""
        return self._forecast_of_width(pool, history, metric, confidence).plan(half_width)

    def budgets(
        self, pool: View, history: History, metric: FBeta, counts: Sequence[int], confidence: float
    ) -> tuple[Budget, ...]:
        """By the simulations of `plan`."""
        return self._forecast_of_width(pool, history, metric, confidence).budgets(counts)

    def plan_verdict(self, pool: View, history: History, metric: FBeta, margin: float, confidence: float) -> Plan:
        wanted = self._wanted(pool, metric)

        def undecided(found: Positives) -> float:
            return 1.0 if decided(wanted.numbers(found.totals), found.weight, margin, confidence) else 2.0

        return replace(self._forecast(pool, history, metric, undecided).plan(1.0), half_width=None, margin=margin)

    def _forecast_of_width(self, pool: View, history: History, metric: FBeta, confidence: float) -> Forecast:
        """Of half of the widest interval that the goal is about."""
        states, places = self._states(pool, history), [*map(pool.joint.models.index, self._wanted(pool, metric).models)]
        times = self._times(pool, self._surprising(pool, states), places) * (1.0 if states[0].labels else IF_UNSEEN)

        def half_width(found: Positives) -> float:
            return times * max(interval.width for interval in self._intervals(pool, found, metric, confidence)) / 2

        return self._forecast(pool, history, metric, half_width)

    def _forecast(self, pool: View, history: History, metric: FBeta, width: Callable[[Positives], float]) -> Forecast:
        """How labelling goes on. With several rankings, the one that explains the labels best is taken for the true
        one."""
        if self.goal is None or len(history.labels) == pool.total:
            refuse_plan_without_items(pool, history, metric)
        fitters, states = self._fitters(pool), self._states(pool, history)
        best = fitters.best(states)
        fitter = fitters.every[best]
        future = Future(
            curves=lambda now: fitter.draw(now, self.curves).curves,
            width=lambda now, drawn: width(Positives(totals_of(now, Fit(drawn)), drawn.weight, (now,), ())),
            order=lambda now, drawn, rounds: self._order(pool, fitter, now, drawn, metric, round_size(rounds)),
            is_predicted=self._wanted(pool, metric).is_predicted,
        )
        return Forecast(future, states[best], len(history.rounds))

    def _intervals(self, pool: View, found: Positives, metric: FBeta, confidence: float) -> list[Interval]:
        """The intervals of the numbers that the goal is about."""
        if self.goal is None or judged_by(self.goal, pool.joint.models) == pool.joint.models[pool.joint.judged]:
            return [self._summary(pool, found, metric, confidence).interval]
        numbers = self._wanted(pool, metric).numbers(found.totals)
        return [interval_of(column, found.weight, confidence) for column in numbers.T]

    def _summary(self, pool: View, positives: Positives, metric: Metric, confidence: float) -> Summary:
        usual = self._usual(pool, positives, metric, confidence)
        if not self.anytime:
            return usual

        def make() -> Summary:
            fitters = self._fitters(pool)
            return self._usual(pool, fitters.positives(fitters.without_labels()), metric, confidence)

        before = pool.cached("curve without labels", make, (self, metric, confidence))
        return usual.anytime(before, ModelGoal.of(pool, metric).highest)

    def _usual(self, pool: View, positives: Positives, metric: Metric, confidence: float) -> Summary:
        found, goal = positives.totals, ModelGoal.of(pool, metric)
        prior = self._fitters(pool).every[0].model.prior
        usual = summarise(
            goal.values(found), positives.weight, confidence, goal.highest, goal.grain(found), prior.stretch
        )
        if not isinstance(metric, FBeta):
            return usual
        return usual.reaching(zero=not positives.state.hits, one=not positives.state.mistakes)

    def _order(self, pool: View, fitter: Fitter, state: State, drawn: Curves, metric: FBeta, size: int) -> Integers:
        """The groups to label next."""
        chance, open_ = drawn.chance, state.open.astype(np.float64)
        if metric.ignores_negatives:
            open_ *= self._wanted(pool, metric).is_predicted[:, None]
        there = np.flatnonzero(open_)
        value, effect = self._effects(pool, fitter, state, drawn, metric)
        effect = effect[:, there]
        by_group = chance.reshape(len(chance), -1)[:, there]
        order = there[greedy(by_group, drawn.weight, open_.ravel()[there], value, effect, size)]
        return order if metric.ignores_negatives else self._insured(order, state.labels)

    def _effects(self, pool: View, fitter: Fitter, state: State, drawn: Curves, metric: FBeta) -> Effects:
        """What the labels are to tell, under each curve; what one more positive of each group [pattern, band] adds."""
        if isinstance(self.goal, Threshold) and state.told.any():  # the first labels show roughly where it may be
            return Boundary(pool, fitter, self.goal).effects(state, drawn)
        each = [state.positives[kind] + drawn.chance[:, kind] @ weight for kind, weight in enumerate(state.weight)]
        value, effect = self._wanted(pool, metric).effects(np.stack(each, axis=1), drawn.weight)
        return Effects(value, np.repeat(effect, drawn.chance.shape[2], axis=1))

    def _insured(self, order: Integers, labels: int) -> Integers:
        """The order with every 1/insurance-th label drawn from the whole pool, after the first round."""
        number = labels + np.arange(len(order)) + 1
        due = np.floor(number * self.insurance) > np.floor((number - 1) * self.insurance)
        return np.where(due & (number > ENDS[0]), ANY, order)

    def _wanted(self, pool: View, metric: FBeta) -> Wanted:
        goal = judged_by(self.goal, pool.joint.models) if isinstance(self.goal, Threshold) else self.goal
        return Wanted.of(pool, metric, metric.alpha, goal)

    def _fitters(self, pool: View) -> Fitters:
        prior = self.prior
        if prior is not None and pool.joint.judged:  # what is known about the recall is about the first model
            prior = prior.for_others()
        return Fitters.of(pool, Believed(self.background, prior), self.curves)

    def _states(self, pool: View, history: History) -> tuple[State, ...]:
        """From the answers that can be used."""
        return self._fitters(pool).states(history, history.answered_in_order(history.rounds))

    def remembered(self, pool: View, history: History, metric: FBeta) -> Remembered:
        states, fitters = self._states(pool, history), self._fitters(pool)
        if len(fitters.every) > 1:
            raise InputError("like must be an evaluation of one score: got one with several; leave it out")
        return fitters.every[0].remembered(states[0], self.curves, metric)


def further(size: int) -> int:
    """How many groups are chosen beyond a round of this size, for people who ask again before they have answered.

    They are those of the next round, if the answers were as expected. To begin the order again would label the same
    groups, and of a good model nothing but predicted positives, after which all looks well.

    >>> further(10), further(160)
    (50, 160)
    """
    return max(size, FURTHER)


def round_size(number: int) -> int:
    """How many labels the round after so many rounds is opened for.

    >>> [round_size(number) for number in range(4)]
    [10, 10, 15, 25]
    """
    if number < len(ENDS):
        return ENDS[number] - (ENDS[number - 1] if number else 0)
    return int(ENDS[-1] * (GROWTH - 1) * GROWTH ** (number - len(ENDS)))
