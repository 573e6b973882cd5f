"""Demos for the page: handwritten digits, a small classifier for one that is made rare or for all, the true labels."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from lowshot.charts.digits import picture
from lowshot.checks import Id
from lowshot.evaluation import Evaluation
from lowshot.labelling.items import Shown
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.memory import Pool

DIGIT = 8
KEPT = 40  # eights in the pool; the others are removed, so that eights are rare
TRAINED = 120  # digits that the classifier is trained on
REFERENCE = 3  # example pictures in the instructions
INSTRUCTIONS = f"""Answer yes if the digit is an {DIGIT}, no if it is any other digit.
Many people wrote these digits, and some are hard to read. If you cannot tell, say so."""


NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
THINNED = np.linspace(0.1, 1, len(NAMES))  # the share of each digit that is in the pool of all digits


class Demo(NamedTuple):
    evaluation: Evaluation
    shown: Shown
    labels: dict[Id, int]


class ClassDemo(NamedTuple):
    evaluation: Evaluation
    shown: Shown
    labels: dict[Id, str]


def digits_demo(folder: str | Path, seed: int = 0) -> Demo:
    """An evaluation in a store in this folder, with its pictures. If the store exists, the evaluation continues.

    >>> import tempfile
    >>> demo = digits_demo(tempfile.mkdtemp())
    >>> len(demo.evaluation.pool), sum(demo.labels.values())
    (1554, 40)
    """
    random = np.random.default_rng(seed)
    digits = load_digits()
    order = random.permutation(len(digits.target))
    train, rest = order[:TRAINED], order[TRAINED:]
    rare = rest[digits.target[rest] == DIGIT]
    reference, pool = rare[KEPT : KEPT + REFERENCE], np.setdiff1d(rest, rare[KEPT:])
    model = LogisticRegression(max_iter=1000).fit(digits.data[train], digits.target[train] == DIGIT)
    scores = model.predict_proba(digits.data[pool])[:, 1]
    ids = [f"{position:04}" for position in pool]
    pictures = drawn(Path(folder), digits.images, (*pool, *reference))
    shown = Shown(
        kind="image",
        fields=lambda item: [("digit", f"{item}.png")],
        media_root=pictures,
        question=f"Is this an {DIGIT}?",
        instructions=INSTRUCTIONS,
        reference=[f"{position:04}" for position in reference],
    )
    store = Path(folder) / "digits.db"
    evaluation = Evaluation(Pool(scores, threshold=0.5, ids=ids), seed=seed, store=store, question=shown.question)
    return Demo(evaluation, shown, dict(zip(ids, (digits.target[pool] == DIGIT).astype(int).tolist(), strict=True)))


def all_digits_demo(folder: str | Path, seed: int = 0) -> ClassDemo:
    """The same with the question which digit it is. Some digits are rarer than others.

    >>> import tempfile
    >>> demo = all_digits_demo(tempfile.mkdtemp())
    >>> demo.evaluation.pool, demo.labels["0007"]
    (ClassPool(916 items, 10 classes), 'seven')
    """
    random = np.random.default_rng(seed)
    digits = load_digits()
    order = random.permutation(len(digits.target))
    train, rest = order[:TRAINED], order[TRAINED:]
    pool = rest[random.random(len(rest)) < THINNED[digits.target[rest]]]
    model = LogisticRegression(max_iter=1000).fit(digits.data[train], digits.target[train])
    ids = [f"{position:04}" for position in pool]
    pictures = drawn(Path(folder), digits.images, pool)
    shown = Shown("image", lambda item: [("digit", f"{item}.png")], pictures, "Which digit is this?")
    scored = ClassPool(model.predict_proba(digits.data[pool]), classes=NAMES, ids=ids)
    evaluation = Evaluation(scored, seed=seed, store=Path(folder) / "digits.db", question=shown.question)
    names = [NAMES[digit] for digit in digits.target[pool]]
    return ClassDemo(evaluation, shown, dict(zip(ids, names, strict=True)))


def drawn(folder: Path, images: NDArray[np.float64], positions: Iterable[int]) -> Path:
    """The folder with the pictures of these digits."""
    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for position in positions:
        (pictures / f"{position:04}.png").write_bytes(picture(images[position]))
    return pictures
