"""lowshot: how good is a classifier for something rare, from as few labels as possible.

The one idea: the model's scores say which items are worth a label, and the probabilities they are drawn
with say what those labels mean for the whole pool. The modules follow the data:

    pools/       items with score and prediction, in memory or elsewhere   `Pool`, `ClassPool`, `open_pool`
    answer       what people answer, as labels and as words; class_answer: which of many categories   `OTHER`
    metric       what is to be known: F1, precision, recall, F-beta        `FBeta`
    class_metric  averages over many categories: macro F1, accuracy
    prior        what the user knows before the first label                `Prior`
    goal         what labels are spent on: models, or a threshold          `Threshold`
    sampler/     which items to label: (pool, history, metric) -> design   `samplers`
    design       a distribution over cells, or an ordered list
    history      rounds of draws, and answers
    known        labels that exist already, and how they were drawn        `Known`
    method       metric, sampler and seed together, checked against a pool
    evaluation   the loop: ask, a person labels, tell, estimate            `Evaluation`
    asking       rounds are opened, and their items handed out             `Evaluation.ask`
    telling      answers are compared with the history, and written        `Evaluation.tell`
    stopping     whether labels suffice, and how many it takes             `Evaluation.plan`
    journal      where it writes what happens; exported: a history for other programs
    store/       a SQLite file or PostgreSQL; stored: an evaluation found or begun there
    estimation   from the sampler's answer to the one that a person gets
    slicing      a metric in parts of the pool: by camera, by month         `Evaluation.table`
    class_evaluation  the same loop with many categories; class_estimation: the average, one category, a table
    comparison   which of several models is better, from the same labels   `Evaluation.compare`
    thresholding  precision and recall at every threshold, and the choice   `Evaluation.choose_threshold`
    result       value, variance, interval, reach                          `Estimate`, `Comparison`
    threshold_result  what thresholding found                              `Thresholds`, `ThresholdChoice`
    api          the loop in one call                                      `estimate`

    core/        the numerical core: pure functions over arrays
    labelling/   several people at one evaluation
    which        likely categories of an item, for people who are asked "which one?"
    notebook/    one person labels inside Jupyter                          `Evaluation.widget`
    markup       results as HTML for notebooks; pictures: files by their first bytes
    charts/      what pictures show, as data, and how they are drawn
    integrations/  beside other programs: scikit-learn, Hugging Face, FiftyOne, Label Studio, MLflow, Weights & Biases
    report/      one HTML file: what was found, how far to trust it        `report.write`
    web/         the labelling page                                        `lowshot.web`
    cli/         `lowshot start`, `ask`, `tell`, ...: the loop over a store
    demo/        `lowshot demo`
    tasks        pools with known labels, for demos and tests
    testing/     the contracts that every sampler and every pool pass

The package `lowshot_bench` beside it is `lowshot bench`: the paper's figures, re-run.

>>> import lowshot
>>> scores, truth = [0.95, 0.9, 0.8, 0.6, 0.4, 0.3, 0.2, 0.1], [1, 1, 0, 1, 1, 0, 0, 0]
>>> pool = lowshot.Pool(scores, threshold=0.5)
>>> evaluation = lowshot.Evaluation(pool, metric="f1", seed=0)
>>> while evaluation.labels < 8 and (items := evaluation.ask(8 - evaluation.labels)):
...     evaluation.tell(items, [truth[i] for i in items])
>>> evaluation.estimate().value
0.75
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowshot.api import estimate, finite_pool_variance
    from lowshot.class_answer import OTHER
    from lowshot.core.interval import Interval
    from lowshot.errors import InputError, LowshotError, MissingExtra, PoolError, ServiceError, StoreError
    from lowshot.evaluation import Evaluation
    from lowshot.exported import Weighted
    from lowshot.goal import Threshold
    from lowshot.known import Known
    from lowshot.metric import FBeta
    from lowshot.pools import ClassPool, Pool, open_pool, open_pools
    from lowshot.prior import Prior
    from lowshot.result import Comparison, Estimate, Plan, Reach, Table
    from lowshot.sampler.base import Sampler
    from lowshot.sampler.registry import samplers
    from lowshot.threshold_result import ThresholdChoice, Thresholds

__version__ = "0.1.0"

__all__ = [
    "OTHER",
    "ClassPool",
    "Comparison",
    "Estimate",
    "Evaluation",
    "FBeta",
    "InputError",
    "Interval",
    "Known",
    "LowshotError",
    "MissingExtra",
    "Plan",
    "Pool",
    "PoolError",
    "Prior",
    "Reach",
    "Sampler",
    "ServiceError",
    "StoreError",
    "Table",
    "Threshold",
    "ThresholdChoice",
    "Thresholds",
    "Weighted",
    "estimate",
    "finite_pool_variance",
    "open_pool",
    "open_pools",
    "samplers",
]

# Loaded at first use, so that a program which only needs `lowshot --help` does not wait for NumPy and SciPy.
_MODULES = {
    "api": ("estimate", "finite_pool_variance"),
    "class_answer": ("OTHER",),
    "core.interval": ("Interval",),
    "evaluation": ("Evaluation",),
    "errors": ("InputError", "LowshotError", "MissingExtra", "PoolError", "ServiceError", "StoreError"),
    "goal": ("Threshold",),
    "exported": ("Weighted",),
    "known": ("Known",),
    "metric": ("FBeta",),
    "pools": ("ClassPool", "Pool", "open_pool", "open_pools"),
    "prior": ("Prior",),
    "result": ("Comparison", "Estimate", "Plan", "Reach", "Table"),
    "sampler.base": ("Sampler",),
    "sampler.registry": ("samplers",),
    "threshold_result": ("ThresholdChoice", "Thresholds"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'lowshot' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"lowshot.{_MODULE_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
