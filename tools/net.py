"""The net: what the default settings, and those that users reach for, ask and answer on fixed pools, as JSON.

    python tools/net.py > tests/net.json           # records it; say in the commit why it changed
    python tools/net.py "one model" "slices"       # some of its cases

`tests/test_net.py` compares the code with the recorded net, and `make same-as COMMIT=...` with another commit. Only
public names are used, so that it also runs with the code of other commits. A case is a function that returns plain
data: the items that were asked, in their order, and `to_dict()` of every result, without its text, which says the same
numbers rounded. Pools are small, so that a case takes a second; they are simulated, so that the net needs no files.
"""

import csv
import json
import math
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import lowshot

Found = dict[str, Any]
CASES: dict[str, Callable[[], Found]] = {}
METRICS = ("f1", "precision", "recall", "prevalence", "fn")


def case(make: Callable[[], Found]) -> Callable[[], Found]:
    """Adds a case, which is called like its function."""
    CASES[make.__name__.replace("_", " ")] = make
    return make


# Pools. Scores are those of a classifier whose positives are shifted up; a threshold finds most of them.


def truth_of(items: int, positives: int, seed: int) -> np.ndarray:
    truth = np.zeros(items, dtype=bool)
    truth[np.random.default_rng(seed).choice(items, positives, replace=False)] = True
    return truth


def scores_of(truth: np.ndarray, seed: int, shift: float = 3.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=len(truth)) + shift * truth


TRUTH = truth_of(3000, 60, seed=1)
SCORES = scores_of(TRUTH, seed=2)
THRESHOLD = 2.2
CAMERA = np.array(["north", "south", "west"])[np.random.default_rng(3).choice(3, len(TRUTH), p=(0.5, 0.3, 0.2))]


def one_pool(**columns: Any) -> lowshot.Pool:
    return lowshot.Pool(SCORES, threshold=THRESHOLD, **columns)


def three_models() -> lowshot.Pool:
    """Two models whose errors are alike, one whose errors are its own, and a helper with missing values."""
    shared = 0.7 * scores_of(TRUTH, seed=4, shift=0)
    scores = {name: shared + 0.7 * scores_of(TRUTH, seed, shift) for name, seed, shift in (("v1", 5, 3), ("v2", 6, 4))}
    scores["v3"] = scores_of(TRUTH, seed=7, shift=2.5)
    helper = scores_of(TRUTH, seed=8, shift=2)
    helper[::7] = np.nan
    return lowshot.Pool(scores, threshold={"v1": 1.8, "v2": 2.0, "v3": 2.0}, helpers={"other": helper})


def labelled(
    evaluation: lowshot.Evaluation, labels: int, truth: Any = TRUTH, answer: Callable[[Any], Any] | None = None
) -> list[Any]:
    """Labels until there are so many; the items that were asked, in their order."""
    asked: list[Any] = []
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, [int(truth[item]) if answer is None else answer(item) for item in items])
        asked += items
    return asked


def answers(evaluation: lowshot.Evaluation, metrics: Iterable[str] = METRICS, **arguments: Any) -> Found:
    """The estimate of each of these metrics."""
    return {metric: evaluation.estimate(metric, **arguments).to_dict() for metric in metrics}


def at_sixty(pool: Any, labels: int = 60, **arguments: Any) -> tuple[lowshot.Evaluation, Found]:
    """An evaluation with so many labels, and what was asked."""
    evaluation = lowshot.Evaluation(pool, seed=3, **arguments)
    return evaluation, {"asked": labelled(evaluation, labels)}


# One model


def of_metric(metric: str, others: Iterable[str] = METRICS) -> Found:
    evaluation = lowshot.Evaluation(one_pool(), metric=metric, seed=3)
    found: Found = {"first budgets": [each.to_dict() for each in evaluation.budgets([50, 100])]}
    found["asked"] = labelled(evaluation, 30)
    found["at 30"] = evaluation.estimate().to_dict()
    found["asked then"] = labelled(evaluation, 100)
    found["at 100"] = answers(evaluation, others)
    found["plan"] = evaluation.plan(0.04).to_dict()
    return found


@case
def one_model() -> Found:
    return of_metric("f1")


@case
def one_model_for_precision() -> Found:
    return of_metric("precision", ("precision",))  # no other: nothing that is not predicted is labelled


@case
def one_model_for_recall() -> Found:
    return of_metric("recall")


