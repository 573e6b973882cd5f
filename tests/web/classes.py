"""Evaluations with many classes in a store, for the page and for other tools."""

from pathlib import Path
from typing import Any

import numpy as np

from lowshot import ClassPool, Evaluation
from lowshot.core.types import Integers
from lowshot.web import Shown

SYLLABLES = ("ba", "cor", "di", "fen", "gul", "har", "lo", "mar", "nis", "pel", "ro", "sti", "tur", "vo", "wren", "zel")
BIRDS = ("heron", "crow", "wren", "swan", "stork", "gull", "Éider", "owl", "kite", "rook", "teal", "dipper")


def names_of(count: int) -> list[str]:
    """So many different names; the first are real birds."""
    made = (f"{a}{b} {c}" for c in SYLLABLES for a in SYLLABLES for b in SYLLABLES)
    return [name for name, _ in zip([*BIRDS, *made], range(count), strict=False)]


def birds(
    folder: Path, classes: int = 12, items: int = 400, *, seed: int = 4, labels: int = 0, **more: Any
) -> tuple[Evaluation, Integers]:
    """An evaluation of classes that are told apart with some mistakes, and the place of each item's true class."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, size=items)
    scores = random.normal(size=(items, classes)) + 3 * np.eye(classes)[truth]
    pool = ClassPool(scores, classes=names_of(classes), ids=[f"bird-{number}.png" for number in range(items)])
    evaluation = Evaluation(pool, store=folder / "birds.db", **more)
    while evaluation.labels < labels and (asked := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(asked, [pool.categories[truth[pool.position(item)]] for item in asked])
    return evaluation, truth


def any_number(folder: Path, classes: int = 12, items: int = 200) -> tuple[Evaluation, Any]:
    """The same where any number of classes apply to an item; the truth is a row of flags per item."""
    random = np.random.default_rng(4)
    truth = random.random((items, classes)) < 2 / classes
    scores = random.normal(size=(items, classes)) + 3 * truth
    ids = [f"bird-{number}.png" for number in range(items)]
    pool = ClassPool(scores, classes=names_of(classes), ids=ids, predictions=scores > 1.5, kind="multilabel")
    return Evaluation(pool, store=folder / "birds.db"), truth


WORDS = Shown(
    "text", lambda item: [("sound", f"sound {sum(map(ord, str(item))) * 7919 % 9973}")], question="Which bird is it?"
)
