"""What commands show of the models of an evaluation: their names, the goal, the helpers, and what the labels say."""

from typing import Any

from lowshot.evaluation import Evaluation
from lowshot.goal import Threshold, in_words, plain_goal
from lowshot.result import Comparison, Estimate, Table
from lowshot.threshold_result import ThresholdChoice

Found = Estimate | Comparison | Table
LEFT_OUT = "left out, because there is no clear agreement with the models"


def found_by(evaluation: Evaluation, confidence: float = 0.95) -> Found:
    """What the goal asks for: the estimate of one model, the comparison of two, or the table of all.

    >>> import lowshot
    >>> pool = lowshot.Pool({"v1": [0.9, 0.8, 0.1], "v2": [0.9, 0.2, 0.7]}, threshold=0.5)
    >>> [type(found_by(lowshot.Evaluation(pool, goal=goal))).__name__ for goal in ("v1", ("v1", "v2"), "each")]
    ['Estimate', 'Comparison', 'Table']
    """
    if isinstance(evaluation.goal, tuple):
        return evaluation.compare(*evaluation.goal, confidence=confidence)
    if evaluation.model is None:
        return evaluation.table(confidence=confidence)
    return evaluation.estimate(confidence=confidence)


def choice_by(evaluation: Evaluation) -> ThresholdChoice | None:
    """The threshold that the goal asks for, beside the estimate; None if it asks for none."""
    return evaluation.choose_threshold() if isinstance(evaluation.goal, Threshold) else None


def found_to_dict(found: Found | None) -> dict[str, Any]:
    """By what it is, as plain data: what it is not is None."""
    kinds = {"estimate": Estimate, "comparison": Comparison, "table": Table}
    return {
        name: found.to_dict() if found is not None and isinstance(found, kind) else None for name, kind in kinds.items()
    }


def models_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Models, helpers and goal as plain data."""
    pool = evaluation.pool
    return {
        "models": [{"name": name, "predicted_positives": pool.view(name).predicted_positives} for name in pool.models],
        "helpers": [
            {"name": name, "missing": pool.missing.get(name, 0), "left_out": name in pool.left_out}
            for name in pool.helpers
        ],
        "goal": plain_goal(evaluation.goal),
    }


def models_in_words(evaluation: Evaluation) -> list[str]:
    """One line each for models with the goal, and for helpers; none for what the pool does not have. Of one model, the
    goal is shown if it is a threshold.

    >>> import lowshot
    >>> scores = {"v1": [0.9, 0.8, 0.1], "v2": [0.9, 0.2, 0.7], "clip": [31, 28, None]}
    >>> pool = lowshot.Pool(scores, threshold={"v1": 0.5, "v2": 0.5})
    >>> models_in_words(lowshot.Evaluation(pool, goal=("v1", "v2")))
    ['models: v1 (2 predicted positive), v2 (2 predicted positive); goal: v2 against v1',
     'helpers: clip (missing for 1 item; left out, because there is no clear agreement with the models)']
    """
    plain = models_to_dict(evaluation)
    lines = []
    if len(plain["models"]) > 1:
        models = [f"{one['name']} ({one['predicted_positives']:,} predicted positive)" for one in plain["models"]]
        lines.append(f"models: {', '.join(models)}; goal: {in_words(evaluation.goal)}")
    elif isinstance(evaluation.goal, Threshold):
        lines.append(f"goal: {in_words(evaluation.goal)}")
    if plain["helpers"]:
        lines.append(f"helpers: {', '.join(map(_helper, plain['helpers']))}")
    return lines


def _helper(one: dict[str, Any]) -> str:
    missing = one["missing"]
    notes = [f"missing for {missing:,} item{'s' * (missing != 1)}"] if missing else []
    notes += [LEFT_OUT] if one["left_out"] else []
    return f"{one['name']} ({'; '.join(notes)})" if notes else str(one["name"])
