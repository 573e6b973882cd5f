"""What labelled items are instead of what is predicted: the most frequent pairs of classes, with examples."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lowshot.answer import Label
from lowshot.checks import Id
from lowshot.class_answer import NO_CATEGORY, OTHER, ClassAnswers
from lowshot.core.classes.scores import ClassScores
from lowshot.history import History
from lowshot.pools.class_pool import ClassPool

MOST = 15  # pairs
EXAMPLES = 3  # items per pair
NOTHING = "nothing"  # where several classes can apply: one that is predicted and does not apply, or the other way round


@dataclass(frozen=True)
class Confusion:
    """Labelled items that are predicted to be of one class and are of another."""

    predicted: str
    true: str
    items: int  # how many labelled items
    of: int  # how many labelled items are predicted to be of the class `predicted`
    examples: tuple[Id, ...]


def confusions(pool: ClassPool, history: History, most: int = MOST) -> list[Confusion]:
    """The most frequent pairs among the labelled items, the most frequent first.

    They are counts of the items that were labelled, which are no random sample of the pool.

    >>> import lowshot
    >>> pool = lowshot.ClassPool([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]], classes=["heron", "crow"], ids=["a", "b", "c"])
    >>> evaluation = lowshot.Evaluation(pool, known={"a": "crow", "b": "crow", "c": lowshot.OTHER})
    >>> for one in confusions(pool, evaluation.snapshot()):
    ...     print(one.predicted, "is", one.true, one.items, "of", one.of, one.examples)
    heron is crow 2 of 2 ('a', 'b')
    crow is none of these 1 of 1 ('c',)
    """
    labels = {position: label for position, label in history.labels.items() if label is not None}
    items: dict[tuple[str, str], list[int]] = defaultdict(list)
    predicted: dict[str, int] = defaultdict(int)
    for position, label in labels.items():
        places = predicted_at(pool, position)
        for place in places:
            predicted[str(pool.categories[place])] += 1
        for pair in pairs(pool.answers, places, label):
            items[pair].append(position)
    found = sorted(items.items(), key=lambda each: (-len(each[1]), each[0]))[:most]
    return [
        Confusion(one, other, len(mine), predicted.get(one, len(mine)), tuple(pool.names(mine[:EXAMPLES])))
        for (one, other), mine in found
    ]


def predicted_at(pool: ClassPool, position: int) -> list[int]:
    """The places of the classes that are predicted for an item."""
    table = pool.table
    if isinstance(table, ClassScores):
        return [int(table.predicted[position])]
    first, last = np.searchsorted(table.item, (position, position + 1))  # pairs are sorted by item
    return [int(place) for place in table.place[first:last][table.predicted[first:last]]]


def pairs(answers: ClassAnswers, predicted: list[int], label: Label) -> Iterator[tuple[str, str]]:
    """What is predicted and what it is instead, for one item; nothing where the prediction is right.

    >>> birds = ClassAnswers(("heron", "crow", "wren"))
    >>> [[*pairs(birds, [0], label)] for label in (0, 2, -1, -2, -3)]
    [[], [('heron', 'wren')], [('heron', 'none of these')], [('heron', 'not heron')], []]
    >>> several = ClassAnswers(("heron", "crow", "wren"), "multilabel")
    >>> [[*pairs(several, [0], label)] for label in (0b001, 0b010, 0b000, 0b011)]
    [[], [('heron', 'crow')], [('heron', 'nothing')], [('nothing', 'crow')]]
    """
    wrong = [place for place in predicted if answers.truth(label, place) == 0]
    if not answers.several:
        for place in wrong:
            yield str(answers.names[place]), OTHER.value if label == NO_CATEGORY else answers.word(label)
        return
    there = range(len(answers.names)) if answers.complete(label) else ()
    missed = [place for place in there if answers.truth(label, place) == 1 and place not in predicted]
    names = [[str(answers.names[place]) for place in some] or [NOTHING] for some in (wrong, missed)]
    if wrong or missed:
        yield from ((one, other) for one in names[0] for other in names[1])
