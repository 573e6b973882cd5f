"""Response times of the labelling page with several annotators: `make bench-page`.

The pool has a million items, the store is a SQLite file, and the server is a process of its own, as with `lowshot
label`. Each annotator is a thread with its own connection. In the first half of the table annotators answer without
pause, which gives the largest number of answers per second; in the second half each looks at an item for one second.
The time that is measured is what a person waits for: from an answer to the next items. An answer is on the disk before
it is acknowledged, so the time of one fsync is printed too.
"""

import http.client
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import lowshot
from lowshot.web import Shown, make_app
from lowshot.web.server import listen, run

ITEMS, SECONDS, ANNOTATORS = 1_000_000, 10.0, (1, 5, 20)  # SECONDS: length of each measurement
LIMIT = "100"  # ms at the 99th percentile, with the most annotators who look at items: a target of the project


def simulated(folder: str) -> lowshot.Evaluation:
    """An evaluation of ITEMS items, of which 0.1 % are positive."""
    numbers = np.random.default_rng(0)
    labels = numbers.random(ITEMS) < 0.001
    pool = lowshot.Pool(numbers.normal(size=ITEMS) + 4 * labels, threshold=3.5, scale="logit")
    return lowshot.Evaluation(pool, store=f"{folder}/page.db")


def serve(evaluation: Callable[[], lowshot.Evaluation], port: Connection) -> None:
    """The server process: send the port to the parent, then serve until the process is terminated."""
    app = make_app(evaluation(), Shown("text", lambda item: [("text", f"item {item}")]))
    listening = listen("127.0.0.1", 0)
    listening.listen()
    port.send(listening.getsockname()[1])
    run(app, listening)


@contextmanager
def served(evaluation: Callable[[], lowshot.Evaluation]) -> Iterator[int]:
    """Run a server in a process of its own, which makes the evaluation; yields its port."""
    spawn = multiprocessing.get_context("spawn")
    mine, theirs = spawn.Pipe()
    process = spawn.Process(target=serve, args=[evaluation, theirs], daemon=True)
    process.start()
    try:
        yield mine.recv()
    finally:
        process.terminate()
        process.join()


class Annotator:
    """The requests that a browser sends for one annotator."""

    def __init__(self, port: int, name: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"}
        self.headers["Cookie"] = f"lowshot_name={name}"

    def post(self, path: str, body: object) -> dict[str, list[dict[str, str]]]:
        self.connection.request("POST", path, json.dumps(body), self.headers)
        reply = self.connection.getresponse()
        found = json.loads(reply.read())
        if reply.status != 200:
            raise RuntimeError(found)
        return dict(found)

    def label(self, until: float, looks: float = 0.0) -> list[float]:
        """Label until a time; seconds from each answer to the next items. `looks`: mean seconds per item before it."""
        items, waited = self.post("/api/items", {})["items"], []
        while items and time.perf_counter() < until:
            time.sleep(looks * random.uniform(0.5, 1.5))
            start = time.perf_counter()
            items = self.post("/api/answer", {"item": items[0]["item"], "answer": "no"})["items"]
            waited.append(time.perf_counter() - start)
        return waited


def sync(folder: str) -> float:
    """Seconds to write 4 kB to the disk with fsync: median of 50."""
    times = []
    with Path(folder, "sync").open("wb") as file:
        for _ in range(50):
            start = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - start)
    return float(np.median(times))


def together(port: int, count: int, looks: float) -> list[float]:
    """The waiting times of this number of annotators, who label at the same time for SECONDS."""
    until = time.perf_counter() + SECONDS
    with ThreadPoolExecutor(count) as pool:
        found = pool.map(lambda number: Annotator(port, f"person{number}").label(until, looks), range(count))
        return [each for one in found for each in one]


def main() -> None:
    console, columns = Console(), ("annotators", "seconds per item", "answers per second", "median, ms")
    table = Table(*columns, "99th percentile, ms", "at most")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, served(partial(simulated, folder)) as port:
        disk = sync(folder)
        Annotator(port, "first").label(time.perf_counter() + 2)  # not measured: the first round ranks the pool
        for looks in (0.0, 1.0):
            for count in ANNOTATORS:
                waited = 1000 * np.array(together(port, count, looks))
                shown = (len(waited) / SECONDS, np.median(waited), np.quantile(waited, 0.99))
                limit = LIMIT if looks and count == max(ANNOTATORS) else "-"
                table.add_row(str(count), f"{looks:g}", *(f"{number:.1f}" for number in shown), limit)
    console.print(f"{date.today()}, {ITEMS:,} items, SQLite, one fsync {1000 * disk:.1f} ms, {sys.platform}", table)


if __name__ == "__main__":
    main()
