"""The answers to an item, and whether they settle its label."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class GivenAnswer(NamedTuple):
    """One answer; label None means "cannot tell". A final answer decides, whatever the others are."""

    annotator: str
    label: int | None
    final: bool = False
    at: str = ""  # when, in UTC


class ItemState(Enum):
    """The state of an item, given its answers."""

    OPEN = "needs more answers"
    DISPUTED = "annotators disagree"
    SETTLED = "has a label"


@dataclass(frozen=True)
class Resolution:
    """The state of an item; `label` is valid if it is settled."""

    state: ItemState
    label: int | None = None


def resolve(said: Iterable[GivenAnswer], wanted: int) -> Resolution:
    """The last answer per annotator counts. `wanted` annotators must answer and agree, or a final answer decides.

    >>> resolve([GivenAnswer("ann", 1)], wanted=2).state.value
    'needs more answers'
    >>> resolve([GivenAnswer("ann", 1), GivenAnswer("bob", 0)], wanted=2).state.value
    'annotators disagree'
    >>> resolve([GivenAnswer("ann", 1), GivenAnswer("bob", 0), GivenAnswer("ann", 0)], wanted=2)
    Resolution(state=<ItemState.SETTLED: 'has a label'>, label=0)
    >>> resolve([GivenAnswer("ann", 1), GivenAnswer("bob", 0), GivenAnswer("eve", 1, final=True)], wanted=2).label
    1
    """
    last, decided = {}, None
    for answer in said:
        if answer.final:
            decided = answer
        else:
            last[answer.annotator] = answer.label
    if decided is not None:
        return Resolution(ItemState.SETTLED, decided.label)
    if len(last) < wanted:
        return Resolution(ItemState.OPEN)
    labels = set(last.values())
    return Resolution(ItemState.SETTLED, labels.pop()) if len(labels) == 1 else Resolution(ItemState.DISPUTED)
