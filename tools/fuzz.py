"""Random pools, people and orders against what lowshot promises of each: make fuzz [POOLS=2000] [SEED=0]

    python tools/fuzz.py --pools 2000 --seed 0 [--kind classes]

Of every pool: whoever tells the same labels in another order gets the same answers; so does whoever opens the store
again; when everything is labelled, answers are exact; nothing is raised but lowshot's own errors. Pool number n of a
seed is always the same. Prints what failed, with the number of its pool, and what was refused how often; exits with 1
if anything failed.
"""

import argparse
import re
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lowshot

MOST = 120  # items; enough for several rounds, and soon labelled to the end
EXACT = 1e-9
METRICS = ("f1", "precision", "recall", "f2", "prevalence", "tp", "fp", "fn")
Label = Any


@dataclass
class Trial:
    """An evaluation that can be begun as often as wanted, and who answers."""

    begin: Callable[..., lowshot.Evaluation]  # takes store=
    answer: Callable[[Any], Label]
    results: Callable[[lowshot.Evaluation], list[Callable[[], Any]]]  # what is compared
    exact: Callable[[lowshot.Evaluation], list[tuple[str, float, float]]]  # name, found, true; when all is labelled


class Failed(Exception):
    """A promise that was broken."""


# What is random


def scores_of(random: np.random.Generator, truth: np.ndarray) -> np.ndarray:
    """Good and bad, tied and not, of any magnitude."""
    scores = random.normal(size=len(truth)) + random.choice([0, 1, 3, 8]) * truth
    shape = random.integers(8)
    if shape == 0:
        return np.round(scores)
    if shape == 1:
        return np.sign(scores) * 10.0 ** np.clip(40 * scores, -300, 300)
    if shape == 2:
        return 1 / (1 + np.exp(-scores))
    if shape == 3:
        return np.full(len(truth), 0.5)
    return scores.astype(np.float32) if shape == 4 else scores


def flags_of(random: np.random.Generator, scores: np.ndarray) -> np.ndarray:
    """Predictions: above a threshold, of none, of all, or of anything."""
    shape = random.integers(6)
    if shape == 0:
        return random.random(len(scores)) < random.random()
    if shape == 1:
        return np.full(len(scores), bool(random.integers(2)))
    return scores >= np.quantile(scores, random.random())


def truth_of(random: np.random.Generator) -> np.ndarray:
    return random.random(int(random.integers(1, MOST))) < random.choice([0, 0.03, 0.1, 0.5, 1])


def ids_of(random: np.random.Generator, items: int) -> list[Any] | None:
    shape = random.integers(4)
    if shape == 0:
        return [f"item/{number:05d}\n" for number in random.permutation(items)]
    return random.permutation(items * 3)[:items].tolist() if shape == 1 else None


def skipping(random: np.random.Generator, truth: dict[Any, Label]) -> Callable[[Any], Label]:
    """Answers from the truth; some people cannot tell."""
    doubt = random.choice([0, 0, 0, 0.1, 1])
    doubtful = {item for item in truth if random.random() < doubt}
    return lambda item: None if item in doubtful else truth[item]


def columns_of(random: np.random.Generator, items: int) -> dict[str, Any]:
    found: dict[str, Any] = {"ids": ids_of(random, items)}
    if random.integers(4) == 0:
        found["weights"] = random.uniform(0.1, 5, items) * 10.0 ** random.integers(-3, 4)
    if random.integers(3) == 0:
        found["slices"] = {"camera": random.choice(["north", "south", "west"], items)}
    return found


# Kinds of pools


