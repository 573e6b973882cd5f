"""The row that describes an evaluation: written once, compared whenever the evaluation is opened again."""

import json
from dataclasses import dataclass, field
from typing import Any

from lowshot.class_metric import average, is_average
from lowshot.errors import InputError, StoreError
from lowshot.goal import Goal, Threshold
from lowshot.metric import FBeta, f_metric
from lowshot.pools.base import BasePool
from lowshot.prior import GOAL, SETTING, Prior, without_arguments
from lowshot.sampler.base import Sampler
from lowshot.store.rows import UNREADABLE


@dataclass(frozen=True)
class Header:
    """Pool, question and method of an evaluation. `about` says where the pool is and how items are shown."""

    name: str
    question: str
    fingerprint: str
    items: int
    predicted: int
    metric: str
    alpha: float
    sampler: str
    settings: dict[str, Any]
    seed: int
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, name: str, question: str, pool: BasePool, metric: FBeta, sampler: Sampler, seed: int, about: dict[str, Any]
    ) -> "Header":
        return cls(
            name=name,
            question=question,
            fingerprint=pool.fingerprint,
            items=len(pool),
            predicted=pool.predicted_positives,
            metric=metric.name,
            alpha=metric.alpha,
            sampler=sampler.name,
            settings=sampler.settings,
            seed=seed,
            about=about,
        )

    @property
    def f(self) -> FBeta:
        if is_average(self.metric):
            return average(self.metric)
        return FBeta(alpha=self.alpha) if self.metric.startswith("f(") else f_metric(self.metric)

    @property
    def prior(self) -> Prior | None:
        """What the user knew before the first label."""
        return Prior.of(self.settings.get(SETTING))

    @property
    def goal(self) -> Goal | None:
        """What labels are spent on; None: the only model of the pool."""
        found: Goal | None = Threshold.of(self.settings.get(GOAL))
        return found

    def row(self) -> dict[str, Any]:
        """The row for the table `evaluations`, without the question, which has a table of its own."""
        plain = {key: value for key, value in vars(self).items() if key != "question"}
        return {**plain, "settings": json.dumps(self.settings), "seed": str(self.seed), "about": _json(self.about)}

    @classmethod
    def from_row(cls, row: Any, question: str | None) -> "Header":
        """The header in a row; a StoreError if `row()` cannot have made it."""
        try:
            return cls._from_row(row, question)
        except UNREADABLE as error:
            what = " ".join(str(error).split())
            raise StoreError(
                f"store is damaged (header of evaluation {row.name!r}: {what}): restore it from a copy"
            ) from error

    @classmethod
    def _from_row(cls, row: Any, question: str | None) -> "Header":
        if question is None:
            raise ValueError("its question is missing")
        names = [name for name in cls.__dataclass_fields__ if name != "question"]
        values = {name: getattr(row, name) for name in names}
        values["about"] = dict(json.loads(row.about))
        values["settings"] = {key: _tuple(value) for key, value in json.loads(row.settings).items()}
        return cls(**{**values, "seed": int(row.seed), "question": question})

    def refuse_another_pool(self, pool: BasePool) -> None:
        """Labels and draws of one pool are invalid for another."""
        facts = (("items", self.items, len(pool)), ("predicted positives", self.predicted, pool.predicted_positives))
        different = [f"{then:,} {what} then, {now:,} now" for what, then, now in facts if then != now]
        if self.fingerprint != pool.fingerprint:
            told = "; ".join(different) or "the same number of items, but other ids, scores or predictions"
            raise InputError(
                f"pool must be the one that evaluation {self.name!r} began with: {told};"
                " give that pool, or begin another evaluation with another name"
            )

    def refuse_another_method(
        self,
        *,
        metric: str | None,
        sampler: str | None,
        settings: dict[str, Any] | None,
        seed: int | None,
        prior: Prior | None,
        goal: Goal | None,
    ) -> None:
        """Arguments that were not given are None."""
        self.refuse_another("metric", metric, self.metric)
        self.refuse_another("sampler", sampler, self.sampler)
        self.refuse_another("settings", settings and without_arguments(settings), without_arguments(self.settings))
        self.refuse_another("seed", seed, self.seed)
        self.refuse_another("prior", prior, self.prior)
        self.refuse_another("goal", goal, self.goal)

    def refuse_another(self, what: str, given: Any, mine: Any) -> None:
        if given is not None and given != mine:
            raise InputError(
                f"{what} must be as evaluation {self.name!r} began, {mine!r}: got {given!r};"
                " leave it out, or begin another evaluation with another name"
            )


def _json(about: dict[str, Any]) -> str:
    try:
        text = json.dumps(about)
        if not isinstance(json.loads(text), dict):
            raise TypeError(f"it is a {type(about).__name__}")
    except (TypeError, ValueError, RecursionError) as error:  # not plain data, circular, or nested too deeply
        raise InputError(
            f"about must be a dict of plain data, as JSON has it: {error}; leave out such values"
        ) from None
    return text


def _tuple(value: Any) -> Any:
    """JSON has only lists; settings have tuples."""
    if isinstance(value, dict):
        return {key: _tuple(each) for key, each in value.items()}
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
