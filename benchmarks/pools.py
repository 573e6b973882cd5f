"""Speed and memory of a pool that stays in a Parquet file: `make bench-pools`.

Opening the pool and an ACIS evaluation to 600 labels are compared with plain DuckDB queries on the same file: the
number of rows, the number of predicted positives, and the 200,000 highest scores. Each measurement is a process of its
own with 2 threads, starts after the imports, and is the best of a few runs by CPU seconds. Wall seconds are printed
too, but they can be compared only on an idle machine. The files are made by a formula of the row number, so they are
always the same.
"""

import argparse
import os
import platform
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from datetime import date
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import lowshot
from lowshot.core.drawing import WORD, mix_integers
from lowshot.pools.ibis_columns import ID
from lowshot.pools.ibis_engine import MIX, with_mix
from memory import peak
from page import Annotator, served

THREADS, LABELS, HEAD, RUNS = 2, 600, 200_000, 3
POSITIVE, THRESHOLD = 0.0001, 0.5  # the share of positives; the lowest score that is predicted positive
FEW = 280  # predicted positives in the runs in which their number does not grow with the file
PICTURE = Path(__file__).parent.parent / "docs" / "pools.png"
console = Console(width=110)


def engine() -> Any:
    """A connection to DuckDB with THREADS threads, without its progress bar, which would overwrite ours."""
    connection = ibis.duckdb.connect(threads=THREADS)
    connection.raw_sql("SET enable_progress_bar = false")
    return connection


def make(path: Path, rows: int, texts: bool, two: bool = False) -> None:
    """Write a file of ids and probabilities: normal logits, those of positives higher by seven.

    With `two` scores, the logits of both have a correlation of 0.6.
    """
    if path.exists():
        return
    connection = engine()
    connection.raw_sql(f"CREATE VIEW numbers AS SELECT range AS {ID} FROM range({rows})")
    table = connection.table("numbers")
    for seed, name in enumerate("uvwxy"):  # uniform numbers for each row, from the row number
        table = with_mix(table, seed, "duckdb")
        table = table.mutate(**{name: (table[MIX] + 0.5) / (WORD + 1)}).drop(MIX)
    normal, further = (
        (-2 * one.ln()).sqrt() * (2 * np.pi * other).cos() for one, other in ((table.u, table.v), (table.x, table.y))
    )
    name = ibis.literal("item-") + table[ID].cast("string") if texts else table[ID]
    columns = {"score": normal, **({"other": 0.6 * normal + 0.8 * further} if two else {})}
    scores = {column: 1 / (1 + (-_logit(table, numbers)).exp()) for column, numbers in columns.items()}
    connection.to_parquet(table.select(id=name, **scores), path)


def _logit(table: Any, normal: Any) -> Any:
    return 1.7 * normal - 6 + ibis.ifelse(table.w < POSITIVE, 7, 0)


