"""Simulated classifiers at the paper's sizes.

>>> family = SimulatedFamily("imagenet50k", others=["b"])
>>> task = family.load(7)
>>> len(task.pool), task.positives, sorted(task.others)
(50000, 50, ['b'])

The model is a network that was pre-trained without labels and fine-tuned with few labels per class; a task sees one
column of its softmax. In the four real files that the generator was fitted to, the logits of an item, divided by their
standard deviation over the wrong classes, are close to standard normal for the wrong classes, and normal around the
model's quality for the true class. The rest follows: which class wins and by how much (the divisor is about 7, which
makes the models over-confident), and how far down the ranking positives and predictions lie. The formulas are in
`generator.py`. The constants below are
    measured   on the even classes of the files by `tools/fit_generator.py`, which also prints real against simulated
               values for both halves. This holds for all constants but those in the next two lists; FITTED has the
               mean over the four files. Properties of items rather than of classes (sharpness, skew, scale, own,
               rival) were measured on the items of all classes; on the items of the even classes alone, the means
               differ by at most 0.012, and sharpness by 1 %
    solved     so that simulated tasks agree with the real ones: the qualities in REAL (mean F1), `reach` and
               `reach_spread` (mean and standard deviation over classes of predicted positives / positives)
    set        the qualities of the models a, b, c, for a mean F1 of 0.45, 0.55, 0.65 (inat100k: 0.3, 0.4, 0.5), and
               `Setting.reach`, so that the predictions of all classes add up to the number of items, as with argmax
They were chosen by these descriptive facts alone; no result of a sampler or an estimator on simulated data was used.

The three models score the same items with the same labels, and are correlated as the real models are. Each class is a
task of its own: the labels of different classes are drawn independently, so an item may be positive for no class or for
two. A class that a model never predicts (rare, and only in inat100k) gets one prediction, for the item that came
closest, so that no class is excluded.

    imagenet1m, imagenet50k   1,000 classes with 1,268 and with 50 positives per class
    inat100k                  5,089 classes with 3 to 300 positives, 19 on average, log-normal. Larger classes had more
                              labels in training: per unit of s, the log of the relative class size, their quality
                              rises by `gain` (measured: simclr_250 had five times the labels of simclr), and their
                              logits rise by s itself
    easy                      such a high quality that F1 is above 0.9 and few items have a probability between 0 and 1
    underconfident            like imagenet50k, but sharpness 1.5: the probabilities of positives are far too low
    strewn                    a third of the positives get scores from anywhere in the first 100 n_pred ranks, where
                              n_pred is the number of predicted positives; the others are ranked as by model c of
                              imagenet (model a), as by an easy model (c), or in between (b)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Integers
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot_bench.families import generator
from lowshot_bench.families.generator import Columns, Model, Population
from lowshot_bench.families.random_streams import Streams, Use
from lowshot_bench.families.task import Task

DEPTH = 100  # strewn positives lie in the first DEPTH n_pred ranks; set by hand, not fitted

FITTED = Population(
    class_skew=0.75,
    spread_spread=0.16,
    spread_with_class=0.43,
    width=0.937,
    width_spread=0.113,
    width_with_class=0.38,
    skew_offset=0.15,
    skew_spread=0.22,
    skew_with_class=0.62,
    reach=-0.041,
    reach_spread=0.074,
    scale_spread=0.23,
    own_with_scale=0.26,
    own_skew=-0.56,
    rival_with_own=0.06,
    gain=0.27,
    shared_class=0.92,
    shared_shape=0.63,
    shared_scale=0.55,
    shared_own=0.64,
    shared_close=0.56,
    shared_rival=0.30,
)
REAL = {
    "simclr_250": Model(quality=2.546, class_spread=0.495, item_spread=0.968, sharpness=7.56, skew=-0.062),
    "simclr": Model(quality=2.116, class_spread=0.477, item_spread=0.990, sharpness=9.84, skew=-0.046),
    "byol": Model(quality=1.988, class_spread=0.400, item_spread=0.894, sharpness=9.21, skew=-0.178),
    "swav": Model(quality=1.521, class_spread=0.339, item_spread=0.726, sharpness=3.47, skew=-0.466),
}
# The arithmetic mean of the four models above; the geometric mean for sharpness.
AVERAGE = Model(quality=2.04, class_spread=0.43, item_spread=0.89, sharpness=7.0, skew=-0.19)


@dataclass(frozen=True)
class Setting:
    """How many items, classes and positives a family has, and its models."""

    seed: int
    items: int
    classes: int
    positives: tuple[int, int]  # the smallest and the largest number per class
    models: dict[str, Model]
    tasks: int | None = None  # classes that are made; None: all of them
    tail: float = 0.0  # standard deviation of log(positives), which is normal; 0: positives are uniform
    strewn: float = 0.0  # share of the positives that are moved down the ranking
    reach: float = 0.0  # added to FITTED.reach, so that the predictions of all classes add up to the items


def _models(a: float, b: float, c: float, base: Model = AVERAGE) -> dict[str, Model]:
    """Three models that differ in quality only."""
    return {name: replace(base, quality=quality) for name, quality in (("a", a), ("b", b), ("c", c))}


IMAGENET = _models(2.78, 3.03, 3.30)
UNSURE = _models(2.78, 3.03, 3.30, replace(AVERAGE, sharpness=1.5))
INAT = _models(2.73, 3.01, 3.28)
EASY = _models(5.6, 5.8, 6.0)
STREWN = _models(3.30, 4.2, 5.6)
SETTINGS = {
    "imagenet1m": Setting(1, 1_268_000, 1_000, (1_268, 1_268), IMAGENET, reach=-0.038),
    "imagenet50k": Setting(2, 50_000, 1_000, (50, 50), IMAGENET, reach=-0.038),
    "inat100k": Setting(3, 95_986, 5_089, (3, 300), INAT, tail=0.8, reach=-0.089),
    "easy": Setting(4, 50_000, 1_000, (20, 50), EASY, tasks=200, reach=-0.038),
    "underconfident": Setting(5, 50_000, 1_000, (50, 50), UNSURE, tasks=200, reach=-0.038),
    "strewn": Setting(6, 50_000, 1_000, (20, 50), STREWN, tasks=200, reach=-0.038, strewn=1 / 3),
}


class SimulatedFamily:
    """One model of a simulated family. Each task also has the predictions of the models in `others`.

    >>> SimulatedFamily("inat100k", model="b").name, len(SimulatedFamily("inat100k").categories())
    ('inat100k b', 5089)
    """

    def __init__(self, name: str, model: str = "a", others: Sequence[str] = ()) -> None:
        self.kind = checks.choice("name", name, list(SETTINGS))
        self.setting = SETTINGS[self.kind]
        self.model = checks.choice("model", model, list(self.setting.models))
        self.others = tuple(checks.choice("others", other, list(self.setting.models)) for other in others)
        self.name = self.kind if self.model == "a" else f"{self.kind} {self.model}"

    def categories(self) -> list[int]:
        return list(range(self.setting.tasks or self.setting.classes))

    def excluded(self) -> dict[int, str]:
        """Always empty: every class has positives and predictions."""
        return {}

    def load(self, category: int) -> Task:
        """One class as a task."""
        if category not in range(self.setting.tasks or self.setting.classes):
            raise InputError(f"category must be one of 0 to {self.categories()[-1]} in {self.name}: got {category!r}")
        labels = positives(self.setting, category).labels(self.setting.items)
        found = columns(self.setting, category, self.model, FITTED)
        others = {other: columns(self.setting, category, other, FITTED).predictions for other in self.others}
        return Task(self.name, category, Pool(found.scores, found.predictions, scale="log"), labels, others)


class Positives(NamedTuple):
    """The positions of the positives of a class, and s: log(their number / the number of a typical class)."""

    places: Integers
    log_size: float

    def labels(self, items: int) -> Flags:
        found = np.zeros(items, dtype=np.bool_)
        found[self.places] = True
        return found


def positives(setting: Setting, category: int) -> Positives:
    """The positives of a class. They are the same for every model."""
    stream = Streams((setting.seed, category), 0).stream(Use.LABELS)
    least, most = setting.positives
    if setting.tail:
        typical = setting.items / setting.classes * float(np.exp(-(setting.tail**2) / 2))  # median of a log-normal
        wanted = typical * float(np.exp(setting.tail * stream.standard_normal()))
        count = min(max(round(wanted), least), most)
    else:
        count = typical = int(stream.integers(least, most, endpoint=True))
    places = np.sort(stream.choice(setting.items, count, replace=False))
    return Positives(places, float(np.log(count / typical)))


def columns(setting: Setting, category: int, model: str, population: Population) -> Columns:
    """Scores and predictions of one model for one class."""
    streams = Streams((setting.seed, category), 1 + list(setting.models).index(model))
    places, log_size = positives(setting, category)
    fitted = replace(population, reach=population.reach + setting.reach)
    sizes = (setting.classes, setting.items)
    found = generator.columns(streams, fitted, setting.models[model], *sizes, places, log_size)
    return strew(found, places, setting.strewn, streams.stream(Use.STREWN)) if setting.strewn else found


def strew(found: Columns, places: Integers, share: float, stream: np.random.Generator) -> Columns:
    """Move a share of the positives to random ranks from n_pred to DEPTH n_pred, and remove their predictions."""
    scores, predictions = found.scores.copy(), found.predictions.copy()
    moved = stream.choice(places, round(share * len(places)), replace=False)
    predictions[moved] = False
    if not predictions.any():  # all predicted items were moved: predict the best of the items that were not predicted
        predictions[np.argmax(np.where(found.predictions, -np.inf, scores))] = True
    ranked = np.sort(np.delete(scores, moved))[::-1]
    n_pred = int(np.count_nonzero(predictions))
    rank = n_pred + stream.random(len(moved)) * (min(DEPTH * n_pred, len(ranked) - 1) - n_pred)
    scores[moved] = (ranked[rank.astype(np.int64)] + ranked[rank.astype(np.int64) + 1]) / 2
    return Columns(scores, predictions)
