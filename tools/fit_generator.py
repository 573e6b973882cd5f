"""Fit the generator of the simulated tasks to real score files, and show how well it fits.

    python tools/fit_generator.py FOLDER            measured parameters; tables of real against simulated (3 minutes)
    python tools/fit_generator.py FOLDER --solve    also solve for the parameters that cannot be measured (20 minutes)

FOLDER holds simclr_250.npy, simclr.npy, byol.npy and swav.npy, the log-softmax of the same items (float16,
[items, classes]), and labels.npz, whose `y` is the class of each item. What is a property of classes is fitted on the
even ones, what is a property of items on the items of all classes; the tables have both halves. The parameters stand
as constants in src/lowshot_bench/families/simulated.py; this only prints them.
Nothing here runs a sampler or an estimator: the generator must not be made by what it is to show.
"""

import sys
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtri

from lowshot_bench.families.generator import Columns, Model, Population
from lowshot_bench.families.simulated import FITTED, REAL, SETTINGS, Setting, columns, positives

Array = np.ndarray[Any, Any]
TASKS = 200  # simulated classes for each comparison
FAMILY_TASKS = 1000  # for the qualities of simulated families
TARGETS = {"imagenet50k": (0.45, 0.55, 0.65), "inat100k": (0.3, 0.4, 0.5)}  # mean F1 of the models a, b, c


class Scores:
    """A real file, its logits in units of each item's standard deviation over the wrong classes."""

    def __init__(self, folder: Path, model: str) -> None:
        self.y = np.load(folder / "labels.npz")["y"].astype(np.int64)
        self.scores = np.load(folder / f"{model}.npy").astype(np.float32)
        self.predicted = self.scores.argmax(axis=1)
        rows = np.arange(len(self.y))
        self.wrong = self.scores.copy()
        self.wrong[rows, self.y] = np.nan
        middle, deviation = np.nanmean(self.wrong, axis=1), np.nanstd(self.wrong, axis=1)
        self.wrong = (self.wrong - middle[:, None]) / deviation[:, None]
        self.true = (self.scores[rows, self.y] - middle) / deviation
        self.log_scale = np.log(deviation)
        self.best = np.nanmax(self.wrong, axis=1)

    @property
    def classes(self) -> int:
        return int(self.scores.shape[1])

    def within(self, values: Array) -> Array:
        """Values less the mean of the item's class."""
        means = np.array([values[self.y == c].mean() for c in range(self.classes)])
        return np.asarray(values - means[self.y])

    def column(self, category: int) -> tuple[Columns, Array]:
        return Columns(self.scores[:, category], self.predicted == category), self.y == category


def correlation(a: Array, b: Array) -> float:
    good = ~(np.isnan(a) | np.isnan(b))
    return float(np.corrcoef(a[good], b[good])[0, 1])


def shape(file: Scores) -> dict[str, Array]:
    """q, d, m, w, k of the even classes, and the upper edge that k is read from."""
    even = range(0, file.classes, 2)
    edge = float(-ndtri(0.5 / file.classes))
    own = [file.true[file.y == c] for c in even]
    other = [file.wrong[file.y != c, c] for c in even]
    middle, width = np.array([x.mean() for x in other]), np.array([x.std() for x in other])
    reach = np.array([np.quantile(x, 1 - 0.5 / file.classes) for x in other])
    return {
        "q": np.array([x.mean() for x in own]),
        "d": np.array([x.std() for x in own]),
        "own skew": np.array([stats.skew(x) for x in own]),
        "m": middle,
        "w": width,
        "k": ((reach - middle) / width - edge) * 6 / (edge**2 - 1),
    }


def measured_model(file: Scores) -> Model:
    """What differs from model to model, read from a file."""
    found = shape(file)
    uniform = (np.arange(100_000) + 0.5) / 100_000
    largest = ndtri(uniform ** (1 / (file.classes - 1)))
    return Model(
        quality=float(found["q"].mean()),
        class_spread=float(found["q"].std()),
        item_spread=float(np.exp(np.log(found["d"]).mean())),
        sharpness=float(np.exp(file.log_scale.mean())),
        skew=float((file.best.mean() - largest.mean()) * 6 / (largest**2 - 1).mean()),
    )


def measured_population(file: Scores) -> dict[str, float]:
    """What models have in common, read from one file."""
    found, model = shape(file), measured_model(file)
    clear, scale = file.within(file.true), file.within(file.log_scale)
    return {
        "class_skew": float(stats.skew(found["q"])),
        "spread_spread": float(np.log(found["d"]).std()),
        "spread_with_class": correlation(found["q"], np.log(found["d"])),
        "width": float(found["w"].mean()),
        "width_spread": float(found["w"].std()),
        "width_with_class": correlation(found["q"], found["w"]),
        "skew_offset": float(found["k"].mean() - model.skew),
        "skew_spread": float(found["k"].std()),
        "skew_with_class": correlation(found["q"], found["k"]),
        "scale_spread": float(file.log_scale.std()),
        "own_with_scale": correlation(clear, scale),
        "own_skew": float(found["own skew"].mean()),
        "rival_with_own": float(np.cov(clear, file.within(file.best))[0, 1] / clear.std()),
    }


