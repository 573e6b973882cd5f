"""The loop with many categories: what can be told, asked and stored, whatever the numbers are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

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
        (
            {"metric": "f1"},
            r"metric must be an average over all classes, one of f1_macro.*got 'f1'.*together with category=",
        ),
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
        ({"known": {0: None}}, r"known labels must be categories: got None; leave out items without a label"),
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


def two_classes() -> tuple[lowshot.ClassPool, lowshot.Pool, Any]:
    random = np.random.default_rng(2)
    truth = random.random(5000) < 0.01
    share = 1 / (1 + np.exp(4 - random.normal(size=5000) - 3 * truth))
    logs = np.log(share).astype(np.float32).astype(np.float64)
    rest = np.log1p(-np.exp(logs))
    predicted = np.where(share > 0.3, "rare", "rest").tolist()
    classes = lowshot.ClassPool(np.column_stack([logs, rest]), classes=["rare", "rest"], predictions=predicted)
    levels = classes.of_category("rare").level(np.arange(5000))
    return classes, lowshot.Pool(levels, share > 0.3, scale="log"), truth


@pytest.mark.parametrize("goal", [None, ["rare"]])
def test_two_classes_are_a_pool_of_yes_and_no(goal: Any) -> None:
    classes, pool, truth = two_classes()
    one, two = lowshot.Evaluation(pool, seed=3), lowshot.Evaluation(classes, seed=3, goal=goal)
    while one.labels < 80:
        items = one.ask(80 - one.labels)
        assert two.ask(80 - two.labels) == items
        one.tell(items, truth[items])
        two.tell(items, ["rare" if truth[item] else "rest" for item in items])
    assert two.estimate("f1", category="rare") == one.estimate()
    row = two.table().rows[0]
    assert (row["value"], row["low"]) == (one.estimate().value, one.estimate().to_dict()["low"])
    macro, common = two.estimate(), two.estimate("f1", category="rest")
    assert macro.value == pytest.approx((one.estimate().value + common.value) / 2)
    assert two.estimate("accuracy").value > 0.98


def test_labels_for_one_category_say_little_about_the_others() -> None:
    pool, truth = made()
    evaluation = lowshot.Evaluation(pool, goal=["owl"])
    label(evaluation, truth, 40)
    assert "drawn for 'owl' alone" in evaluation.estimate().warning
    assert not evaluation.estimate("f1", category="owl").warning


def test_items_that_nobody_can_tell_widen_the_interval() -> None:
    pool, truth = made()
    widths = []
    for skipped in (0, 10):
        evaluation = lowshot.Evaluation(pool, seed=4)
        items = evaluation.ask(50)
        names = [BIRDS[truth[item]] for item in items]
        evaluation.tell(items, [None] * skipped + names[skipped:])
        found = evaluation.estimate()
        assert found.interval is not None
        assert found.skipped == skipped
        widths.append(found.interval.width)
    assert widths[1] > widths[0]


def test_a_class_that_nobody_predicts_has_recall_0() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(300, 3)) - np.array([0, 0, 50])
    truth = random.integers(0, 3, size=300)
    evaluation = lowshot.Evaluation(lowshot.ClassPool(scores, classes=BIRDS[:3]), seed=0)
    label(evaluation, truth, 60)
    found = evaluation.estimate("recall", category="wren")
    assert found.value == 0
    assert "no item is predicted to be of this category" in found.reason
    assert "does not exist" in evaluation.estimate("precision", category="wren").reason


def test_a_class_with_few_labels_says_so() -> None:
    pool, truth = made()
    evaluation = lowshot.Evaluation(pool, seed=1)
    label(evaluation, truth, 8)
    for row in evaluation.table().rows:
        told = "" if row["labels"] > 3 else "rests on" if row["labels"] else "no label says anything"
        assert told in row["reason"]
        assert bool(told) == bool(row["reason"])


def test_rows_that_are_all_equal() -> None:
    evaluation = lowshot.Evaluation(lowshot.ClassPool(np.ones((200, 5))), seed=0)
    items = evaluation.ask(40)
    evaluation.tell(items, [item % 5 for item in items])
    found = evaluation.estimate()
    assert found.interval is not None
    assert found.interval.low <= 1 / 15 <= found.interval.high  # one class is predicted: F1 1/3, and 0 for the others


def test_slices(half: tuple[ClassEvaluation, Integers]) -> None:
    sides = np.where(np.arange(600) % 2, "north", "south")
    pool, truth = made(slices={"camera": sides})
    evaluation = lowshot.Evaluation(pool, seed=1)
    label(evaluation, truth, 120)
    assert evaluation.estimate() == half[0].estimate()
    table = evaluation.table(by="camera")
    assert (table.names, table.metric, sum(row["labels"] for row in table.rows)) == (
        ["north", "south"],
        "f1_macro",
        120,
    )
    north = evaluation.estimate(where={"camera": "north"})
    assert (north.value, north.labels) == (table.rows[0]["value"], table.rows[0]["labels"])
    crow = evaluation.estimate("recall", category="crow", where={"camera": "north"})
    assert crow.interval
    assert crow.labels == north.labels
    with pytest.raises(InputError, match="by must be 'category' or a column of slices: got 'model'"):
        evaluation.table(by="model")
    with pytest.raises(InputError, match="must be a value that occurs"):
        evaluation.estimate(where={"camera": "west"})
    for row in evaluation.table(by="camera", below=0.99).rows:
        assert row["below"] > 0.9


def test_a_slice_without_labels_says_so() -> None:
    pool, truth = made(slices={"camera": np.where(np.arange(600) < 3, "new", "old")})
    evaluation = lowshot.Evaluation(pool, seed=1)
    label(evaluation, truth, 20)
    assert not {0, 1, 2} & {*evaluation.history["labels"]}
    found = evaluation.estimate(where={"camera": "new"})
    assert (found.labels, found.reason) == (
        0,
        "no label is in it: the answer rests on the labels of the other slices",
    )
    assert evaluation.table(by="camera").rows[0]["reason"] == found.reason


def test_plan_and_stop() -> None:
    pool, truth = made()
    evaluation = lowshot.Evaluation(pool, seed=0)
    before = evaluation.plan(0.1)
    assert 10 < before.likely < 600
    assert not evaluation.stop_when(0.1)
    label(evaluation, truth, 300)
    assert evaluation.stop_when(0.1)
    assert evaluation.plan(0.1).likely == 300
    each = lowshot.Evaluation(pool, seed=0, goal="each")
    label(each, truth, 300)
    assert each.stop_when(0.3)
    assert not each.stop_when(0.01)


@pytest.mark.parametrize("goal", ["each", ["crow", "heron"], ["crow"]])
def test_plan_is_about_the_classes_of_the_goal(goal: Any) -> None:
    pool, truth = made()
    evaluation = lowshot.Evaluation(pool, seed=0, goal=goal)
    assert evaluation.plan(0.1).likely > 10
    label(evaluation, truth, 60)
    rows = [row for row in evaluation.table().rows if goal == "each" or row["category"] in goal]
    widest = max(row["high"] - row["low"] for row in rows) / 2
    assert evaluation.plan(widest + 0.001).likely == evaluation.labels
    assert evaluation.plan(widest / 1.5).likely > evaluation.labels
    average = evaluation.estimate().interval
    assert average is not None
    if widest > average.width / 2:  # narrow enough for the average is not narrow enough for each class
        assert evaluation.plan(average.width / 2).likely > evaluation.labels


def test_several_classes_per_item() -> None:
    random = np.random.default_rng(1)
    scores = random.normal(size=(2000, 6)) * 1.5 - 2
    truth = random.random((2000, 6)) < 1 / (1 + np.exp(-scores))
    names = [f"tag {place}" for place in range(6)]
    pool = lowshot.ClassPool(scores, classes=names, kind="multilabel", predictions=scores > 0)
    evaluation = lowshot.Evaluation(pool, seed=0)
    items = evaluation.ask(5)
    evaluation.tell(items[:1], [truth[items[0], 2]], category="tag 2")
    evaluation.tell(
        items[1:], [{name for name, there in zip(names, truth[i], strict=True) if there} for i in items[1:]]
    )
    while evaluation.labels < 250:
        items = evaluation.ask(250 - evaluation.labels)
        evaluation.tell(items, [[name for name, there in zip(names, truth[i], strict=True) if there] for i in items])
    predicted = scores > 0
    each = 2 * (predicted & truth).sum(axis=0) / (predicted.sum(axis=0) + truth.sum(axis=0))
    found = evaluation.estimate()
    assert found.interval is not None
    assert found.interval.low < each.mean() < found.interval.high
    assert found.interval.width < 0.25
    held = [row["low"] <= one <= row["high"] for row, one in zip(evaluation.table().rows, each, strict=True)]
    assert sum(held) >= 5
    with pytest.raises(InputError, match="metric must be an average over classes with kind 'multilabel'"):
        evaluation.estimate("accuracy")


def test_a_pool_of_yes_and_no_has_no_category() -> None:
    evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.1], threshold=0.5))
    with pytest.raises(InputError, match="category must be left out, because the pool has one: got 'owl'"):
        evaluation.estimate(category="owl")
    with pytest.raises(InputError, match="category must be left out"):
        evaluation.tell(evaluation.ask(1), [1], category="owl")


def two_kinds(items: int = 400, neither: float = 0.0) -> tuple[lowshot.ClassPool, list[Any]]:
    """A pool of two categories, a share of whose items belong to neither; and the answer for every item."""
    random = np.random.default_rng(4)
    truth = (random.random(items) < 0.3).astype(int)
    scores = random.normal(size=(items, 2)) + 2 * np.eye(2)[truth]
    names = np.array(["crow", "heron", lowshot.OTHER], dtype=object)
    return lowshot.ClassPool(scores, classes=names[:2].tolist()), [
        *names[np.where(random.random(items) < neither, 2, truth)]
    ]


def answered(evaluation: lowshot.Evaluation, answers: list[Any], labels: int) -> None:
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, [answers[item] for item in items])


@pytest.mark.parametrize("metric", ["f1_macro", "f1_weighted", "accuracy"])
def test_of_two_categories_an_item_may_have_none(metric: str) -> None:
    pool, answers = two_kinds(neither=0.4)
    evaluation = lowshot.Evaluation(pool, metric=metric, seed=1)
    answered(evaluation, answers, 399)
    almost, common = evaluation.estimate(), evaluation.estimate("f1", category="crow")
    answered(evaluation, answers, 400)
    whole, all_common = evaluation.estimate(), evaluation.estimate("f1", category="crow")
    # One item of 400 changes each of these by 1 / 100 at most.
    assert almost.value == pytest.approx(whole.value, abs=0.01)
    assert common.value == pytest.approx(all_common.value, abs=0.01)


@pytest.mark.parametrize("goal", [None, "each", ["heron"]])
@pytest.mark.parametrize("metric", ["precision_macro", "precision_weighted"])
def test_draws_for_the_precision_of_one_category_tell_about_the_other(metric: str, goal: Any) -> None:
    pool, answers = two_kinds()
    evaluation = lowshot.Evaluation(pool, metric=metric, goal=goal, seed=1)
    answered(evaluation, answers, 60)
    found = evaluation.estimate()
    assert found.interval is not None
    assert 0 < found.interval.low <= found.value <= found.interval.high <= 1
    assert [row["items"] > 0 for row in evaluation.table().rows] == [True, True]


def test_draws_for_the_precision_of_one_of_many_categories_give_a_table() -> None:
    pool, truth = made()
    evaluation = lowshot.Evaluation(pool, metric="precision_macro", goal=["owl"], seed=1)
    label(evaluation, truth, 60)
    assert all(row["items"] > 0 for row in evaluation.table().rows)


def test_a_weighted_average_of_two_categories_lies_in_its_interval() -> None:
    random = np.random.default_rng(0)
    random.choice(2, 60)
    pool = lowshot.ClassPool(random.normal(size=(60, 2)), classes=["crow", "heron"])
    evaluation = lowshot.Evaluation(pool, seed=1)
    for labels in (7, 40):
        answered(evaluation, ["crow"] * 60, labels)
        for metric in ("f1_weighted", "precision_weighted", "recall_weighted", "accuracy"):
            found = evaluation.estimate(metric)
            assert found.interval is not None
            assert found.interval.low <= found.value <= found.interval.high


def test_labels_that_say_nothing_about_the_rare_one_of_two_categories() -> None:
    pool, _ = two_kinds()
    evaluation = lowshot.Evaluation(pool, seed=1)
    items = evaluation.ask(5)
    evaluation.tell(items, ["not crow"] * 5)
    found = evaluation.estimate()
    assert found.interval is not None
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in evaluation.table().rows)


@pytest.mark.parametrize("metric", ["f1_macro", "f1_weighted", "precision_macro", "recall_macro"])
def test_everything_labelled_is_exact_where_any_number_of_categories_apply(metric: str) -> None:
    random = np.random.default_rng(2)
    truth = random.random((80, 3)) < 0.2
    scores = random.normal(size=(80, 3)) + 2 * truth - 1
    pool = lowshot.ClassPool(scores, kind="multilabel", predictions=scores > 0)
    evaluation = lowshot.Evaluation(pool, metric=metric, seed=0)
    while items := evaluation.ask(20):
        evaluation.tell(items, [np.flatnonzero(truth[item]).tolist() for item in items])
    measure, average = metric.split("_")
    right = getattr(metrics, f"{measure}_score")(truth, scores > 0, average=average)
    found = evaluation.estimate()
    assert found.interval is not None
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx((right, right, right))


def test_a_goal_as_an_array() -> None:
    assert lowshot.Evaluation(made()[0], goal=np.array(["owl", "crow"])).goal == ("owl", "crow")


def test_a_table_by_something_unknown() -> None:
    with pytest.raises(
        InputError, match="by must be 'category' or a column of slices: got 'camra'; the nearest is 'cam"
    ):
        lowshot.Evaluation(made(slices={"camera": ["a"] * 600})[0]).table(by="camra")


def test_slices_count_the_labels_that_are_used() -> None:
    """Neither those that wait for an earlier item, nor "cannot tell"."""
    pool, truth = made(slices={"camera": ["north", "south"] * 300})
    evaluation = lowshot.Evaluation(pool, seed=1)
    items = evaluation.ask(20)
    evaluation.tell(items[:8] + items[9:], [None, *(BIRDS[truth[item]] for item in items[1:8] + items[9:])])
    table = evaluation.table(by="camera")
    assert table.labels == 7
    assert sum(row["labels"] for row in table.rows) == 7


def test_two_categories_and_a_label_that_waits() -> None:
    """The draws that count say nothing about the rare category; the one that does waits for an item before it."""
    pool, _ = two_kinds(items=90)
    evaluation = lowshot.Evaluation(pool, seed=0)
    items = evaluation.ask(5)
    evaluation.tell([*items[:2], items[3]], ["not crow", "not crow", "heron"])
    for metric in ("f1_macro", "f1_weighted", "accuracy"):
        found = evaluation.estimate(metric)
        assert found.interval is not None
        assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1


@pytest.mark.parametrize("goal", [None, ["heron"]])
def test_known_labels_that_say_nothing_about_the_only_category(goal: Any) -> None:
    pool, answers = two_kinds(items=30)
    evaluation = lowshot.Evaluation(pool, known={7: "not crow", 8: "crow"}, goal=goal, seed=2)
    answered(evaluation, answers, 30)
    assert evaluation.ask(5) == []
    found = evaluation.estimate()
    assert found.interval is not None
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in evaluation.table().rows)


@pytest.mark.parametrize("category", [None, "crow"])
def test_labels_in_another_order_are_refused(category: str | None) -> None:
    pool, truth = made(ids=[f"{number}.jpg" for number in range(600)])
    evaluation = lowshot.Evaluation(pool)
    items = evaluation.ask(10)
    answers = [BIRDS[truth[place]] for place in pool.positions(items)]
    labels = pd.Series(answers if category is None else [name == category for name in answers], index=items)
    with pytest.raises(InputError, match="labels must be in the order of items"):
        evaluation.tell(items, labels[::-1], category=category)
    assert evaluation.labels == 0
    evaluation.tell(items, labels, category=category)
    assert evaluation.labels == 10


def test_the_last_item_is_drawn_with_a_probability_of_one_and_no_more(tmp_path: Path) -> None:
    """The sum of the two parts of its probability was rounded up, and its store was refused as damaged."""
    for seed in range(60):
        scores = np.random.default_rng(seed).normal(size=(1, 5))
        pool = lowshot.ClassPool(scores, classes=list("abcde"), kind="single")
        evaluation = lowshot.Evaluation(pool, goal="each", seed=seed, store=tmp_path / f"{seed}.db")
        evaluation.tell(evaluation.ask(1), ["a"])
        assert evaluation.snapshot().rounds[0].draws.probability.max() <= 1
        assert lowshot.Evaluation(pool, store=tmp_path / f"{seed}.db").labels == 1
