"""Items to Label Studio and answers back, without a server: every order of events, and every bad reply."""

import re
import socket
import struct
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

import lowshot
from lowshot.class_answer import ClassAnswers
from lowshot.errors import InputError
from lowshot.integrations.label_studio import tasks, webhook
from lowshot.integrations.label_studio.client import Client, Unavailable
from lowshot.integrations.label_studio.sync import COUNT, EXTRA, Synchronisation, mark_of, project_for
from lowshot.integrations.label_studio.webhook import HEADER, Receiver, path_of, registered
from lowshot.labelling.desk import REST, Desk
from lowshot.labelling.ledger import LABEL_STUDIO, LONG
from lowshot.labelling.rows import Item
from lowshot.store.clock import now

from .fake_studio import NUMBER, URL, FakeStudio, replies

ITEMS = 60
IDS = [f"{number:02d}" for number in range(ITEMS)]
SCORES = [1 - number / ITEMS for number in range(ITEMS)]
SETTLE = 10.0


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Scene:
    """A store, a server, and a process that synchronises both; `restart` is what follows a kill."""

    def __init__(self, folder: Path, pool: Any = None, words: tuple[str, ...] | None = None, **more: Any) -> None:
        self.wanted, self._count, self._whole = more.pop("wanted", 1), more.pop("count", COUNT), more.pop("whole", 0.0)
        self.studio = FakeStudio(words) if words else FakeStudio()
        self.client, self.clock = Client(URL, "0123", self.studio.transport), Clock()
        self.store, self._more = folder / "birds.db", more
        self._pool = pool or lowshot.Pool(SCORES, threshold=0.5, ids=IDS)
        self.restart()

    def restart(self, **more: Any) -> None:
        self.evaluation = lowshot.Evaluation(self._pool, store=self.store, name="birds", **self._more, **more)
        self.desk = Desk(self.evaluation, self.wanted, LONG, most=None, clock=self._at)
        self.sync = Synchronisation(
            self.client, NUMBER, self.desk, _shown, self._count, SETTLE, self._whole, clock=self.clock
        )

    def _at(self, seconds: float) -> str:
        return now(seconds + self.clock.seconds)

    def look(self, labels: int | None = None) -> tuple[Any, Any]:
        return self.sync.receive(), self.sync.send(labels)

    def sent(self) -> list[str]:
        return [task["data"]["id"] for task in self.studio.tasks.values()]

    def carry_out_again(self) -> None:
        """Every item gets a second task."""
        self.client.send(NUMBER, [{"data": dict(task["data"])} for task in self.studio.tasks.values()])

    def answer_all(self, word: str = "no") -> None:
        for task in list(self.studio.tasks.values()):
            if not task["annotations"]:
                self.studio.answer(task["data"]["id"], word)


def _shown(items: Any) -> list[Item]:
    return [Item(item, {"title": f"bird {item}"}) for item in items]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_the_next_round_is_sent_when_it_opens(scene: Scene) -> None:
    _, sent = scene.look()
    first = scene.sent()
    assert (sent.tasks, sent.unfinished) == (len(first), (len(first), 0, 0))
    assert {*first} == {*scene.evaluation.pending}
    scene.studio.answer(first[0], "yes")
    received, sent = scene.look()
    assert (received.labels, sent.tasks, sent.unfinished.waiting) == (1, 0, len(first) - 1)
    scene.answer_all()
    received, sent = scene.look()
    assert received.labels == len(first) - 1
    assert sent.tasks == sent.unfinished.waiting == len(scene.sent()) - len(first) > 0
    assert scene.evaluation.history["labels"] == {item: int(item == first[0]) for item in first}
    assert len({*scene.sent()}) == len(scene.sent())


def test_no_more_items_are_sent_than_labels_are_wanted(scene: Scene) -> None:
    assert scene.look(labels=3)[1].tasks == 3
    assert scene.look(labels=3)[1].tasks == 0