def measured_shared(a: Scores, b: Scores) -> dict[str, float]:
    """Correlations between two models."""
    first, second = shape(a), shape(b)
    even = range(0, a.classes, 2)
    return {
        "shared_class": correlation(first["q"], second["q"]),
        "shared_shape": float(np.mean([correlation(first[key], second[key]) for key in ("d", "m", "w", "k")])),
        "shared_scale": correlation(a.log_scale, b.log_scale),
        "shared_own": correlation(a.within(a.true), b.within(b.true)),
        "shared_close": float(np.mean([correlation(a.wrong[:, c], b.wrong[:, c]) for c in even])),
        "shared_rival": correlation(a.best, b.best),
    }


FACTS = (
    "n_pred / positives",
    "precision",
    "recall",
    "F1",
    "positives in top 1 n_pred",
    "positives in top 3 n_pred",
    "positives in top 6 n_pred",
    "positives in top 20 n_pred",
    "predicted below top n_pred",
    "probability, predicted",
    "probability, positives",
    "score of negatives, 0.1 %",
    "score of negatives, 10 %",
    "score of negatives, 50 %",
    "score of negatives, 90 %",
    "score of negatives, 99 %",
    "score of negatives, 99.9 %",
    "score of positives, 10 %",
    "score of positives, 50 %",
    "score of positives, 90 %",
)
RATIO, F1 = 0, 3


