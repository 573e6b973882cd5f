"""The speed of this tree against that of another commit: `make bench-against COMMIT=8bef2cc`.

    python -m benchmarks.against 8bef2cc [--runs 7]

Both sides do the same work through the public names that both have (Pool, Evaluation, store=). Each side is one process
that has imported its code and waits for the name of a job; the parent runs the jobs in turn, here, there, there, here,
..., so that a change of the load hits both sides. A ratio is the median over runs of the seconds here over the seconds
there: below 1, this tree is faster. On a machine with other work, trust the ratio of CPU seconds. Whether both sides
draw and estimate the same is checked by `make same-as`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import lowshot
from benchmarks.speed import in_turn, simulated, whole_evaluation
from tools.same_as import HERE, source_of

RUNS = 7
SMALL, LARGE = 50_000, 1_000_000  # items
BUDGET, STORED = 310, 300  # labels of a whole evaluation, and of a stored one

Job = Callable[[], object]

# ---- the jobs: each function prepares one and returns what is timed --------------------------------------------------


def whole(sampler: str) -> Job:
    """An evaluation from the pool to BUDGET labels, with an estimate after each round."""
    task = simulated(SMALL, positives=100)
    return lambda: whole_evaluation(*task, BUDGET, sampler=sampler)


def ask(rounds: int) -> Job:
    """The `ask` that opens a round, after this number of complete rounds. The first one ranks the pool."""
    scores, predictions, labels = simulated(LARGE)
    evaluation = lowshot.Evaluation(lowshot.Pool(scores, predictions, scale="logit"))
    for _ in range(rounds):
        items = evaluation.ask(LARGE)  # all items of the round
        evaluation.tell(items, labels[items])
    return lambda: evaluation.ask(LARGE)


def reopen(folder: str) -> Job:
    """Opening a stored evaluation that has STORED labels. The store is made when this is called first."""
    scores, predictions, labels = simulated(SMALL, positives=100)
    store = f"{folder}/evaluation.db"
    if not Path(store).exists():
        evaluation = lowshot.Evaluation(lowshot.Pool(scores, predictions, scale="logit"), store=store)
        while evaluation.labels < STORED:
            items = evaluation.ask(STORED - evaluation.labels)
            evaluation.tell(items, labels[items])
    pool = lowshot.Pool(scores, predictions, scale="logit")

    def opened() -> None:
        found = lowshot.Evaluation(pool, store=store).labels
        if found != STORED:
            sys.exit(f"the stored evaluation must have {STORED} labels: it has {found}")

    return opened


def jobs(folder: str) -> dict[str, Callable[[], Job]]:
    return {
        f"curve to {BUDGET} labels, {SMALL:,} items": lambda: whole("curve"),
        f"acis to {BUDGET} labels, {SMALL:,} items": lambda: whole("acis"),
        f"first ask, {LARGE:,} items": lambda: ask(0),
        f"ask after one round, {LARGE:,} items": lambda: ask(1),
        f"open a store with {STORED} labels, {SMALL:,} items": lambda: reopen(folder),
    }


def seconds_of(job: Job) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    job()
    return time.perf_counter() - wall, time.process_time() - cpu


def work(source: str) -> None:
    """What the process of one side does: read the name of a job, write its seconds, until the input ends."""
    if not Path(lowshot.__file__).is_relative_to(source):
        sys.exit(f"lowshot must be imported from {source}: got {lowshot.__file__}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        known = jobs(folder)
        for line in sys.stdin:
            print(json.dumps(seconds_of(known[line.strip()]())), flush=True)


# ---- the comparison --------------------------------------------------------------------------------------------------


@contextmanager
def side(source: str) -> Iterator[Callable[[str], list[float]]]:
    """A process that runs jobs with the code in this `src` folder: yields a function from a name to its seconds."""
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.against", "--work", source]
    process = subprocess.Popen(
        command, cwd=HERE, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def run(job: str) -> list[float]:
        print(job, file=process.stdin, flush=True)
        answer = process.stdout.readline()  # type: ignore[union-attr]
        if not answer:
            sys.exit(f"the job {job!r} failed with the code in {source}; its error is above")
        return list(json.loads(answer))

    try:
        yield run
    finally:
        process.stdin.close()
        process.wait()


def compare(commit: str, runs: int) -> None:
    console = Console(width=120)
    table = Table("job", "here, CPU ms", f"{commit}, CPU ms", "ratio", "from, to", "ratio, wall")
    table.title = f"this tree / {commit}: median of {runs} runs in turn; below 1, this tree is faster"
    with (
        tempfile.TemporaryDirectory() as folder,
        side(str(HERE / "src")) as here,
        side(source_of(commit, folder)) as there,
    ):
        for job in track(list(jobs("")), "jobs", console=console, transient=True):
            found = in_turn({"here": partial(here, job), "there": partial(there, job)}, runs)
            mine, theirs = np.array(found["here"]).T, np.array(found["there"]).T  # rows: wall, CPU
            walls, ratios = mine / theirs
            medians = (f"{1000 * np.median(cpu):.1f}" for _, cpu in (mine, theirs))
            limits = f"{ratios.min():.2f}, {ratios.max():.2f}"
            table.add_row(job, *medians, f"{np.median(ratios):.2f}", limits, f"{np.median(walls):.2f}")
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    console.print(f"{date.today()}, {os.cpu_count()} cores, load over 1, 5 and 15 minutes {load}, seed 0", table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", help="the commit to compare with")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each job and side, of which the median counts")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work)
    elif given.commit:
        known = subprocess.run(["git", "cat-file", "-e", f"{given.commit}^{{commit}}"], cwd=HERE, capture_output=True)
        if known.returncode:
            parser.error(f"commit must be one of this repository: got {given.commit!r}")
        compare(given.commit, given.runs)
    else:
        parser.error("commit must be given, for example 8bef2cc")


if __name__ == "__main__":
    main()