def test_a_task_says_nothing_about_the_score(tmp_path: Path) -> None:
    """`topk` draws the items in the order of their scores: tasks come in another one, which depends on ids alone."""
    scene = Scene(tmp_path, sampler="topk")
    scene.look(labels=20)
    for task in scene.studio.tasks.values():
        item = task["data"]["id"]
        assert task.keys() == {"id", "annotations", "updated_at", "data"}
        assert task["data"] == {"id": item, "title": f"bird {item}", "lowshot": scene.sync.mark}
    assert {*scene.sent()} == {*IDS[:20]}
    places = [IDS.index(item) for item in scene.sent()]
    assert places != sorted(places)
    (tmp_path / "other").mkdir()
    other = Scene(tmp_path / "other", pool=lowshot.Pool(SCORES[::-1], threshold=0.5, ids=IDS), seed=0)
    assert other.sync._mixed(IDS[:20]) == scene.sent()


def test_the_last_annotation_counts_and_a_changed_one_is_a_correction(scene: Scene) -> None:
    scene.look()
    a, b, c, *_ = scene.sent()
    first = scene.studio.answer(a, "yes", person=1)
    scene.studio.answer(a, "no", person=2)
    scene.studio.answer(b, "cannot tell")
    scene.studio.answer(c, "yes")
    received, _ = scene.look()
    assert (received.labels, received.corrected) == (3, ())
    assert scene.evaluation.history["labels"] == {a: 0, b: None, c: 1}
    scene.studio.change(a, first, "yes")
    received, _ = scene.look()
    assert [str(one) for one in received.corrected] == [f"{a!r} was answered 'no' before and now 'yes'"]
    assert (received.labels, scene.evaluation.history["labels"][a]) == (0, 1)
    assert scene.look()[0].corrected == ()


def test_an_annotation_that_is_deleted_leaves_its_label_and_is_reported(scene: Scene) -> None:
    scene.look()
    item, other, *_ = scene.sent()
    given = scene.studio.answer(item, "yes")
    scene.studio.answer(other, "no")
    assert scene.look()[0].withdrawn == ()
    scene.studio.withdraw(item, given)
    for _ in range(2):
        received, sent = scene.look()
        (one,) = received.withdrawn
        assert str(one) == (
            f"the answer 'yes' to item {item!r} was deleted in Label Studio: it stays until the task is answered again,"
            " or you decide on the owner's page"
        )
        assert (received.labels, received.corrected, sent.tasks) == (0, (), 0)
        assert scene.evaluation.history["labels"] == {item: 1, other: 0}
        scene.restart()  # nothing is remembered but what the store and Label Studio have
    scene.studio.answer(item, "no")
    received, _ = scene.look()
    assert ([change.now for change in received.corrected], received.withdrawn) == (["no"], ())
    assert scene.evaluation.history["labels"] == {item: 0, other: 0}


def test_an_answer_that_is_skipped_afterwards_was_withdrawn_unless_the_owner_has_decided(scene: Scene) -> None:
    scene.look()
    item = scene.sent()[0]
    given = scene.studio.answer(item, "yes")
    scene.look()
    given["was_cancelled"] = True
    assert [one.item for one in scene.look()[0].withdrawn] == [item]
    scene.desk.decide("owner", item, 0)
    assert scene.look()[0].withdrawn == ()
    assert scene.evaluation.history["labels"][item] == 0


def test_one_of_two_people_deletes_an_annotation(tmp_path: Path) -> None:
    scene = Scene(tmp_path, wanted=2)
    scene.look()
    item = scene.sent()[0]
    first, _ = (scene.studio.answer(item, "yes", person=person) for person in (1, 2))
    assert scene.look()[0].labels == 1
    scene.studio.withdraw(item, first)
    assert [one.item for one in scene.look()[0].withdrawn] == [item]
    assert scene.evaluation.history["labels"] == {item: 1}


def test_what_the_owner_decides_stays(scene: Scene) -> None:
    scene.look()
    item = scene.sent()[0]
    given = scene.studio.answer(item, "yes")
    scene.look()
    scene.desk.decide("owner", item, 0)
    scene.look()
    scene.studio.change(item, given, "cannot tell")
    scene.look()
    assert scene.evaluation.history["labels"][item] == 0


def test_skipped_tasks_and_drafts_stay_pending_and_further_items_come(scene: Scene) -> None:
    scene.look()
    skipped, drafted, *rest = scene.sent()
    scene.studio.answer(skipped, cancelled=True)
    scene.studio.tasks[scene.studio.numbers(drafted)[0]]["drafts"] = [{"result": []}]
    for item in rest:
        scene.studio.answer(item, "no")
    received, sent = scene.look()
    assert (received.labels, sent.tasks, sent.unfinished) == (len(rest), 0, (1, 1, 0))
    assert scene.evaluation.pending == sorted([skipped, drafted], key=scene.evaluation.pending.index)
    scene.studio.answer(drafted, "no")
    _, sent = scene.look()
    assert sent.unfinished == (sent.tasks, 1, 0)
    assert 0 < sent.tasks <= EXTRA
    assert skipped in scene.evaluation.pending