@case
def one_model_seen_otherwise() -> Found:
    """Other predictions, a population, other confidences, and the labels of a round with their weights."""
    evaluation, found = at_sixty(one_pool())
    found["other predictions"] = answers(evaluation, predictions=SCORES > 1.5)
    found["population"] = answers(evaluation, ("f1", "recall"), target="population")
    found["80 %"] = answers(evaluation, ("f1", "recall"), confidence=0.8)
    acis = lowshot.Evaluation(one_pool(), sampler="acis", seed=3)
    labelled(acis, 30)
    found["weights"] = acis.weights().to_dict()
    return found


@case
def few_positives_and_a_good_model() -> Found:
    """All predicted positives are found soon; what is missed decides."""
    truth = truth_of(20_000, 12, seed=11)
    evaluation = lowshot.Evaluation(lowshot.Pool(scores_of(truth, 12, shift=7), threshold=4.5), seed=3)
    return {"asked": labelled(evaluation, 40, truth), "at 40": answers(evaluation)}


@case
def a_poor_model() -> Found:
    """Positives are hardly higher than the others."""
    truth = truth_of(2000, 300, seed=13)
    evaluation = lowshot.Evaluation(lowshot.Pool(scores_of(truth, 14, shift=0.2), threshold=2.2), seed=3)
    return {"asked": labelled(evaluation, 100, truth), "at 100": answers(evaluation)}


