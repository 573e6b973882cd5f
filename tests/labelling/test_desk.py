"""People at one evaluation: who gets what, whose answers count, nothing lost and nothing twice."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lowshot import Evaluation, InputError, StoreError
from lowshot.labelling import Desk
from lowshot.labelling.answers import ItemState
from lowshot.labelling.desk import HOLD, MOST
from lowshot.labelling.ledger import LONG
from lowshot.store import connection
from lowshot.store.clock import now
from lowshot.testing import Task, simulated


@pytest.fixture
def task() -> Task:
    return simulated(items=3000, positives=60, seed=4)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "birds.db")


def test_an_item_goes_to_one_person(task: Task, file: str) -> None:
    desk = Desk(Evaluation(task.pool, store=file))
    mine, theirs = desk.take("ann", 3), desk.take("bob", 3)
    assert len(mine) == len(theirs) == 3
    assert not set(mine).intersection(theirs)
    assert desk.take("ann", 3) == mine, "as long as they are not answered"
    desk.answer("ann", mine[0], 1)
    assert desk.take("ann", 3)[:2] == mine[1:]
    with pytest.raises(InputError, match="is not reserved for 'bob' now"):
        desk.answer("bob", mine[1], 1)
    with pytest.raises(InputError, match="not in it"):
        desk.answer("bob", 99_999, 1)
    with pytest.raises(InputError, match="annotator must be a text"):
        desk.take("")
    assert desk.evaluation.labels == 1


def test_two_answers_an_item(task: Task, file: str) -> None:
    desk = Desk(Evaluation(task.pool, store=file), wanted=2)
    items = desk.take("ann", 4)
    assert desk.take("bob", 4) == items, "the second answer first"
    assert not set(desk.take("eve", 4)).intersection(items)
    for item, one, two in zip(items, (1, 0, 1, None), (1, 0, 0, None), strict=True):
        assert desk.answer("ann", item, one).state is ItemState.OPEN
        desk.answer("bob", item, two)
    assert desk.disputed() == [items[2]]
    assert desk.evaluation.labels == 3, "a disputed item counts as unanswered"
    assert items[2] in desk.evaluation.pending
    assert items[2] not in desk.take("zoe", 9), "it goes to whoever decides, not to a third annotator"
    assert desk.decide("eve", items[2], 1).label == 1
    assert desk.disputed() == []
    assert desk.evaluation.history["labels"][items[2]] == 1
    agreement = desk.agreement()
    assert (agreement.items, agreement.same) == (4, 0.75)
    assert 0 < agreement.kappa < 1


def test_an_answer_can_be_changed_and_the_old_one_is_kept(task: Task, file: str) -> None:
    desk = Desk(Evaluation(task.pool, store=file))
    first, second = desk.take("ann", 2)
    desk.answer("ann", first, 1)
    desk.answer("ann", second, 0)
    assert desk.last("ann") == second
    assert (desk.answered("ann"), desk.answered("bob")) == (2, 0)
    assert desk.last("bob") is None
    desk.answer("ann", second, 1)
    assert desk.evaluation.history["labels"] == {first: 1, second: 1}
    assert [answer.label for answer in desk.said()[second]] == [0, 1]
    assert [entry["label"] for entry in desk.evaluation.history["answers"]] == [1, 0, 1]


def test_a_change_of_mind_after_two_agreed(task: Task, file: str) -> None:
    """The label stays until somebody decides: an item never goes back to having none."""
    desk = Desk(Evaluation(task.pool, store=file), wanted=2)
    (item,) = desk.take("ann")
    desk.take("bob")
    for annotator in ("ann", "bob"):
        desk.answer(annotator, item, 1)
    assert desk.answer("ann", item, 0).state is ItemState.DISPUTED
    assert desk.evaluation.history["labels"] == {item: 1}
    assert desk.disputed() == [item]
    desk.decide("eve", item, 0)
    assert desk.evaluation.history["labels"] == {item: 0}


class Clock:
    """The time of the store, and as much later as a test says."""

    def __init__(self) -> None:
        self.passed = 0.0  # seconds

    def __call__(self, seconds: float) -> str:
        return now(self.passed + seconds)


def test_what_is_not_answered_in_time_goes_to_somebody_else(task: Task, where: str) -> None:
    """First in the queue. Whoever had it may still answer, until somebody else did."""
    clock = Clock()
    desk = Desk(Evaluation(task.pool, store=where), clock=clock)
    left = desk.take("ann", 3)
    clock.passed += HOLD - 60
    assert not set(left).intersection(desk.take("bob", 2))
    clock.passed += 120
    assert desk.take("bob", 5)[2:] == left
    assert desk.answer("ann", left[0], 1).label == 1, "nobody else did"
    assert desk.answer("bob", left[1], 0).label == 0
    with pytest.raises(InputError, match="is not reserved for 'ann' now"):
        desk.answer("ann", left[1], 1)
    assert desk.answer("bob", left[0], 0).state is ItemState.DISPUTED, "both were at it: what bob says is not lost"
    assert desk.evaluation.history["labels"] == {left[0]: 1, left[1]: 0}


def test_asking_does_not_make_the_time_longer(task: Task, where: str) -> None:
    """A client that asks every minute and never answers has an item for its time, and then others get it."""
    clock = Clock()
    desk = Desk(Evaluation(task.pool, store=where), clock=clock)
    left, handed = desk.take("poll", 3), set[int]()
    for _ in range(4 * 60):
        clock.passed += 60
        handed.update(desk.take("poll", 3))
        (item,) = desk.take("bob")
        desk.answer("bob", item, int(task.labels[item]))
    assert set(left) <= desk.evaluation.history["labels"].keys()
    assert desk.evaluation.labels == 4 * 60
    assert desk.evaluation.estimate().waiting_for <= 3, "what it has now"
    assert set(map(int, desk.evaluation.pending)) <= handed
    assert len(desk.evaluation.pending) <= 6


def test_one_who_answers_nine_of_ten_holds_up_nobody_for_long(task: Task, where: str) -> None:
    clock = Clock()
    desk = Desk(Evaluation(task.pool, store=where), clock=clock)
    first, *rest = desk.take("ann", 10)
    for item in rest:
        desk.answer("ann", item, int(task.labels[item]))
    estimate = desk.evaluation.estimate()
    assert (estimate.labels, estimate.waiting, estimate.waiting_for) == (0, 9, 1)
    clock.passed += HOLD + 1
    assert desk.take("bob") == [first]
    desk.answer("bob", first, int(task.labels[first]))
    estimate = desk.evaluation.estimate()
    assert (estimate.labels, estimate.waiting) == (10, 0)


def test_who_comes_back_alone_gets_their_items_again(task: Task, file: str) -> None:
    clock = Clock()
    desk = Desk(Evaluation(task.pool, store=file), clock=clock)
    left = desk.take("ann", 3)
    clock.passed += HOLD + 1
    assert not set(left).intersection(desk.take("ann", 3)), "others come first"
    clock.passed += HOLD
    assert desk.take("ann", 3) == left


def test_one_name_holds_a_few_items(task: Task, file: str) -> None:
    desk = Desk(Evaluation(task.pool, sampler="rand", store=file))
    items = desk.take("tool", 1000)
    assert len(items) == MOST
    assert "at most 20 items: answer some" in desk.reason
    assert desk.take("tool", 1000) == items
    desk.answer("tool", items[0], 1)
    assert desk.take("tool", 1000)[:-1] == items[1:]
    assert len(desk.take("bob", 3)) == 3
    assert desk.reason == ""
    assert len(Desk(desk.evaluation, most=None).take("eve", 50)) == 50


def test_names_are_bounded(task: Task, where: str) -> None:
    """Those that were invented and never answered make room for others when their time is up."""
    clock = Clock()
    desk = Desk(Evaluation(task.pool, store=where), names=4, clock=clock)
    (mine,) = desk.take("ann")
    desk.answer("ann", mine, 1)
    for number in range(3):
        desk.take(f"invented {number}")
    for number in range(3, 300):
        with pytest.raises(InputError, match="the limit of 4 names is reached"):
            desk.take(f"invented {number}")
    assert len(desk.evaluation.pending) == 3
    assert len(desk.take("ann")) == len(desk.take("invented 1")) == 1
    clock.passed += HOLD + 1
    assert len(desk.take("bob")) == len(desk.take("ann")) == 1


def test_the_owner_takes_an_item_back(task: Task, where: str) -> None:
    desk = Desk(Evaluation(task.pool, store=where))
    first, second = desk.take("ann", 2)
    assert [(one.item, [*one.holding]) for one in desk.unanswered()] == [(first, ["ann"]), (second, ["ann"])]
    desk.take_back(first)
    assert [[*one.holding] for one in desk.unanswered()] == [[], ["ann"]]
    assert desk.take("ann", 2)[0] == second, "not to the same person at once"
    assert desk.take("bob") == [first]
    desk.answer("bob", first, 1)
    with pytest.raises(InputError, match="without a label"):
        desk.take_back(first)


def test_the_owner_sets_an_item_aside(task: Task, where: str) -> None:
    """It is answered then, and the labels that waited for it count."""
    desk = Desk(Evaluation(task.pool, store=where))
    first, *rest = desk.take("ann", 5)
    for item in rest:
        desk.answer("ann", item, int(task.labels[item]))
    assert desk.evaluation.estimate().waiting == 4
    assert desk.set_aside("eve", first).label is None
    assert desk.evaluation.estimate().waiting == 0
    assert desk.evaluation.history["labels"][first] is None
    assert [(said.annotator, said.label, said.final) for said in desk.said()[first]] == [("eve", None, True)]
    for again in (first, 99):
        with pytest.raises(InputError, match="must be handed out and without a label"):
            desk.set_aside("eve", again)
    with pytest.raises(InputError, match="is not reserved for 'ann' now"):
        desk.answer("ann", first, 1)
    assert desk.decide("eve", first, 1).label == 1, "a decision can be changed"


def test_what_python_asked_is_not_handed_out_here(task: Task, where: str) -> None:
    clock = Clock()
    desk, elsewhere = Desk(Evaluation(task.pool, store=where), clock=clock), Evaluation(task.pool, store=where)
    theirs = [*elsewhere.ask(3), *desk.evaluation.ask(2)]
    assert not set(theirs).intersection(desk.take("ann", 5))
    held = {one.item: [*one.holding] for one in desk.unanswered()}
    assert [held[item] for item in theirs] == [["Python"]] * 5
    desk.take_back(theirs[0])
    assert desk.take("bob") == [theirs[0]]
    clock.passed += LONG + 1
    assert set(theirs[1:]) <= set(desk.take("kim", 20))


def test_a_label_that_was_told_meanwhile_stays(task: Task, where: str) -> None:
    desk = Desk(Evaluation(task.pool, store=where))
    (item,) = desk.take("ann")
    desk.evaluation.tell([item], [1])
    with pytest.raises(InputError, match="is not reserved for 'ann' now"):
        desk.answer("ann", item, 0)
    assert desk.evaluation.history["labels"] == {item: 1}


def test_desks_see_each_other(task: Task, where: str) -> None:
    """Those of one evaluation, and those of another process."""
    evaluation = Evaluation(task.pool, store=where)
    here, beside, elsewhere = Desk(evaluation), Desk(evaluation), Desk(Evaluation(task.pool, store=where))
    first, second = here.take("ann", 2)
    for desk in (beside, elsewhere):
        assert desk.take("ann", 2) == [first, second]
        assert not {first, second}.intersection(desk.take("bob", 2))
    elsewhere.answer("ann", first, 1)
    beside.answer("ann", second, 0)
    for desk in (here, beside, elsewhere):
        assert (desk.answered("ann"), desk.last("ann")) == (2, second)
        assert [[one.label for one in said] for said in desk.said().values()] == [[1], [0]]


def test_a_turn_that_fails_leaves_no_trace(task: Task, where: str) -> None:
    desk = Desk(Evaluation(task.pool, store=where))
    first, second = desk.take("ann", 2)

    def fail() -> None:
        with desk.transaction():
            desk.answer("ann", first, 1)
            desk.take("bob", 3)
            raise StoreError("no space")

    with pytest.raises(StoreError, match="no space"):
        fail()
    assert desk.said() == {}
    assert (desk.answered("ann"), desk.last("ann"), desk.evaluation.labels) == (0, None, 0)
    assert desk.take("ann", 2) == [first, second]
    assert len(desk.evaluation.pending) == 2, "nothing is with bob"


def test_it_needs_a_store(task: Task) -> None:
    with pytest.raises(InputError, match="open it with store="):
        Desk(Evaluation(task.pool))


def test_nothing_is_decided_before_it_is_answered(task: Task, file: str) -> None:
    desk = Desk(Evaluation(task.pool, store=file))
    with pytest.raises(InputError, match="must have an answer"):
        desk.decide("eve", desk.take("ann")[0], 1)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [1, 2])
def test_twenty_at_once(task: Task, where: str, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with a connection of their own: no item to more people than wanted, no label lost or doubled."""
    monkeypatch.setattr(connection, "PATIENCE", 600)  # nineteen turns of others may take long on a busy machine
    Evaluation(task.pool, store=where)

    def work(name: str) -> list[int]:
        desk = Desk(Evaluation(task.pool, store=where), wanted)
        done = []
        for _ in range(4):
            (item,) = desk.take(name)
            desk.answer(name, item, int(task.labels[item]))
            done.append(item)
        return done

    with ThreadPoolExecutor(20) as pool:
        found = [item for items in pool.map(work, [f"person {number}" for number in range(20)]) for item in items]
    times = Counter(found)
    assert max(times.values()) <= wanted
    labels = Evaluation(task.pool, store=where).history["labels"]
    assert labels == {item: int(task.labels[item]) for item, count in times.items() if count == wanted}