def killed() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_that_is_killed_while_it_sends_sends_no_task_twice(scene: Scene, moment: str) -> None:
    setattr(scene.studio, moment, killed)
    with pytest.raises(KeyboardInterrupt):
        scene.look()
    reserved = scene.evaluation.pending
    setattr(scene.studio, moment, lambda: None)
    scene.restart()
    assert scene.look()[1].tasks == 0  # they may be on their way
    assert scene.sync.unsettled == (moment == "before")
    scene.clock.seconds += SETTLE
    assert scene.look()[1].tasks == (len(reserved) if moment == "before" else 0)
    assert sorted(scene.sent()) == sorted(reserved) == sorted(scene.evaluation.pending)


def test_a_request_that_is_carried_out_late_leaves_one_task_per_item(scene: Scene) -> None:
    """The younger task is deleted, unless somebody has worked on it: then both count."""
    scene.look()
    a, b, *_ = scene.sent()
    scene.carry_out_again()
    young = scene.studio.numbers(b)[1]
    result = [{"type": "choices", "value": {"choices": ["yes"]}}]
    scene.studio.tasks[young]["annotations"] = [{"result": result, "updated_at": "2027-01-01T00:00:00Z"}]
    assert scene.look()[0].labels == 1
    assert (len(scene.studio.numbers(a)), len(scene.studio.numbers(b))) == (1, 2)
    assert scene.evaluation.history["labels"] == {b: 1}


@pytest.mark.parametrize("work", ["annotations", "drafts", "draft_exists"])
def test_a_second_task_that_is_worked_on_after_it_was_listed_is_not_deleted(scene: Scene, work: str) -> None:
    scene.look()
    item = scene.sent()[0]
    scene.carry_out_again()
    first, young = scene.studio.numbers(item)
    annotation = {"result": [{"type": "choices", "value": {"choices": ["yes"]}}], "updated_at": "2027-01-01T00:00:00Z"}
    found = {"annotations": [annotation], "drafts": [{"result": []}], "draft_exists": True}[work]
    scene.studio.listed = lambda: scene.studio.tasks[young].update({work: found})
    scene.look()
    assert scene.studio.numbers(item) == [first, young]
    assert len(scene.studio.tasks) == len({*scene.sent()}) + 1
    scene.look()
    assert scene.evaluation.history["labels"] == ({item: 1} if work == "annotations" else {})


def test_answers_are_told_before_second_tasks_are_deleted(scene: Scene) -> None:
    """The server that does not delete now, or refuses to, cannot hold up an answer."""
    scene.look()
    item, other = scene.sent()[:2]
    scene.carry_out_again()
    scene.studio.answer(item, "yes")
    scene.studio.listed = lambda: setattr(scene.studio, "down", True)
    assert scene.sync.receive().labels == 1
    with pytest.raises(Unavailable):
        scene.sync.send()
    assert scene.evaluation.history["labels"] == {item: 1}
    scene.studio.down, scene.studio.listed = False, lambda: None
    del scene.studio.tasks[scene.studio.numbers(other)[1]]  # somebody else was faster
    scene.sync.send()
    assert len(scene.studio.tasks) == len({*scene.sent()})


def test_many_items_are_sent_in_pieces(tmp_path: Path) -> None:
    pool = lowshot.Pool([1 - number / 250 for number in range(250)], threshold=0.5)
    scene = Scene(tmp_path, pool=pool, sampler="rand", count=250)
    assert scene.look()[1].tasks == len({*scene.sent()}) == 250
    assert scene.studio.imported == [100, 100, 50]