@case
def a_surprising_pool() -> Found:
    """Positives come in stripes along the ranking, which is unlike all that is believed."""
    truth = (np.arange(2000) // 40) % 2 == 1
    evaluation = lowshot.Evaluation(lowshot.Pool(np.linspace(5, -5, 2000), threshold=2), seed=3)
    return {"asked": labelled(evaluation, 100, truth), "at 100": answers(evaluation)}


@case
def settings_of_curve() -> Found:
    found = {}
    for settings in ({"anytime": True}, {"background": 0.3}, {"insurance": 0.2}, {"curves": 100}):
        evaluation, asked = at_sixty(one_pool(), 40, settings=settings)
        found[str(settings)] = {**asked, **answers(evaluation, ("f1", "recall"))}
    return found


@case
def weights() -> Found:
    heavy = np.random.default_rng(15).uniform(0.5, 2, len(TRUTH))
    evaluation, found = at_sixty(one_pool(weights=heavy))
    return found | answers(evaluation) | {"plan": evaluation.plan(0.1).to_dict()}


@case
def cannot_tell_and_corrections() -> Found:
    """Every ninth item cannot be told; then three answers are changed."""
    evaluation = lowshot.Evaluation(one_pool(), seed=3)
    asked = labelled(evaluation, 60, answer=lambda item: None if item % 9 == 0 else int(TRUTH[item]))
    found = {"asked": asked, "with doubts": answers(evaluation)}
    for item in asked[5:8]:
        evaluation.correct(item, 1 - int(TRUTH[item]))
    found["corrected"] = answers(evaluation)
    found["asked then"] = labelled(evaluation, 80)
    return found | {"at 80": answers(evaluation)}


# What is known already


@case
def known_labels() -> Found:
    random = np.random.default_rng(16)
    chosen = [int(item) for item in np.argsort(-SCORES, kind="stable")[:20]]
    drawn = [int(item) for item in random.choice(len(TRUTH), 150, replace=False)]
    found = {}
    for name, known in {
        "chosen": {item: int(TRUTH[item]) for item in chosen},
        "drawn": lowshot.Known({item: int(TRUTH[item]) for item in drawn}, drawn="uniform"),
    }.items():
        evaluation, asked = at_sixty(one_pool(), 40, known=known)
        found[name] = {**asked, **answers(evaluation)}
    return found


@case
def priors() -> Found:
    earlier, _ = at_sixty(lowshot.Pool(scores_of(TRUTH, seed=17), threshold=THRESHOLD))
    found = {}
    for name, prior in {
        "prevalence": lowshot.Prior(prevalence=(0.015, 0.03)),
        "recall": lowshot.Prior(recall=(0.7, 0.95)),
        "both": lowshot.Prior(prevalence=(0.015, 0.03), recall=(0.5, 1)),
        "contradicted": lowshot.Prior(prevalence=(0.3, 0.5)),
        "like": lowshot.Prior(like=earlier),
    }.items():
        evaluation, asked = at_sixty(one_pool(), 35, prior=prior)
        found[name] = {**asked, **answers(evaluation, ("f1", "recall", "prevalence"))}
    return found


# Several models


def of_goal(goal: Any, labels: int = 60, then: Callable[[lowshot.Evaluation], Found] = lambda evaluation: {}) -> Found:
    evaluation, found = at_sixty(three_models(), labels, goal=goal)
    found["table"] = evaluation.table().to_dict()
    found["compare"] = [evaluation.compare(*pair).to_dict() for pair in (("v1", "v2"), ("v2", "v1"), ("v2", "v3"))]
    found["recall"] = [evaluation.estimate("recall", model=model).to_dict() for model in ("v1", "v3")]
    return found | then(evaluation)


@case
def several_goal_a_model() -> Found:
    return of_goal("v2")


@case
def several_goal_each() -> Found:
    return of_goal("each", then=lambda evaluation: {"plan": evaluation.plan(0.1).to_dict()})


@case
def several_goal_best() -> Found:
    return of_goal("best", then=lambda evaluation: {"plan": evaluation.plan(verdict=True).to_dict()})


@case
def several_goal_a_pair() -> Found:
    def then(evaluation: lowshot.Evaluation) -> Found:
        margin = evaluation.compare("v1", "v2", margin=0.05, metric="recall").to_dict()
        return {"with a margin": margin, "plan": evaluation.plan(verdict=True).to_dict()}

    return of_goal(("v1", "v2"), then=then)


@case
def a_model_that_comes_later() -> Found:
    evaluation, found = at_sixty(one_pool())
    new = evaluation.with_model("new", scores_of(TRUTH, seed=18, shift=3.5), threshold=2.5)
    found["before"] = [new.compare(*goal).to_dict() for goal in [new.goal]]
    return found | {"asked then": labelled(new, 30), "after": new.table().to_dict()}


@case
def a_model_known_by_predictions() -> Found:
    pool = one_pool()
    flags = scores_of(TRUTH, seed=19, shift=2.5) > 2
    both = pool.with_model("rules", predictions=flags)
    pair = (both.models[0], "rules")
    evaluation, found = at_sixty(both, goal=pair)
    return found | {"table": evaluation.table().to_dict(), "pair": evaluation.compare(*pair).to_dict()}


@case
def flags_beside_a_score() -> Found:
    """A model whose scores are its own 0 and 1."""
    rules = (scores_of(TRUTH, seed=19, shift=2.5) > 2).astype(float)
    pool = lowshot.Pool({"v1": SCORES, "rules": rules}, threshold={"v1": THRESHOLD, "rules": 0.5})
    evaluation, found = at_sixty(pool, goal=("v1", "rules"))
    return found | {"table": evaluation.table().to_dict(), "pair": evaluation.compare("v1", "rules").to_dict()}


# Parts of the pool


@case
def slices() -> Found:
    evaluation, found = at_sixty(one_pool(slices={"camera": CAMERA}), 80)
    found["table"] = evaluation.table(by="camera", below=0.7).to_dict()
    found["recall"] = evaluation.table(by="camera", metric="recall").to_dict()
    found["two"] = evaluation.estimate(where={"camera": ["north", "west"]}).to_dict()
    return found


@case
def slices_of_two_models() -> Found:
    models = {"v1": SCORES, "v2": scores_of(TRUTH, seed=20, shift=3.5)}
    pool = lowshot.Pool(models, threshold=2.2, slices={"camera": CAMERA})
    evaluation, found = at_sixty(pool, goal=("v1", "v2"))
    found["pair"] = evaluation.compare("v1", "v2", where={"camera": "south"}).to_dict()
    found["back"] = evaluation.compare("v2", "v1", where={"camera": "south"}).to_dict()
    return found | {"table": evaluation.table(by="camera", model="v1").to_dict()}


# Thresholds


def some(rows: list[Any]) -> list[Any]:
    """Every tenth row: neighbours say nearly the same."""
    return rows[::10]


@case
def thresholds() -> Found:
    evaluation, found = at_sixty(one_pool(), 80)
    for band in ("pointwise", "simultaneous"):
        every = evaluation.thresholds(band=band).to_dict()  # type: ignore[arg-type]  # one of both kinds
        found[band] = {name: some(value) if isinstance(value, list) else value for name, value in every.items()}
    for reading in ("set", "bare"):
        found[reading] = [
            evaluation.choose_threshold(reading=reading, **target).to_dict()
            for target in ({"recall": 0.8}, {"precision": 0.7}, {"maximise": "f1"}, {"recall": 0.5, "maximise": "f1"})
        ]
    return found


@case
def goal_threshold() -> Found:
    found = {}
    for goal in (lowshot.Threshold(recall=0.8), lowshot.Threshold(precision=0.7), lowshot.Threshold(maximise="f1")):
        evaluation, asked = at_sixty(one_pool(), goal=goal)
        found[str(goal)] = {**asked, "choice": evaluation.choose_threshold().to_dict()}
        if goal.maximise is None:
            found[str(goal)]["plan"] = evaluation.plan(verdict=True).to_dict()
    return found


@case
def goal_threshold_by_design() -> Found:
    goal = lowshot.Threshold(recall=0.7, promise="design")
    evaluation, found = at_sixty(one_pool(), 300, goal=goal)
    found["choice"] = evaluation.choose_threshold().to_dict()
    found["asked then"] = labelled(evaluation, 600)
    return found | {"later": evaluation.choose_threshold().to_dict(), **answers(evaluation, ("f1", "recall"))}


# Many classes

NAMES = ["heron", "crow", "wren", "owl", "kite"]


def classes(items: int = 1500, count: int = 5, seed: int = 21) -> tuple[np.ndarray, np.ndarray]:
    """Scores of a classifier, and true classes, of which the first ones are common."""
    random = np.random.default_rng(seed)
    share = 1 / (1 + np.arange(count))
    truth = random.choice(count, items, p=share / share.sum())
    return random.normal(size=(items, count)) + 2 * np.eye(count)[truth], truth


def of_classes(pool: lowshot.ClassPool, answer: Callable[[Any], Any], labels: int = 100, **arguments: Any) -> Found:
    evaluation = lowshot.Evaluation(pool, seed=3, **arguments)
    found: Found = {"asked": labelled(evaluation, labels, answer=answer)}
    found["average"] = evaluation.estimate().to_dict()
    found["first"] = evaluation.estimate("recall", category=pool.categories[0]).to_dict()
    found["table"] = evaluation.table(by="category", below=0.5).to_dict()
    return found | {"plan": evaluation.plan(0.05).to_dict()}


@case
def class_pool() -> Found:
    scores, truth = classes()
    camera = np.array(["north", "south"])[np.arange(len(truth)) % 2]
    pool = lowshot.ClassPool(scores, classes=NAMES, slices={"camera": camera})
    evaluation = lowshot.Evaluation(pool, seed=3)
    names = [lowshot.OTHER if item % 40 == 0 else NAMES[place] for item, place in enumerate(truth)]
    found = of_classes(pool, lambda item: None if item % 23 == 0 else names[item])
    labelled(evaluation, 60, answer=lambda item: NAMES[truth[item]])
    found["camera"] = evaluation.table(by="camera").to_dict()
    found["accuracy"] = evaluation.estimate("accuracy").to_dict()
    return found


@case
def class_pool_goal_each() -> Found:
    scores, truth = classes()
    pool = lowshot.ClassPool(scores, classes=NAMES)
    return of_classes(pool, lambda item: NAMES[truth[item]], 60, goal="each")


@case
def class_pool_goal_some_classes() -> Found:
    scores, truth = classes()
    pool = lowshot.ClassPool(scores, classes=NAMES)
    return of_classes(pool, lambda item: NAMES[truth[item]], 60, goal=["owl", "kite"], metric="recall_macro")


@case
def class_pool_of_two_classes() -> Found:
    scores, truth = classes(count=2)
    pool = lowshot.ClassPool(scores, classes=NAMES[:2])
    return of_classes(pool, lambda item: NAMES[truth[item]], 60)


@case
def class_pool_multilabel() -> Found:
    random = np.random.default_rng(22)
    truth = random.random((1500, 4)) < (0.3, 0.1, 0.05, 0.02)
    scores = random.normal(size=truth.shape) + 2.5 * truth - 1.5
    columns = dict(zip(NAMES, (1 / (1 + np.exp(-scores))).T, strict=False))
    flags = np.stack([*columns.values()], axis=1) > 0.5
    pool = lowshot.ClassPool(columns, predictions=flags, kind="multilabel")
    return of_classes(pool, lambda item: [NAMES[place] for place in np.flatnonzero(truth[item])])


# Rows elsewhere


def rows_file(folder: str, columns: dict[str, Any]) -> str:
    """A CSV file with an id and these columns."""
    path = Path(folder) / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *columns])
        rows = zip(*columns.values(), strict=True)
        writer.writerows([number, *map(repr, row)] for number, row in enumerate(rows))
    return str(path)


