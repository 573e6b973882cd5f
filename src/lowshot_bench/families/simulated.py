"""Simulated classifiers at the paper's sizes.

>>> family = SimulatedFamily("imagenet50k", others=["b"])
>>> task = family.load(7)
>>> len(task.pool), task.positives, sorted(task.others)
(50000, 50, ['b'])

A network pre-trained without labels and fine-tuned on few labels a class, seen through one column of its softmax. In
the four real files that the generator was fitted to, the logits of an item, divided by their standard deviation over
the wrong classes, are close to standard normal for the wrong classes, and normal around a quality for the true one.
From this follow the rest: which class wins, by how much (over-confidence: the divisor is about 7), how far down the
ranking positives and predictions lie. The formulas are in `generator.py`; the constants below are
    measured   on the even classes of the files, by `tools/fit_generator.py`, which also prints real against simulated
               for both halves: all but those below; FITTED has the mean over the four files. What is a property of
               items, not of classes (sharpness, skew, scale, own, rival), was read from the items of all classes; from
               those of the even ones alone, the means differ by at most 0.012, sharpness by 1 %;
    solved     so that the simulated tasks have the same facts: REAL's qualities (mean F1), `reach` and `reach_spread`
               (mean and standard deviation over classes of n_pred / positives);
    set        the qualities of the models a, b, c, for mean F1 of 0.45, 0.55, 0.65 (inat100k: 0.3, 0.4, 0.5), and
               `Setting.reach`, so that the predictions of all classes add up to the items, as argmax demands.
They were chosen by such facts alone: no result of a sampler or an estimator on simulated data was looked at.

The three models score the same items with the same labels, and are correlated as the real ones are. Each class is a
task of its own: labels of different classes are drawn independently, and an item may be positive for none or for two.
A class that a model never predicts (rare, in inat100k only) gets the item that came closest, so that none is excluded.

    imagenet1m, imagenet50k   1,000 classes; 1,268 and 50 positives a class
    inat100k                  5,089 classes with 3 to 300 positives, 19 on average, log-normal. Larger classes had more
                              labels: their quality rises by `gain` a unit of log size, which is what five times the
                              labels did for simclr (simclr_250), and their logits by the log size itself
    easy                      quality so high that F1 is above 0.9 and few items lie between sure and impossible
    underconfident            as imagenet50k, sharpness 1.5: probabilities of positives far below their precision
    strewn                    a third of the positives get scores from all over the first 100 n_pred ranks; the others
                              are ranked as by imagenet's c (a), as by an easy model (c), and between (b)
"""

from collections.abc import Sequence
from dataclasses import replace

from lowshot import checks
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot_bench.families.population import Model, Population
from lowshot_bench.families.setting import Setting, columns, positives
from lowshot_bench.families.task import Task

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
AVERAGE = Model(
    quality=2.04, class_spread=0.43, item_spread=0.89, sharpness=7.0, skew=-0.19
)  # mean of the four; geometric for sharpness


def _models(a: float, b: float, c: float, base: Model = AVERAGE) -> dict[str, Model]:
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
    """One model of a simulated family; `others` are further models, whose predictions come with each task.

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
        """None: every class has positives and predictions."""
        return {}

    def load(self, category: int) -> Task:
        if category not in range(self.setting.tasks or self.setting.classes):
            raise InputError(f"category must be one of 0 to {self.categories()[-1]} in {self.name}: got {category!r}")
        labels = positives(self.setting, category).labels(self.setting.items)
        found = columns(self.setting, category, self.model, FITTED)
        others = {other: columns(self.setting, category, other, FITTED).predictions for other in self.others}
        return Task(self.name, category, Pool(found.scores, found.predictions, scale="log"), labels, others)
