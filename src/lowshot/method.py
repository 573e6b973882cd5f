"""How an evaluation chooses items: its metric, sampler and seed, checked against a pool."""

from enum import Enum
from typing import Any, Literal, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.errors import InputError
from lowshot.goal import Goal, Threshold, goal_of
from lowshot.metric import FBeta, Metric, f_metric
from lowshot.pools.base import BasePool
from lowshot.pools.models import ONLY
from lowshot.pools.scale import check_scale
from lowshot.prior import Prior
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import make


class NotGiven(Enum):
    """A sentinel: tells "not passed" from an invalid None."""

    NOT_GIVEN = "the stored value, or the default for a new evaluation"


NOT_GIVEN = NotGiven.NOT_GIVEN


class Asked(NamedTuple):
    """The arguments of an evaluation that say how it chooses items, as the user gave them."""

    metric: str | Metric | Literal[NotGiven.NOT_GIVEN]
    alpha: float | None
    sampler: str | Sampler | Literal[NotGiven.NOT_GIVEN]
    settings: dict[str, Any] | None
    seed: int | Literal[NotGiven.NOT_GIVEN]
    prior: Prior | None
    goal: Goal | None = None

    def method(self, pool: BasePool) -> "Method":
        """With defaults for what was not given."""
        sampler = make("curve" if self.sampler is NOT_GIVEN else self.sampler, self.settings)
        prior, goal = Prior.of(self.prior), goal_of(self.goal, pool.models)
        sampler = sampler if prior is None else sampler.with_prior(prior)
        return Method(
            f_metric("f1" if self.metric is NOT_GIVEN else self.metric, self.alpha),
            sampler.with_goal(goal) if self._has_goal(pool, goal) else sampler,
            checks.whole_number("seed", 0 if self.seed is NOT_GIVEN else self.seed, 0, 2**64 - 1),
        )

    @staticmethod
    def _has_goal(pool: BasePool, goal: Goal) -> bool:
        """Whether labels are spent on something else than the only model of a pool without helpers."""
        return isinstance(goal, Threshold) or pool.models != (ONLY,) or bool(pool.helpers)

    def given(self, method: "Method") -> dict[str, Any]:
        """What was given, by name; None for what was not. An evaluation that is continued must not have another."""
        sampler_given = self.sampler is not NOT_GIVEN
        return {
            "metric": method.metric.name if self.metric is not NOT_GIVEN or self.alpha is not None else None,
            "sampler": method.sampler.name if sampler_given else None,
            "settings": method.sampler.settings if sampler_given or self.settings is not None else None,
            "seed": None if self.seed is NOT_GIVEN else self.seed,
            "prior": method.sampler.prior,
            "goal": None if self.goal is None else method.sampler.goal,
        }


class Method(NamedTuple):
    """How an evaluation chooses items, and for which metric."""

    metric: FBeta
    sampler: Sampler
    seed: int

    def refuse_pool(self, pool: BasePool) -> None:
        """Before any label is bought: some samplers need features, or scores on a known scale; priors must fit."""
        sampler, prior = self.sampler, self.sampler.prior
        if "features" in sampler.needs and pool.grouped:
            raise InputError(
                f"sampler {sampler.name!r} needs every item with its features in memory: the pool is grouped;"
                " make a Pool with features= and without levels=, or use another sampler"
            )
        if "probabilities" in sampler.needs:
            check_scale(np.empty(0), pool.view().scale)
        if prior is not None:
            prior.refuse_impossible(pool.view().predicted_weight, len(pool))
            prior.refuse_another(self.metric.name, len(pool.models))
            prior.refuse_several(pool.models, len(pool.view().joint.rankings))