def plain(metric: str, flags: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> float:
    """A metric, computed as in a textbook."""
    mass = np.ones(len(truth)) if weight is None else weight / weight.sum() * len(truth)
    tp, fp, fn = (float(mass[part].sum()) for part in (flags & truth, flags & ~truth, ~flags & truth))
    if metric in ("tp", "fp", "fn"):
        return {"tp": tp, "fp": fp, "fn": fn}[metric]
    if metric == "prevalence":
        return (tp + fn) / len(truth)
    over, under = {"f1": (2, (2, 1, 1)), "precision": (1, (1, 1, 0)), "recall": (1, (1, 0, 1)), "f2": (5, (5, 1, 4))}[
        metric
    ]
    below = under[0] * tp + under[1] * fp + under[2] * fn
    return over * tp / below if below else float("nan")


def one_model(random: np.random.Generator) -> Trial:
    """One model: any sampler, metric, prior, known labels, threshold as a goal, rows in memory or in an engine."""
    truth = truth_of(random)
    items = len(truth)
    scores, given = scores_of(random, truth), columns_of(random, items)
    flags = flags_of(random, scores)
    names = given["ids"] or list(range(items))
    sampler = str(random.choice(["curve"] * 6 + [*lowshot.samplers]))
    needs = lowshot.samplers[sampler].needs
    if "features" in needs:
        given["features"] = random.normal(size=(items, 2))
    if "probabilities" in needs:
        scores, given["scale"] = 1 / (1 + np.exp(-np.clip(scores, -50, 50))), "probability"
    arguments: dict[str, Any] = {"sampler": sampler, "seed": int(random.integers(99))}
    arguments["metric"] = str(random.choice(["f1", "f1", "f1", "precision", "recall", "f2"]))
    if sampler == "curve":
        arguments |= knowledge(random, names, truth)
    pool = frame_pool(random, scores, flags, names, given) if random.integers(5) == 0 else None
    pool = lowshot.Pool(scores, flags, **given) if pool is None else pool
    if "slices" in given and pool.grouped:
        del given["slices"]
    weight, planned = given.get("weights"), random.integers(4) == 0
    metrics = METRICS if arguments["metric"] != "precision" else ("precision",)

    def results(evaluation: lowshot.Evaluation) -> list[Callable[[], Any]]:
        found: list[Callable[[], Any]] = [lambda metric=metric: evaluation.estimate(metric) for metric in metrics]
        found.append(lambda: evaluation.stop_when(0.1))
        if sampler == "curve":
            found += [lambda: evaluation.thresholds(), lambda: evaluation.choose_threshold(recall=0.7)]
            if planned:  # takes half a second
                found += [lambda: evaluation.plan(0.1), lambda: evaluation.budgets([20, 50])]
            if "slices" in given:
                found.append(lambda: evaluation.table(by="camera"))
            if isinstance(arguments.get("goal"), lowshot.Threshold):
                found.append(lambda: evaluation.choose_threshold())
        return found

    def exact(evaluation: lowshot.Evaluation) -> list[tuple[str, float, float]]:
        return [(metric, evaluation.estimate(metric).value, plain(metric, flags, truth, weight)) for metric in metrics]

    answer = skipping(random, dict(zip(names, truth.astype(int).tolist(), strict=True)))
    return Trial(lambda **more: lowshot.Evaluation(pool, **arguments, **more), answer, results, exact)


def knowledge(random: np.random.Generator, names: list[Any], truth: np.ndarray) -> dict[str, Any]:
    """Sometimes a prior, known labels, settings, or a threshold as the goal."""
    shape = random.integers(10)
    if shape == 0:
        return {"prior": lowshot.Prior(prevalence=(0.01, 0.2), recall=(0.3, 0.9))}
    if shape == 1:
        count = int(random.integers(1, len(names) + 1))
        chosen = random.choice(len(names), count, replace=False)
        return {
            "known": lowshot.Known({names[i]: int(truth[i]) for i in chosen}, drawn=random.choice(["uniform", "any"]))
        }
    if shape == 2:
        return {"settings": {"anytime": True}}
    if shape == 3:
        promise = str(random.choice(["posterior", "design"]))
        return {"goal": lowshot.Threshold(recall=float(random.choice([0.5, 0.9])), promise=promise)}
    return {}


def frame_pool(
    random: np.random.Generator, scores: np.ndarray, flags: np.ndarray, names: list[Any], given: dict[str, Any]
) -> Any:
    """The same rows in an engine, which lists the best ones and counts the others; None if that cannot be."""
    if "features" in given or "weights" in given:
        return None
    import pandas

    rows = pandas.DataFrame({"id": names, "score": scores.astype(np.float64), "flag": flags.astype(int)})
    few = {"head": int(random.integers(0, 50)), "levels": int(random.integers(1, 20))}
    return lowshot.open_pool(rows, id="id", score="score", prediction="flag", scale=given.get("scale"), **few)


def several(random: np.random.Generator) -> Trial:
    """Two to four models, helpers with missing values, every goal."""
    truth = truth_of(random)
    names = [f"v{number}" for number in range(random.integers(2, 5))]
    scores = {name: scores_of(random, truth) for name in names}
    flags = {name: flags_of(random, scores[name]) for name in names}
    given = columns_of(random, len(truth))
    if random.integers(2):
        helper = scores_of(random, truth).astype(np.float64)
        helper[random.random(len(truth)) < random.choice([0, 0.3, 1])] = np.nan
        given["helpers"] = {"other": helper}
    pool = lowshot.Pool(scores, flags, **given)
    goal = [None, "each", "best", names[-1], (names[0], names[1])][random.integers(5)]
    seed, planned = int(random.integers(99)), random.integers(4) == 0
    weight = given.get("weights")

    def results(evaluation: lowshot.Evaluation) -> list[Callable[[], Any]]:
        one, two = names[:2]
        found: list[Callable[[], Any]] = [lambda: evaluation.table(), lambda: evaluation.compare(one, two)]
        found += [lambda: mirrored(evaluation, one, two), lambda: evaluation.estimate("recall", model=one)]
        found += [lambda: evaluation.plan(0.1)] if planned else []
        return [*found, lambda: evaluation.stop_when(0.1)]

    def exact(evaluation: lowshot.Evaluation) -> list[tuple[str, float, float]]:
        return [
            (
                f"{metric} of {name}",
                evaluation.estimate(metric, model=name).value,
                plain(metric, flags[name], truth, weight),
            )
            for name in names
            for metric in ("f1", "recall")
        ]

    ids = given["ids"] or list(range(len(truth)))
    answer = skipping(random, dict(zip(ids, truth.astype(int).tolist(), strict=True)))
    return Trial(lambda **more: lowshot.Evaluation(pool, goal=goal, seed=seed, **more), answer, results, exact)


def mirrored(evaluation: lowshot.Evaluation, one: str, two: str) -> None:
    """Whether (a, b) is minus (b, a)."""
    there, back = evaluation.compare(one, two), evaluation.compare(two, one)
    opposite = {"better": "worse", "worse": "better"}
    ends = (
        []
        if there.interval is None
        else [(there.interval.low, -back.interval.high), (there.interval.high, -back.interval.low)]
    )
    pairs = [(there.value, -back.value), *ends]
    same = all(left == right or (left != left and right != right) for left, right in pairs)
    if not same or opposite.get(there.verdict, there.verdict) != back.verdict:
        raise Failed(f"compare is not mirrored: {there} and {back}")


def classes(random: np.random.Generator) -> Trial:
    """Many classes, or two; one per item, or several."""
    items, count = int(random.integers(1, MOST)), int(random.integers(2, 7))
    names = [f"class {number}" for number in range(count)]
    single = bool(random.integers(3))
    true = random.choice(count, items, p=random.dirichlet(np.ones(count)))
    applies = np.eye(count, dtype=bool)[true] if single else random.random((items, count)) < random.choice([0.1, 0.5])
    scores = random.normal(size=(items, count)) + random.choice([0, 2, 6]) * applies
    if not single:
        scores = 1 / (1 + np.exp(-scores))
    elif random.integers(4) == 0:
        scores = np.sign(scores) * 10.0 ** np.clip(40 * scores, -300, 300)
    given = {name: value for name, value in columns_of(random, items).items() if name != "weights"}
    flags = np.eye(count, dtype=bool)[scores.argmax(axis=1)] if single else scores > 0.5
    kind = {"kind": "single"} if single else {"kind": "multilabel", "predictions": flags}
    pool = lowshot.ClassPool(scores, classes=names, **kind, **given)
    goal = [None, "each", names[:2]][random.integers(3)]
    seed, planned = int(random.integers(99)), random.integers(4) == 0

    def results(evaluation: lowshot.Evaluation) -> list[Callable[[], Any]]:
        found: list[Callable[[], Any]] = [lambda: evaluation.estimate(), lambda: evaluation.table()]
        found += [lambda: evaluation.estimate("recall", category=names[0])]
        found += [lambda: evaluation.plan(0.1)] if planned else []
        return found + ([lambda: evaluation.table(by="camera")] if "slices" in given else [])

    def exact(evaluation: lowshot.Evaluation) -> list[tuple[str, float, float]]:
        found = []
        for place, name in enumerate(names):
            true_f1 = plain("f1", flags[:, place], applies[:, place], None)
            found.append((f"f1 of {name}", evaluation.estimate("f1", category=name).value, true_f1))
        return found

    ids = given["ids"] or list(range(items))
    labels = (
        [names[place] for place in true]
        if single
        else [[n for n, a in zip(names, row, strict=True) if a] for row in applies]
    )
    answer = skipping(random, dict(zip(ids, labels, strict=True)))
    return Trial(lambda **more: lowshot.Evaluation(pool, goal=goal, seed=seed, **more), answer, results, exact)


KINDS: dict[str, Callable[[np.random.Generator], Trial]] = {"one": one_model, "several": several, "classes": classes}


# What is promised


class Refusals(Counter[str]):
    """What lowshot refused, without the numbers."""

    def outcome(self, ask: Callable[[], Any]) -> str:
        """A result in words, or how it was refused."""
        try:
            return repr(ask())
        except lowshot.LowshotError as error:
            self[re.sub(r"[\d.,]*\d", "#", str(error))[:110]] += 1
            return f"refused: {error}"


def examine(number: int, seed: int, kind: str | None, refusals: Refusals) -> None:
    random = np.random.default_rng((seed, number))
    name = [*KINDS][number % len(KINDS)] if kind is None else kind
    try:
        trial = KINDS[name](random)
        mine = trial.begin()
    except lowshot.LowshotError as error:
        refusals[f"not begun: {re.sub(r'[0-9.,]*[0-9]', '#', str(error))[:100]}"] += 1
        return
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "fuzz.db")
        theirs = trial.begin(store=store)
        for _ in range(int(random.integers(1, 6))):
            told = rounds(random, trial, mine, theirs)
            compared(trial, mine, theirs, refusals, "told in another order")
            theirs = trial.begin(store=store)
            compared(trial, mine, theirs, refusals, "opened again")
            if not told:
                break
            if random.integers(3) == 0:
                item = told[int(random.integers(len(told)))]
                for evaluation in (mine, theirs):
                    refusals.outcome(
                        lambda evaluation=evaluation, item=item: evaluation.correct(item, trial.answer(item))
                    )
        while rounds(random, trial, mine, theirs):
            pass
        compared(trial, mine, theirs, refusals, "at the end")
        everything = len(mine.history["labels"]) == len(mine.pool) and not mine.pending
        if everything and all(label is not None for label in mine.history["labels"].values()):
            for what, found, true in trial.exact(mine):
                if not (np.isclose(found, true, rtol=EXACT, atol=EXACT) or (np.isnan(found) and np.isnan(true))):
                    raise Failed(f"all labelled: {what} is {found}, in truth {true}")


