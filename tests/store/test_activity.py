"""Who said what, from the rows of a store: nothing is lost that was changed, and every page is bounded."""

from pathlib import Path

import numpy as np
import pytest

from lowshot import Evaluation, Pool
from lowshot.labelling import Desk
from lowshot.labelling.answers import ItemState, resolve
from lowshot.labelling.tally import tally
from lowshot.store import Store
from lowshot.store.activity import Event, Place, Wanted, record
from lowshot.testing import Task, simulated


@pytest.fixture
def task() -> Task:
    return simulated(items=3000, positives=60, seed=4)


def events(where: str, **wanted: object) -> list[Event]:
    return record(Store(where), Wanted(**wanted))[0]  # type: ignore[arg-type]


def story(found: list[Event]) -> list[tuple[object, ...]]:
    """In the order it happened: kind, who, label; and what became of it."""
    return [
        (
            event.kind,
            event.annotator,
            event.label,
            event.replaced and (event.replaced.kind, event.replaced.annotator, event.replaced.label),
        )
        for event in reversed(found)
    ]


def test_an_answer_is_one_event_and_a_change_of_mind_two(task: Task, where: str) -> None:
    desk = Desk(Evaluation(task.pool, store=where))
    (item,) = desk.take("ann")
    for label in (1, 1, None, 1):
        desk.answer("ann", item, label)
    assert story(events(where)) == [
        ("answered", "ann", 1, ("answered", "ann", None)),
        ("answered", "ann", 1, ("answered", "ann", None)),
        ("answered", "ann", None, ("answered", "ann", 1)),
        ("answered", "ann", 1, None),
    ]


def test_a_decision_replaces_who_said_something_else(task: Task, where: str) -> None:
    desk = Desk(Evaluation(task.pool, store=where), wanted=2)
    (item,) = desk.take("ann")
    desk.take("bob")
    desk.answer("ann", item, 1)
    desk.answer("bob", item, 0)
    assert [event.replaced for event in events(where)] == [None, None], "they disagree, nothing was changed"
    desk.decide("eve", item, 1)
    desk.decide("eve", item, 0)
    desk.answer("bob", item, None)
    assert story(events(where)) == [
        ("answered", "ann", 1, ("decided", "eve", 0)),
        ("answered", "bob", 0, ("decided", "eve", 1)),
        ("decided", "eve", 1, ("decided", "eve", 0)),
        ("decided", "eve", 0, None),
        ("answered", "bob", None, None),
    ]


def test_labels_without_a_name(task: Task, where: str) -> None:
    """Told and corrected in Python or by the command line; a known one that is corrected is kept, too."""
    evaluation = Evaluation(task.pool, store=where, known={7: 0, 8: 1})
    evaluation.correct(7, 1)
    (item,) = evaluation.ask()
    evaluation.tell([item], [None])
    evaluation.correct(item, 0)
    assert story(events(where)) == [
        ("known", "", 0, ("told", "", 1)),
        ("told", "", 1, None),
        ("told", "", None, ("told", "", 0)),
        ("told", "", 0, None),
    ]
    assert Evaluation(task.pool, store=where).history["labels"] == {7: 1, 8: 1, item: 0}


def test_between_the_page_and_python(task: Task, where: str) -> None:
    """Each replaces the other; an answer that did not become the label replaces nobody's but its own."""
    desk = Desk(Evaluation(task.pool, store=where), wanted=2)
    (item,) = desk.take("ann")
    desk.take("bob")
    desk.answer("ann", item, 1)
    desk.evaluation.tell([item], [1])
    desk.answer("bob", item, 0)
    assert [event.replaced for event in events(where)] == [None] * 3, "bob alone does not change the label"
    desk.answer("ann", item, 0)
    desk.evaluation.correct(item, 1)
    assert story(events(where)) == [
        ("answered", "ann", 1, ("answered", "ann", 0)),
        ("told", "", 1, ("answered", "ann", 0)),
        ("answered", "bob", 0, ("told", "", 1)),
        ("answered", "ann", 0, ("told", "", 1)),
        ("told", "", 1, None),
    ]


def test_filters_and_pages(task: Task, where: str) -> None:
    first = Desk(Evaluation(task.pool, store=where, name="first", known={5: 1, 6: 0}))
    first.evaluation.correct(5, 0)
    second = Desk(Evaluation(task.pool, store=where, name="second"))
    for desk in (first, second):
        for name in ("ann", "bob"):
            for item in desk.take(name, 4):
                desk.answer(name, item, 0)
            desk.answer(name, desk.last(name) or 0, 1)
    everything = events(where)
    assert len(everything) == 22
    assert [event.place for event in everything] == sorted((event.place for event in everything), reverse=True)
    paged: list[Event] = []
    place: Place | None = None
    while place is not None or not paged:
        page, place = record(Store(where), Wanted(before=place, rows=5))
        assert len(page) <= 5
        paged += page
    assert paged == everything, "nothing twice, nothing left out"
    assert {event.name for event in events(where, evaluation=second.key)} == {"second"}
    assert len(events(where, annotator="ann", evaluation=first.key)) == 5
    assert [event.kind for event in events(where, annotator="")] == ["told", "known"]
    changed = events(where, changed=True)
    assert changed == [event for event in everything if event.replaced]
    assert len(changed) == 5


def test_the_store_counts_what_resolve_says(task: Task, where: str) -> None:
    """Random answers of three people and a few decisions: as many disputed items, whatever is wanted."""
    random = np.random.default_rng(5)
    desk = Desk(Evaluation(task.pool, store=where), wanted=3)
    items = desk.take("ann", 9)
    for name in ("bob", "cid"):
        assert desk.take(name, 9) == items
    for _ in range(40):
        name, item = str(random.choice(["ann", "bob", "cid"])), items[random.integers(9)]
        desk.answer(name, item, [0, 1, None][random.integers(3)])
    for item in items[:3]:
        if item in desk.said():
            desk.decide("eve", item, 1)
    store, said = Store(where), desk.said()
    for wanted in (1, 2, 3):
        states = [resolve(answers, wanted).state for answers in said.values()]
        (found,) = tally(store, {desk.key: wanted})
        assert found.disputed == states.count(ItemState.DISPUTED)
    assert 0 < found.disputed < len(items)
    assert {one.name: (one.items, one.decisions) for one in found.annotators} == {
        name: (
            sum(any(a.annotator == name and not a.final for a in answers) for answers in said.values()),
            sum(a.annotator == name and a.final for answers in said.values() for a in answers),
        )
        for name in ("ann", "bob", "cid", "eve")
    }
    assert found.progress.labels == desk.evaluation.labels
    assert found.progress.pending == len(desk.evaluation.pending)
    times = sorted(a.at for answers in said.values() for a in answers)
    assert (found.first, found.last) == (times[0], times[-1])


def test_where_it_is_without_a_password(tmp_path: Path, where: str) -> None:
    assert Store(tmp_path / "a.db").where == str(tmp_path / "a.db")
    assert Store(where).where.startswith(("/", "postgresql://lowshot@"))
    Evaluation(Pool([0.9, 0.1], threshold=0.5), store=where)
