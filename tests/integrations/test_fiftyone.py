"""Predictions of a real FiftyOne, with its database, as pools; labels and estimates back. `make fiftyone` runs it."""

import doctest
import re
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import InputError
from lowshot.demo import samples as shipped
from lowshot.integrations import fiftyone

from ..needed import module

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "fiftyone.md"
CLASSES = ["crow", "heron", "wren"]
ITEMS = 60


@pytest.fixture(scope="module")
def fo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """FiftyOne with a database of its own, which ends with this process."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("FIFTYONE_DATABASE_DIR", str(tmp_path_factory.mktemp("database")))
        patch.setenv("FIFTYONE_DO_NOT_TRACK", "true")
        patch.setenv("FIFTYONE_SHOW_PROGRESS_BARS", "false")
        yield module("fiftyone")


@pytest.fixture(scope="module")
def scores() -> Any:
    random = np.random.default_rng(0)
    logits = random.normal(size=(ITEMS, 3))
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def birds(fo: Any, scores: Any) -> Any:
    """Each sample with its predictions in every kind of field. Only read."""
    return _dataset(fo, scores)


@pytest.fixture
def mine(fo: Any, scores: Any) -> Any:
    """The same, to be changed."""
    return _dataset(fo, scores)


def _dataset(fo: Any, scores: Any) -> Any:
    dataset = fo.Dataset()
    dataset.add_samples([_sample(fo, place, row) for place, row in enumerate(scores)])
    return dataset


def _sample(fo: Any, place: int, row: Any) -> Any:
    best = int(row.argmax())
    one: dict[str, Any] = {"label": CLASSES[best], "confidence": float(row[best])}
    several = [(name, float(p)) for name, p in zip(CLASSES, row, strict=True) if p >= 0.3]
    box = [0.1, 0.1, 0.2, 0.2]
    return fo.Sample(
        filepath=f"/birds/{place}.jpg",
        camera="north" if place % 2 else "south",
        score=float(row[1]),
        plain=fo.Classification(**one),
        full=fo.Classification(**one, logits=np.log(row)),
        several=fo.Classifications(classifications=[fo.Classification(label=n, confidence=p) for n, p in several]),
        boxes=fo.Detections(detections=[fo.Detection(label=n, confidence=p, bounding_box=box) for n, p in several]),
    )


def test_one_class_of_a_classification(birds: Any, scores: Any) -> None:
    pool = fiftyone.pool(birds, "full", category="heron", classes=CLASSES)
    assert pool.names([0, 1]) == birds.values("id")[:2]
    assert np.allclose(pool.scores, scores[:, 1])
    assert pool.predictions.tolist() == (scores.argmax(axis=1) == 1).tolist()
    assert pool.shown(birds.values("id")[3:4]) == [{"filepath": "/birds/3.jpg"}]
    assert fiftyone.pool(birds, "full", category="heron", threshold=0.9).predicted_positives == (
        (scores[:, 1] >= 0.9).sum()
    )


ORDER = ["wren", "crow", "heron"]  # of a model: not that of the alphabet


def _reordered(fo: Any, scores: Any) -> Any:
    """The same birds, by a model with its classes in another order."""
    dataset = fo.Dataset()
    logits = np.log(scores)[:, [CLASSES.index(name) for name in ORDER]]
    rows = [
        fo.Sample(
            filepath=f"/birds/{place}.jpg",
            score=0.5,
            full=fo.Classification(label=ORDER[row.argmax()], confidence=float(np.exp(row.max())), logits=row),
        )
        for place, row in enumerate(logits)
    ]
    dataset.add_samples(rows)
    return dataset


def test_logits_are_in_the_order_of_the_model(fo: Any, scores: Any) -> None:
    birds = _reordered(fo, scores)
    best = scores.max(axis=1)
    left = np.where(scores.argmax(axis=1) == 1, best, (1 - best) / 2)
    unknown = fiftyone.pool(birds, "full", category="heron")
    assert np.allclose(unknown.scores, left), "which logit is that of a heron is not known"
    assert np.allclose(fiftyone.pool(birds, "full", category="heron", classes=ORDER).scores, scores[:, 1])
    birds.default_classes = CLASSES
    with pytest.raises(
        InputError, match=r"order of the logits of 'full': with those of the dataset, .*'crow', 'heron'"
    ):
        fiftyone.pool(birds, "full")
    with pytest.raises(InputError, match=r"highest logit; set dataset.classes\['full'\], in the order of the model"):
        fiftyone.pool(birds, "score", threshold=0.5, category="heron", helpers=["full"])
    with pytest.raises(InputError, match=r"classes must be in the order .* as given, .*give classes=, or set dataset"):
        fiftyone.pool(birds, "full", category="heron", classes=CLASSES)
    birds.classes = {"full": ORDER}
    assert np.allclose(fiftyone.pool(birds, "full", category="heron").scores, scores[:, 1])
    direct = lowshot.ClassPool(
        np.log(scores)[:, [2, 0, 1]], classes=ORDER, predictions=birds.values("full.label"), ids=birds.values("id")
    )
    assert fiftyone.pool(birds, "full").fingerprint == direct.fingerprint


def test_equal_logits_are_in_order(fo: Any) -> None:
    """Which of the two highest is the label, a model may decide by rounded probabilities."""
    birds = fo.Dataset()
    rows = [("heron", [1.0, 1.0, 0.0]), ("crow", [1.0, 1.0 + 1e-5, 0.0])]
    for label, logits in rows:
        one = fo.Classification(label=label, confidence=0.4, logits=np.array(logits))
        birds.add_sample(fo.Sample(filepath=f"/birds/{label}.jpg", full=one))
    assert len(fiftyone.pool(birds, "full", category="heron", classes=CLASSES)) == 2


def test_errors_about_helpers_name_them(fo: Any, mine: Any) -> None:
    mine.add_sample(fo.Sample(filepath="/birds/new.jpg", score=0.5))
    options: dict[str, Any] = {"category": "heron", "threshold": 0.5}
    for field in ("plain", "boxes"):
        with pytest.raises(InputError, match=f"^helpers must have a label for each sample: 1 of .* in '{field}'"):
            fiftyone.pool(mine, "score", helpers=[field], **options)
    last = mine.last()
    for confidence, message in (
        (None, "^helpers must have a confidence"),
        (2.0, "^helpers must have confidences from"),
    ):
        last["plain"] = fo.Classification(label="heron", confidence=confidence)
        last["boxes"] = fo.Detections(
            detections=[fo.Detection(label="heron", confidence=confidence, bounding_box=[0.1, 0.1, 0.2, 0.2])]
        )
        last.save()
        with pytest.raises(InputError, match=message):
            fiftyone.pool(mine, "score", helpers=["plain"], **options)
        with pytest.raises(InputError, match=r"^helpers must have"):
            fiftyone.pool(mine, "score", helpers=["boxes"], **options)


def test_without_logits_other_classes_share_what_is_left(birds: Any, scores: Any) -> None:
    pool = fiftyone.pool(birds, "plain", category="heron")
    best = scores.max(axis=1)
    assert np.allclose(pool.scores, np.where(scores.argmax(axis=1) == 1, best, (1 - best) / 2))


def test_all_classes(birds: Any, scores: Any) -> None:
    full = fiftyone.pool(birds, "full", classes=CLASSES)
    plain = fiftyone.pool(birds, "plain")
    counts = np.bincount(scores.argmax(axis=1), minlength=3).tolist()
    for pool in (full, plain):
        assert pool.categories == tuple(CLASSES)
        assert pool.predicted_counts.tolist() == counts
    direct = lowshot.ClassPool(np.log(scores), classes=CLASSES, ids=birds.values("id"))
    assert full.fingerprint == direct.fingerprint


def test_the_classes_that_a_dataset_stores(mine: Any) -> None:
    mine.classes = {"plain": [*CLASSES, "owl"]}
    assert fiftyone.pool(mine, "plain").categories == (*CLASSES, "owl")


@pytest.mark.parametrize("field", ["several", "boxes"])
def test_one_class_of_many_labels(field: str, birds: Any, scores: Any) -> None:
    pool = fiftyone.pool(birds, field, category="heron")
    assert np.allclose(pool.scores, np.where(scores[:, 1] >= 0.3, scores[:, 1], 0))
    assert pool.predictions.tolist() == (scores[:, 1] >= 0.3).tolist()


def test_any_number_of_classes(birds: Any, scores: Any) -> None:
    pool = fiftyone.pool(birds, "several")
    assert pool.answers.several
    assert pool.predicted_counts.tolist() == (scores >= 0.3).sum(axis=0).tolist()


def test_several_models_helpers_slices_and_a_view(birds: Any, scores: Any) -> None:
    view = birds.match(fiftyone_expression("camera", "north"))
    pool = fiftyone.pool(
        view, {"v1": "full", "v2": "score"}, category="heron", threshold={"v2": 0.5}, helpers=["boxes"],
        slices=["camera"], classes=CLASSES,
    )  # fmt: skip
    assert (len(pool), pool.models, pool.helpers) == (ITEMS // 2, ("v1", "v2"), ("boxes",))
    assert pool.slices.by("camera", "model").names == ("north",)


def fiftyone_expression(field: str, value: str) -> Any:
    return module("fiftyone").ViewField(field) == value


def test_a_view_that_draws_at_random_is_read_as_it_was_first(birds: Any, scores: Any) -> None:
    """FiftyOne runs it anew for each field."""
    shuffled = birds.mongo([{"$sample": {"size": ITEMS}}])
    best = {name: int(row.argmax()) for name, row in zip(birds.values("id"), scores, strict=True)}
    heron = dict(zip(*birds.values(["id", "score"]), strict=True))
    files = dict(zip(*birds.values(["id", "filepath"]), strict=True))
    pool = fiftyone.pool(shuffled, "full", category="heron", classes=CLASSES)
    names = pool.names(range(ITEMS))
    assert names != birds.values("id")
    assert pool.predictions.tolist() == [best[name] == 1 for name in names]
    assert np.allclose(pool.scores, [heron[name] for name in names])
    assert [one["filepath"] for one in pool.shown(names)] == [files[name] for name in names]
    plain = fiftyone.pool(shuffled, "score", threshold=0.5)
    assert plain.scores.tolist() == [heron[name] for name in plain.names(range(ITEMS))]
    classes = fiftyone.pool(shuffled, "full", classes=CLASSES)
    names = classes.names(range(ITEMS))
    assert [one for (one,) in classes.predicted_names(np.arange(ITEMS))] == [CLASSES[best[name]] for name in names]


def test_a_view_that_gives_other_samples_each_time(birds: Any) -> None:
    some = birds.mongo([{"$sample": {"size": ITEMS // 2}}])
    with pytest.raises(
        InputError, match=r"samples must be the same each time.*dataset\.select\(view\.values\('id'\)\)"
    ):
        fiftyone.pool(some, "score", threshold=0.5)
    kept = birds.select(some.values("id"))
    assert len(fiftyone.pool(kept, "score", threshold=0.5)) == ITEMS // 2
    assert len(fiftyone.pool(birds.take(20), "score", threshold=0.5)) == 20


def test_labels_and_estimates_are_written(mine: Any) -> None:
    ids = mine.values("id")
    evaluation = lowshot.Evaluation(fiftyone.pool(mine, "plain", category="heron"), sampler="rand")
    items = evaluation.ask(20)
    answers = [None if number == 0 else int(ids.index(item) % 5 == 0) for number, item in enumerate(items)]
    evaluation.tell(items, answers)
    fiftyone.write(evaluation, mine, "checked", tag="labelled")
    words = dict(zip(*mine.values(["id", "checked.label"]), strict=True))
    expected = {None: "cannot tell", 0: "no", 1: "yes"}
    assert {item: word for item, word in words.items() if word} == {
        item: expected[answer] for item, answer in zip(items, answers, strict=True)
    }
    assert {*mine.match_tags("labelled").values("id")} == {*items}
    chances = [chance for chance in mine.values("checked.probability") if chance is not None]
    assert chances == pytest.approx([1 / ITEMS] * 20)
    estimate = mine.info["checked"]["estimates"][0]
    assert estimate["value"] == evaluation.estimate().value
    assert estimate["labels"] == evaluation.estimate().labels
    evaluation.tell(more := evaluation.ask(5), [0] * len(more))
    fiftyone.write(evaluation, mine.view(), "checked")  # again, and through a view
    assert mine.count_values("checked.label")[None] == ITEMS - 25
    assert mine.info["checked"]["labels"] == 25


def test_classes_are_written_by_name(mine: Any) -> None:
    evaluation = lowshot.Evaluation(fiftyone.pool(mine, "plain"))
    items = evaluation.ask(3)
    evaluation.tell(items, ["wren", lowshot.OTHER, None])
    fiftyone.write(evaluation, mine)
    words = dict(zip(*mine.values(["id", "lowshot.label"]), strict=True))
    assert [words[item] for item in items] == ["wren", "none of these", "cannot tell"]


def test_any_number_of_classes_is_written(mine: Any) -> None:
    evaluation = lowshot.Evaluation(fiftyone.pool(mine, "several"))
    items = evaluation.ask(3)
    evaluation.tell(items, [{"wren", "crow"}, set(), None])
    fiftyone.write(evaluation, mine)
    words = dict(zip(*mine.values(["id", "lowshot.classifications.label"]), strict=True))
    assert [words[item] for item in items] == [["crow", "wren"], [], ["cannot tell"]]


def test_boxes_are_items(mine: Any, scores: Any) -> None:
    boxes = mine.to_patches("boxes")
    pool = fiftyone.pool(boxes, "boxes", category="heron")
    assert len(pool) == (scores >= 0.3).sum()
    assert pool.predicted_positives == (scores[:, 1] >= 0.3).sum()
    evaluation = lowshot.Evaluation(pool)
    items = evaluation.ask(4)
    evaluation.tell(items, [1, 0, 1, 0])
    fiftyone.write(evaluation, boxes)
    found = [word for words in mine.values("boxes.detections.lowshot") for word in words if word]
    assert sorted(found) == ["no", "no", "yes", "yes"]


@pytest.mark.parametrize(
    ("field", "options", "message"),
    [
        ("plian", {}, "predictions_field must be a field of the samples: got 'plian'; the nearest is 'plain'"),
        ("camera", {}, "must be a field of Classification.*numbers: 'camera' is a field of StringField"),
        ("score", {}, "give either predictions or threshold: got neither"),
        ("plain", {"category": "herron"}, "category must be one of the classes: got 'herron'; the nearest is 'heron'"),
        ("plain", {"threshold": 0.5}, "threshold must be left out where one of several classes is predicted"),
        ("plain", {"classes": ["crow"]}, "classes must have every label of 'plain': 'heron' is missing"),
        ("full", {"classes": [*CLASSES, "owl"]}, "classes must be one name per logit of 'full': got 4 names for 3"),
        ({"a": "plain", "b": "full"}, {}, "category must be given with several models"),
        ("plain", {"slices": ["camra"]}, "slices must be a field of the samples: got 'camra'; the nearest is 'camera'"),
    ],
)
def test_what_is_no_pool(field: Any, options: dict[str, Any], message: str, birds: Any) -> None:
    with pytest.raises(InputError, match=message):
        fiftyone.pool(birds, field, **options)


def test_samples_without_predictions(fo: Any, mine: Any) -> None:
    mine.add_sample(fo.Sample(filepath="/birds/new.jpg"))
    for field in ("plain", "boxes"):
        with pytest.raises(InputError, match=rf"1 of {ITEMS + 1} have none in '{field}'; give samples.exists"):
            fiftyone.pool(mine, field, category="heron")
        assert len(fiftyone.pool(mine.exists(field), field, category="heron")) == ITEMS
    with pytest.raises(InputError, match="samples must hold at least one sample"):
        fiftyone.pool(mine.limit(0), "plain")
    with pytest.raises(InputError, match="samples must be a dataset or a view of FiftyOne: got str"):
        fiftyone.pool("birds", "plain")


def test_what_cannot_be_written_changes_nothing(birds: Any) -> None:
    evaluation = lowshot.Evaluation(fiftyone.pool(birds, "plain", category="heron"))
    items = evaluation.ask(20)
    evaluation.tell(items, [0] * len(items))
    before = birds.values("camera")
    with pytest.raises(InputError, match="field must be a new one, or one of Classification: 'camera'"):
        fiftyone.write(evaluation, birds, "camera")
    with pytest.raises(InputError, match=rf"samples must hold every item with a label: \d+ of {len(items)} "):
        fiftyone.write(evaluation, birds.limit(5))
    assert birds.values("camera") == before
    assert birds.info == {}
    assert not birds.has_field("lowshot")


def test_the_page(fo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of the page run one after the other, and print what stands below them."""
    sample = shipped.load("birds")
    folder = tmp_path / "birds"
    (folder / "pictures").mkdir(parents=True)
    for name, text in sample.texts(Path("birds")).items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    printed = ""
    for language, content in blocks:
        if language == "python":
            with redirect_stdout(StringIO()) as output, warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                exec(content, names)
            printed = output.getvalue()
        else:
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert doctest.OutputChecker().check_output(content, printed, flags), printed
    assert [language for language, _ in blocks].count("text") == 3
