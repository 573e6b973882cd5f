"""Samplers, one file each. `rand` is the simplest one and a template for new ones; CONTRIBUTING.md says how to add one.

| file | how it draws | how it estimates |
| --- | --- | --- |
| `curve` | where a label reduces the variance of F most; uniformly inside groups | curves from a posterior |
| `acis` (and `acis_last`, `acis_platt`) | Eq. 4 on calibrated scores, near the top | Eq. 2, rounds averaged |
| `sawade` | Eq. 3 on the model's probabilities, whole pool | Eq. 2 |
| `rand` | uniformly | Eq. 2 |
| `iso`, `platt` | uniformly | calibrated probabilities for unlabelled items |
| `topk` | the best scores first | the metric of the labelled items alone |
| `gmm` | the best scores first | a mixture of Gaussians for unlabelled items |
| `herding` | so that the features of labelled items resemble the pool's | the metric of the labelled items alone |

Shared by several samplers:

base          the protocol: propose, estimate, plan
registry      samplers by name, ours and those of other packages
rounds        draws with known probabilities into an estimate
reach         which part of the pool the draws represent; what that means for intervals
fill_in       uniform and list designs; estimates with calibrated probabilities for unlabelled items
group_design  a design that says how many items of each group come next; looks: one that certifies a threshold

Parts of `curve`:

curve_state     labels by group
curve_fit       curves along one ranking; curve_joint: along several, weighed by the labels
curve_goal      the metric as a function of the positives of each pattern
curve_cuts      what lies above each threshold, and which labels tell where it belongs
curve_slices    the positives of parts of the pool
curve_forecast  what further labels will tell, by simulation
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lowshot.sampler.base import Sampler

if TYPE_CHECKING:
    from lowshot.sampler.acis import Acis, AcisLast, AcisPlatt
    from lowshot.sampler.curve import Curve
    from lowshot.sampler.gmm import Gmm
    from lowshot.sampler.herding import Herding
    from lowshot.sampler.iso import Iso
    from lowshot.sampler.platt import Platt
    from lowshot.sampler.rand import Rand
    from lowshot.sampler.sawade import Sawade
    from lowshot.sampler.topk import TopK

__all__ = [
    "Acis",
    "AcisLast",
    "AcisPlatt",
    "Curve",
    "Gmm",
    "Herding",
    "Iso",
    "Platt",
    "Rand",
    "Sampler",
    "Sawade",
    "TopK",
]


def __getattr__(name: str) -> Any:
    """The class of a sampler, loaded when it is asked for."""
    from lowshot.sampler.registry import OURS

    for place in OURS.values():
        module, _, found = place.partition(":")
        if found == name:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