def answer(items: list[Any]) -> list[bool]:
    """The true labels of these items, by the same formula as in `make`."""
    numbers = np.array([int(str(item).removeprefix("item-")) for item in items])
    return [bool(one) for one in (mix_integers(numbers, 2) + 0.5) / (WORD + 1) < POSITIVE]


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Watch:
    """Wall and CPU seconds since the object was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), cpu()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._wall, cpu() - self._cpu


def bare(path: Path) -> dict[str, Any]:
    """The plain DuckDB queries."""
    connection, watch = engine().con, Watch()
    connection.sql(f"SELECT count(*), count(*) FILTER (score >= {THRESHOLD}) FROM '{path}'").to_arrow_table()
    connection.sql(f"SELECT id, score FROM '{path}' ORDER BY score DESC LIMIT {HEAD}").to_arrow_table()
    wall, used = watch.read()
    return {"wall": wall, "cpu": used, "peak": peak()}


def opened(path: Path, asking: Callable[[], None], threshold: float = THRESHOLD, score: Any = "score") -> Any:
    """The pool of a file. `asking` is called before each query to the engine."""
    connection = engine()
    asked = connection.to_pyarrow

    def counted(expression: Any, **options: Any) -> Any:
        asking()
        return asked(expression, **options)

    connection.to_pyarrow = counted
    return lowshot.open_pool(connection.read_parquet(path), id="id", score=score, threshold=threshold)


def ours(path: Path, sampler: str = "acis", threshold: float = THRESHOLD, score: Any = "score") -> dict[str, Any]:
    """Open the pool and evaluate it, with an estimate after each round. The first round fetches the items."""
    watch, queries = Watch(), list[None]()
    evaluation = lowshot.Evaluation(opened(path, lambda: queries.append(None), threshold, score), sampler=sampler)
    read = [watch.read()[1]]  # CPU seconds until the pool is open, then until the end of each round
    while evaluation.labels < LABELS and (items := evaluation.ask(LABELS - evaluation.labels)):
        evaluation.tell(items, answer(items))
        said = evaluation.estimate(model=evaluation.pool.models[0])
        read.append(watch.read()[1])
    wall, used = watch.read()
    found = {"wall": wall, "cpu": used, "peak": peak(), "queries": len(queries), "open": read[0], "pass": read[1]}
    assert said.interval is not None
    range_ = f"{said.value:.3f} ({said.interval.low:.3f} to {said.interval.high:.3f})"
    return found | {"round": (read[-1] - read[1]) / (len(read) - 2), "said": range_}


def with_few(path: Path) -> dict[str, Any]:
    """The same with a threshold that predicts FEW items positive."""
    best_scores = f"SELECT score FROM '{path}' ORDER BY score DESC LIMIT {FEW}"
    return ours(path, threshold=engine().con.execute(f"SELECT min(score) FROM ({best_scores})").fetchall()[0][0])


def stored(path: Path, folder: Path) -> lowshot.Evaluation:
    """An evaluation for the page. Each query to the engine appends a letter to a file, which the parent counts."""

    def asking() -> None:
        with (folder / "queries").open("a") as file:
            file.write("q")

    return lowshot.Evaluation(opened(path, asking), store=str(folder / "page.db"))


def labelling(path: Path, seconds: float = 20.0) -> dict[str, float]:
    """Waiting times of one annotator who looks at each item for 0.25 seconds, with a SQLite store."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with served(partial(stored, path, folder)) as port:
            Annotator(port, "first").label(time.perf_counter() + 2)  # not measured: the first round fetches the items
            before = (folder / "queries").stat().st_size
            waited = 1000 * np.array(Annotator(port, "second").label(time.perf_counter() + seconds, 0.25))
            queries = (folder / "queries").stat().st_size - before
    late = float(np.quantile(waited, 0.99))
    return {"answers": len(waited), "median": float(np.median(waited)), "late": late, "queries": queries}


def two_scores(folder: Path, rows: int, runs: int) -> str:
    """What a second score costs: `curve` with one and with two scores of the same file, and DuckDB's own queries."""
    path = folder / f"two-{rows}.parquet"
    alone(partial(_made, path, rows, False, True))
    theirs, one = best(partial(bare, path), runs), best(partial(ours, path, "curve"), runs)
    two = best(partial(ours, path, "curve", THRESHOLD, {"v1": "score", "v2": "other"}), runs)
    cpu_ratio, peak_ratio = (f"{two[key] / one[key]:.1f} times one score" for key in ("cpu", "peak"))
    return (
        f"two scores with curve, {rows:,} rows: {two['cpu']:.2f} CPU s ({cpu_ratio}, {two['cpu'] / theirs['cpu']:.1f}"
        f" times DuckDB's own queries), of which {two['open']:.2f} to count and {two['pass'] - two['open']:.2f} to"
        f" fetch; {1e9 * two['pass'] / rows:.0f} ns per row; a later round {1000 * two['round']:.0f} ms (one score:"
        f" {1000 * one['round']:.0f} ms); peak {two['peak']:,.0f} MB ({peak_ratio}); {two['queries']} queries"
    )


