"""What labels are spent on: one model, each of several, the difference of two, or which is the best."""

from collections.abc import Sequence
from typing import Any

from lowshot.errors import InputError
from lowshot.pools.models import GOALS

Goal = str | tuple[str, str]  # a model, "each" or "best"; or (baseline, candidate)
EACH, BEST = GOALS


def goal_of(given: Any, models: Sequence[str]) -> Goal:
    """The goal, checked; without one, the only model, or each of several.

    >>> goal_of(None, ["v1", "v2"]), goal_of(["v1", "v2"], ["v1", "v2"]), goal_of(None, ["v1"])
    ('each', ('v1', 'v2'), 'v1')
    """
    if given is None:
        return models[0] if len(models) == 1 else EACH
    if isinstance(given, (tuple, list)):
        return _pair(given, models)
    if not isinstance(given, str) or given not in (*models, *GOALS):
        raise InputError(
            f"goal must be a model ({', '.join(models)}), 'each', 'best' or a pair (baseline, candidate): got {given!r}"
        )
    if given == BEST and len(models) < 2:
        raise InputError("goal 'best' needs at least two models: the pool has one")
    return models[0] if given == EACH and len(models) == 1 else given


def _pair(given: Sequence[Any], models: Sequence[str]) -> tuple[str, str]:
    if len(given) != 2:
        raise InputError(f"goal must name two models, the baseline and the candidate: got {len(given)}, {given!r}")
    baseline, candidate = (one_model("goal", name, models) for name in given)
    if baseline == candidate:
        raise InputError(f"goal must name two different models: got {baseline!r} twice")
    return baseline, candidate


def one_model(what: str, name: Any, models: Sequence[str]) -> str:
    """The name of a model of the pool, checked."""
    if not isinstance(name, str) or name not in models:
        raise InputError(f"{what} must be a model of the pool, one of {', '.join(models)}: got {name!r}")
    return name


def models_of(goal: Goal, models: Sequence[str]) -> tuple[str, ...]:
    """The models that the goal is about.

    >>> models_of("best", ["v1", "v2", "v3"]), models_of(("v3", "v1"), ["v1", "v2", "v3"])
    (('v1', 'v2', 'v3'), ('v3', 'v1'))
    """
    if isinstance(goal, tuple):
        return goal
    return tuple(models) if goal in GOALS else (goal,)


def in_words(goal: Goal) -> str:
    """The goal for people.

    >>> in_words(("v1", "v2")), in_words("each")
    ('v2 against v1', 'each model')
    """
    if isinstance(goal, tuple):
        return f"{goal[1]} against {goal[0]}"
    return {EACH: "each model", BEST: "the best model"}.get(goal, goal)
