"""For people who are asked "which one?": some likely classes per item, in an order that says nothing about them."""

from hashlib import blake2b

import numpy as np

from lowshot.checks import Id
from lowshot.core.classes.scores import ClassScores
from lowshot.pools.class_pool import ClassPool

KEYS = 9  # classes that have a number key; if there are no more than these, every item has all of them as buttons
LIKELY = 6  # classes with a button otherwise: they fill rows of two and of three


def candidates(pool: ClassPool, item: Id, seed: int) -> list[str]:
    """Some classes of an item for buttons: those with the best scores, in a random order.

    The order is the same after a reload and a restart, because it follows from the seed and the item. It does not
    depend on the scores, so that people are not led to what the classifier predicts.

    >>> pool = ClassPool([[5.0, 2.0, 1.0], [1.0, 2.0, 5.0]], classes=["heron", "crow", "wren"])
    >>> candidates(pool, 0, seed=0), candidates(pool, 1, seed=0)
    (['wren', 'heron', 'crow'], ['crow', 'wren', 'heron'])
    """
    names = [str(pool.categories[place]) for place in best(pool, pool.position(item))]
    if searched(pool) and len(names) < LIKELY:
        # Scores may exist for the best class alone. A single button, or two, would tell what is predicted.
        further = sorted((str(name) for name in pool.categories), key=lambda name: _lot(seed, item, f"more\0{name}"))
        names += [name for name in further if name not in names][: LIKELY - len(names)]
    return sorted(names, key=lambda name: _lot(seed, item, name))


def best(pool: ClassPool, position: int) -> list[int]:
    """The places of the classes with the best scores of an item."""
    if not searched(pool):
        return list(range(len(pool.categories)))
    table = pool.table
    if isinstance(table, ClassScores):
        there = np.isfinite(table.score[position, :LIKELY])
        return [int(place) for place in table.candidate[position, :LIKELY][there]]
    first, last = np.searchsorted(table.item, (position, position + 1))  # pairs are sorted by item, best class first
    return [int(place) for place in table.place[first:last][:LIKELY]]


def searched(pool: ClassPool) -> bool:
    """Whether there are too many classes for buttons, so that a page needs a search field."""
    return len(pool.categories) > KEYS


def _lot(seed: int, item: Id, name: str) -> bytes:
    text = f"{seed}\0{item}\0{name}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8).digest()
