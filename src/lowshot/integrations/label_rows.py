"""The labels of an evaluation as rows for another tool: what was answered, and how the item came to be asked."""

from typing import NamedTuple

import numpy as np

from lowshot import checks
from lowshot.answer import Label
from lowshot.checks import Id
from lowshot.evaluation import Evaluation
from lowshot.result import Estimate


class LabelRow(NamedTuple):
    """The label of one item.

    round        the round that first drew the item; None if its label was known before the first round
    probability  of the item in one draw of this round; None where the sampler does not draw with known probabilities
    """

    item: Id
    label: Label
    round: int | None
    probability: float | None


def label_rows(evaluation: Evaluation) -> list[LabelRow]:
    """All labels of an evaluation, in the order in which items were answered first.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5, ids=["a", "b", "c"])
    >>> evaluation = lowshot.Evaluation(pool, known={"c": 0})
    >>> evaluation.tell(evaluation.ask(1), [1])
    >>> [(one.item in "ab", one.label, one.round) for one in label_rows(evaluation)]
    [(False, 0, None), (True, 1, 1)]
    """
    history = evaluation.snapshot()
    places = list(history.labels)
    drawn: dict[int, tuple[int, float | None]] = {}
    for round_ in history.rounds:
        items, first = np.unique(round_.draws.items, return_index=True)
        chances = round_.draws.probability[first]
        for place, chance in zip(items.tolist(), chances.tolist(), strict=True):
            if place not in history.known:
                drawn.setdefault(place, (round_.number, chance if round_.design.weighted and chance else None))
    names = evaluation.pool.names(places)
    return [
        LabelRow(name, history.labels[place], *drawn.get(place, (None, None)))
        for name, place in zip(names, places, strict=True)
    ]


def estimates(evaluation: Evaluation, metrics: object = None, model: str | None = None) -> list[Estimate]:
    """What is told about an evaluation elsewhere: its own metric first, then precision and recall.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(3), [1, 0, 1])
    >>> [one.metric for one in estimates(evaluation)]
    ['f1', 'precision', 'recall']

    metrics  others, by name
    model    which of several
    """
    average = "_macro" if evaluation.pool.categories else ""
    usual = dict.fromkeys((evaluation.metric.name, f"precision{average}", f"recall{average}"))
    wanted = [*usual] if metrics is None else checks.listed("metrics", metrics)
    return [evaluation.estimate(metric, model=model) for metric in wanted]
