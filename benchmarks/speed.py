"""Speed and memory as ratios measured in one run: `make bench-speed`.

Every time is the best of a few runs and is divided by NumPy's own `np.argsort` of the same scores, taken in
the same run. The scores are simulated (normal, rare positives, seed 0): only sizes matter here.
"""

import platform
import time
import tracemalloc
import warnings
from collections.abc import Callable
from datetime import date

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

import lowshot

IMAGENET = 1_281_167
console = Console()


def simulated(items: int, positives: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, predictions and labels: as many predictions as positives, a few of them far down the ranking."""
    random = np.random.default_rng(seed)
    labels = np.zeros(items, dtype=bool)
    labels[random.choice(items, positives, replace=False)] = True
    scores = random.normal(size=items) + 4 * labels
    predictions = scores >= np.partition(scores, items - positives)[items - positives]
    predictions[random.choice(items, 10, replace=False)] = True
    return scores, predictions, labels


def best(function: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def whole_evaluation(
    scores: np.ndarray, predictions: np.ndarray, labels: np.ndarray, budget: int, **arguments: object
) -> list[float]:
    """A whole evaluation with an estimate after each round; seconds of each round (the first with the pool)."""
    start = time.perf_counter()
    evaluation = lowshot.Evaluation(lowshot.Pool(scores, predictions, scale="logit"), **arguments)  # type: ignore[arg-type]
    seconds = []
    while evaluation.labels < budget and (items := evaluation.ask(budget - evaluation.labels)):
        evaluation.tell(items, labels[items])
        evaluation.estimate()
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
    return seconds


def large_pool(sampler: str, most: str) -> None:
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
    table, later = Table("items", "first round", "later ones", title=f"{sampler}, milliseconds a round"), []
    for items in track((10**5, 10**6, 10**7), description="pool sizes", console=console, transient=True):
        task = simulated(items)
        fastest = np.array([whole_evaluation(*task, 600, sampler=sampler) for _ in range(5)]).min(axis=0)
        shown = ", ".join(f"{1000 * seconds:.1f}" for seconds in fastest[1:])
        table.add_row(f"{items:,}", f"{1000 * fastest[0]:.1f}", shown)
        later.append(fastest[1:].sum())
    console.print(table)
    console.print(f"rounds after the first, slowest size / fastest size: {max(later) / min(later):.2f} (at most 2)")


def every_sampler() -> None:
    scores, predictions, labels = simulated(50_000, positives=100)
    sort = best(lambda: np.argsort(scores), 20)
    table = Table("sampler", "time / np.argsort", "at most", title="300 labels, 50,000 items, estimates every round")
    for name in track(lowshot.samplers, description="samplers", console=console, transient=True):
        runs = 1 if name == "herding" else 3
        seconds = best(lambda name=name: whole_evaluation(scores, predictions, labels, 300, sampler=name), runs)  # type: ignore[misc]
        table.add_row(name, f"{seconds / sort:.0f}", "2000" if name in ("gmm", "herding") else "200")
    console.print(table, f"np.argsort: {1000 * sort:.2f} ms")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # herding without features says so
    console.print(
        f"{date.today()}, lowshot {lowshot.__version__}, NumPy {np.__version__}, {platform.machine()}, seed 0"
    )
    with threadpool_limits(1):  # np.argsort has one thread, so everything else gets one too
        large_pool("acis", "3")
        large_pool("curve", "3, and 2 s more")
        rounds("acis")
        rounds("curve")
        every_sampler()