def test_a_request_that_takes_too_long_is_given_time_after_it_has_failed(scene: Scene) -> None:
    def slow() -> None:
        scene.clock.seconds += 30
        raise httpx2.ReadTimeout("timed out")

    scene.studio.before = slow
    with pytest.raises(Unavailable):
        scene.look()
    scene.studio.before = lambda: None
    scene.clock.seconds += 5
    assert scene.look()[1].tasks == 0  # it may still be carried out
    scene.client.send(NUMBER, tasks.marked(_shown(scene.evaluation.pending), scene.sync.mark))
    scene.clock.seconds += SETTLE
    assert scene.look()[1].tasks == 0
    assert sorted(scene.sent()) == sorted(scene.evaluation.pending)


def test_all_tasks_are_listed_before_an_item_is_sent_again(tmp_path: Path) -> None:
    """Tasks may come to light with a time long past: then the list of what has changed does not have them."""
    scene = Scene(tmp_path, whole=60.0)
    scene.look()
    scene.answer_all()
    there = {*scene.studio.tasks}

    def late() -> None:
        for number in scene.studio.tasks.keys() - there:
            scene.studio.tasks[number]["updated_at"] = "2026-11-17T00:00:00Z"
        raise httpx2.ReadTimeout("timed out")

    scene.studio.after = late
    with pytest.raises(Unavailable):
        scene.look()
    scene.studio.after = lambda: None
    assert scene.look()[1].tasks == 0
    scene.clock.seconds += SETTLE
    assert scene.look()[1].tasks == 0
    assert len({*scene.sent()}) == len(scene.sent()) > len(there)


def test_a_task_that_was_deleted_is_sent_again(scene: Scene) -> None:
    scene.look()
    item = scene.sent()[0]
    del scene.studio.tasks[scene.studio.numbers(item)[0]]
    assert scene.look()[1].tasks == 0
    scene.clock.seconds += SETTLE
    assert scene.look()[1].tasks == 1
    assert scene.studio.numbers(item)


def test_items_of_the_labelling_page_are_not_sent(scene: Scene) -> None:
    mine = scene.desk.take("ann", 2)
    scene.look()
    assert not {*mine} & {*scene.sent()}
    assert not {*scene.desk.take("bob", 20)} & {*scene.sent(), *mine}
    assert {*scene.desk.held_by(LABEL_STUDIO)} == {*scene.sent()}


def test_items_stay_reserved_as_long_as_somebody_looks(scene: Scene) -> None:
    """After a day without a look, others may take them; an answer that comes later is not used."""
    scene.look()
    sent = {*scene.sent()}
    for _ in range(4):
        scene.clock.seconds += 0.7 * LONG
        scene.look()
        assert {*scene.desk.held_by(LABEL_STUDIO)} == sent
    scene.clock.seconds += LONG + 1
    item = scene.desk.take("bob", 1)[0]
    assert item in sent
    scene.desk.answer("bob", item, 1)
    scene.studio.answer(item, "no")
    received, _ = scene.look()
    assert received.labels == 0
    assert [f"item {item!r} is not used: it was labelled elsewhere" in text for text in received.unused] == [True]
    assert scene.evaluation.history["labels"] == {item: 1}


def test_an_item_that_was_taken_back_is_left_to_others(scene: Scene) -> None:
    scene.look()
    item = scene.evaluation.pending[0]
    scene.desk.take_back(item)
    scene.clock.seconds += 1
    scene.look()
    assert scene.desk.take("bob", 1) == [item]
    scene.clock.seconds += REST
    scene.look()
    assert item not in scene.desk.held_by(LABEL_STUDIO)


def test_several_people_must_agree(tmp_path: Path) -> None:
    scene = Scene(tmp_path, wanted=2)
    scene.look()
    agreed, disputed, one, *_ = scene.sent()
    for person, word in ((1, "yes"), (2, "no")):
        scene.studio.answer(agreed, "yes", person=person)
        given = scene.studio.answer(disputed, word, person=person)
    scene.studio.answer(one, "yes")
    scene.studio.answer(one, "yes")
    assert scene.look()[0].labels == 1
    assert scene.evaluation.history["labels"] == {agreed: 1}
    assert scene.desk.disputed() == [disputed]
    scene.studio.change(disputed, given, "yes")
    assert scene.look()[0].labels == 1
    assert scene.evaluation.history["labels"] == {agreed: 1, disputed: 1}


