"""The best of several candidates: models at operating points.

best      labels for the choice (goal: "best"); the candidate with the largest probability of being the best one
each      the same from labels for all F1 (goal: "each")
uniform   labels of items that are drawn uniformly; the candidate with the largest F1 among them
coda      labels and choice of CODA (`coda`)

The value of an answer is the true F1 of the candidate that was chosen, its truth the F1 of the best one. The target
says how a method chose from the same labels: "choice" is its main way, "by F1" of best and each is the candidate with
the largest estimate, "by accuracy" of coda is CODA's own way.
"""

from collections.abc import Callable, Iterator

import numpy as np

from lowshot.core.types import Flags, Floats
from lowshot.evaluation import Evaluation
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer, f1_of, labelled, together
from lowshot_bench.several.coda import Coda

CHOICE, BY_F1, BY_ACCURACY = "choice", "by F1", "by accuracy"


def answers(experiment: Experiment, task: Task, method: Method, seed: int) -> Iterator[Answer]:
    """The answers of one run."""
    budgets = [labels for labels in experiment.budgets if labels <= len(task.labels)]
    if method.sampler in ("best", "each"):
        return _joint(experiment, task, method, seed, budgets)
    return {"uniform": _uniform, "coda": _coda}[method.sampler](task, seed, budgets)


def _joint(experiment: Experiment, task: Task, method: Method, seed: int, budgets: list[int]) -> Iterator[Answer]:
    settings, answer = method.settings or None, _answerer(task)
    evaluation = Evaluation(together(task), experiment.metric, "curve", seed, goal=method.sampler, settings=settings)
    for labels in budgets:
        rows = labelled(evaluation, task, labels).table(by="model").rows
        likely = max(rows, key=lambda row: (row["best"], row["value"]))
        highest = max(rows, key=lambda row: float(row["value"]))
        yield answer(CHOICE, labels, likely["model"], likely["best"])
        yield answer(BY_F1, labels, highest["model"], highest["best"])


def _uniform(task: Task, seed: int, budgets: list[int]) -> Iterator[Answer]:
    """Among candidates with the same F1, such as 0 without any positive, one is chosen at random."""
    random, answer = np.random.default_rng(seed), _answerer(task)
    order, names, predictions = random.permutation(len(task.labels)), list(task.models), _predictions(task)
    for labels in budgets:
        some = order[:labels]
        f1 = f1_of_each(predictions[:, some], task.labels[some])
        yield answer(CHOICE, labels, names[random.choice(np.flatnonzero(f1 == f1.max()))])


def _coda(task: Task, seed: int, budgets: list[int]) -> Iterator[Answer]:
    coda, names, answer = Coda(_predictions(task), np.random.default_rng(seed)), list(task.models), _answerer(task)
    for labels in range(1, max(budgets, default=0) + 1):
        item = coda.ask()
        coda.tell(item, int(task.labels[item]))
        if labels in budgets:
            yield answer(CHOICE, labels, names[coda.highest_f1()])
            yield answer(BY_ACCURACY, labels, names[coda.most_probable()])


def _predictions(task: Task) -> Flags:
    found: Flags = np.stack([model.predictions for model in task.models.values()])
    return found


def f1_of_each(predictions: Flags, labels: Flags) -> Floats:
    """F1 of each model, [model]; 0 where there is neither a positive nor a predicted one.

    >>> f1_of_each(np.array([[True, False], [True, True]]), np.array([False, True])).round(3).tolist()
    [0.0, 0.667]
    """
    hits = np.count_nonzero(predictions & labels, axis=1)
    both = np.count_nonzero(predictions, axis=1) + np.count_nonzero(labels)
    found: Floats = 2 * hits / np.maximum(both, 1)
    return found


def _answerer(task: Task) -> Callable[..., Answer]:
    """A function from a target, a number of labels, a name and its probability to an answer."""
    f1 = {name: f1_of(task, name) for name in task.models}

    def answer(target: str, labels: int, name: str, probability: float | None = None) -> Answer:
        return Answer(target, labels, f1[name], None, None, max(f1.values()), probability)

    return answer
