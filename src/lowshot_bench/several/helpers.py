"""One model that is judged, and the scores of another one that only help.

none        without a helper
helper      the second model of the task
missing     the same with 30 % of its scores missing

Tasks with the role "useless" have a second model that is much weaker than the first one, and these helpers:

weak        the second model of the task
random      normal random numbers
constant    the same number for every item
reversed    the scores of the judged model, with their sign changed
noisy       the ranks of the judged model as normal quantiles, plus normal random numbers of the same variance
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from lowshot.core.types import Floats
from lowshot.evaluation import Evaluation
from lowshot.pools.memory import Pool
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer, alone, estimated, labelled

USEFUL = ("none", "helper", "missing")
USELESS = ("none", "weak", "random", "constant", "reversed", "noisy")
ROLE = "useless"  # of tasks whose second model is much weaker
MISSING = 0.3  # share of the helper's scores that are missing


def methods_for(task: Task) -> tuple[str, ...]:
    """The methods that are run on a task."""
    return USELESS if task.family.startswith(ROLE) else USEFUL


def answers(experiment: Experiment, task: Task, method: Method, seed: int) -> Iterator[Answer]:
    """The answers of one run: F1 of the first model."""
    judged = next(iter(task.models.values()))
    pool = alone(judged) if method.sampler == "none" else _with_helper(task, method.sampler, seed)
    settings = method.settings or None
    evaluation, truth = Evaluation(pool, experiment.metric, "curve", seed, settings=settings), task.truth()
    for labels in experiment.budgets:
        if labels > len(task.labels):
            return
        yield estimated("own", labels, labelled(evaluation, task, labels).estimate(), truth)


def _with_helper(task: Task, kind: str, seed: int) -> Pool:
    judged, other = task.models.values()
    scores = helper_scores(kind, judged.scores.astype(np.float64), other.scores.astype(np.float64), seed)
    return Pool(judged.scores, judged.predictions, helpers={"helper": scores})


def helper_scores(kind: str, judged: Floats, other: Floats, seed: int) -> Floats:
    """The scores of a helper.

    >>> judged, other = np.array([0.1, 0.7, 0.2]), np.array([3.0, 1.0, 2.0])
    >>> helper_scores("weak", judged, other, 0).tolist(), helper_scores("reversed", judged, other, 0).tolist()
    ([3.0, 1.0, 2.0], [-0.1, -0.7, -0.2])
    """
    random = np.random.default_rng([seed, 14])  # 14: apart from the draws of the evaluation, which has the same seed
    if kind in ("helper", "weak"):
        return other
    if kind == "missing":
        return np.where(random.random(len(other)) < MISSING, np.nan, other)
    if kind == "reversed":
        return -judged
    if kind == "constant":
        return np.zeros(len(judged))
    noise = random.standard_normal(len(judged))
    if kind == "random":
        return noise
    quantiles: Floats = ndtri((rankdata(judged) - 0.5) / len(judged))
    return quantiles + noise