def test_disputed_items_do_not_wait_for_an_answer_and_further_items_come(tmp_path: Path) -> None:
    scene = Scene(tmp_path, wanted=2)
    scene.look()
    disputed, half, *rest = scene.sent()
    for item in rest:
        for person in (1, 2):
            scene.studio.answer(item, "yes", person=person)
    for person, word in ((1, "yes"), (2, "no")):
        scene.studio.answer(disputed, word, person=person)
    scene.studio.answer(half, "yes", person=1)
    received, sent = scene.look()
    assert (received.labels, sent.tasks, sent.unfinished) == (len(rest), 0, (1, 0, 1))
    scene.studio.answer(half, "yes", person=2)
    _, sent = scene.look()
    assert 0 < sent.tasks <= EXTRA
    assert sent.unfinished == (sent.tasks, 0, 1)
    scene.desk.decide("owner", disputed, 1)
    assert scene.look()[1].unfinished.disputed == 0


def test_answers_that_cannot_be_read_are_said_and_stay_pending(scene: Scene) -> None:
    scene.look()
    both, unknown, good = scene.sent()[:3]
    scene.studio.answer(both, "yes", "no")
    scene.studio.answer(unknown, "maybe")
    scene.studio.answer(good, "yes")
    received, _ = scene.look()
    assert len(received.unused) == 2
    assert scene.evaluation.history["labels"] == {good: 1}


def test_what_a_malicious_annotator_sends_stops_nobody_else(scene: Scene) -> None:
    """Label Studio takes any list as the result of an annotation."""
    results: list[Any] = [
        ["yes"],
        [None],
        [{"type": "choices", "value": None}],
        [{"type": "choices", "value": {"choices": 5}}],
        [{"type": "choices", "value": {"choices": "yes"}}],
        [{"type": "choices", "value": {"choices": ["yes"] * 100_000}}],
        [{"type": "choices", "value": {"choices": ["maybe\x1b[31m\n" * 1000]}}],
        "yes",
    ]
    scene.look()
    good, *bad = scene.sent()[: len(results) + 1]
    for item, result in zip(bad, results, strict=True):
        scene.studio.answer(item, "yes")["result"] = result
    scene.studio.answer(good, "yes")
    received, sent = scene.look()
    assert scene.evaluation.history["labels"] == {good: 1}
    assert len(received.unused) == len(results)
    assert all(text.isprintable() and len(text) < 1000 for text in received.unused)
    assert sent.unfinished == (len(scene.sent()) - 1, 0, 0)


def test_what_a_malicious_annotator_sends_stops_nobody_else_who_must_agree(tmp_path: Path) -> None:
    scene = Scene(tmp_path, wanted=2)
    scene.look()
    item = scene.sent()[0]
    scene.studio.answer(item, "yes", person=3)["result"] = ["yes"]
    for person in (1, 2):
        scene.studio.answer(item, "yes", person=person)
    assert scene.look()[0].labels == 1


def test_other_choices_of_a_project_are_no_label(scene: Scene) -> None:
    def chosen(name: str, word: str) -> dict[str, Any]:
        return {"type": "choices", "from_name": name, "to_name": "title", "value": {"choices": [word]}}

    scene.look()
    both, other = scene.sent()[:2]
    scene.studio.answer(both, "?")["result"] = [chosen("sure", "yes"), chosen("label", "no")]
    scene.studio.answer(other, "?")["result"] = [chosen("sure", "yes")]
    assert scene.look()[0].unused == ()
    assert scene.evaluation.history["labels"] == {both: 0}


def test_tasks_of_others_are_left_alone(scene: Scene) -> None:
    """Another evaluation with the same ids, and tasks that were imported by hand."""
    others = [{"data": {"id": item, "lowshot": "birds 00000000"}} for item in IDS[:2]]
    scene.client.send(NUMBER, [*others, {"data": {"id": IDS[0]}}, {"data": {"lowshot": scene.sync.mark, "id": "?"}}])
    for item in IDS[:2]:
        scene.studio.answer(item, "yes")
    scene.look()
    assert scene.evaluation.labels == 0
    assert len(scene.studio.tasks) == 4 + len(scene.evaluation.pending)


