"""Samplers, one file each. `rand` is the template for the next one; CONTRIBUTING says how to add it.

| file | how it draws | how it estimates |
| --- | --- | --- |
| `curve` | where a label settles F most, evenly inside groups of rank and prediction | curves from a posterior |
| `acis` (and `acis_last`, `acis_platt`) | Eq. 4 on calibrated scores, near the top | Eq. 2, rounds averaged |
| `sawade` | Eq. 3 on the model's probabilities, whole pool | Eq. 2 |
| `rand` | uniformly | Eq. 2 |
| `iso`, `platt` | uniformly | calibrate, fill in |
| `topk` | from the top | the labelled set alone |
| `gmm` | from the top | a mixture of Gaussians fills in |
| `herding` | so that features mimic the pool's | the labelled set alone |

Shared: `base` (the protocol), `rounds` (draws into estimates), `reach` (what draws can speak for), `fill_in` (designs
over the whole pool), `group_design` (counts by group), `registry` (names).
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
