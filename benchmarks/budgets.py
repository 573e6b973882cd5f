"""What is forecast, beside what runs end up with: `make bench-budgets`.

    python benchmarks/budgets.py 4

The pools are the six categories of the demo's data, which is part of the package, each scored by two models, thinned to
one positive in 1,000 items and with all positives. So many runs label each of them. `Evaluation.budgets` and
`Evaluation.plan` forecast the half-width of the 95 % interval at numbers of labels, and the labels until a half-width
is reached, before the first label and again after 50. As Markdown: the shares of runs that stayed at or below what is
forecast for nine of ten runs, and for half of them; then each pool. The forecast was made on half of the categories;
the others judge it.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

import lowshot
from lowshot.demo.data import CATEGORIES, FILES, load
from lowshot.evaluation import BUDGETS, Evaluation
from lowshot.tasks import Task, finish

RUNS = 4  # seeds per pool
STEP, LAST = 10, 600  # labels: runs are looked at so often, and no further
WIDTHS = (0.15, 0.1, 0.07, 0.05)  # half-widths that plans are made for
LATER = 50  # labels after which there is another forecast
MADE_ON = (83, 7, 193)  # categories

Forecast = dict[float, tuple[float, float]]  # by labels or half-width: what is typical, and what nine of ten stay below


class Pool(NamedTuple):
    """A pool: what was forecast, and what runs had."""

    name: str
    chosen: bool  # whether the forecast was made on it
    runs: tuple["Run", ...]
    before: Forecast  # before the first label


class Run(NamedTuple):
    had: dict[float, float]  # half-widths by labels, and labels by half-width
    later: Forecast  # after the first labels


def run(task: Task, seed: int) -> Run:
    evaluation, widths, later = lowshot.Evaluation(task.pool, seed=seed), {}, {}
    for count in range(STEP, LAST + 1, STEP):
        interval = finish(evaluation, task.labels, count).estimate().interval
        widths[count] = math.inf if interval is None else interval.width / 2
        if count == LATER:
            later = forecast(evaluation)
    needed = {wanted: min((n for n, one in widths.items() if one <= wanted), default=math.inf) for wanted in WIDTHS}
    return Run({**{count: widths[count] for count in BUDGETS}, **needed}, later)


def forecast(evaluation: Evaluation) -> Forecast:
    """Without the widths that are reached already. Runs are looked at after every few labels, so labels are rounded up
    to these."""
    found: Forecast = {one.labels: (one.likely, one.high) for one in evaluation.budgets()}
    for width in WIDTHS:
        plan = evaluation.plan(width)
        if plan.high > plan.labels:
            found[width] = (-(-plan.likely // STEP) * STEP, -(-plan.high // STEP) * STEP)
    return found


def judged(pool: Pool, column: float, place: int, later: bool) -> Iterator[bool]:
    """Whether each run stayed at or below a forecast: the typical one (0), or that for nine of ten (1). Forecasts of
    more labels than runs have are left out: not all of their runs are known."""
    for one in pool.runs:
        made = (one.later if later else pool.before).get(column)
        if made is not None and (column in BUDGETS or made[place] <= LAST):
            yield one.had[column] <= made[place]


def summary(pools: Sequence[Pool]) -> Iterator[str]:
    columns = [*BUDGETS, *WIDTHS]
    yield f"| forecast | categories | at or below | {' | '.join(map(in_words, columns))} |"
    yield f"|{' --- |' * (3 + len(columns))}"
    for later in (False, True):
        for chosen in (True, False):
            for place, what in ((1, "nine of ten"), (0, "typical")):
                mine = [pool for pool in pools if pool.chosen == chosen]
                shares = [
                    share([one for pool in mine for one in judged(pool, column, place, later)]) for column in columns
                ]
                when, half = f"after {LATER} labels" if later else "at the start", "made on" if chosen else "others"
                yield f"| {when} | {half} | {what} | {' | '.join(shares)} |"


def share(below: Sequence[bool]) -> str:
    return f"{100 * np.mean(below):.0f} % of {len(below)}" if below else ""


def in_words(column: float) -> str:
    return f"{column} labels" if column in BUDGETS else f"± {column:g}"


def details(pools: Sequence[Pool]) -> Iterator[str]:
    """Typical, nine of ten (and the median of the runs)."""
    columns = [*BUDGETS, 0.1]
    yield f"| pool | {' | '.join(map(in_words, columns))} |\n|{' --- |' * (1 + len(columns))}"
    for pool in pools:
        yield f"| {pool.name} | {' | '.join(cell(pool, column) for column in columns)} |"


def cell(pool: Pool, column: float) -> str:
    numbers = (*pool.before[column], float(np.median([one.had[column] for one in pool.runs])))
    if column in BUDGETS:
        texts = [f"{number:.2f}" for number in numbers]
    else:
        texts = [f"{number:.0f}" if number <= LAST else f"> {LAST}" for number in numbers]
    return "{}, {} ({})".format(*texts)


def main(runs: int) -> None:
    pools = []
    wanted = [(one, model, every) for every in (False, True) for model in FILES for one in CATEGORIES]
    for category, model, every in track(wanted, "Labelling", console=Console(stderr=True), transient=True):
        task = load(category, all_positives=every, model=model)
        name = f"{category}, {model}{', all positives' * every}"
        before, done = forecast(lowshot.Evaluation(task.pool)), tuple(run(task, seed) for seed in range(runs))
        pools.append(Pool(name, category in MADE_ON, done, before))
    print("\n".join([*summary(pools), "", *details(pools)]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
