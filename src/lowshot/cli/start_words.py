"""What `lowshot start` prints: what was begun, what a budget buys, and what to do next."""

import shlex
from collections.abc import Sequence
from typing import Any

import lowshot
from lowshot.cli.console import note, print_json, say, working
from lowshot.cli.models import models_in_words, models_to_dict
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import BEST
from lowshot.prior import without_arguments
from lowshot.result import Budget
from lowshot.words import counted


def tell_about(evaluation: Evaluation, store: str, given: str, hints: Sequence[str], as_json: bool) -> None:
    """Print what was begun; as notes, what looks wrong.

    given  the labels that exist already, in words
    """
    began = {**began_to_dict(evaluation, store), "hints": list(hints)}
    budgets, why = budgets_of(evaluation)
    if as_json:
        print_json({**began, "budgets": [one.to_dict() for one in budgets]})
        return
    introduce(evaluation, began, given)
    say(in_words(budgets) if budgets else why)
    introduce_next(evaluation, began)
    for hint in hints:
        note(f"hint: {hint}")


def budgets_of(evaluation: Evaluation) -> tuple[tuple[Budget, ...], str]:
    """What numbers of labels buy; or, where that makes no sense, the plan in words or why there is none."""
    verdict = not evaluation.pool.categories and (
        isinstance(evaluation.goal, (tuple, lowshot.Threshold)) or evaluation.goal == BEST
    )
    try:
        with working("Simulating labels ..."):
            found = () if verdict else evaluation.budgets()
    except InputError:
        found = ()
    return (found, "") if found else ((), f"Plan: {_plan(evaluation, verdict)}")


def in_words(budgets: Sequence[Budget]) -> str:
    """What numbers of labels buy.

    >>> print(in_words([Budget(50, 0.05, 0.1, 0.15), Budget(100, 0.04, 0.08, 0.11)]))
    What labels buy (half of the width of a 95 % interval, forecast from the scores; `lowshot plan` learns from labels):
      50 labels: typically ± 0.10, nine of ten runs at most ± 0.15
      100 labels: typically ± 0.08, nine of ten runs at most ± 0.11
    """
    what = "half of the width of a 95 % interval, forecast from the scores; `lowshot plan` learns from labels"
    return "\n".join([f"What labels buy ({what}):", *(f"  {one}" for one in budgets)])


def introduce(evaluation: Evaluation, began: dict[str, Any], given: str) -> None:
    """Print what was begun, and the labels that were `given`."""
    name, metric, sampler, seed, store = (began[key] for key in ("name", "metric", "sampler", "seed", "store"))
    lines = models_in_words(evaluation)
    predicted = f", {began['predicted_positives']:,} predicted positive" if len(began["models"]) == 1 else ""
    pool = (
        f"{counted(began['items'], 'item')}{predicted}" if lines and not evaluation.pool.categories else evaluation.pool
    )
    say(f"{name}: {metric} of {pool}, sampler {sampler}, seed {seed}, in {store}")
    for line in lines:
        say(f"{line[0].upper()}{line[1:]}")
    if evaluation.pool.grouped:
        say("A large pool: its rows stay in the file or database and are looked up there (--in-memory loads them).")
    if slices := evaluation.pool.slices:
        parts = [f"{name} ({counted(len(slices.by(name).names), 'value')})" for name in slices.names]
        say(f"Slices: {', '.join(parts)}")
    if evaluation.prior:
        say(f"Known beforehand: {evaluation.prior}")
    if given:
        say(f"{given}.")
    elif known := began["known"]:
        say(f"{counted(known, 'label')} known already, from other evaluations of the question.")


def introduce_next(evaluation: Evaluation, began: dict[str, Any]) -> None:
    """Print what to do next."""
    name, store = began["name"], began["store"]
    several = evaluation.store is not None and len(evaluation.store.headers()) > 1
    which = f"{store} --name {shlex.quote(name)}" if several else store
    say(f"Next: lowshot label {which}")
    say(f"  or: lowshot ask {which} -o items.csv, fill in the labels, lowshot tell {which} items.csv")


def began_to_dict(evaluation: Evaluation, store: str) -> dict[str, Any]:
    """As plain data, with the keys of `lowshot status --json`."""
    history = evaluation.snapshot()
    return {
        "name": evaluation.name,
        "question": evaluation.question,
        "store": store,
        "metric": evaluation.metric.name,
        "sampler": evaluation.sampler.name,
        "settings": without_arguments(evaluation.sampler.settings),
        "prior": evaluation.prior and evaluation.prior.to_dict(),
        "seed": evaluation.seed,
        "items": len(evaluation.pool),
        "predicted_positives": evaluation.pool.predicted_positives,
        **models_to_dict(evaluation),
        "known": len(history.known),
        "uniform": len(history.uniform),
    }


def _plan(evaluation: Evaluation, verdict: bool) -> str:
    """The plan, or why there is none: some samplers need labels first. For a verdict, where the goal is one."""
    try:
        with working("Simulating further labels ..."):
            return str(evaluation.plan(verdict=verdict))
    except InputError as error:
        return str(error)
