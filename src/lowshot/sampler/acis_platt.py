"""ACIS with Platt scaling in place of isotonic regression (supplement 2)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from lowshot.sampler.acis import Acis


@dataclass(frozen=True)
class AcisPlatt(Acis):
    """The paper's ablation of the calibration.

    >>> AcisPlatt().calibration
    'platt'
    """

    name: ClassVar[str] = "acis_platt"

    calibration: Literal["isotonic", "platt"] = "platt"
