"""Two models whose rankings disagree: how good each one is, and which one is better.

pair        labels for the difference (goal: the pair)
each        labels for both F1 (goal: "each")
alone       an evaluation of its own for each model, with as many labels as the others have for both

Of two models with the same F1 the question is how often they are told apart, and only `pair` is run.
"""

from collections.abc import Iterator

from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.disagree import EQUAL
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer
from lowshot_bench.several.pairs import LOOKS, apart, everything, joint


def methods_for(task: Task) -> tuple[str, ...]:
    """The methods that are run on a task."""
    return ("pair",) if task.family in EQUAL else ("pair", "each", "alone")


def answers(experiment: Experiment, task: Task, method: Method, seed: int) -> Iterator[Answer]:
    """The answers of one run."""
    if method.sampler == "alone":
        return apart(experiment, task, seed, parts=1)
    if method.sampler == "each":
        return everything(joint(experiment, task, method, seed, "each"), task, experiment.budgets)
    first, second = task.models
    budgets = sorted({*experiment.budgets, *LOOKS}) if task.family in EQUAL else experiment.budgets
    return everything(joint(experiment, task, method, seed, (first, second)), task, budgets)