def facts(column: Columns, labels: Array) -> Array:
    """What a task looks like, one number for each of FACTS."""
    scores, predicted = column.scores.astype(np.float64), column.predictions
    n_pred, count, tp = max(predicted.sum(), 1), labels.sum(), (predicted & labels).sum()
    rank = np.empty(len(scores))
    rank[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    shares = [(rank[labels] < k * n_pred).mean() for k in (1, 3, 6, 20)]
    outside = (rank[predicted] >= n_pred).sum() / n_pred
    sure = (np.exp(scores[predicted]).sum() / n_pred, np.exp(scores[labels]).mean())
    negative = np.quantile(scores[~labels], [0.001, 0.1, 0.5, 0.9, 0.99, 0.999])
    positive = np.quantile(scores[labels], [0.1, 0.5, 0.9])
    start = (n_pred / count, tp / n_pred, tp / count, 2 * tp / (n_pred + count))
    return np.array([*start, *shares, outside, *sure, *negative, *positive])


def real_facts(file: Scores, half: int) -> Array:
    return np.array([facts(*file.column(c)) for c in range(half, file.classes, 2)])


def like(file: Scores, models: dict[str, Model]) -> Setting:
    """As many items, classes and positives as the real file has."""
    each = len(file.y) // file.classes
    return Setting(seed=99, items=len(file.y), classes=file.classes, positives=(each, each), models=models)


def simulated(setting: Setting, category: int, model: str, population: Population = FITTED) -> tuple[Columns, Array]:
    return columns(setting, category, model, population), positives(setting, category).labels(setting.items)


def simulated_facts(setting: Setting, model: str, population: Population = FITTED, tasks: int = TASKS) -> Array:
    return np.array([facts(*simulated(setting, c, model, population)) for c in range(tasks)])


ALIKE = (
    "same prediction, positives",
    "predicted by both / either, positives",
    "predicted by both / either, negatives",
    "correlation of scores, positives",
    "correlation of scores, all items",
)


def alike(first: tuple[Columns, Array], second: tuple[Columns, Array]) -> Array:
    """How alike two models are on the items of one class, one number for each of ALIKE."""
    (a, labels), (b, _) = first, second
    both, either = a.predictions & b.predictions, a.predictions | b.predictions
    overlap = [both[part].sum() / max(either[part].sum(), 1) for part in (labels, ~labels)]
    scores = [correlation(a.scores[part].astype(float), b.scores[part].astype(float)) for part in (labels, labels >= 0)]
    return np.array([(a.predictions == b.predictions)[labels].mean(), *overlap, *scores])


def real_alike(a: Scores, b: Scores, half: int) -> Array:
    return np.array([alike(a.column(c), b.column(c)) for c in range(half, a.classes, 2)])


def simulated_alike(setting: Setting, a: str, b: str, tasks: int = TASKS // 2) -> Array:
    return np.array([alike(simulated(setting, c, a), simulated(setting, c, b)) for c in range(tasks)])


def solve(files: dict[str, Scores]) -> None:
    """Qualities, reach and its spread: F1 of each model, and n_pred / positives over all, become as in the files."""
    population, models = FITTED, dict(REAL)
    real = {name: real_facts(file, 0) for name, file in files.items()}
    for _ in range(5):
        setting = like(next(iter(files.values())), models)
        found = {name: simulated_facts(setting, name, population) for name in files}
        wanted, got = [np.array([x[name][:, RATIO] for name in files]) for x in (real, found)]
        population = replace(
            population,
            reach=float(population.reach + (wanted.mean() - got.mean()) / 2.2),
            reach_spread=float(population.reach_spread * wanted.std(axis=1).mean() / got.std(axis=1).mean()),
        )
        for name in files:
            missing = float(real[name][:, F1].mean() - found[name][:, F1].mean())
            models[name] = replace(models[name], quality=models[name].quality + missing / 0.33)
    print(f"solved: reach {population.reach:.3f}, reach_spread {population.reach_spread:.3f}, quality", end="")
    print(", ".join(f" {name} {model.quality:.3f}" for name, model in models.items()))


def solve_family(name: str, targets: tuple[float, ...]) -> None:
    """Qualities of the models a, b, c for these mean F1, and reach, so that predictions add up to the items."""
    setting = SETTINGS[name]
    for _ in range(2):
        found = np.array([simulated_facts(setting, model, tasks=FAMILY_TASKS) for model in setting.models])
        counts = np.array([len(positives(setting, c).places) for c in range(FAMILY_TASKS)])
        total = (found[:, :, RATIO] * counts).sum() / counts.sum() / len(targets)
        models = {
            model: replace(old, quality=old.quality + float(target - got) / 0.35)
            for (model, old), target, got in zip(setting.models.items(), targets, found[:, :, F1].mean(1), strict=True)
        }
        setting = replace(setting, models=models, reach=setting.reach - float(total - 1) / 2.6)
    print(f"solved for {name}: reach {setting.reach:.3f}, quality", end="")
    print(", ".join(f" {model} {found.quality:.3f}" for model, found in setting.models.items()))


def table(title: str, names: tuple[str, ...], parts: dict[str, Array]) -> None:
    """Mean and standard deviation over classes."""
    print(f"\n{title:40s}" + "".join(f"{name:>18s}" for name in parts))
    for row, name in enumerate(names):
        cells = (f"{x[:, row].mean():10.3f} ± {x[:, row].std():5.3f}" for x in parts.values())
        print(f"  {name:38s}" + "".join(cells))


def show_measured(files: dict[str, Scores]) -> None:
    """All that can be read from the files, and the mean over them."""
    print(f"{'measured':28s}" + "".join(f"{name:>12s}" for name in files) + "        mean    constant")
    each = [{**asdict(measured_model(file)), **measured_population(file)} for file in files.values()]
    for key in each[0]:
        values = [found[key] for found in each]
        constant = f"{asdict(FITTED)[key]:12.3f}" if key in asdict(FITTED) else ""
        print(f"  {key:26s}" + "".join(f"{value:12.3f}" for value in [*values, np.mean(values)]) + constant)
    gain = (REAL["simclr_250"].quality - REAL["simclr"].quality) / np.log(250 / 50)  # labels a class of the two
    print(f"  {'gain':26s}{gain:60.3f}{FITTED.gain:12.3f}")
    pairs = [measured_shared(a, b) for a, b in combinations(files.values(), 2)]
    for key in pairs[0]:
        values = [found[key] for found in pairs]
        spread = f"{min(values):.3f} to {max(values):.3f}"
        print(f"  {key:26s}{spread:>48s}{np.mean(values):12.3f}{asdict(FITTED)[key]:12.3f}")


def show_tables(files: dict[str, Scores]) -> None:
    setting = like(next(iter(files.values())), REAL)
    for name, file in files.items():
        parts = {"real, even": real_facts(file, 0), "real, odd": real_facts(file, 1)}
        table(name, FACTS, {**parts, "simulated": simulated_facts(setting, name)})
    for a, b in combinations(files, 2):
        parts = {"real, even": real_alike(files[a], files[b], 0), "real, odd": real_alike(files[a], files[b], 1)}
        table(f"{a} and {b}", ALIKE, {**parts, "simulated": simulated_alike(setting, a, b)})
    for name, made in SETTINGS.items():
        if made.items < 1_000_000:
            table(name, FACTS, {model: simulated_facts(made, model, tasks=TASKS // 2) for model in made.models})


def main(folder: Path, solving: bool) -> None:
    files = {name: Scores(folder, name) for name in REAL}
    show_measured(files)
    if solving:
        solve(files)
        for name, targets in TARGETS.items():
            solve_family(name, targets)
    show_tables(files)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--solve"]):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), "--solve" in sys.argv)
