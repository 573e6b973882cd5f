"""Labelling in a notebook, without Jupyter: which item comes, what an answer does, and the way back."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lowshot
from lowshot import ClassPool, Evaluation, InputError, MissingExtra, Pool
from lowshot.labelling import Desk
from lowshot.notebook.session import ELSEWHERE, Session
from lowshot.notebook.showing import finder, parts_of
from lowshot.notebook.widget import LabelWidget

NAMES = ["a", "b", "c", "d"]
BIRDS = ["heron", "crow", "wren"]


def evaluation(**more: Any) -> Evaluation:
    return Evaluation(Pool([0.9, 0.8, 0.7, 0.1], threshold=0.5, ids=NAMES), **more)


def say(session: Session, answer: str, **more: Any) -> None:
    session.receive({"action": "answer", "serial": session.serial, "answer": answer, **more})


def labels_of(found: Evaluation) -> dict[Any, Any]:
    labels: dict[Any, Any] = found.history["labels"]
    return labels


def test_answers_are_those_of_ask_and_tell() -> None:
    """The very draws and the very estimate of the loop in Python."""
    words, labels = ["yes", "no", "cannot tell", "yes"], [1, 0, None, 1]
    one, two = evaluation(seed=5), evaluation(seed=5)
    session = Session(one)
    for word, label in zip(words, labels, strict=True):
        assert session.state()["found"] == "", "whoever labels does not see the estimate"
        (item,) = two.ask(1)
        assert session.item == item
        say(session, word)
        two.tell([item], [label])
    assert one.history == two.history
    state = session.state()
    assert (state["stage"], state["found"], state["labels"]) == ("done", str(two.estimate()), 4)
    assert state["reason"] == one.reason != ""


def test_an_answer_to_something_else_is_ignored() -> None:
    """Two clicks before the reply, and a view that still shows an earlier item."""
    session = Session(evaluation())
    serial, before = session.serial, session.item
    say(session, "yes")
    after = session.item
    session.receive({"action": "answer", "serial": serial, "answer": "no"})
    assert labels_of(session.evaluation) == {before: 1}  # type: ignore[arg-type]
    assert session.item == after
    reply = session.state()["reply"]
    session.receive("nonsense")  # type: ignore[arg-type]
    session.receive({"action": "delete everything", "serial": session.serial})
    assert (session.item, session.state()["reply"]) == (after, reply + 2), "every message gets a reply"


def test_undo_corrects_and_goes_back_step_by_step() -> None:
    found = evaluation()
    session = Session(found)
    assert not session.state()["undo"]
    first = session.item
    say(session, "yes")
    second = session.item
    say(session, "no")
    third = session.item
    for item, previous, more in ((second, "no", True), (first, "yes", False), (first, "yes", False)):
        session.receive({"action": "undo", "serial": session.serial})
        state = session.state()
        assert (session.item, state["stage"], state["previous"], state["undo"]) == (item, "change", previous, more)
    say(session, "cannot tell")
    assert labels_of(found) == {first: None, second: 0}
    assert [answer["item"] for answer in found.history["answers"]] == [first, second, first]
    assert (session.item, session.state()["stage"]) == (third, "item")


def test_two_sessions_do_not_disturb_each_other() -> None:
    found = evaluation()
    one, two = Session(found), Session(found)
    item = one.item
    assert two.item == item, "an item without a label comes first, because later labels wait for it"
    say(one, "yes")
    say(two, "no")
    assert labels_of(found) == {item: 1}
    assert two.message == ELSEWHERE
    assert two.item == one.item != item
    say(two, "no")
    assert two.message == ""
    assert found.labels == 2


def test_each_label_is_in_the_store_and_a_new_session_continues(tmp_path: Path) -> None:
    store = tmp_path / "birds.db"
    session = Session(evaluation(store=store, question="Is it a crow?"))
    first = session.item
    say(session, "yes")
    again = evaluation(store=store)
    assert labels_of(again) == {first: 1}
    assert Session(again).item == session.item
    assert session.state()["question"] == "Is it a crow?"
    assert len(again.pending) == 1


def test_undo_shows_the_answer_as_it_is_in_the_store(tmp_path: Path) -> None:
    store = str(tmp_path / "birds.db")
    session = Session(evaluation(store=store))
    first = session.item
    say(session, "yes")
    evaluation(store=store).correct(first, 0)
    session.receive({"action": "undo", "serial": session.serial})
    assert (session.item, session.state()["previous"]) == (first, "no")


def test_items_that_others_hold_are_not_shown(tmp_path: Path) -> None:
    found = evaluation(store=tmp_path / "birds.db")
    desk = Desk(found, wanted=2)
    (held,) = desk.take("ann")
    (answered,) = desk.take("bob")
    assert held == answered
    session = Session(found)
    assert session.item not in (None, held)
    desk.answer("ann", held, 1)
    assert Session(found).item == session.item


def test_an_item_whose_time_has_ended_is_shown_again(tmp_path: Path) -> None:
    """Otherwise all later labels would wait for it."""
    found = evaluation(store=tmp_path / "birds.db")
    (left,) = Desk(found, hold=-1).take("ann")
    assert Session(found).item == left


def test_an_answer_that_cannot_be_saved_keeps_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluation()
    session = Session(found)
    item, serial = session.item, session.serial

    def fail(*arguments: Any) -> None:
        raise lowshot.StoreError("the disk is full: make room")

    with monkeypatch.context() as patch:
        patch.setattr(found, "tell", fail)
        say(session, "yes")
    assert (session.item, session.serial, session.message) == (item, serial, "the disk is full: make room")
    say(session, "perhaps")
    assert "answer must be one of yes, no, cannot tell: got 'perhaps'" in session.message
    say(session, "yes")
    assert (labels_of(found), session.message) == ({item: 1}, "")


def test_a_failing_ask_is_shown_and_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluation()
    session = Session(found)

    def fail(n: int = 1) -> list[Any]:
        raise lowshot.PoolError("the server is gone")

    with monkeypatch.context() as patch:
        patch.setattr(found, "ask", fail)
        say(session, "yes")
    state = session.state()
    assert (found.labels, state["stage"], state["message"], state["again"]) == (1, "done", "the server is gone", True)
    session.receive({"action": "again", "serial": session.serial})
    assert session.state()["stage"] == "item"


def test_as_many_labels_as_wanted() -> None:
    session = Session(evaluation(), labels=2, solo=True)
    assert session.state()["found"].startswith("f1 = undefined, from 0 labels")
    say(session, "yes")
    say(session, "yes")
    state = session.state()
    assert (state["stage"], state["reason"], state["again"]) == ("done", "2 labels.", False)
    assert len(session.evaluation.pending) == 0, "no item is asked that nobody is to label"
    session.receive({"action": "undo", "serial": session.serial})
    assert session.state()["stage"] == "change"


def test_several_models_have_a_line_each() -> None:
    pool = Pool({"v1": [0.9, 0.8, 0.1], "v2": [0.7, 0.9, 0.2]}, threshold=0.5)
    session = Session(Evaluation(pool), labels=1)
    say(session, "yes")
    assert [line.split()[0] for line in session.state()["found"].splitlines()] == ["model", "v1", "v2"]


@pytest.mark.parametrize("count", [3, 12])
def test_which_one(count: int) -> None:
    names = [*BIRDS, *(f"bird {number}" for number in range(3, count))]
    scores = np.random.default_rng(0).random((50, count))
    found = Evaluation(ClassPool(scores, classes=names))
    session = Session(found)
    state = session.state()
    assert (state["kind"], state["searched"], state["question"]) == ("which", count > 9, "Which one is it?")
    assert len(state["candidates"]) == min(count, 6)
    assert int(scores[session.item].argmax()) in map(names.index, state["candidates"])
    first, second = session.item, None
    say(session, "crow")
    second = session.item
    say(session, "none of these")
    say(session, "herron")
    assert "the nearest is 'heron'" in session.message
    assert labels_of(found) == {first: "crow", second: lowshot.OTHER}
    assert LabelWidget(session).classes == names


def test_several_classes_of_an_item() -> None:
    scores = np.random.default_rng(0).random((50, 3))
    found = Evaluation(ClassPool(scores, classes=BIRDS, predictions=scores > 0.5, kind="multilabel"))
    session = Session(found)
    first = session.item
    assert session.state()["kind"] == "several"
    say(session, "heron | wren")
    assert labels_of(found) == {first: ["heron", "wren"]}
    session.receive({"action": "undo", "serial": session.serial})
    assert session.state()["previous"] == "heron | wren"


def test_what_the_pool_shows() -> None:
    frame = pd.DataFrame({"path": NAMES, "p": [0.9, 0.8, 0.7, 0.1], "title": ["A", "B", "C", None]})
    pool = Pool.from_frame(frame, id="path", score="p", threshold=0.5, show=["title"])
    assert parts_of(finder(None, pool)("a")) == [{"name": "title", "text": "A"}]
    plain = Pool.from_frame(frame, id="path", score="p", threshold=0.5)
    for without in (plain, lowshot.open_pool(frame, id="path", score="p", threshold=0.5)):
        assert parts_of(finder(None, without)("a")) == [{"name": "", "text": "a"}]
    rows = finder(frame.set_index("path")[["title"]], pool)
    assert parts_of(rows("b")) == [{"name": "title", "text": "B"}]
    assert parts_of(finder(frame.set_index("path")["title"], pool)("c")) == [{"name": "", "text": "C"}]
    with pytest.raises(InputError, match=r"every item of the pool once in its index: 'a' is there nowhere; use"):
        finder(frame, pool)("a")
    with pytest.raises(InputError, match="show must have every item of the pool: 'b' is missing"):
        finder({"a": "A"}, pool)("b")
    with pytest.raises(InputError, match=r"show must be a function from id .*: got int"):
        evaluation().widget(show=7)


def test_pictures(tmp_path: Path) -> None:
    from PIL import Image

    square = Image.new("RGB", (4, 3), "red")
    square.save(tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    named = {"name": "", "picture": content, "type": "image/png"}
    assert parts_of(tmp_path / "a.png") == parts_of(str(tmp_path / "a.png")) == parts_of(content) == [named]
    assert parts_of("nowhere/a.png") == [{"name": "", "text": "nowhere/a.png"}]
    for value in (square, np.asarray(square), np.asarray(square) / 255, np.ones((3, 4, 1)), np.eye(3) > 0):
        (part,) = parts_of({"picture": value})
        assert (part["name"], part["type"], part["picture"][:4]) == ("picture", "image/png", b"\x89PNG")
    (part,) = parts_of(np.asarray(square))
    from io import BytesIO

    assert np.array_equal(np.asarray(Image.open(BytesIO(part["picture"]))), np.asarray(square))
    for wrong, message in (
        (b"<svg onload=...>", "16 bytes that are no PNG, JPEG, GIF or WebP"),
        (np.ones((2, 2, 5)), r"arrays of height x width, .*: got float64 of \(2, 2, 5\)"),
        (Path("nowhere.png"), "there is none at 'nowhere.png'"),
    ):
        with pytest.raises(InputError, match=message):
            parts_of(wrong)


def test_a_function_that_fails_does_not_stop_labelling() -> None:
    def show(item: str) -> str:
        raise KeyError(item)

    found = evaluation()
    session = Session(found, show)
    assert session.message == f"KeyError: {session.item!r}"
    assert session.state()["parts"] == [{"name": "", "text": session.item}]
    say(session, "yes")
    assert found.labels == 1


def test_arguments_and_the_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    found = evaluation()
    for wrong in ({"labels": 0}, {"question": ""}, {"solo": 1}):
        with pytest.raises(InputError, match=f"{next(iter(wrong))} must be"):
            found.widget(**wrong)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "lowshot.notebook.widget")
    with pytest.raises(MissingExtra, match=r"a widget needs anywidget: pip install 'lowshot\[notebook\]'"):
        found.widget()
    assert found.pending == [], "nothing was asked"


def test_the_widget_passes_on_what_happens() -> None:
    found = evaluation()
    widget = found.widget(labels=1)
    assert widget.state["stage"] == "item"
    message = {"action": "answer", "serial": widget.state["serial"], "answer": "yes"}
    widget._handle_custom_msg(message, [])
    assert widget.state["stage"] == "done"
    assert found.labels == 1
