"""What commands show of the models of an evaluation: their names, the goal, the helpers, and what the labels say."""

from dataclasses import replace
from typing import Any

from lowshot.checks import Id
from lowshot.class_evaluation import ClassEvaluation
from lowshot.evaluation import Evaluation
from lowshot.goal import Threshold, in_words, plain_goal
from lowshot.pools.class_pool import ClassPool
from lowshot.result import Comparison, Estimate, Table
from lowshot.threshold_result import ThresholdChoice

Found = Estimate | Comparison | Table
SHOWN = 10  # names of categories in one line
LEFT_OUT = "left out, because there is no clear agreement with the models"


def found_by(evaluation: Evaluation, confidence: float = 0.95) -> Found:
    """What the goal asks for: the estimate of one model, the comparison of two, or the table of all. Of many
    categories: their average, or the table of those that the goal names.

    >>> import lowshot
    >>> pool = lowshot.Pool({"v1": [0.9, 0.8, 0.1], "v2": [0.9, 0.2, 0.7]}, threshold=0.5)
    >>> [type(found_by(lowshot.Evaluation(pool, goal=goal))).__name__ for goal in ("v1", ("v1", "v2"), "each")]
    ['Estimate', 'Comparison', 'Table']
    """
    if isinstance(evaluation, ClassEvaluation):
        return _of_classes(evaluation, confidence)
    if isinstance(evaluation.goal, tuple):
        return evaluation.compare(*evaluation.goal, confidence=confidence)
    if evaluation.model is None:
        return evaluation.table(confidence=confidence)
    return evaluation.estimate(confidence=confidence)


def _of_classes(evaluation: ClassEvaluation, confidence: float) -> Estimate | Table:
    if not isinstance(evaluation.goal, tuple):
        return evaluation.estimate(confidence=confidence)
    found = evaluation.table(confidence=confidence)
    return replace(found, rows=tuple(row for row in found.rows if row[found.by] in evaluation.goal))


def answered_in_words(labels: int, skipped: int, known: int = 0) -> str:
    """How many labels there are, as every command says it: why an estimate is from fewer, or from more.

    >>> answered_in_words(43, 1), answered_in_words(43, 0, known=5)
    ("43 labels, 1 of them 'cannot tell'", '43 labels, and 5 known before')
    """
    before = f", and {known:,} known before" if known else ""
    return f"{labels:,} label{'s' * (labels != 1)}{skipped_in_words(skipped)}{before}"


def skipped_in_words(skipped: int) -> str:
    """How many of these labels do not say what an item is; empty if all of them do."""
    return f", {skipped:,} of them 'cannot tell'" if skipped else ""


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
        **_classes_to_dict(evaluation),
    }


def _classes_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Nothing for an evaluation of one category."""
    if not isinstance(evaluation, ClassEvaluation):
        return {}
    pool = evaluation.pool
    return {"classes": len(pool.categories), "kind": pool.answers.kind, "never_predicted": never_predicted(pool)}


def never_predicted(pool: ClassPool) -> list[Id]:
    """The categories that no item is predicted to be of: their recall is 0, whatever the labels are."""
    pairs = zip(pool.categories, pool.predicted_counts.tolist(), strict=True)
    return [name for name, count in pairs if not count]


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
    if isinstance(evaluation, ClassEvaluation):
        return _classes_in_words(evaluation)
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


def _classes_in_words(evaluation: ClassEvaluation) -> list[str]:
    """How many classes there are, the goal, and which of them are never predicted.

    >>> import lowshot
    >>> pool = lowshot.ClassPool([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0]], classes=["heron", "crow", "wren"])
    >>> models_in_words(lowshot.Evaluation(pool, goal=["heron", "crow"]))
    ['3 categories; goal: heron, crow', 'never predicted, so that its recall is 0: wren']
    """
    pool = evaluation.pool
    several = " of which any number apply" if pool.answers.several else ""
    lines = [f"{len(pool.categories):,} categories{several}; goal: {in_words(evaluation.goal, of_classes=True)}"]
    if never := never_predicted(pool):
        lines.append(f"never predicted, so that {'its' if len(never) == 1 else 'their'} recall is 0: {some(never)}")
    return lines


def some(names: Any) -> str:
    """The first names, and how many there are beside them."""
    shown = ", ".join(map(str, names[:SHOWN]))
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _helper(one: dict[str, Any]) -> str:
    missing = one["missing"]
    notes = [f"missing for {missing:,} item{'s' * (missing != 1)}"] if missing else []
    notes += [LEFT_OUT] if one["left_out"] else []
    return f"{one['name']} ({'; '.join(notes)})" if notes else str(one["name"])
