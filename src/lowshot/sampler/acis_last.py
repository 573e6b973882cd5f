"""ACIS-LAST: ACIS without averaging, the estimate of its last complete round."""

from dataclasses import dataclass
from typing import ClassVar

from lowshot.sampler.acis import Acis


@dataclass(frozen=True)
class AcisLast(Acis):
    """The paper's ablation of Eq. 5.

    >>> AcisLast().average, AcisLast().partial
    (1, False)
    """

    name: ClassVar[str] = "acis_last"

    average: int | None = 1
    partial: bool = False
