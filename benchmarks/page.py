"""How fast is the labelling page? `make bench-page`: annotators at once, a pool of a million items, a SQLite store.

The server is a process of its own, as `lowshot label` is. Each annotator is a thread with a connection of its own:
first one that answers as fast as it can, which no person does, for the answers a second; then one that looks at an item
for a second. What is measured is what a person waits for: from an answer to the next items. Every answer is on the disk
before it is acknowledged, so the disk's own time for that is printed, too.
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

ITEMS, SECONDS, ANNOTATORS = 1_000_000, 10.0, (1, 5, 20)


def simulated(folder: str) -> lowshot.Evaluation:
    """A million items, one in a thousand of them positive."""
    numbers = np.random.default_rng(0)
    labels = numbers.random(ITEMS) < 0.001
    pool = lowshot.Pool(numbers.normal(size=ITEMS) + 4 * labels, threshold=3.5, scale="logit")
    return lowshot.Evaluation(pool, store=f"{folder}/page.db")


def serve(evaluation: Callable[[], lowshot.Evaluation], port: Connection) -> None:
    """What the process of the server does, until it is ended."""
    app = make_app(evaluation(), Shown("text", lambda item: [("text", f"item {item}")]))
    listening = listen("127.0.0.1", 0)
    listening.listen()
    port.send(listening.getsockname()[1])
    run(app, listening)


@contextmanager
def served(evaluation: Callable[[], lowshot.Evaluation]) -> Iterator[int]:
    """The port of a server, whose process makes the evaluation."""
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
    """A browser without a picture."""

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
        """Seconds from each answer to the next items."""
        items, waited = self.post("/api/items", {})["items"], []
        while items and time.perf_counter() < until:
            time.sleep(looks * random.uniform(0.5, 1.5))
            start = time.perf_counter()
            items = self.post("/api/answer", {"item": items[0]["item"], "answer": "no"})["items"]
            waited.append(time.perf_counter() - start)
        return waited


def sync(folder: str) -> float:
    """Seconds that the disk takes to keep 4 kB, median of 50."""
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
    """What all of them waited."""
    until = time.perf_counter() + SECONDS
    with ThreadPoolExecutor(count) as pool:
        found = pool.map(lambda number: Annotator(port, f"person{number}").label(until, looks), range(count))
        return [each for one in found for each in one]


def main() -> None:
    console, columns = Console(), ("annotators", "seconds an item", "answers a second", "median, ms")
    table = Table(*columns, "99th percentile, ms", "at most")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, served(partial(simulated, folder)) as port:
        disk = sync(folder)
        Annotator(port, "first").label(time.perf_counter() + 2)  # the first round ranks the pool
        for looks in (0.0, 1.0):
            for count in ANNOTATORS:
                waited = 1000 * np.array(together(port, count, looks))
                shown = (len(waited) / SECONDS, np.median(waited), np.quantile(waited, 0.99))
                limit = "100" if looks and count == max(ANNOTATORS) else "-"
                table.add_row(str(count), f"{looks:g}", *(f"{number:.1f}" for number in shown), limit)
    console.print(f"{date.today()}, {ITEMS:,} items, SQLite, one fsync {1000 * disk:.1f} ms, {sys.platform}", table)


if __name__ == "__main__":
    main()
