"""Speed and memory as ratios measured in one run: `make bench-speed`.

An evaluation is compared with NumPy's own `np.argsort` of the same scores: the best time of a few runs over the best
time of `np.argsort` in the same run. The scores are simulated (normal, rare positives, seed 0), because only the sizes
matter here. Loading is compared with `import numpy`: medians of processes that are started in turn. The limits in the
column "at most" are the project's own targets.
"""

import platform
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

import lowshot

IMAGENET = 1_281_167  # items in the training set of ImageNet
STARTS = 9  # processes per command, of which the median counts
console = Console()
Measured = TypeVar("Measured")

BASE = "import numpy"
LOADED = {  # name: the arguments of Python, and the limit as a multiple of BASE
    BASE: (["-c", BASE], ""),
    "import lowshot": (["-c", "import lowshot"], "4"),
    "first Evaluation": (
        ["-c", "from lowshot import Evaluation, Pool; Evaluation(Pool([.9, .1], threshold=.5))"],
        "4",
    ),
    "lowshot --help": ([str(Path(sys.executable).with_name("lowshot")), "--help"], "3"),
}


def simulated(items: int, positives: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, predictions and labels: as many predictions as positives, and ten more at random ranks."""
    random = np.random.default_rng(seed)
    labels = np.zeros(items, dtype=bool)
    labels[random.choice(items, positives, replace=False)] = True
    scores = random.normal(size=items) + 4 * labels
    predictions = scores >= np.partition(scores, items - positives)[items - positives]
    predictions[random.choice(items, 10, replace=False)] = True
    return scores, predictions, labels


def seconds_of(function: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def best(function: Callable[[], object], runs: int) -> float:
    """Wall seconds of the fastest call."""
    return min(seconds_of(function) for _ in range(runs))


def in_turn(measures: Mapping[str, Callable[[], Measured]], runs: int) -> dict[str, list[Measured]]:
    """What each measure returns in every run. All are called once, then all again, so that load hits all alike.

    One call of each that does not count comes first; it writes bytecode and fills the file cache.
    """
    order = list(measures)
    found: dict[str, list[Measured]] = {name: [] for name in order}
    for number in range(runs + 1):
        for name in order if number % 2 else order[::-1]:
            measured = measures[name]()
            if number:
                found[name].append(measured)
    return found


def whole_evaluation(
    scores: np.ndarray, predictions: np.ndarray, labels: np.ndarray, budget: int, **arguments: object
) -> list[float]:
    """A whole evaluation with an estimate after each round: seconds per round. The first includes making the pool."""
    start = time.perf_counter()
    evaluation = lowshot.Evaluation(lowshot.Pool(scores, predictions, scale="logit"), **arguments)  # type: ignore[arg-type]
    seconds = []
    while evaluation.labels < budget and (items := evaluation.ask(budget - evaluation.labels)):
        evaluation.tell(items, labels[items])
        evaluation.estimate()
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
    return seconds


def loading() -> None:
    """Seconds of a process that imports lowshot or shows its help, over those of one that imports NumPy."""

    def start(arguments: list[str]) -> float:
        return seconds_of(lambda: subprocess.run([sys.executable, *arguments], capture_output=True, check=True))

    measures = {name: partial(start, arguments) for name, (arguments, _) in LOADED.items()}
    seconds = {name: float(np.median(times)) for name, times in in_turn(measures, STARTS).items()}
    title = f"loading: time / time of `{BASE}`, medians of {STARTS} processes in turn"
    table = Table("started", "ratio", "at most", title=title)
    for name, (_, most) in LOADED.items():
        table.add_row(name, f"{seconds[name] / seconds[BASE]:.2f}", most)
    console.print(table, f"{BASE}: {1000 * seconds[BASE]:.0f} ms")


def large_pool(sampler: str, most: str) -> None:
    """Time and peak memory of an evaluation of a pool as large as ImageNet."""
    scores, predictions, labels = simulated(IMAGENET)

    def whole() -> list[float]:
        return whole_evaluation(scores, predictions, labels, 600, sampler=sampler)

    sort, seconds = best(lambda: np.argsort(scores), 7), best(whole, 7)
    tracemalloc.start()
    whole()
    peak = tracemalloc.get_traced_memory()[1] / scores.nbytes
    tracemalloc.stop()
    table = Table("measured", "ratio", "at most", title=f"{sampler} to 600 labels, {IMAGENET:,} items")
    table.add_row("time / np.argsort", f"{seconds / sort:.2f}", most)
    table.add_row("peak extra memory / scores", f"{peak:.2f}", "6" if sampler == "acis" else "-")
    console.print(table, f"np.argsort: {1000 * sort:.0f} ms")


def rounds(sampler: str) -> None:
    """Time per round on pools of three sizes: rounds after the first must not depend on the size."""
    table, later = Table("items", "first round", "later rounds", title=f"{sampler}, milliseconds per round"), []
    for items in track((10**5, 10**6, 10**7), description="pool sizes", console=console, transient=True):
        task = simulated(items)
        fastest = np.array([whole_evaluation(*task, 600, sampler=sampler) for _ in range(5)]).min(axis=0)
        shown = ", ".join(f"{1000 * seconds:.1f}" for seconds in fastest[1:])
        table.add_row(f"{items:,}", f"{1000 * fastest[0]:.1f}", shown)
        later.append(fastest[1:].sum())
    console.print(table)
    console.print(f"rounds after the first, slowest size / fastest size: {max(later) / min(later):.2f} (at most 2)")


def every_sampler() -> None:
    """Time of an evaluation with every sampler."""
    scores, predictions, labels = simulated(50_000, positives=100)
    sort = best(lambda: np.argsort(scores), 20)
    title = "300 labels, 50,000 items, an estimate after each round"
    table = Table("sampler", "time / np.argsort", "at most", title=title)
    for name in track(lowshot.samplers, description="samplers", console=console, transient=True):
        runs = 1 if name == "herding" else 3
        seconds = best(lambda name=name: whole_evaluation(scores, predictions, labels, 300, sampler=name), runs)  # type: ignore[misc]
        table.add_row(name, f"{seconds / sort:.0f}", "2000" if name in ("gmm", "herding") else "200")
    console.print(table, f"np.argsort: {1000 * sort:.2f} ms")


def several_models() -> None:
    """Time of an evaluation of several models, over that of one of them; and of a round after the first."""
    random, items = np.random.default_rng(0), 50_000
    labels = random.random(items) < 0.005
    scores = {f"v{number}": random.normal(size=items) + (2.6 + 0.1 * number) * labels for number in range(5)}

    def whole(models: int) -> tuple[float, float]:
        """Seconds of the evaluation, and of its slowest round after the first."""
        pool = lowshot.Pool({name: scores[name] for name in list(scores)[:models]}, threshold=2.3)
        evaluation, rounds = lowshot.Evaluation(pool), []
        start = time.perf_counter()
        while evaluation.labels < 300:
            before = time.perf_counter()
            asked = evaluation.ask(300 - evaluation.labels)
            rounds.append(time.perf_counter() - before)
            evaluation.tell(asked, labels[asked])
        evaluation.table()
        return time.perf_counter() - start, max(rounds[1:])

    found = in_turn({str(models): partial(whole, models) for models in (1, 2, 5)}, 5)
    one = min(seconds for seconds, _ in found["1"])
    title = "several models, 300 labels, 50,000 items: time / time of one model, and the slowest round after the first"
    table = Table("models", "ratio", "at most", "milliseconds per round", "at most", title=title)
    for models, most, longest in (("1", "", ""), ("2", "3", "100"), ("5", "", "250")):
        seconds, slowest = (min(column) for column in zip(*found[models], strict=True))
        table.add_row(models, f"{seconds / one:.2f}", most, f"{1000 * slowest:.0f}", longest)
    console.print(table)


def main() -> None:
    warnings.simplefilter("ignore")  # herding warns that it has no features
    console.print(
        f"{date.today()}, lowshot {lowshot.__version__}, NumPy {np.__version__}, {platform.machine()}, seed 0"
    )
    loading()
    with threadpool_limits(1):  # one thread for everything, because np.argsort uses one
        large_pool("acis", "3")
        large_pool("curve", "3, and 2 s more")
        rounds("acis")
        rounds("curve")
        every_sampler()
        several_models()


if __name__ == "__main__":
    main()
