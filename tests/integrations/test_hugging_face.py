"""Datasets of Hugging Face as pools, with the real package; labels and estimates back."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import InputError
from lowshot.integrations import hugging_face
from lowshot.notebook.showing import parts_of

from ..needed import module

CLASSES = ["ham", "phish", "spam"]
ROWS = 200


def scores(rows: int = ROWS) -> Any:
    logits = np.random.default_rng(0).normal(size=(rows, 3))
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def outputs(found: Any) -> list[Any]:
    """As a pipeline of transformers with top_k=None gives them: the best class first."""
    return [[{"label": CLASSES[place], "score": float(row[place])} for place in np.argsort(-row)] for row in found]


@pytest.fixture(scope="module")
def datasets() -> Any:
    return module("datasets")


@pytest.fixture(scope="module")
def messages(datasets: Any) -> Any:
    """Rows with what models say about them, in every form."""
    found = scores()
    label = datasets.ClassLabel(names=CLASSES)
    columns = {
        "key": [f"m{place}" for place in range(ROWS)],
        "text": [f"message {place}" for place in range(ROWS)],
        "p": found[:, 2],
        "q": found[:, 2] ** 2,
        "probabilities": found.astype(np.float32),
        "output": outputs(found),
        "best": [row[0] for row in outputs(found)],
        "predicted": found.argmax(axis=1),
        "word": [CLASSES[place] for place in found.argmax(axis=1)],
        "source": [place % 2 for place in range(ROWS)],
        "w": np.arange(1, ROWS + 1),
    }
    rows = datasets.Dataset.from_dict(columns)
    rows = rows.cast_column("predicted", label).cast_column("source", datasets.ClassLabel(names=["mail", "chat"]))
    return rows


@pytest.fixture(params=["as it is", "selected", "shuffled", "filtered", "formatted", "concatenated"])
def same_rows(request: pytest.FixtureRequest, datasets: Any, messages: Any) -> Any:
    """The dataset after what people do with datasets, and the places of its rows in the original."""
    places = np.arange(ROWS)
    match request.param:
        case "selected":
            places = np.array([5, 3, 150, 7])
            return messages.select(places), places
        case "shuffled":
            order = np.random.default_rng(1).permutation(ROWS)
            return messages.select(order).shuffle(seed=0), None
        case "filtered":
            return messages.filter(lambda row: row["p"] > 0.3), np.flatnonzero(scores()[:, 2] > 0.3)
        case "formatted":
            return messages.with_format("numpy", columns=["p"]), places
        case "concatenated":
            parts = [messages.select(range(100, ROWS)), messages.select(range(100))]
            return datasets.concatenate_datasets(parts), np.r_[100:ROWS, :100]
    return messages, places


def test_the_rows_are_those_of_the_dataset(same_rows: Any) -> None:
    rows, places = same_rows
    if places is None:
        places = np.array([int(key[1:]) for key in rows["key"]])
        assert (np.diff(places) != 1).any()
    pool = hugging_face.pool(rows, id="key", score="p", threshold=0.4, show=["text", "source"], slices=["source"])
    assert pool.names(range(len(pool))) == [f"m{place}" for place in places]
    assert pool.scores.tolist() == scores()[places, 2].tolist()
    last = f"m{places[-1]}"
    assert pool.shown([last]) == [{"text": f"message {places[-1]}", "source": ["mail", "chat"][places[-1] % 2]}]
    grid = hugging_face.pool(rows, id="key", score="probabilities", classes=CLASSES)
    direct = lowshot.ClassPool(
        scores()[places].astype(np.float32), classes=CLASSES, ids=[f"m{place}" for place in places]
    )
    assert grid.fingerprint == direct.fingerprint


def test_the_keywords_of_a_data_frame(messages: Any) -> None:
    options: dict[str, Any] = {
        "id": "key", "score": {"v1": "p", "v2": "q"}, "threshold": {"v1": 0.5, "v2": 0.3}, "weight": "w",
    }  # fmt: skip
    pool = hugging_face.pool(messages, helpers=["q"], **options | {"score": "p", "threshold": 0.5})
    assert pool.helpers == ("q",)
    several = hugging_face.pool(messages, **options)
    assert several.fingerprint == lowshot.Pool.from_frame(messages.to_pandas(), **options).fingerprint


@pytest.mark.parametrize("column", ["probabilities", "output"])
def test_one_class_of_several(column: str, messages: Any) -> None:
    options: dict[str, Any] = {"score": column, "category": "spam", "classes": CLASSES}
    pool = hugging_face.pool(messages, **options)
    assert np.allclose(pool.scores, scores()[:, 2])
    assert pool.predictions.tolist() == (scores().argmax(axis=1) == 2).tolist()
    assert hugging_face.pool(messages, threshold=0.7, **options).predicted_positives == (scores()[:, 2] >= 0.7).sum()
    for prediction in ("predicted", "word"):
        named = hugging_face.pool(messages, prediction=prediction, **options)
        assert named.predictions.tolist() == pool.predictions.tolist()


def test_predictions_by_name_of_one_score(messages: Any) -> None:
    pool = hugging_face.pool(messages, score="p", prediction="predicted", category="spam")
    assert pool.predictions.tolist() == (scores().argmax(axis=1) == 2).tolist()


def test_several_models_with_several_classes(messages: Any) -> None:
    pool = hugging_face.pool(
        messages, score={"v1": "output", "v2": "q"}, category="spam", threshold={"v2": 0.2}, helpers={"h": "p"}
    )
    assert (pool.models, pool.helpers) == (("v1", "v2"), ("h",))
    assert pool.predictions.tolist() == (scores().argmax(axis=1) == 2).tolist()


@pytest.mark.parametrize("column", ["probabilities", "output"])
@pytest.mark.parametrize("prediction", [None, "predicted", "word"])
def test_all_classes(column: str, prediction: str | None, messages: Any) -> None:
    pool = hugging_face.pool(messages, id="key", score=column, prediction=prediction, slices=["source"], weight="w")
    assert pool.categories == tuple(CLASSES)  # of the only ClassLabels that fit, or of the pipeline
    assert pool.predicted_counts.tolist() == np.bincount(scores().argmax(axis=1)).tolist()
    assert pool.slices.by("source", "category").names == ("chat", "mail")


def test_any_number_of_classes(messages: Any) -> None:
    for column in ("probabilities", "output"):
        pool = hugging_face.pool(messages, score=column, kind="multilabel", threshold=0.3, classes=CLASSES)
        assert pool.predicted_counts.tolist() == (scores() >= 0.3).sum(axis=0).tolist()
    with pytest.raises(InputError, match="threshold must be a finite number: got None"):
        hugging_face.pool(messages, score="output", kind="multilabel")


def test_the_best_class_alone(messages: Any) -> None:
    pool = hugging_face.pool(messages, id="key", score="best", weight="w")
    best = scores().argmax(axis=1)
    assert pool.names([0, ROWS - 1]) == ["m0", f"m{ROWS - 1}"]
    assert pool.predicted_counts.tolist() == np.bincount(best).tolist()
    with pytest.raises(InputError, match=r"must have a score of 'spam' in each row.*top_k=None"):
        hugging_face.pool(messages, score="best", category="spam")


def test_the_best_of_two_classes_says_everything(datasets: Any) -> None:
    share = np.random.default_rng(0).random(50)
    best = [{"label": "spam" if p >= 0.5 else "ham", "score": float(max(p, 1 - p))} for p in share]
    rows = datasets.Dataset.from_dict({"best": best})
    pool = hugging_face.pool(rows, score="best", category="spam", classes=["ham", "spam"])
    assert np.allclose(pool.scores, share)
    assert pool.predictions.tolist() == (share >= 0.5).tolist()
    with pytest.raises(InputError, match="if there are two classes only, give their names as classes="):
        hugging_face.pool(rows, score="best", category="spam")


def test_the_best_of_two_sigmoids_does_not_say_everything(datasets: Any) -> None:
    """Each class has a probability of its own there: one below a half leaves no more than a half to the other."""
    best = [{"label": "spam", "score": 0.9}, {"label": "ham", "score": 0.3}]
    rows = datasets.Dataset.from_dict({"best": best})
    with pytest.raises(InputError, match=r"must have a score of 'spam' in each row: row 1 has none; .*all classes$"):
        hugging_face.pool(rows, score="best", category="spam", classes=["ham", "spam"])


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_score_of_another_class_that_is_no_number(wrong: float, datasets: Any) -> None:
    """It would be the best one."""
    rows = datasets.Dataset.from_dict({"lists": [[0.1, 0.9], [wrong, 0.9]]})
    with pytest.raises(
        InputError, match=rf"column 'lists' must have a score of each class below inf: .* row 1: {wrong:g} at"
    ):
        hugging_face.pool(rows, score="lists", category="spam", classes=["ham", "spam"])


def test_the_logarithm_of_nothing_is_the_score_of_another_class(datasets: Any) -> None:
    rows = datasets.Dataset.from_dict({"logs": [[-np.inf, 0.0], [-0.1, -2.4]]})
    pool = hugging_face.pool(rows, score="logs", category="spam", classes=["ham", "spam"])
    assert (pool.scores.tolist(), pool.predictions.tolist()) == ([0.0, -2.4], [1, 0])


def test_classes_with_one_name_are_refused(datasets: Any) -> None:
    rows = datasets.Dataset.from_dict({"lists": [[0.1, 0.9], [0.8, 0.2]], "p": [0.9, 0.2], "best": [1, 0]})
    for options in ({"score": "lists"}, {"score": "p", "prediction": "best"}):
        with pytest.raises(InputError, match="classes must be distinct: got 'x' twice; give every class a name"):
            hugging_face.pool(rows, category="x", classes=["x", "x"], **options)


@pytest.mark.parametrize("names", [["spam", "ham"], ["ham", "spam"], ["yes", "no"], ["spam"]])
def test_two_class_labels_need_a_category(names: list[str], datasets: Any) -> None:
    """Nothing says that the second one is looked for."""
    predicted = [0, len(names) - 1]
    rows = datasets.Dataset.from_dict({"p": [0.9, 0.1], "best": predicted})
    rows = rows.cast_column("best", datasets.ClassLabel(names=names))
    with pytest.raises(
        InputError, match=rf"category must be given .* {len(names)} ClassLabels, \['{names[0]}'.*; name"
    ):
        hugging_face.pool(rows, score="p", prediction="best")
    pool = hugging_face.pool(rows, score="p", prediction="best", category=names[0])
    assert pool.predictions.tolist() == [place == 0 for place in predicted]


@pytest.mark.parametrize("names", [["0", "1"], ["No", "Yes"], ["NEGATIVE", "POSITIVE"], ["False", "True"]])
def test_class_labels_that_say_no_and_yes(names: list[str], datasets: Any) -> None:
    rows = datasets.Dataset.from_dict({"p": [0.9, 0.1], "best": [1, 0]})
    rows = rows.cast_column("best", datasets.ClassLabel(names=names))
    assert hugging_face.pool(rows, score="p", prediction="best").predictions.tolist() == [True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "probability"}, "score must be a column of the dataset: got 'probability'; the nearest is 'probab"),
        ({"score": "p", "threshold": 0.5, "id": "kee"}, "id must be a column of the dataset.*nearest is 'key'"),
        ({"score": "p", "threshold": 0.5, "show": ["txt"]}, "show must be a column of the dataset.*nearest is 'text'"),
        ({"score": "p", "threshold": 0.5, "show": "text"}, r"show must be a list: got 'text'; write \['text'\]"),
        ({"score": "p"}, "give either prediction or threshold: got neither"),
        ({"score": "text", "threshold": 0.5}, r"score \(column 'text'\) must be numbers"),
        (
            {"score": "p", "prediction": "predicted"},
            "category must be given where predictions are names.*3 ClassLabels",
        ),
        ({"score": "p", "prediction": "word", "category": "span"}, "category must be one.*nearest is 'spam'"),
        ({"score": "output", "category": "span"}, "category must be one of the classes: got 'span'; the nearest"),
        ({"score": "output", "threshold": 0.5}, "threshold must be left out for several classes.*give category="),
        ({"score": "output", "classes": ["ham", "spam"]}, "classes must have every label.*'phish' is missing"),
        ({"score": "probabilities", "classes": ["ham"]}, "classes must be one name per number.*1 names for 3 numbers"),
        ({"score": "probabilities", "classes": "text"}, "classes must be a column of ClassLabels, or a list"),
        ({"score": {"a": "output", "b": "output"}}, "score must be one column of numbers per model"),
        ({"score": "output", "helpers": ["p"]}, "helpers must be one column of numbers per model"),
        ({"score": "p", "threshold": 0.5, "kind": "multilabel"}, "kind must be left out"),
        ({"score": "output", "prediction": "best"}, r"prediction \(column 'best'\) must be a class per row"),
    ],
)
def test_what_is_no_pool(options: dict[str, Any], message: str, messages: Any) -> None:
    with pytest.raises(InputError, match=message):
        hugging_face.pool(messages, **options)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([[0.1, 0.9], [0.5]], "lists of one length, a number per class: got 2 numbers in row 0, and 1 in row 1"),
        ([[0.1, 0.9], None], "must have scores for each row: 1 of 2 have none"),
        ([[0.1, 0.9], [None, 0.5]], "a number for each class: 1 numbers are missing"),
        ([["a"], ["b"]], "must be lists of numbers, one per class: got lists of string"),
        ([[{"label": "a", "score": 0.5}], []], "the list of row 1 is empty"),
        ([{"name": "a", "p": 0.5}] * 2, "with label and score: got fields 'name', 'p'"),
        ([[{"label": "a", "score": 0.5}] * 2] * 2, "each label once per row: row 0 has 'a' twice"),
        ([[{"label": "a", "score": None}]] * 2, "a label and a finite score in each entry"),
        ([[{"label": "a", "score": 0.5}, None]] * 2, "a label and a finite score in each entry"),
        ([[{"label": "a", "score": "much"}]] * 2, "must have numbers as the scores of labels: got string"),
        ([[0.1, 0.9], [0.5, 0.5]], "classes must be given for lists of 2 scores"),
    ],
)
def test_what_are_no_scores_of_classes(datasets: Any, column: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        hugging_face.pool(datasets.Dataset.from_dict({"score": column}), score="score")


def test_a_missing_prediction_is_not_taken_for_another_class(datasets: Any) -> None:
    texts = datasets.Dataset.from_dict({"score": [0.1, 0.9], "best": [None, "spam"]})
    labels = texts.cast_column("best", datasets.ClassLabel(names=["ham", "spam"]))
    for rows in (texts, labels):
        with pytest.raises(InputError, match=r"prediction \(column 'best'\) must have a class in each row: 1 of 2"):
            hugging_face.pool(rows, score="score", prediction="best", category="spam")


@pytest.fixture(scope="module")
def two(datasets: Any) -> Any:
    """Two classes with predictions as numbers, of which 1 means the second class, or yes."""
    spam = scores()[:, 2]
    best = (spam >= 0.4).astype(int)
    columns = {
        "p": 1 - spam,
        "lists": np.stack([1 - spam, spam], axis=1),
        "output": [[{"label": "ham", "score": 1 - p}, {"label": "spam", "score": p}] for p in spam.tolist()],
        "argmax": best,
        "floats": best.astype(float),
        "flag": best == 0,
    }
    return datasets.Dataset.from_dict(columns)


HAM = ["ham", "spam"]


@pytest.mark.parametrize(
    ("options", "column"),
    [
        ({"score": "lists", "classes": HAM}, "argmax"),
        ({"score": "lists", "classes": HAM}, "floats"),
        ({"score": "p", "classes": HAM}, "argmax"),
        ({"score": "p"}, "argmax"),
        ({"score": "output"}, "argmax"),
        ({"score": "output", "classes": HAM}, "argmax"),
    ],
)
def test_numbers_are_not_taken_for_the_opposite(options: dict[str, Any], column: str, datasets: Any, two: Any) -> None:
    """1 is the place of spam, and would be yes to ham."""
    message = rf"prediction \(column '{column}'\) must say which rows are predicted to be 'ham': got .*may be 0/1 or cl"
    with pytest.raises(InputError, match=message):
        hugging_face.pool(two, prediction=column, category="ham", **options)
    expected = two["flag"][:]
    assert hugging_face.pool(two, prediction="flag", category="ham", **options).predictions.tolist() == expected
    as_the_error_says = two.cast_column("argmax", datasets.ClassLabel(names=HAM))
    named = hugging_face.pool(as_the_error_says, prediction="argmax", category="ham", **options)
    assert named.predictions.tolist() == expected


def test_numbers_that_mean_the_same_either_way(datasets: Any, two: Any) -> None:
    predicted = [not ham for ham in two["flag"]]
    options: dict[str, Any]
    for options in ({"score": "lists", "classes": HAM}, {"score": "p", "classes": HAM}):
        for column in ("argmax", "floats"):
            pool = hugging_face.pool(two, prediction=column, category="spam", **options)
            assert pool.predictions.tolist() == predicted
    assert hugging_face.pool(two, score="p", prediction="argmax").predictions.tolist() == predicted
    named = two.add_column("label", two["argmax"][:]).cast_column("label", datasets.ClassLabel(names=HAM))
    pool = hugging_face.pool(named, score="p", prediction="argmax", category="spam")  # the dataset says where spam is
    assert pool.predictions.tolist() == predicted
    with pytest.raises(InputError, match="may be 0/1 or classes; give booleans"):
        hugging_face.pool(named, score="p", prediction="argmax", category="ham")


def test_places_of_three_classes(messages: Any) -> None:
    best = scores().argmax(axis=1)
    rows = (
        messages.remove_columns("predicted").add_column("argmax", best).add_column("is_spam", (best == 2).astype(int))
    )
    for place, category in enumerate(CLASSES):
        for options in ({"score": "probabilities"}, {"score": "p"}):
            pool = hugging_face.pool(rows, prediction="argmax", category=category, classes=CLASSES, **options)
            assert pool.predictions.tolist() == (best == place).tolist()
    with pytest.raises(InputError, match="may be 0/1 or classes; give booleans, names"):
        hugging_face.pool(rows, score="probabilities", prediction="is_spam", category="spam", classes=CLASSES)
    with pytest.raises(InputError, match=r"got \[0, 1, 2\], which may be 0/1 or classes in an order that is not known"):
        hugging_face.pool(rows, score="p", prediction="argmax", category="spam")
    with pytest.raises(InputError, match=r"got \[0, 1, 2\], which are neither 0/1 nor known classes; give booleans"):
        hugging_face.pool(rows, score="p", prediction="argmax", category="spam", classes=HAM)
    with pytest.raises(InputError, match="category must be one of the classes: got 'span'; the nearest is 'spam'"):
        hugging_face.pool(rows, score="p", prediction="argmax", category="span", classes=CLASSES)


def test_classes_that_are_numbers(messages: Any) -> None:
    best = scores().argmax(axis=1)
    rows = messages.add_column("digit", best).add_column("first", (best == 0).astype(int))
    for category in range(3):
        for options in ({"score": "p"}, {"score": "probabilities", "classes": [0, 1, 2]}):
            pool = hugging_face.pool(rows, prediction="digit", category=category, **options)
            assert pool.predictions.tolist() == (best == category).tolist()
    with pytest.raises(InputError, match=r"predicted to be 0: got .* which may be 0/1 or classes"):
        hugging_face.pool(rows, score="p", prediction="first", category=0)


@pytest.mark.parametrize(("predicted", "category"), [([1, 0, 1, 0], 2), ([1, 1, 1, 1], 0), ([1.0, 1.0, 0.0, 0.0], 7)])
def test_a_class_that_is_a_number_and_is_not_predicted(predicted: list[Any], category: int, datasets: Any) -> None:
    """0 and 1 may be two other classes."""
    rows = datasets.Dataset.from_dict({"s": [0.9, 0.1, 0.2, 0.8], "p": predicted})
    options: dict[str, Any]
    for options in ({}, {"classes": [category, 8]}):
        with pytest.raises(InputError, match=rf"predicted to be {category}: got .* which may be 0/1 or classes"):
            hugging_face.pool(rows, score="s", prediction="p", category=category, **options)
    pool = hugging_face.pool(rows, score="s", prediction="p", category=1)
    assert pool.predictions.tolist() == [one == 1 for one in predicted]


def test_classes_that_are_neither_flags_nor_the_category(datasets: Any) -> None:
    rows = datasets.Dataset.from_dict({"s": [0.9, 0.1], "p": [3, 4]})
    with pytest.raises(InputError, match="neither 0/1 nor known classes"):
        hugging_face.pool(rows, score="s", prediction="p", category=2)


def test_places_need_classes_in_an_order(messages: Any) -> None:
    """The labels of a pipeline are sorted; the model may have them in another order."""
    order = ["spam", "ham", "phish"]
    best = scores().argmax(axis=1)
    places = [order.index(CLASSES[place]) for place in best]
    flags = [[int(CLASSES[place] == name) for name in order] for place in best]
    rows = messages.add_column("argmax", places).add_column("flags", flags).add_column("yes", best == 2)
    for options in ({"prediction": "argmax"}, {"prediction": "flags", "kind": "multilabel"}):
        with pytest.raises(InputError, match=r"classes must be given where prediction \(column '.*'\) has numbers"):
            hugging_face.pool(rows, score="output", **options)
        pool = hugging_face.pool(rows, score="output", classes=order, **options)
        assert pool.categories == tuple(order)
        assert pool.predicted_counts.tolist() == np.bincount(places).tolist()
    two_places = rows.add_column("place", (best == 2).astype(int))  # of phish, in the order of the alphabet
    with pytest.raises(InputError, match="may be 0/1 or classes in an order that is not known"):
        hugging_face.pool(two_places, score="output", prediction="place", category="phish")
    with pytest.raises(InputError, match=r"got booleans, which name no class; give names, or category="):
        hugging_face.pool(rows, score="output", classes=order, prediction="yes")
    shifted = rows.add_column("shifted", [place - 1 for place in places])
    with pytest.raises(InputError, match="must be a class or its place, 0 to 2: got -1"):
        hugging_face.pool(shifted, score="output", classes=order, prediction="shifted")


def test_what_is_no_dataset(datasets: Any, messages: Any) -> None:
    for dataset, message in (
        (
            datasets.DatasetDict({"train": messages}),
            r"one split: got a DatasetDict with 'train'; give dataset\['train'",
        ),
        (messages.to_iterable_dataset(), "got an IterableDataset; load it without streaming=True"),
        (messages.to_pandas(), "must be a datasets.Dataset: got DataFrame; .*lowshot.Pool.from_frame"),
        (messages.select([]), "must hold at least one row: got none"),
    ):
        with pytest.raises(InputError, match=message):
            hugging_face.pool(dataset, score="p", threshold=0.5)


def test_a_stream_as_the_error_says(datasets: Any, messages: Any, tmp_path: Path) -> None:
    stream = messages.select_columns(["p"]).to_iterable_dataset()
    rows = datasets.Dataset.from_generator(lambda: iter(stream), cache_dir=str(tmp_path))
    assert len(hugging_face.pool(rows, score="p", threshold=0.5)) == ROWS


def pictures(mode: str = "RGB") -> list[bytes]:
    image = module("PIL.Image")
    found = []
    for shade in (10, 200):
        buffer = io.BytesIO()
        image.new(mode, (4, 4), (shade,) * len(mode)).save(buffer, "TIFF" if mode == "CMYK" else "PNG")
        found.append(buffer.getvalue())
    return found


def test_pictures_are_shown(datasets: Any, tmp_path: Path) -> None:
    image = datasets.Image()
    content = pictures()
    inside = datasets.Dataset.from_dict({"image": [{"bytes": one, "path": None} for one in content], "p": [0.9, 0.1]})
    inside = inside.cast_column("image", image)
    show = hugging_face.show(inside.select([1, 0]), ["image", "p"])
    assert parts_of(show(0))[0] == {"name": "image", "picture": content[1], "type": "image/png"}
    (tmp_path / "a.png").write_bytes(content[0])
    files = datasets.Dataset.from_dict({"image": [str(tmp_path / "a.png")], "p": [0.9]}).cast_column("image", image)
    pool = hugging_face.pool(files, score="p", threshold=0.5, show=["image"])
    assert pool.shown([0]) == [{"image": str(tmp_path / "a.png")}]
    assert parts_of(pool.shown([0])[0])[0]["picture"] == content[0]  # what the widget makes of it
    assert parts_of(hugging_face.show(files, ["image"])(0))[0]["picture"] == content[0]
    other = datasets.Dataset.from_dict({"image": [{"bytes": pictures("CMYK")[0], "path": None}]})
    drawn = hugging_face.show(other.cast_column("image", image), ["image"])(0)["image"]
    assert drawn.size == (4, 4)  # a format that browsers cannot show is decoded by Pillow
    with pytest.raises(InputError, match="show must have every item of the pool: 7 is missing"):
        show(7)


def test_labels_are_written(messages: Any) -> None:
    rows = messages.shuffle(seed=3)
    pool = hugging_face.pool(rows, id="key", score="p", threshold=0.5)
    evaluation = lowshot.Evaluation(pool, sampler="rand", known={"m7": 1})
    items = evaluation.ask(10)
    answers = [None, 1, *[0] * (len(items) - 2)]
    evaluation.tell(items, answers)
    written = hugging_face.labelled(rows, evaluation, id="key", column="label", drawn=True)
    assert written.column_names[-3:] == ["label", "label_round", "label_probability"]
    assert written["key"][:] == rows["key"][:]
    names = written.features["label"].names
    found = {
        key: names[label] for key, label in zip(written["key"], written["label"], strict=True) if label is not None
    }
    expected = {None: "cannot tell", 0: "no", 1: "yes"}
    told = {item: expected[answer] for item, answer in zip(items, answers, strict=True)}
    assert found == {"m7": "yes", **told}
    rounds = dict(zip(written["key"], written["label_round"], strict=True))
    chances = dict(zip(written["key"], written["label_probability"], strict=True))
    assert (rounds["m7"], chances["m7"], rounds[items[0]]) == (None, None, 1)
    assert chances[items[0]] == pytest.approx(1 / ROWS, rel=0.01)
    again = hugging_face.labelled(messages, evaluation, id="key")  # the same rows in another order
    assert dict(zip(again["key"], again["label_lowshot"], strict=True)) == dict(
        zip(written["key"], written["label"], strict=True)
    )


def test_classes_are_written(datasets: Any, messages: Any, tmp_path: Path) -> None:
    evaluation = lowshot.Evaluation(hugging_face.pool(messages, score="output"))
    items = evaluation.ask(4)
    evaluation.tell(items[:3], ["spam", lowshot.OTHER, None])
    evaluation.tell(items[3:], [0], category="ham")
    written = hugging_face.labelled(messages, evaluation)
    names = written.features["label_lowshot"].names
    assert names == [*CLASSES, "none of these", "cannot tell", "not ham"]
    assert [names[written[item]["label_lowshot"]] for item in items] == [
        "spam", "none of these", "cannot tell", "not ham",
    ]  # fmt: skip
    written.to_parquet(tmp_path / "rows.parquet")
    read = datasets.Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path))
    assert read["label_lowshot"][:] == written["label_lowshot"][:]


def test_any_number_of_classes_is_written(messages: Any) -> None:
    pool = hugging_face.pool(messages, score="output", kind="multilabel", threshold=0.5)
    evaluation = lowshot.Evaluation(pool)
    items = evaluation.ask(3)
    evaluation.tell(items, [{"spam", "ham"}, set(), None])
    written = hugging_face.labelled(messages, evaluation)["label_lowshot"][:]
    assert [written[item] for item in items] == ["ham | spam", "none of these", "cannot tell"]


def test_labels_that_cannot_be_written(messages: Any) -> None:
    evaluation = lowshot.Evaluation(hugging_face.pool(messages, id="key", score="p", threshold=0.5))
    items = evaluation.ask(5)
    evaluation.tell(items, [0] * len(items))
    for options, message in (
        ({"column": "text", "id": "key"}, r"column must be the name of a new column: .* 'text' already"),
        ({}, r"dataset must hold every item with a label: 5 of 5 are not positions of rows; give id="),
        ({"id": "text"}, r"5 of 5 are not in column 'text' \(for example 'm"),
        ({"id": "kee"}, "id must be a column of the dataset: got 'kee'; the nearest"),
    ):
        with pytest.raises(InputError, match=message):
            hugging_face.labelled(messages, evaluation, **options)
    with pytest.raises(InputError, match="id must be given where the dataset is not the one of the pool: got 10 rows"):
        hugging_face.labelled(messages.select(range(10)), evaluation)


def finished(messages: Any, **options: Any) -> lowshot.Evaluation:
    """With all labels, so that estimates are exact."""
    evaluation = lowshot.Evaluation(hugging_face.pool(messages, **options))
    truth = np.random.default_rng(1).integers(0, 3, size=ROWS)
    while items := evaluation.ask(ROWS):
        names = [CLASSES[truth[item]] for item in items]
        evaluation.tell(items, names if evaluation.pool.categories else [name == "spam" for name in names])
    return evaluation


def test_a_model_card(messages: Any, tmp_path: Path) -> None:
    """What huggingface_hub reads from the card is what the evaluation says."""
    hub = module("huggingface_hub")
    evaluation = finished(messages, score="p", threshold=0.4)
    where = {"task": "text-classification", "dataset": "ann/messages", "dataset_name": "Messages", "split": "test"}
    text = hugging_face.estimate_card(evaluation, name="spam-finder", **where)
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    card = hub.ModelCard.load(tmp_path / "README.md")
    assert card.data.model_name == "spam-finder"
    read = {one.metric_type: one for one in card.data.eval_results}
    assert [*read] == ["f1", "precision", "recall"]
    for metric, one in read.items():
        estimate = evaluation.estimate(metric)
        assert one.metric_value == estimate.value
        assert estimate.interval is not None
        assert (one.metric_args["low"], one.metric_args["high"]) == (estimate.interval.low, estimate.interval.high)
        assert (one.dataset_type, one.dataset_name, one.dataset_split) == ("ann/messages", "Messages", "test")
        assert f"{ROWS} labels, 95 % interval" in one.metric_name
    assert f"| F1 | {evaluation.estimate().value:.3f} |" in card.text
    json.dumps([one.metric_args for one in read.values()])  # plain data


def test_a_model_card_of_many_classes(messages: Any) -> None:
    evaluation = finished(messages, score="output")
    results = hugging_face.eval_results(evaluation, task="text-classification", dataset="ann/messages")
    assert [(one.metric_type, one.metric_args["average"]) for one in results] == [
        ("f1", "macro"), ("precision", "macro"), ("recall", "macro"),
    ]  # fmt: skip
    assert results[0].metric_value == evaluation.estimate("f1_macro").value
    (accuracy,) = hugging_face.eval_results(
        evaluation, task="text-classification", dataset="ann/messages", metrics=["accuracy"]
    )
    assert (accuracy.metric_type, accuracy.metric_value) == ("accuracy", evaluation.estimate("accuracy").value)


def test_a_model_card_without_an_estimate(messages: Any) -> None:
    evaluation = lowshot.Evaluation(hugging_face.pool(messages, score="p", threshold=0.4), sampler="acis")
    with pytest.raises(InputError, match="evaluation must have an estimate of f1: it is undefined"):
        hugging_face.estimate_card(evaluation, name="m", task="text-classification", dataset="ann/messages")