def rounds(
    random: np.random.Generator, trial: Trial, mine: lowshot.Evaluation, theirs: lowshot.Evaluation
) -> list[Any]:
    """Both ask the same, and are told the same, one of them in another order and one by one."""
    count = int(random.choice([1, 5, 10, 40]))
    items = mine.ask(count)
    if theirs.ask(count) != items:
        raise Failed("the same labels in another order: other items are asked")
    mine.tell(items, [trial.answer(item) for item in items])
    for place in random.permutation(len(items)):
        theirs.tell([items[place]], [trial.answer(items[place])])
    return items


def compared(trial: Trial, mine: lowshot.Evaluation, theirs: lowshot.Evaluation, refusals: Refusals, when: str) -> None:
    for one, two in zip(trial.results(mine), trial.results(theirs), strict=True):
        left, right = refusals.outcome(one), refusals.outcome(two)
        if left != right:
            raise Failed(f"{when}: {left[:300]} and {right[:300]}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pools", type=int, default=2000)
    arguments.add_argument("--first", type=int, default=0, help="the number of the first pool")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--kind", choices=[*KINDS])
    given = arguments.parse_args()
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=UserWarning, module="lowshot|__main__|fuzz")  # of labels that look odd
    refusals, failed = Refusals(), 0
    for number in range(given.first, given.first + given.pools):
        try:
            examine(number, given.seed, given.kind, refusals)
        except Exception as error:  # whatever it is: that is what is looked for
            failed += 1
            where = "" if isinstance(error, Failed) else "".join(traceback.format_tb(error.__traceback__)[-2:])
            print(f"pool {number}: {type(error).__name__}: {error}\n{where}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{number + 1 - given.first} pools, {failed} failed", end="", file=sys.stderr)
    for message, count in refusals.most_common():
        print(f"refused {count:6}: {message}")
    print(f"{given.pools} pools of seed {given.seed}: {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
