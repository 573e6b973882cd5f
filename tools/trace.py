"""What every sampler draws and estimates on fixed pools, as JSON. `make same-as` compares two commits by it.

    python tools/trace.py [--data FOLDER] [--labels 150] > trace.json
    python tools/trace.py --labels 40 --short > tests/trace.json      # the committed reference

Only names that are public and do not change are used, so that it runs with the code of older commits. Floats are
written in full (repr). The pools are those of the demo; with --data, twenty further ones of a folder that has an
`index.json` (a list of {"dataset", "model", "threshold"}) and `<dataset>.npz` files (`label`, one column per model).
"""

import argparse
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import lowshot
from lowshot.demo import data

METRICS = ("f1", "precision", "recall", "prevalence", "fn")
OTHER_POOLS = 20  # of the folder, spread over its whole index
Answer = Callable[[list[Any]], list[int]]


class Case(NamedTuple):
    """A pool with an annotator who knows every label, and another model's predictions where they may be given."""

    name: str
    pool: lowshot.Pool
    answer: Answer
    other: np.ndarray | None


def shipped() -> Iterator[Case]:
    """The six categories; one of them grouped, with text ids, and with weights."""
    for category in data.CATEGORIES:
        task = data.load(category)
        yield Case(f"category {category}", task.pool, task.answer, task.pool.scores > -0.5)
    task = data.load()
    scores, predictions = task.pool.scores[::10], task.pool.predictions[::10]
    truth = np.array(task.answer(list(range(len(task.pool)))))[::10]
    ids = [f"item {number}" for number in range(len(scores))]

    def by_name(items: list[str]) -> list[int]:
        return [int(truth[int(item.split()[1])]) for item in items]

    yield Case("grouped", lowshot.Pool(scores, predictions, levels=40, head=200), lambda i: truth[i].tolist(), None)
    yield Case("texts", lowshot.Pool(scores, predictions, ids=ids, scale="log"), by_name, scores > -0.5)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(scores))
    weighted = lowshot.Pool(scores, predictions, weights=weights, scale="log")
    yield Case("weights", weighted, lambda i: truth[i].tolist(), scores > -0.5)


def of_folder(folder: Path) -> Iterator[Case]:
    """Pools that are spread evenly over the index."""
    index = [entry for entry in json.loads((folder / "index.json").read_text()) if entry["positives"]]
    for entry in index[:: len(index) // OTHER_POOLS][:OTHER_POOLS]:
        with np.load(folder / f"{entry['dataset']}.npz") as stored:
            scores, truth = stored[entry["model"]].astype(np.float64), stored["label"].astype(np.int64)
        pool = lowshot.Pool(scores, threshold=entry["threshold"])
        name = f"{entry['dataset']} {entry['model']} {entry['point']}"
        yield Case(name, pool, lambda items, truth=truth: truth[items].tolist(), None)


def trace(case: Case, sampler: str, metric: str, labels: int, plan: bool) -> dict[str, Any]:
    """One evaluation to so many labels: every draw with its probability, and what is estimated on the way."""
    # The first beliefs, so that commits with other beliefs can be compared; the oldest commits have no such setting.
    settings = {"beliefs": 1} if hasattr(lowshot.samplers[sampler], "beliefs") else None
    evaluation = lowshot.Evaluation(case.pool, metric=metric, sampler=sampler, seed=3, settings=settings)
    asked, estimates = [], {}
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, case.answer(items))
        asked += items
        estimates[str(evaluation.labels)] = {name: estimated(evaluation, metric=name) for name in METRICS}
    if case.other is not None:
        estimates["other predictions"] = {metric: estimated(evaluation, predictions=case.other)}
    rounds = evaluation.history["rounds"]
    draws = [[value for round_ in rounds for value in round_[key]] for key in ("items", "probabilities", "calibration")]
    found = {"asked": asked, "draws": draws, "estimates": estimates}
    return {**found, "plan": planned(evaluation)} if plan else found


def estimated(evaluation: lowshot.Evaluation, **arguments: Any) -> list[Any] | str:
    """Value, variance, interval and labels; or why there is none."""
    try:
        found = evaluation.estimate(**arguments)
    except lowshot.InputError:
        return "refused"
    interval = [None, None] if found.interval is None else [found.interval.low, found.interval.high]
    return [*map(known, (found.value, found.variance, *interval)), found.labels]


def known(value: float | None) -> float | None:
    """A number that does not exist is None here, whichever way it was said."""
    return None if value is None or math.isnan(value) else value


def planned(evaluation: lowshot.Evaluation) -> list[int] | str:
    """Labels until the interval is narrow: low, likely, high."""
    try:
        plan = evaluation.plan(0.1)
    except lowshot.InputError:
        return "refused"
    return [plan.low, plan.likely, plan.high]


def traces(cases: Iterator[Case], labels: int, plans: bool) -> Iterator[tuple[str, Any]]:
    for case in cases:
        yield f"{case.name}: fingerprint", lowshot.Evaluation(case.pool, seed=3).pool.fingerprint
        for sampler in lowshot.samplers:
            grouped = case.pool.levels is not None
            if sampler == "herding" and (grouped or len(case.pool) > 10_000):
                continue  # it needs every item, and the square of their number in time
            if "probabilities" in lowshot.samplers[sampler].needs and case.pool.scale is None:
                continue
            for metric in ("f1", "precision", "recall") if sampler in ("curve", "acis") else ("f1",):
                yield f"{case.name}: {sampler} for {metric}", trace(case, sampler, metric, labels, plans)


def shortened(found: dict[str, Any]) -> dict[str, Any]:
    """Fingerprints; per evaluation the items that were asked, and the last estimates."""

    def short(one: Any) -> Any:
        if isinstance(one, str):
            return one
        last = dict([*one["estimates"].items()][-2:])  # from all labels, and for other predictions where they are given
        return {"asked": " ".join(map(str, one["asked"])), "estimates": last}

    return {name: short(one) for name, one in found.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, help="a folder with index.json and npz files")
    arguments.add_argument("--labels", type=int, default=150, help="labels per evaluation")
    arguments.add_argument("--short", action="store_true", help="only what was asked and the last estimates")
    given = arguments.parse_args()
    warnings.filterwarnings("ignore", "the pool has no features")
    plans = not given.short  # the short form has none, and they take three quarters of the time
    found = dict(traces(shipped(), given.labels, plans))
    if given.data:
        found |= dict(traces(of_folder(given.data), given.labels, plans))
    json.dump(shortened(found) if given.short else found, sys.stdout, indent=0 if given.short else None)


if __name__ == "__main__":
    main()
