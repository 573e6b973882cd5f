"""Speed and memory of an evaluation with many classes: `make bench-classes`.

Rounds are compared with NumPy's own `np.sort` of the same scores along the classes, in the same run. The scores are
simulated (normal logits, classes of uneven size, seed 0), because only the sizes matter here. The peak of the memory is
that of a process of its own, which makes a `ClassPool` from a float16 memory map; the file is written to a temporary
folder first.
"""

import argparse
import platform
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

import lowshot
from lowshot_bench.classes.rounds import Rounds
from memory import peak

ITEMS, CLASSES = 55_084, 200  # as in Tiny-ImageNet
LABELS = 1_000
LARGE_ITEMS, LARGE_CLASSES = 10**6, 1_000
BLOCK = 10_000  # rows that are written at a time
THREADS = 2
SORTS = 3  # of which the fastest counts
console = Console(width=120)


def simulated(items: int, classes: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Logits as float32 and the true class of each item; the largest class is ten times as large as the smallest."""
    share = np.linspace(1, 10, classes)
    labels = random.choice(classes, size=items, p=share / share.sum())
    scores = random.normal(size=(items, classes)).astype(np.float32)
    scores[np.arange(items), labels] += 2.5
    return scores, labels


def seconds_to_sort(scores: np.ndarray) -> float:
    """Wall seconds of the fastest of a few calls of `np.sort`."""
    found = []
    for _ in range(SORTS):
        start = time.perf_counter()
        np.sort(scores, axis=1)
        found.append(time.perf_counter() - start)
    return min(found)


def evaluated(scores: np.ndarray, labels: np.ndarray, budget: int) -> dict[str, float]:
    """Seconds to make the pool, of the slowest round, of all rounds, and of one estimate and one table at the end."""
    start = time.perf_counter()
    pool = lowshot.ClassPool(scores, classes=[f"class {place}" for place in range(scores.shape[1])])
    made = time.perf_counter() - start
    evaluation = lowshot.Evaluation(pool, metric="f1_macro", seed=0)
    rounds = Rounds(evaluation, lambda items: [f"class {labels[item]}" for item in items])
    rounds.until(budget)
    start = time.perf_counter()
    evaluation.estimate()
    evaluation.table()
    look = time.perf_counter() - start
    names = ("make the pool", "slowest round", f"all {len(rounds.seconds)} rounds", "an estimate and a table")
    return dict(zip(names, (made, max(rounds.seconds), sum(rounds.seconds), look), strict=True))


def rounds_table(items: int, classes: int, budget: int) -> Table:
    """The seconds of each step, and their ratio to a sort of the same scores."""
    scores, labels = simulated(items, classes, np.random.default_rng(0))
    with threadpool_limits(THREADS):
        sort, found = seconds_to_sort(scores), evaluated(scores, labels, budget)
    title = f"{items:,} items x {classes:,} classes, {budget:,} labels; wanted: a round < 1 s, all rounds < 60 s"
    table = Table("step", "seconds", "ratio to np.sort", title=title)
    for name, seconds in {"np.sort": sort, **found}.items():
        table.add_row(name, f"{seconds:.3f}", f"{seconds / sort:.2f}")
    return table


def write(path: Path, items: int, classes: int) -> None:
    """A file of float16 logits, written in blocks of rows."""
    random = np.random.default_rng(0)
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=(items, classes))
    for start in range(0, items, BLOCK):
        block = file[start : start + BLOCK]
        block[:] = random.standard_normal(size=block.shape, dtype=np.float32)
    file.flush()


def opened(path: Path) -> tuple[float, float, float]:
    """The peak memory in MB before the pool was made and after, and the seconds that it took."""
    scores, before = np.load(path, mmap_mode="r"), peak()
    start = time.perf_counter()
    pool = lowshot.ClassPool(scores, classes=list(range(scores.shape[1])))
    seconds = time.perf_counter() - start
    assert len(pool) == len(scores)
    return before, peak(), seconds


def memory_line(folder: Path, items: int, classes: int) -> str:
    """The peak memory of a process that makes a pool, against the size of its file."""
    path = folder / "scores.npy"
    write(path, items, classes)
    size = path.stat().st_size / 1e6
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        before, most, seconds = process.submit(partial(opened, path)).result()
    return (
        f"{items:,} items x {classes:,} classes from a float16 memory map of {size:,.0f} MB: ClassPool in"
        f" {seconds:.1f} s, peak {most:,.0f} MB (wanted: below 4,000), {most / size:.2f} times the file; before it"
        f" {before:,.0f} MB. Pages of the file that are in memory count, too"
    )


def main(items: int, classes: int, labels: int, large: tuple[int, int]) -> None:
    console.print(f"{date.today()}, lowshot {lowshot.__version__}, {platform.machine()}, {THREADS} threads at most")
    console.print(rounds_table(items, classes, labels))
    with tempfile.TemporaryDirectory() as folder:
        console.print(memory_line(Path(folder), *large))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Speed and memory of an evaluation with many classes.")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--classes", type=int, default=CLASSES)
    parser.add_argument("--labels", type=int, default=LABELS)
    large = (LARGE_ITEMS, LARGE_CLASSES)
    parser.add_argument("--large", type=int, nargs=2, default=large, help="items and classes of the memory map")
    given = parser.parse_args()
    main(given.items, given.classes, given.labels, tuple(given.large))