def test_many_categories(tmp_path: Path) -> None:
    words = ("heron", "crow", "wren", "none of these", "cannot tell")
    scores = {name: [(number + place) % 3 / 3 + 0.1 for number in range(ITEMS)] for place, name in enumerate(words[:3])}
    scene = Scene(tmp_path, pool=lowshot.ClassPool(scores, ids=IDS), words=words)
    scene.sync.check()
    scene.look()
    crow, other, unsure, *_ = scene.sent()
    scene.studio.answer(crow, "crow")
    scene.studio.answer(other, "none of these")
    scene.studio.answer(unsure, "cannot tell")
    assert scene.look()[0].labels == 3
    assert scene.evaluation.history["labels"] == {crow: "crow", other: lowshot.OTHER, unsure: None}


def test_a_project_without_the_choices_is_refused(scene: Scene) -> None:
    for parsed in ({}, None, {"label": {"type": "Labels"}}, {"label": {"type": "Choices", "labels": ["yes", "no"]}}):
        scene.studio.project["parsed_label_config"] = parsed
        with pytest.raises(InputError, match=f"project {NUMBER} must have a labelling config with choices .*--create"):
            scene.sync.check()


def test_a_project_is_made_once(scene: Scene) -> None:
    assert project_for(scene.client, "Crows", "<View/>", scene.evaluation, 2) == (NUMBER, True)
    assert scene.studio.project["maximum_annotations"] == 2
    assert project_for(scene.client, "Crows", "<View/>", scene.evaluation, 2) == (NUMBER, False)
    assert scene.studio.requests.count("POST /api/projects/") == 1


@pytest.mark.parametrize("question", ["birds", "Is this a crow?"])
def test_an_evaluation_that_is_begun_again_takes_no_answers_of_the_old_one(
    scene: Scene, tmp_path: Path, question: str
) -> None:
    """In a new store, under the same name and with the same pool: mostly because the question was wrong."""
    project_for(scene.client, "Crows", "<View/>", scene.evaluation, 1)
    old = mark_of(scene.evaluation)
    scene.look()
    scene.answer_all("yes")
    scene.store = tmp_path / "again.db"
    scene.restart(question=question)
    assert mark_of(scene.evaluation) != old
    assert mark_of(scene.evaluation).startswith("birds ")
    with pytest.raises(
        InputError,
        match=f"--create must be a title that no other evaluation has: project {NUMBER}, 'Crows', was made for"
        f" evaluation '{old}', and this one is '{mark_of(scene.evaluation)}'; give another title, or rename or delete",
    ):
        project_for(scene.client, "Crows", "<View/>", scene.evaluation, 1)
    received, sent = scene.look()
    assert (received.labels, received.unused) == (0, ())
    assert sent.tasks == sent.unfinished.waiting > 0


def test_the_mark_stays_when_an_evaluation_goes_on(scene: Scene) -> None:
    before = mark_of(scene.evaluation)
    scene.look()
    scene.answer_all()
    scene.look()
    scene.restart()
    assert mark_of(scene.evaluation) == before


def test_half_a_character_becomes_a_question_mark(scene: Scene) -> None:
    """An emoji that was cut in two has no UTF-8: no request can have it."""
    scene.sync.shown = lambda items: [Item(item, {"title": "crow \ud83d"}) for item in items]
    assert scene.look()[1].tasks == len(scene.sent()) > 0
    assert {task["data"]["title"] for task in scene.studio.tasks.values()} == {"crow ?"}
    assert '"title": "crow ?"' in tasks.write(scene.sync.shown(IDS[:1]))


def test_what_cannot_be_sent_is_no_server_that_is_down(scene: Scene) -> None:
    with pytest.raises(UnicodeEncodeError):
        scene.client.create("crow \ud83d", "", "<View/>", 1)


def test_a_field_that_is_called_as_the_search_of_categories() -> None:
    many = ClassAnswers(tuple(f"bird {number}" for number in range(tasks.SEARCHED + 1)))
    names = re.findall(' name="([^"]*)"', tasks.config("Which bird?", ["search", "title"], "text", many))
    assert names == ["field_search", "title", "search", "label"]
    assert tasks.marked([Item(7, {"search": "Crow"})], "birds")[0]["data"]["field_search"] == "Crow"


@pytest.mark.parametrize(
    "reply",
    [
        {"tasks": []},
        {"tasks": [{"id": 1}]},
        {"tasks": {"id": 1}, "total": 1},
        {"tasks": ["crow"], "total": 1},
        {"tasks": [{"data": {}}], "total": 1},
        {"tasks": [{"id": 1}], "total": None},
    ],
)
def test_lists_that_are_not_those_of_label_studio(reply: Any) -> None:
    with pytest.raises(InputError, match="answers with JSON of another program, or of a version of Label Studio"):
        list(Client(URL, "0123", replies(httpx2.Response(200, json=reply))).tasks(3, "birds"))


