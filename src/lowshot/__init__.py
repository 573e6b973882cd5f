"""lowshot: how good is a classifier for something rare, from as few labels as possible.

The one idea: the model's scores say which items are worth a label, and the probabilities they are drawn
with say what those labels mean for the whole pool. The modules follow the data:

    pool         items with score and prediction, held as cells          `Pool`
    ranked/      pools of any size: a head that is listed, levels that are counted
    pools/       rows that stay where they are, on any engine            `open_pool`
    metric       what is to be known: F1, precision, recall, F-beta      `FBeta`
    sampler/     which items to label: (pool, history, metric) -> design `samplers`
    design       a distribution over cells, or an ordered list
    history      rounds of draws, and answers
    evaluation   the loop: ask, a person labels, tell, estimate
    journal      where it writes what happens
    durable      in memory or in a store                                 `Evaluation`
    store/       a SQLite file or PostgreSQL
    estimating   from the sampler's answer to the one a person gets
    result       value, variance, interval, reach                        `Estimate`
    export       a history for other programs
    api          the loop in one call                                    `estimate`

    report/      one HTML file: what was found, how far to trust it      `report.write`

    core/        the numerical core: pure functions over arrays
    testing/     the contract that every sampler passes
    labelling/   several people at one evaluation
    web/         the labelling page                                  `lowshot.web`
    demo/, cli   `lowshot demo`
    commands/    `lowshot start`, `ask`, `tell`, ...: the loop over a store
    bench/       `lowshot bench`: the paper's figures, re-run

>>> import lowshot
>>> scores, truth = [0.95, 0.9, 0.8, 0.6, 0.4, 0.3, 0.2, 0.1], [1, 1, 0, 1, 1, 0, 0, 0]
>>> pool = lowshot.Pool(scores, threshold=0.5)
>>> evaluation = lowshot.Evaluation(pool, metric="f1", seed=0)
>>> while evaluation.labels < 8 and (items := evaluation.ask(8 - evaluation.labels)):
...     evaluation.tell(items, [truth[i] for i in items])
>>> evaluation.estimate().value
0.75
"""

from typing import TYPE_CHECKING, Any

from lowshot.api import estimate, finite_pool_variance
from lowshot.core.interval import Interval
from lowshot.durable import Evaluation
from lowshot.errors import InputError, LowshotError, MissingExtra, PoolError, StoreError
from lowshot.metric import FBeta
from lowshot.pools.memory import Pool
from lowshot.result import Estimate, Reach
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import samplers

if TYPE_CHECKING:
    from lowshot.pools import open_pool, open_pools

__version__ = "0.1.0"

__all__ = [
    "Estimate",
    "Evaluation",
    "FBeta",
    "InputError",
    "Interval",
    "LowshotError",
    "MissingExtra",
    "Pool",
    "PoolError",
    "Reach",
    "Sampler",
    "StoreError",
    "estimate",
    "finite_pool_variance",
    "open_pool",
    "open_pools",
    "samplers",
]


def __getattr__(name: str) -> Any:
    """Ibis, which is an extra and takes a second to load, only for those who open a pool with it."""
    if name in ("open_pool", "open_pools"):
        from lowshot import pools

        return getattr(pools, name)
    raise AttributeError(f"module 'lowshot' has no attribute {name!r}")