def alone(function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Call the function in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(function).result()


def best(function: Callable[[], dict[str, Any]], runs: int) -> dict[str, Any]:
    return min((alone(function) for _ in range(runs)), key=lambda found: found["cpu"])


def measured(folder: Path, rows: int, texts: bool, progress: Progress, runs: int) -> dict[str, Any]:
    """Make a file, then measure DuckDB and lowshot on it."""
    name = f"{rows:,} rows, {'texts' if texts else 'integers'}"
    task = progress.add_task(f"{name}: the file", total=3)
    path = folder / f"{'texts' if texts else 'integers'}-{rows}.parquet"
    alone(partial(_made, path, rows, texts))
    progress.update(task, advance=1, description=f"{name}: DuckDB")
    theirs = best(partial(bare, path), runs)
    progress.update(task, advance=1, description=f"{name}: lowshot")
    mine = best(partial(ours, path), runs)
    mine["few"] = best(partial(with_few, path), runs)["round"]
    progress.update(task, advance=1, description=name)
    console.print(f"{name}: DuckDB {theirs['cpu']:.2f} CPU s, lowshot {mine['cpu']:.2f}")
    return {"path": path, "rows": rows, "texts": texts, "size": path.stat().st_size / 1e6, "bare": theirs, "ours": mine}


def _made(path: Path, rows: int, texts: bool, two: bool = False) -> dict[str, Any]:
    make(path, rows, texts, two)
    return {}


def compared(all_: list[dict[str, Any]]) -> Table:
    heads = ("rows", "ids", "MB", "DuckDB", "lowshot", "ratio", "wall", "ratio", "peak MB")
    table = Table(*heads, title=f"open + ACIS to {LABELS} labels, CPU seconds; wanted: ratio <= 2, peak < 2,000 MB")
    for one in all_:
        mine, theirs = one["ours"], one["bare"]
        used = (f"{theirs['cpu']:.2f}", f"{mine['cpu']:.2f}", f"{mine['cpu'] / theirs['cpu']:.2f}")
        walls = (f"{theirs['wall']:.1f}, {mine['wall']:.1f}", f"{mine['wall'] / theirs['wall']:.2f}")
        table.add_row(*_which(one), f"{one['size']:,.0f}", *used, *walls, f"{mine['peak']:,.0f}")
    return table


def parts(all_: list[dict[str, Any]]) -> Table:
    heads = ("rows", "ids", "count", "fetch", "ns per row", "round, ms", f"{FEW} predicted", "queries", "F1")
    table = Table(*heads, title="CPU seconds to count, to fetch (with the first round), and per later round")
    for one in all_:
        mine = one["ours"]
        times = (f"{mine['open']:.2f}", f"{mine['pass'] - mine['open']:.2f}", f"{1e9 * mine['pass'] / one['rows']:.0f}")
        rounds = (f"{1000 * mine['round']:.0f}", f"{1000 * mine['few']:.0f}")
        table.add_row(*_which(one), *times, *rounds, str(mine["queries"]), mine["said"])
    return table


def _which(one: dict[str, Any]) -> tuple[str, str]:
    return f"{one['rows']:,}", "texts" if one["texts"] else "integers"


def draw(all_: list[dict[str, Any]], path: Path) -> None:
    """Draw the seconds of the pass (opening the pool and the first round) and of later rounds against rows."""
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    lines = (("bare", "cpu", "DuckDB: count and best 200,000", "0.6"), ("ours", "pass", "lowshot: the pass", "C0"))
    rounds = (("ours", "round", "lowshot: a later round", "C1"), ("ours", "few", f"... with {FEW} predicted", "C2"))
    for side, key, label, colour in (*lines, *rounds):
        numbers = [(one["rows"], one[side][key]) for one in all_ if not one["texts"]]
        axes.loglog(*zip(*numbers, strict=True), "o-", color=colour, label=label)
    axes.set(xlabel="rows", ylabel=f"CPU seconds, {THREADS} threads", title=f"Open, and ACIS to {LABELS} labels")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main(rows: list[int], folder: Path, runs: int, picture: Path) -> None:
    cores = os.cpu_count()
    console.print(f"{date.today()}, lowshot {lowshot.__version__}, DuckDB {duckdb.__version__}, {platform.machine()},")
    console.print(f"{THREADS} threads of {cores} cores, load {os.getloadavg()[0]:.1f}, best of {runs} by CPU seconds")
    with Progress(console=console, transient=True) as progress:
        all_ = [measured(folder, each, False, progress, runs) for each in rows]
        # Texts need the MD5 of every row, so they are measured at the second largest size.
        all_.append(measured(folder, sorted(rows)[-2:][0], True, progress, runs))
        largest = max(all_, key=lambda one: one["rows"])["path"]
        progress.add_task("curve", total=None)
        curve = best(partial(ours, largest, "curve"), runs)
        progress.add_task("two scores", total=None)
        several = [two_scores(folder, each, runs) for each in sorted(rows)[-2:]]
        progress.add_task("the page", total=None)
        page = labelling(largest)
    console.print(compared(all_), parts(all_))
    console.print(f"curve, {max(rows):,} rows: {curve['cpu']:.2f} CPU s, a later round {1000 * curve['round']:.0f} ms")
    console.print(*several, sep="\n")
    waited = f"{page['median']:.0f} ms in the median, {page['late']:.0f} ms at the 99th percentile"
    console.print(
        f"the page, {max(rows):,} rows: from an answer to the next item {waited} of {page['answers']:.0f} answers"
        f" (wanted: below 100 ms); {page['queries']} queries to the engine meanwhile"
    )
    draw(all_, picture)
    console.print(f"figure: {picture}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Speed and memory of a pool that stays in a Parquet file.")
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7, 10**8], help="numbers of rows")
    parser.add_argument("--keep", type=Path, help="folder in which the files are kept and used again")
    parser.add_argument("--runs", type=int, default=RUNS, help="number of runs, of which the best counts")
    parser.add_argument("--picture", type=Path, default=PICTURE, help="path of the figure")
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    with nullcontext(given.keep) if given.keep else tempfile.TemporaryDirectory() as where:
        main(given.rows, Path(where), given.runs, given.picture)
