"""How long commands take on 5,000,000 rows and on 1,000: `make bench-commands`.

A pool must not be read again by every command: what the first reading found is kept beside the store. Each command runs
as a process of its own, as people run it, and the best of several times is taken. The bar is a ratio of 1.5.

    python benchmarks/commands.py [--repeats 5] [--large 5000000] [--formats parquet csv]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet

SEED, SMALL, LARGE, REPEATS, BAR = 0, 1_000, 5_000_000, 5, 1.5
LABELS = 60  # that are told before commands are measured
RATE = 0.02  # of positives
WIDTH = "0.1"  # that `plan` is asked for: it simulates labels until that is reached, and the time grows with them
TITLES = 1_000  # different texts that people are shown


class Times(NamedTuple):
    """Seconds until a command ended, until it printed something, and of the processor, which others may use, too."""

    whole: float
    first: float
    used: float


def pool(items: int) -> pyarrow.Table:
    """Text ids, probabilities and a title; the last of the id says whether the item is positive."""
    random = np.random.default_rng(SEED)
    truth = random.random(items) < RATE
    score = 1 / (1 + np.exp(3 - 4 * truth - random.normal(size=items)))
    ids = np.char.add(np.char.mod("images/%08d-", np.arange(items)), truth.astype(int).astype(str))
    titles = np.char.mod("A bird at place %d", np.arange(items) % TITLES)
    return pyarrow.table({"path": ids, "p": score, "title": titles})


def run(*arguments: str, folder: Path) -> Times:
    """A command; it must succeed."""
    started, before = time.perf_counter(), processor()
    command = [sys.executable, "-c", "from lowshot.cli import main; main()", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        text = process.stdout.read(1)
        first = time.perf_counter() - started
        text += process.stdout.read()
    if process.returncode:
        raise SystemExit(f"lowshot {' '.join(arguments)} failed:\n{text.decode()}")
    return Times(time.perf_counter() - started, first, processor() - before)


def processor() -> float:
    """Seconds of the processor that all commands took so far."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def prepare(folder: Path, name: str) -> Times:
    """Begin an evaluation and tell it labels."""
    options = ("--id", "path", "--score", "p", "--threshold", "0.5", "--field", "title", "--question", "Is it a bird?")
    began = run("start", f"{name}.db", "--pool", name, *options, folder=folder)
    told = 0
    while told < LABELS:
        told += fill_in(folder, name)
        run("tell", f"{name}.db", f"{name}.items.csv", folder=folder)
    return began


def fill_in(folder: Path, name: str) -> int:
    """Ask for items and write their labels into the file; how many they are."""
    path = folder / f"{name}.items.csv"
    path.unlink(missing_ok=True)
    run("ask", f"{name}.db", "-o", path.name, folder=folder)
    table = pyarrow.csv.read_csv(path)
    labels = [int(item[-1]) for item in table["id"].to_pylist()]
    pyarrow.csv.write_csv(pyarrow.table({"id": table["id"], "label": labels}), path)
    return len(labels)


def measured(folder: Path, name: str, command: str, repeats: int) -> Times:
    """The best of several runs. Before `tell`, items are asked for and filled in; after `ask` they stay open."""
    arguments: dict[str, Sequence[str]] = {
        "ask": ("--again", "--count", "5"),
        "plan": ("--half-width", WIDTH),
        "tell": (f"{name}.items.csv",),
    }
    found = []
    for _ in range(repeats):
        if command in ("tell", "ask"):
            fill_in(folder, name)
        found.append(run(command, f"{name}.db", *arguments.get(command, ()), folder=folder))
        if command == "ask":
            run("tell", f"{name}.db", f"{name}.items.csv", folder=folder)
    return Times(*(min(column) for column in zip(*found, strict=True)))


def compare(folder: Path, small: str, large: str, repeats: int) -> None:
    """Print a table: seconds on both pools and their ratio, the ratio of processor time, and the first output."""
    began = [prepare(folder, name) for name in (small, large)]
    print(f"\n{large}\n\n| command | {SMALL:,} items | large | ratio | processor | first output |")
    print("|---|---|---|---|---|---|")
    print(f"| start | {began[0].whole:.1f} s | {began[1].whole:.1f} s | | | {began[1].first:.1f} s |", flush=True)
    for command in ("plan", "estimate", "status", "ask", "tell"):  # the last two add labels
        one, two = (measured(folder, name, command, repeats) for name in (small, large))
        ratio = two.whole / one.whole
        print(
            f"| {command} | {one.whole:.2f} s | {two.whole:.2f} s | {ratio:.2f}{' (!)' * (ratio > BAR)}"
            f" | {two.used / one.used:.2f} | {two.first:.2f} s |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--large", type=int, default=LARGE)
    parser.add_argument("--formats", nargs="+", choices=("parquet", "csv"), default=("parquet", "csv"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size, items in (("small", SMALL), ("large", given.large)):
            table = pool(items)
            pyarrow.parquet.write_table(table, folder / f"{size}.parquet")
            pyarrow.csv.write_csv(table, folder / f"{size}.csv")
            del table
        print(f"{given.large:,} rows against {SMALL:,}; seed {SEED}, best of {given.repeats}", flush=True)
        for ending in given.formats:
            compare(folder, f"small.{ending}", f"large.{ending}", given.repeats)


if __name__ == "__main__":
    main()
