"""kill -9 of the server at random moments while several people label: what was acknowledged is there once, and draws
are those of an evaluation that nobody interrupted."""

import gc
import http.client
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from random import Random
from threading import Condition, Event, Thread
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation
from lowshot.answer import YES_NO
from lowshot.labelling import Desk
from lowshot.testing import Task, simulated
from lowshot.web import Shown, make_app
from lowshot.web.server import listen, run

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # forked before there are threads
    pytest.mark.slow,
]
KILLS = 30  # of each kind of store: 60
PEOPLE = ("ann", "bob", "eve", "kim", "zoe")
FAST = {"curves": 50}  # every server draws them again
LOST = (OSError, http.client.HTTPException)
LONG = 300  # seconds: only what never comes takes so long


class Told:
    """What the server acknowledged, and what it was last told of each item, whether it said so or not."""

    def __init__(self) -> None:
        self.acknowledged: list[tuple[int, int | None]] = []
        self.sent: dict[int, int | None] = {}
        self.lost = 0
        self.changed = Condition()

    def wait(self, more: int) -> None:
        """Until the server has acknowledged so many further answers."""
        with self.changed:
            wanted = len(self.acknowledged) + more
            assert self.changed.wait_for(lambda: len(self.acknowledged) >= wanted, LONG), "nobody is served any more"


class Person:
    """A browser without a picture: when the connection is lost it sends the answer again, then loads its items."""

    def __init__(self, port: int, name: str, told: Told, over: Event) -> None:
        self._port, self._told, self._over, self._random = port, told, over, Random(name)
        self._headers = {"Content-Type": "application/json", "Cookie": f"lowshot_name={name}"}
        self._connection = self._connected()

    def _connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=LONG)

    def label(self) -> None:
        items: list[dict[str, Any]] = []
        while not self._over.is_set():
            items = self._answer(items[0]) if items else self._post("/api/items", {})[1].get("items", [])
        self._connection.close()

    def _answer(self, shown: dict[str, Any]) -> list[dict[str, Any]]:
        """The next items; none if it is not known whether the answer arrived."""
        word = self._random.choice(["yes", "no", "no", "cannot tell"])
        item, label = int(shown["fields"][0]["value"]), YES_NO.label(word)
        told, body = self._told, {"item": shown["item"], "answer": word}
        told.sent[item] = label
        status, reply = self._post("/api/answer", body)
        if status == 0:
            status, reply = self._post("/api/answer", body)
        if status != 200:
            return []
        with told.changed:
            told.acknowledged.append((item, label))
            told.changed.notify_all()
        return list(reply["items"])

    def _post(self, path: str, body: object) -> tuple[int, dict[str, Any]]:
        """Status and reply; 0 if the connection was lost."""
        try:
            self._connection.request("POST", path, json.dumps(body), self._headers)
            reply = self._connection.getresponse()
            return reply.status, json.loads(reply.read())
        except LOST:
            self._told.lost += 1
            self._connection.close()
            return 0, {}


def serve_until_killed(task: Task, where: str, listening: socket.socket) -> None:
    shown = Shown("text", lambda item: [("text", str(item))])
    evaluation = Evaluation(task.pool, store=where, settings=FAST)
    app = make_app(evaluation, shown, half_width=0.5)  # plans for this take no time
    app.state.site.watch = None  # and nobody stops when it is reached
    run(app, listening)


def serve_again_and_again(task: Task, where: str, listening: socket.socket, servers: int) -> None:
    """One server after the other, whenever one is killed. Forked: they need not import everything again."""
    gc.collect()
    gc.freeze()  # what is there already: nor look for garbage in it
    while True:
        process = os.fork()
        if process == 0:
            try:
                serve_until_killed(task, where, listening)
            finally:
                os._exit(1)
        os.write(servers, b"%d\n" % process)
        os.waitpid(process, 0)


@contextmanager
def servers_of(task: Task, where: str, listening: socket.socket) -> Iterator[Iterator[int]]:
    """The processes of servers, each when the one before is dead."""
    reading, writing = os.pipe()
    parent = os.fork()
    if parent == 0:
        try:
            serve_again_and_again(task, where, listening, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as lines:
        numbers = map(int, lines)
        try:
            yield numbers
        finally:
            os.kill(parent, signal.SIGKILL)
            os.waitpid(parent, 0)
            for process in numbers:  # the last one: nobody is left to start another
                os.kill(process, signal.SIGKILL)


def replayed(task: Task, stored: Evaluation) -> Evaluation:
    """An evaluation in memory that nobody interrupted, told the same labels in the same order."""
    memory, answers = Evaluation(task.pool, settings=FAST), list(stored.history["answers"])
    for each in stored._history.rounds:
        tell(memory, answers[memory.labels : len(each.labelled)])
        memory.ask()
        while memory._history.rounds[-1].asked < each.asked:
            memory.ask()
    tell(memory, answers[memory.labels :])
    return memory


def tell(evaluation: Evaluation, answers: list[dict[str, Any]]) -> None:
    evaluation.tell([answer["item"] for answer in answers], [answer["label"] for answer in answers])


def test_kills_of_the_server(where: str) -> None:
    task, random, told, over = simulated(items=4000, positives=60, seed=5), Random(3), Told(), Event()
    Evaluation(task.pool, settings=FAST).ask()  # the servers need not rank the pool again
    with closing(listen("127.0.0.1", 0)) as listening:
        listening.listen()
        with servers_of(task, where, listening) as servers:
            people = [Person(listening.getsockname()[1], name, told, over) for name in PEOPLE]
            threads = [Thread(target=person.label, daemon=True) for person in people]
            for thread in threads:
                thread.start()
            for _ in range(KILLS):
                server = next(servers)
                told.wait(random.randint(1, 4))
                time.sleep(random.uniform(0, 0.03))
                os.kill(server, signal.SIGKILL)
            last = next(servers)
            told.wait(1)
            over.set()
            for thread in threads:
                thread.join()  # it is at its last request, which ends: with a reply, or after its time
            os.kill(last, signal.SIGKILL)
    assert told.lost >= KILLS, "they were at work when it was killed"
    assert_kept(task, where, told)


def assert_kept(task: Task, where: str, told: Told) -> None:
    evaluation = Evaluation(task.pool, store=where)
    labels = evaluation.history["labels"]
    items = [item for item, _ in told.acknowledged]
    assert len(items) == len(set(items)), "no answer is taken twice"
    assert all(item in labels and labels[item] == label for item, label in told.acknowledged)
    assert all(told.sent[item] == label for item, label in labels.items()), "nothing that nobody said"
    answers = [entry["item"] for entry in evaluation.history["answers"]]
    assert sorted(answers) == sorted(labels), "every label is there once"
    said = Desk(evaluation).said()
    assert {item: [one.label for one in each] for item, each in said.items()} == {i: [v] for i, v in labels.items()}
    assert_as_uninterrupted(evaluation, replayed(task, evaluation))


def assert_as_uninterrupted(stored: Evaluation, memory: Evaluation) -> None:
    """Up to now, and from now on."""
    assert memory.history["labels"] == stored.history["labels"]
    assert len(memory._history.rounds) == len(stored._history.rounds)
    for mine, theirs in zip(memory._history.rounds, stored._history.rounds, strict=True):
        assert np.array_equal(mine.draws.items, theirs.draws.items)
        assert np.array_equal(mine.draws.probability, theirs.draws.probability)
    assert memory.estimate() == stored.estimate()
    assert memory.ask(5) == stored.ask(5)
