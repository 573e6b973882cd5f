"""The loop with many categories: what can be told, asked and stored, whatever the numbers are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot.class_evaluation import ClassEvaluation
from lowshot.core.types import Integers
from lowshot.errors import InputError

BIRDS = ("heron", "crow", "wren", "owl")


def made(items: int = 600, seed: int = 0, **options: Any) -> tuple[lowshot.ClassPool, Integers]:
    """A pool of birds, and the place of the true class of each item."""
    random = np.random.default_rng(seed)
    truth = random.choice(len(BIRDS), size=items, p=[0.55, 0.3, 0.1, 0.05])
    scores = random.normal(size=(items, len(BIRDS))) + 1.5 * np.eye(len(BIRDS))[truth]
    return lowshot.ClassPool(scores, classes=BIRDS, **options), truth


def label(evaluation: lowshot.Evaluation, truth: Integers, labels: int) -> None:
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        places = evaluation.pool.positions(items)
        evaluation.tell(items, [BIRDS[truth[place]] for place in places])


def f1_macro(pool: lowshot.ClassPool, truth: Integers) -> float:
    predicted = np.asarray(pool.table.predicted)
    found = [
        2 * np.sum((predicted == c) & (truth == c)) / (np.sum(predicted == c) + np.sum(truth == c)) for c in range(4)
    ]
    return float(np.mean(found))


@pytest.fixture(scope="module")
def half() -> tuple[ClassEvaluation, Integers]:
    pool, truth = made()
    evaluation = lowshot.Evaluation(pool, seed=1)
    label(evaluation, truth, 120)
    assert isinstance(evaluation, ClassEvaluation)
    return evaluation, truth


def test_the_default_is_macro_f1(half: tuple[ClassEvaluation, Integers]) -> None:
    evaluation, _ = half
    assert evaluation.metric.name == evaluation.goal == "f1_macro"
    assert evaluation.labels == 120
    found = evaluation.estimate()
    assert found.interval is not None
    assert found.interval.low <= found.value <= found.interval.high
    assert repr(evaluation) == "Evaluation(ClassPool(600 items, 4 classes), f1_macro, classes, seed=1, 120 labels)"


def test_everything_labelled_is_exact() -> None:
    pool, truth = made(items=150)
    evaluation = lowshot.Evaluation(pool, seed=1)
    label(evaluation, truth, 150)
    found = evaluation.estimate()
    assert found.value == pytest.approx(f1_macro(pool, truth))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (found.value, found.value)
    right = np.mean(np.asarray(pool.table.predicted) == truth)
    assert evaluation.estimate("accuracy").value == pytest.approx(right)
    assert evaluation.ask(5) == []


def test_every_category_is_in_the_table(half: tuple[ClassEvaluation, Integers]) -> None:
    table = half[0].table(below=0.5)
    assert (table.by, table.names, table.metric) == ("category", list(BIRDS), "f1")
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 and 0 <= row["below"] <= 1 for row in table.rows)


def test_one_category(half: tuple[ClassEvaluation, Integers]) -> None:
    evaluation, _ = half
    row = evaluation.table(metric="recall").rows[1]
    found = evaluation.estimate(category="crow", metric="recall")
    assert (found.metric, found.value) == ("recall", row["value"])


def test_the_same_seed_and_labels_give_the_same_draws_and_estimates() -> None:
    found = []
    for _ in range(2):
        pool, truth = made()
        evaluation = lowshot.Evaluation(pool, seed=3)
        label(evaluation, truth, 60)
        found.append((evaluation.history, evaluation.estimate()))
    assert found[0] == found[1]


@pytest.mark.parametrize("goal", [None, "each", ["owl"], ["owl", "crow"]])
def test_a_restart_changes_nothing(tmp_path: Path, goal: Any) -> None:
    pool, truth = made(items=300)
    whole = lowshot.Evaluation(pool, seed=5, goal=goal)
    label(whole, truth, 90)
    stored = lowshot.Evaluation(pool, seed=5, goal=goal, store=tmp_path / "birds.db")
    for labels in (7, 31, 64, 90):
        label(stored, truth, labels)
        stored = lowshot.Evaluation(pool, store=tmp_path / "birds.db")
    assert stored.history == whole.history
    assert stored.estimate() == whole.estimate()
    assert stored.table() == whole.table()


def test_yes_or_no_about_one_category(half: tuple[ClassEvaluation, Integers]) -> None:
    evaluation = lowshot.Evaluation(made()[0], seed=1)
    items = evaluation.ask(6)
    evaluation.tell(items[:4], [1, 0, None, True], category="crow")
    assert [evaluation.history["labels"][item] for item in items[:4]] == ["crow", "not crow", None, "crow"]
    evaluation.tell([items[1]], ["heron"])
    assert evaluation.history["labels"][items[1]] == "heron"
    with pytest.raises(InputError, match="was answered 'heron' before and now 'not crow'"):
        evaluation.tell([items[1]], [0], category="crow")
    with pytest.raises(InputError, match="was answered 'crow' before and now 'owl'; use correct"):
        evaluation.tell([items[0]], ["owl"])
    evaluation.correct(items[0], lowshot.OTHER)
    assert evaluation.history["labels"][items[0]] is lowshot.OTHER
    assert evaluation.labels == 4


@pytest.mark.parametrize(
    ("tell", "message"),
    [
        (lambda e, i: e.tell(i, ["heron", "crwo"]), "got 'crwo' for item .*; the nearest is 'crow'"),
        (lambda e, i: e.tell(i, ["heron"]), "labels must be one for each item: got 1 labels for 2 items"),
        (lambda e, i: e.tell(i, [1], category="crow"), "labels must be one for each item: got 1 labels for 2 items"),
        (lambda e, i: e.tell(i, [1, 0], category="owls"), "category must be a category of the pool: got 'owls'"),
        (lambda e, i: e.tell(i, [1, "crow"], category="crow"), "labels must be 0, 1 or None"),
        (lambda e, i: e.tell([599, 598], ["crow", "crow"]), "items must have been asked"),
    ],
)
def test_what_cannot_be_told(tell: Callable[[Any, Any], None], message: str) -> None:
    evaluation = lowshot.Evaluation(made()[0], seed=1)
    items = evaluation.ask(2)
    before = evaluation.history
    with pytest.raises(InputError, match=message):
        tell(evaluation, items)
    assert evaluation.history == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "f1"}, r"metric must be an average over all classes, one of f1_macro.*got 'f1'"),
        ({"metric": "roc_auc"}, r"metric must be an average over all classes"),
        ({"sampler": "acis"}, r"sampler must be 'classes' with many classes: got 'acis'"),
        ({"alpha": 0.3}, r"alpha must be left out with many classes"),
        ({"prior": lowshot.Prior(prevalence=(0.1, 0.2))}, r"prior must be left out with many classes"),
        ({"goal": ["eagle"]}, r"goal must be 'each', or a list of categories of the pool: got 'eagle'"),
        ({"goal": ["herons"]}, r"the nearest is 'heron'"),
        ({"goal": []}, r"goal must name at least one category"),
        ({"goal": ["owl", "owl"]}, r"goal must name every category once"),
        ({"goal": lowshot.Threshold(recall=0.9)}, r"goal must be 'each', or a list of categories"),
        ({"known": {0: "eagle"}}, r"labels must be categories of the pool: got 'eagle'"),
        ({"known": {0: None}}, r"got None; leave out items without a label"),
    ],
)
def test_arguments_of_an_evaluation(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lowshot.Evaluation(made()[0], **options)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda e: e.estimate(category="eagle"), "category must be a category of the pool: got 'eagle'"),
        (lambda e: e.estimate("f1_macro", category="owl"), "metric must be that of one category"),
        (lambda e: e.estimate("f1"), "metric must be an average over all classes"),
        (lambda e: e.estimate(model="v1"), "model must be left out with many classes"),
        (lambda e: e.estimate(target="population"), "target must be left out with many classes"),
        (lambda e: e.estimate(confidence=2), "confidence must be a number"),
        (lambda e: e.table(below=1.5), "below must be a number"),
        (lambda e: e.table(by="camera"), "by must be"),
        (lambda e: e.compare("v1", "v2"), "models cannot be compared with many classes"),
        (lambda e: e.thresholds(), "there is no threshold with many classes"),
        (lambda e: e.choose_threshold(recall=0.9), "there is no threshold to choose with many classes"),
        (lambda e: e.with_model("v2"), "no model can be added with many classes"),
        (lambda e: e.weights(), "labels have no weights of their own with many classes"),
        (lambda e: e.stop_when(verdict=True), "verdict and margin must be left out with many classes"),
    ],
)
def test_what_cannot_be_asked(half: tuple[ClassEvaluation, Integers], ask: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask(half[0])


def test_a_pool_of_one_category_has_no_average() -> None:
    pool = lowshot.Pool([0.9, 0.1], threshold=0.5)
    with pytest.raises(InputError, match=r"got 'f1_macro', an average over many; make a lowshot.ClassPool"):
        lowshot.Evaluation(pool, metric="f1_macro")
    with pytest.raises(InputError, match=r"'classes' needs a lowshot.ClassPool"):
        lowshot.Evaluation(pool, sampler="classes")


def test_a_question_has_one_kind_of_answers(tmp_path: Path) -> None:
    pool, _ = made()
    store = tmp_path / "birds.db"
    lowshot.Evaluation(pool, store=store, name="one", question="Which bird?")
    other = lowshot.ClassPool(np.eye(4), classes=["a", "b", "c", "d"])
    with pytest.raises(InputError, match="question must be another one: evaluation 'one' asks 'Which bird"):
        lowshot.Evaluation(other, store=store, name="two", question="Which bird?")
    with pytest.raises(InputError, match="question must be another one"):
        lowshot.Evaluation(lowshot.Pool([0.9, 0.1], threshold=0.5), store=store, name="three", question="Which bird?")


def test_labels_are_shared_by_the_evaluations_of_a_question(tmp_path: Path) -> None:
    pool, truth = made()
    store = tmp_path / "birds.db"
    first = lowshot.Evaluation(pool, store=store, name="one", question="Which bird?")
    label(first, truth, 20)
    second = lowshot.Evaluation(pool, store=store, name="two", question="Which bird?", metric="accuracy")
    assert second.history["labels"] == first.history["labels"]
    assert second.labels == 0


def test_known_labels(half: tuple[ClassEvaluation, Integers]) -> None:
    pool, truth = made()
    drawn = np.random.default_rng(7).choice(600, size=80, replace=False).tolist()
    known = lowshot.Known({item: BIRDS[truth[item]] for item in drawn}, drawn="uniform")
    evaluation = lowshot.Evaluation(pool, known=known)
    assert evaluation.estimate().interval is not None
    assert not set(evaluation.ask(20)) & set(drawn)
    chosen = lowshot.Evaluation(pool, known={item: BIRDS[truth[item]] for item in drawn})
    assert chosen.labels == 0


@pytest.mark.parametrize("kind", ["single", "multilabel"])
def test_several_annotators_and_a_store(tmp_path: Path, kind: str) -> None:
    from lowshot.labelling import Desk

    scores = np.random.default_rng(0).normal(size=(60, 4))
    predictions = scores > 0 if kind == "multilabel" else None
    pool = lowshot.ClassPool(scores, classes=BIRDS, kind=kind, predictions=predictions)  # type: ignore[arg-type]
    desk = Desk(lowshot.Evaluation(pool, store=tmp_path / "birds.db"), wanted=2)
    one, two = (["heron", "owl"], ["owl"]) if kind == "multilabel" else ("heron", lowshot.OTHER)
    item = desk.take("ann")[0]
    assert desk.take("bob")[0] == item
    desk.answer("ann", item, one)
    desk.answer("bob", item, two)
    assert desk.disputed() == [item]
    desk.decide("eve", item, one)
    assert desk.evaluation.history["labels"] == {item: one}
    desk.decide("eve", item, two)
    assert desk.evaluation.history["labels"] == {item: two}
    assert desk.agreement().items == 1
