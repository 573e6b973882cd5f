"""Simulated pairs of models whose rankings disagree, so that an experiment about them needs no data.

>>> task = DisagreeFamily("flags").load(7)
>>> task.name, list(task.models), task.truth() == task.truth(predictions=task.models["flags"].predictions)
('flags/run 7/all', ['scores', 'flags'], True)

    independent 0, 0.5, 0.9   two models of the same quality. Their errors have this correlation
    flags                     a model with scores, and one of which only the predictions are known
    grades                    a model with scores, and one with 5 to 10 grades
    frauds                    logistic regression beside boosting, both fitted on earlier transactions

The two models of `flags` and of `grades` have the same F1: the second one has the scores of the first, permuted among
the positives and among the negatives. Every run has a pool of its own.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Floats
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot_bench.families.task import Model, Task

RUNS = 200
ITEMS, POSITIVES = 20_000, 200
QUALITY = 3.0  # by how many standard deviations positives score higher
GRADES = (5, 10)  # the smallest and the largest number of grades
FREQUENT = 0.5  # share of the items that have a grade above the lowest one
EARLIER, EARLIER_FRAUDS = 6_000, 120  # transactions that the models of frauds are fitted on
TRANSACTIONS = (60_000, 200_000)  # at least, and fewer than
FRAUDS = 0.003  # share of the transactions
REACH = (0.6, 1.5)  # predicted frauds per fraud
COLUMNS = 8  # of a transaction

Made = tuple[Flags, dict[str, Model]]  # labels and models


def independent(correlation: float, random: np.random.Generator) -> Made:
    """Two models with errors of this correlation, each of which predicts as many positives as there are."""
    labels = _labels(ITEMS, POSITIVES, random)
    shared = np.sqrt(correlation) * random.normal(size=ITEMS) + QUALITY * labels
    one, two = (shared + np.sqrt(1 - correlation) * random.normal(size=ITEMS) for _ in range(2))
    return labels, {"first": _best(one, POSITIVES), "second": _best(two, POSITIVES)}


def flags(random: np.random.Generator) -> Made:
    """A model with scores, and the predictions of one with the same F1."""
    labels, first, scores = _equal(random)
    predictions = _best(scores, POSITIVES).predictions
    return labels, {"scores": first, "flags": Model(predictions.astype(np.float64), predictions)}


def grades(random: np.random.Generator) -> Made:
    """A model with scores, and one with the same F1 that has grades, of which it predicts the highest one."""
    labels, first, scores = _equal(random)
    levels = int(random.integers(*GRADES, endpoint=True))
    above = np.geomspace(FREQUENT, POSITIVES / ITEMS, levels - 1)  # share of the items above each grade
    found = np.digitize(scores, np.quantile(scores, 1 - above))
    return labels, {"scores": first, "grades": Model(found.astype(np.float64), found == levels - 1)}


def frauds(random: np.random.Generator) -> Made:
    """A linear model beside trees. Of the three sorts of fraud the linear model hardly sees one."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    known, seen = _transactions(EARLIER, EARLIER_FRAUDS, random)
    items = int(random.integers(*TRANSACTIONS))
    labels, columns = _transactions(items, round(FRAUDS * items), random)
    predicted = round(np.count_nonzero(labels) * random.uniform(*REACH))
    fitted = {
        "linear": LogisticRegression(max_iter=1000),
        "trees": HistGradientBoostingClassifier(max_iter=60, random_state=0),
    }
    return labels, {
        name: _best(model.fit(seen, known).predict_proba(columns)[:, 1], predicted) for name, model in fitted.items()
    }


def _transactions(items: int, positives: int, random: np.random.Generator) -> tuple[Flags, Floats]:
    """Which transactions are frauds, and what is known about each: [transaction, column]."""
    labels = _labels(items, positives, random)
    columns = random.normal(size=(items, COLUMNS))
    sort = np.where(labels, random.integers(3, size=items), -1)
    columns[sort == 0, :2] += 2.5, 1.5
    columns[sort == 1, 0] += 1.0
    columns[sort == 1, 2] *= 3.5  # unusually high or low: trees see that, a linear model does not
    columns[sort == 2, 3:6] += 1.5, -1.5, 1.5
    columns[:, 6] = np.exp(columns[:, 6])  # amounts have a long tail
    return labels, columns


def _equal(random: np.random.Generator) -> tuple[Flags, Model, Floats]:
    """Labels, a model, and the scores of another one with the same F1."""
    labels = _labels(ITEMS, POSITIVES, random)
    scores = random.normal(size=ITEMS) + QUALITY * labels
    permuted = scores.copy()
    for group in (labels, ~labels):
        permuted[group] = random.permutation(scores[group])
    return labels, _best(scores, POSITIVES), permuted


def _labels(items: int, positives: int, random: np.random.Generator) -> Flags:
    found = np.zeros(items, dtype=np.bool_)
    found[random.choice(items, positives, replace=False)] = True
    return found


def _best(scores: Floats, predicted: int) -> Model:
    """A model that predicts so many items with the highest scores."""
    predictions = np.zeros(len(scores), dtype=np.bool_)
    predictions[np.argsort(-scores, kind="stable")[:predicted]] = True
    return Model(scores, predictions)


EQUAL: dict[str, Callable[[np.random.Generator], Made]] = {"flags": flags, "grades": grades}  # models of the same F1
PAIRS: dict[str, Callable[[np.random.Generator], Made]] = {
    **{f"independent {correlation:g}": partial(independent, correlation) for correlation in (0, 0.5, 0.9)},
    **EQUAL,
    "frauds": frauds,
}


class DisagreeFamily:
    """One kind of pair. Every category is a run with a pool of its own.

    >>> DisagreeFamily("independent 0.5").categories() == list(range(RUNS))
    True
    """

    def __init__(self, pair: str) -> None:
        self.name = checks.choice("pair", pair, list(PAIRS))

    def categories(self) -> list[int]:
        return list(range(RUNS))

    def excluded(self) -> dict[int, str]:
        """Always empty."""
        return {}

    def load(self, category: int) -> Task:
        """The pair of one run as a task."""
        if category not in range(RUNS):
            raise InputError(f"category must be one of 0 to {RUNS - 1} in {self.name}: got {category!r}")
        random = np.random.default_rng([list(PAIRS).index(self.name), category])
        labels, models = PAIRS[self.name](random)
        first = next(iter(models.values()))
        pool, name = Pool(first.scores, first.predictions), f"{self.name}/run {category}/all"
        return Task(self.name, category, pool, labels, name=name, models=models)
