"""How an evaluation chooses items: its metric, sampler and seed, checked against a pool."""

from typing import Any, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.class_metric import average, is_average
from lowshot.errors import InputError
from lowshot.goal import Goal, Threshold, class_goal, goal_of, judged_by
from lowshot.metric import KNOWN, FBeta, Metric, f_metric
from lowshot.pools.base import BasePool, View
from lowshot.pools.models import ONLY
from lowshot.pools.scale import check_scale
from lowshot.prior import Prior
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import make

CLASSES = "classes"  # the sampler for pools with many categories


class Asked(NamedTuple):
    """The arguments of an evaluation that say how it chooses items, as the user gave them; None: not given, which is
    the stored value, or the default for a new evaluation.
    """

    metric: str | Metric | None
    alpha: float | None
    sampler: str | Sampler | None
    settings: dict[str, Any] | None
    seed: int | None
    prior: Prior | None
    goal: Goal | None = None

    def method(self, pool: BasePool) -> "Method":
        """With defaults for what was not given."""
        if pool.categories:
            return self._of_classes(pool)
        refuse_average(self.metric)
        sampler = make("curve" if self.sampler is None else self.sampler, self.settings)
        prior, goal = Prior.of(self.prior), goal_of(self.goal, pool.models)
        sampler = sampler if prior is None else sampler.with_prior(prior)
        metric = f_metric("f1" if self.metric is None else self.metric, self.alpha)
        if isinstance(goal, Threshold):
            refuse_other_goal(metric, sampler, goal)
        return Method(
            metric,
            sampler.with_goal(goal) if self._has_goal(pool, goal) else sampler,
            self._seed,
        )

    def _of_classes(self, pool: BasePool) -> "Method":
        """The same for a pool with many categories."""
        if self.alpha is not None:
            raise InputError(f"alpha must be left out with many classes: got {self.alpha!r}; give metric='f2_macro'")
        if self.sampler is not None and _name(self.sampler) != CLASSES:
            raise InputError(f"sampler must be {CLASSES!r} with many classes: got {self.sampler!r}; leave it out")
        if self.prior is not None:
            raise InputError(f"prior must be left out with many classes, whose beliefs are learned: got {self.prior!r}")
        sampler = make(CLASSES if self.sampler is None else self.sampler, self.settings)
        goal = class_goal(self.goal, pool.categories)
        metric = average("f1_macro" if self.metric is None else self.metric)
        return Method(metric, sampler if goal is None else sampler.with_goal(goal), self._seed)

    @property
    def _seed(self) -> int:
        return checks.whole_number("seed", 0 if self.seed is None else self.seed, 0, 2**64 - 1)

    @staticmethod
    def _has_goal(pool: BasePool, goal: Goal) -> bool:
        """Whether labels are spent on something else than the only model of a pool without helpers."""
        return isinstance(goal, Threshold) or pool.models != (ONLY,) or bool(pool.helpers)

    def given(self, method: "Method") -> dict[str, Any]:
        """What was given, by name; None for what was not. An evaluation that is continued must not have another."""
        sampler_given = self.sampler is not None
        return {
            "metric": method.metric.name if self.metric is not None or self.alpha is not None else None,
            "sampler": method.sampler.name if sampler_given else None,
            "settings": method.sampler.settings if sampler_given or self.settings is not None else None,
            "seed": self.seed,
            "prior": method.sampler.prior,
            "goal": None if self.goal is None else method.sampler.goal,
        }


def _name(sampler: Any) -> Any:
    return sampler.name if isinstance(sampler, Sampler) else sampler


def refuse_average(metric: Any) -> None:
    """An average over categories needs categories."""
    if is_average(metric):
        raise InputError(
            f"metric must be one of {KNOWN} for a pool with one category: got {metric!r}, an average over many; make a"
            " lowshot.ClassPool for a classifier with many classes"
        )


def refuse_other_goal(metric: FBeta, sampler: Sampler, goal: Threshold) -> None:
    """A threshold needs labels on both sides of it, and a sampler that knows the whole ranking."""
    if metric.alpha == 1:
        raise InputError(
            f"goal {goal!r} needs labels of items that are not predicted positive, and metric {metric.name!r} needs"
            " none: leave out metric, or give 'recall' or 'f1'; precision can be estimated from the same labels"
        )
    if sampler.name != "curve":
        raise InputError(
            f"sampler must be 'curve' where the goal is a threshold, because it knows the whole ranking: got"
            f" {sampler.name!r}; leave it out"
        )


class Method(NamedTuple):
    """How an evaluation chooses items, and for which metric."""

    metric: FBeta
    sampler: Sampler
    seed: int

    def refuse_pool(self, pool: BasePool) -> None:
        """Before any label is bought: some samplers need features, or scores on a known scale; priors must fit."""
        sampler, prior = self.sampler, self.sampler.prior
        if (sampler.name == CLASSES) != bool(pool.categories):
            raise InputError(f"sampler must be another one: {sampler.name!r} needs a lowshot.ClassPool; leave it out")
        if "features" in sampler.needs and pool.grouped:
            raise InputError(
                f"sampler {sampler.name!r} needs every item with its features in memory: the pool is grouped;"
                " make a Pool with features= and without levels=, or use another sampler"
            )
        if isinstance(sampler.goal, Threshold):
            view = pool.view(judged_by(sampler.goal, pool.models))
            refuse_no_first_guess(view)
            if sampler.goal.by_design:
                refuse_weights(view)
        if "probabilities" in sampler.needs:
            check_scale(np.empty(0), pool.view().scale)
        if prior is not None:
            prior.refuse_impossible(pool.view().predicted_weight, len(pool))
            prior.refuse_another(self.metric.name, len(pool.models))
            prior.refuse_several(pool.models, len(pool.view().joint.rankings))


def refuse_weights(view: View) -> None:
    """Looks count items: an item of a large weight that is missed would count as one of many."""
    if view.weighted:
        raise InputError(
            "goal must have promise 'posterior' where items have weights, because promise 'design' counts items: got"
            " 'design'; leave out promise, or make the pool without weights="
        )


def refuse_no_first_guess(view: View) -> None:
    """A threshold is one of scores. The first labels are spent around that of the pool; later ones around the one that
    would be chosen.
    """
    if not view.joint.scored[view.joint.judged]:
        raise InputError("goal must be a threshold of a model with a score: this one has predictions only")
    if view.predicted_positives == 0:
        low, high = view.limits
        raise InputError(
            "pool must predict some items positive, as a first guess of where the threshold is: it predicts none;"
            f" give threshold= a number that some scores reach, which go from {low:g} to {high:g}"
        )