@pytest.mark.parametrize("reply", [{"count": 0, "results": []}, ["crow"], [{"url": "http://a"}], 5])
def test_webhooks_that_are_not_those_of_label_studio(reply: Any) -> None:
    with pytest.raises(InputError, match="another program"):
        Client(URL, "0123", replies(httpx2.Response(200, json=reply))).webhooks(3)


def test_a_task_without_annotations_is_not_one_of_label_studio() -> None:
    """Such a task would be deleted as one that nobody has answered."""
    with pytest.raises(InputError, match="another program"):
        Client(URL, "0123", replies(httpx2.Response(200, json={"id": 1}))).task(1)


def test_an_access_token_that_no_header_can_have() -> None:
    with pytest.raises(InputError, match="another program"):
        Client(URL, "eyJa.eyJb.c", replies(httpx2.Response(200, json={"access": "\u00e9"}))).project(3)


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        (httpx2.Response(401, json={"detail": "Invalid token."}), InputError, r"_API_KEY .* 401 \(Invalid token\.\)"),
        (
            httpx2.Response(403, json={"detail": "No."}),
            InputError,
            "token LABEL_STUDIO_API_KEY is must be allowed.* 403",
        ),
        (httpx2.Response(404, json={"detail": "Not found."}), InputError, "project 3 must exist at http"),
        (httpx2.Response(404, text="<html>"), InputError, "url must be the address of Label Studio.* 404 without JSON"),
        (httpx2.Response(200, text="<html>"), InputError, "url must be the address of Label Studio"),
        (httpx2.Response(200, json=[]), InputError, "url must be the address of Label Studio.*another program"),
        (httpx2.Response(400, json={"detail": "Bad."}), InputError, r"refuses the request: it answers 400 \(Bad\.\)"),
        (httpx2.Response(302, headers={"location": "https://a"}), InputError, "redirects to 'https://a'"),
        (httpx2.Response(502, text="Bad gateway"), Unavailable, "answers 502"),
        (httpx2.Response(429, json={}), Unavailable, "answers 429"),
        (httpx2.Response(400, json={"detail": "Token very secret?"}), InputError, r"answers 400 \(Token \.\.\.\?\)"),
        (httpx2.Response(200, text="[" * 100_000), InputError, "answers 200 without JSON"),
    ],
)
def test_bad_replies(reply: httpx2.Response, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        Client(URL, "very secret", replies(reply)).project(3)
    assert "very secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8080",
        "ftp://a",
        "http://",
        "http://ann:pw@a",
        "http://a?b",
        "http://a:x",
        "http://a\x01",
        "http://ü..ö",
    ],
)
def test_bad_addresses(url: str) -> None:
    with pytest.raises(InputError, match="url must be the address of Label Studio") as caught:
        Client(url, "0123")
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("token", ["", " ", "secret\nsecret", "secret\x01", "sécret"])
def test_bad_tokens(token: str) -> None:
    """A header cannot have them, and the error about the header would show them."""
    with pytest.raises(InputError, match="LABEL_STUDIO_API_KEY must be a token of Label Studio") as caught:
        Client(URL, token)
    assert "cret" not in str(caught.value)


def test_replies_that_cannot_be_read() -> None:
    def broken(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"Content-Encoding": "gzip"}, content=iter([b"no gzip"]))

    with pytest.raises(Unavailable, match="cannot be reached"):
        Client(URL, "0123", httpx2.MockTransport(broken)).project(3)
    with pytest.raises(Unavailable, match="cannot be reached"):
        Client(f"http://{'a' * 300}", "0123").project(3)