@case
def rows_in_a_file() -> Found:
    """Through Ibis: what is below the head is only counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = rows_file(folder, {"score": SCORES.tolist()})
        pool = lowshot.open_pool(path, id="id", score="score", threshold=THRESHOLD, head=200, levels=40)
        evaluation, found = at_sixty(pool)
        found |= answers(evaluation) | {"fingerprint": evaluation.pool.fingerprint}
    return found


@case
def several_scores_in_a_file() -> Found:
    with tempfile.TemporaryDirectory() as folder:
        path = rows_file(folder, {"a": SCORES.tolist(), "b": scores_of(TRUTH, seed=20, shift=3.5).tolist()})
        score = {"v1": "a", "v2": "b"}
        pool = lowshot.open_pool(path, id="id", score=score, threshold=THRESHOLD, head=200, levels=40)
        evaluation, found = at_sixty(pool, goal=("v1", "v2"))
        found |= {"table": evaluation.table().to_dict(), "pair": evaluation.compare("v1", "v2").to_dict()}
    return found


# Every other sampler


def of_sampler(sampler: str) -> Found:
    """On a pool that suits all of them, and, without features, on groups of about the same score."""
    grouped = {"levels": 40, "head": 200} if sampler not in ("herding", "gmm", "sawade") else {}
    scores = 1 / (1 + np.exp(2.2 - SCORES))
    features = None if grouped else np.stack([SCORES, scores_of(TRUTH, seed=23, shift=1)], axis=1)
    pool = lowshot.Pool(scores, threshold=0.5, scale="probability", features=features)
    evaluation, found = at_sixty(pool, 80, sampler=sampler)
    found |= answers(evaluation, ("f1", "precision", "recall"))
    if grouped:
        fewer, asked = at_sixty(lowshot.Pool(scores, threshold=0.5, scale="probability", **grouped), sampler=sampler)
        found["grouped"] = {**asked, **answers(fewer, ("f1",))}
    return found


def _add_samplers() -> None:
    for sampler in ("acis", "acis_last", "acis_platt", "sawade", "rand", "iso", "platt", "topk", "gmm", "herding"):
        CASES[f"sampler {sampler}"] = lambda sampler=sampler: of_sampler(sampler)


_add_samplers()


def plain(found: Any) -> Any:
    """As JSON has it: lists of items as one line, numbers that do not exist as None."""
    if isinstance(found, dict):
        return {
            str(key): " ".join(map(str, value)) if str(key).startswith("asked") else plain(value)
            for key, value in found.items()
            if key != "text"
        }
    if isinstance(found, list | tuple):
        return [plain(value) for value in found]
    if isinstance(found, np.generic):
        found = found.item()
    return None if isinstance(found, float) and not math.isfinite(found) else found


def run(name: str) -> Any:
    """What a case finds, as plain data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of labels that look unlike a uniform draw, of missing features
        return plain(CASES[name]())


def differences(found: Any, expected: Any, within: float, path: str = "") -> list[str]:
    """Where two nets differ: numbers by more than this, relative to 1 or to the larger one; all else at all."""
    if isinstance(expected, dict) and isinstance(found, dict):
        pairs = [(key, found.get(key), expected.get(key)) for key in {**expected, **found}]
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        pairs = [(place, *pair) for place, pair in enumerate(zip(found, expected, strict=True))]
    elif isinstance(expected, float) and isinstance(found, float):
        near = abs(found - expected) <= within * max(1.0, abs(expected))
        return [] if near else [f"{path}: {found} instead of {expected}"]
    else:
        return [] if found == expected else [f"{path}: {found} instead of {expected}"]
    return [line for key, *pair in pairs for line in differences(*pair, within, f"{path} / {key}")]


def main() -> None:
    found = {name: run(name) for name in sys.argv[1:] or CASES}
    json.dump(found, sys.stdout, indent=0)
    print()


if __name__ == "__main__":
    main()
