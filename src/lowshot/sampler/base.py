"""The protocol that every sampler follows: it sees (pool, history, metric) and nothing else."""

import dataclasses
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from lowshot.design import Design
from lowshot.errors import InputError
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pool import Pool
from lowshot.result import Estimate


class Sampler(ABC):
    """A method: how to design a round, how to estimate. Settings are the fields of a frozen dataclass.

    >>> from lowshot.sampler import Acis
    >>> Acis(epsilon=0.02).settings["epsilon"]
    0.02
    """

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()  # of the pool: "features", "probabilities"
    random: ClassVar[bool] = True  # whether another seed draws other items

    @abstractmethod
    def propose(self, pool: Pool, history: History, metric: FBeta) -> Design:
        """The design of the next round; one without items when nothing is left to label."""

    @abstractmethod
    def estimate(self, pool: Pool, history: History, metric: Metric, confidence: float) -> Estimate:
        """What the labels say. `pool.predictions` may be another model's than those that were drawn for."""

    @property
    def settings(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def with_settings(cls, settings: dict[str, Any]) -> "Sampler":
        """A sampler with these settings, every one of them known."""
        if not isinstance(settings, dict):
            raise InputError(f"settings must be a dictionary from name to value: got {settings!r}")
        known = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        for name in settings:
            if name not in known:
                if not known:
                    raise InputError(f"sampler {cls.name!r} has no settings: got {name!r}")
                raise InputError(f"settings of sampler {cls.name!r} must be among {', '.join(known)}: got {name!r}")
        return cls(**settings)
