"""Labels that were drawn for the first model, used for the second one.

first         F1 of the first model, from the labels that were drawn for it
with_model    F1 of the second and of the first model after `with_model`, from the same labels
predictions   F1 of the second model by `estimate(predictions=)`, from the same labels
own           F1 of the second model, from as many labels that were drawn for it
"""

from collections.abc import Iterator

from lowshot.evaluation import Evaluation
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer, alone, estimated, f1_of, labelled
from lowshot_bench.several.pairs import BASELINE, CANDIDATE


def answers(experiment: Experiment, task: Task, method: Method, seed: int) -> Iterator[Answer]:
    """The answers of one run."""
    first, second = task.models.values()
    settings = method.settings or None
    pool = alone(second if method.sampler == "own" else first)
    evaluation = Evaluation(pool, experiment.metric, "curve", seed, settings=settings)
    for labels in experiment.budgets:
        if labels <= len(task.labels):
            yield from _looked(task, method, labelled(evaluation, task, labels), labels)


def _looked(task: Task, method: Method, evaluation: Evaluation, labels: int) -> Iterator[Answer]:
    before, after = (f1_of(task, name) for name in task.models)
    second = list(task.models.values())[1]
    if method.sampler == "first":
        yield estimated(BASELINE, labels, evaluation.estimate(), before)
    elif method.sampler == "own":
        yield estimated(CANDIDATE, labels, evaluation.estimate(), after)
    elif method.sampler == "predictions":
        yield estimated(CANDIDATE, labels, evaluation.estimate(predictions=second.predictions), after)
    else:
        both = evaluation.with_model(CANDIDATE, second.scores, predictions=second.predictions)
        yield estimated(BASELINE, labels, both.estimate(model=evaluation.pool.models[0]), before)
        yield estimated(CANDIDATE, labels, both.estimate(model=CANDIDATE), after)