def test_a_personal_token_is_exchanged_and_exchanged_again_when_access_ends() -> None:
    """It is never sent but to the address that exchanges it."""
    personal, seen = "eyJa.eyJb.c", list[tuple[str, str]]()
    access = iter(["first", "second"])

    def reply(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.url.path, request.headers.get("Authorization", "")))
        if request.url.path == "/api/token/refresh/":
            assert request.read().decode() == f'{{"refresh":"{personal}"}}'
            return httpx2.Response(200, json={"access": next(access)})
        ended = request.headers["Authorization"] == "Bearer first" and len(seen) > 2
        return httpx2.Response(401, json={}) if ended else httpx2.Response(200, json={"title": "Birds"})

    client = Client(URL, personal, httpx2.MockTransport(reply))
    client.project(3)
    client.project(3)
    bearers = [authorization for path, authorization in seen if path != "/api/token/refresh/"]
    assert bearers == ["Bearer first", "Bearer first", "Bearer second"]


def test_only_calls_with_the_secret_wake() -> None:
    woken = threading.Event()
    with Receiver("127.0.0.1", 0, woken.set) as receiver:
        address = f"http://127.0.0.1:{receiver.port}/anything"
        for headers in ({}, {HEADER: "wrong"}, {HEADER: receiver.secret + "x"}):
            assert httpx2.post(address, json={"annotation": {}}, headers=headers, timeout=60).status_code == 403
        assert httpx2.get(address, timeout=60).status_code == 501
        assert not woken.is_set()
        good = {HEADER: receiver.secret}
        assert httpx2.post(address, json={"label": 1}, headers=good, timeout=60).status_code == 204
        assert woken.is_set()
        with pytest.raises(InputError, match="host and port must be an address of this machine that is free"):
            Receiver("127.0.0.1", receiver.port, woken.set)


def test_bad_requests_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """A scanner of ports, or somebody who ends a connection early."""
    woken = threading.Event()
    with Receiver("127.0.0.1", 0, woken.set) as receiver:
        address = ("127.0.0.1", receiver.port)
        for length in ("9" * 5000, "-1", "much"):
            with socket.create_connection(address) as one:
                one.sendall(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n".encode())
                assert b" 403 " in one.recv(100)
        with socket.create_connection(address) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # the end is a reset
            one.sendall(b"POST / HT")
        good = {HEADER: receiver.secret}
        assert httpx2.post(f"http://127.0.0.1:{receiver.port}", headers=good, timeout=60).status_code == 204
    assert woken.is_set()
    assert capfd.readouterr() == ("", "")


def drip(connection: socket.socket) -> int:
    """A request that never ends, byte by byte; after how many of them nobody reads it any more."""
    for count in range(100):
        try:
            connection.sendall(b"P")
        except (ConnectionResetError, BrokenPipeError):
            return count
        time.sleep(0.1)
    raise AssertionError("it is still read")


def status_of(address: str) -> int:
    """Of a request without the secret. It is made again as long as those before it take all places: that they have
    ended is known here a moment before their places are free."""
    end = time.monotonic() + 60
    while True:
        try:
            return httpx2.post(address, timeout=60).status_code
        except httpx2.TransportError:
            assert time.monotonic() < end, "no place is free again"
            time.sleep(0.05)


def test_slow_requests_end_and_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "PATIENCE", 1.0)
    monkeypatch.setattr(webhook, "TOGETHER", 2)
    with Receiver("127.0.0.1", 0, lambda: None) as receiver, ExitStack() as stack:
        address = ("127.0.0.1", receiver.port)
        one, two, three = (stack.enter_context(socket.create_connection(address, timeout=60)) for _ in range(3))
        assert three.recv(1) == b""  # refused at once, while the others wait
        assert drip(one) < 80, "after a second, of the ten that it would go on"
        assert two.recv(1) == b""
        assert status_of(f"http://127.0.0.1:{receiver.port}") == 403


def test_a_webhook_is_removed_also_that_of_a_process_that_was_killed(scene: Scene) -> None:
    other = scene.client.add_webhook(NUMBER, "http://elsewhere/", {})
    scene.client.add_webhook(NUMBER, f"http://127.0.0.1:1{path_of(scene.sync.mark)}", {})
    with (
        Receiver("127.0.0.1", 0, lambda: None) as receiver,
        registered(scene.client, NUMBER, receiver, "me", scene.sync.mark) as address,
    ):
        assert address == f"http://me:{receiver.port}{path_of(scene.sync.mark)}"
        mine = [one for number, one in scene.studio.webhooks.items() if number != other]
        assert [one["headers"] for one in mine] == [{HEADER: receiver.secret}]
        assert [one["send_payload"] for one in mine] == [False]
    assert [*scene.studio.webhooks] == [other]
