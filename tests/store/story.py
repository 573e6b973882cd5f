"""What happens in the stores of these tests: three evaluations, two of one question, and people."""

from typing import Any

import numpy as np

import lowshot

QUESTION = "Is it a bird?"
ORDER = np.arange(300) * 37 % 300
POOL = lowshot.Pool(ORDER / 300, threshold=0.9, ids=[f"bird-{number:03d}.jpg" for number in range(300)])
TRUTH = {f"bird-{number:03d}.jpg": int(place > 255 and place % 7 > 1) for number, place in enumerate(ORDER.tolist())}
PLAIN = {"metric": "f1", "sampler": "acis", "seed": 3}
AGAIN = {"metric": "recall", "sampler": "curve", "seed": 5}
PEOPLE = {"metric": "f1", "sampler": "rand", "seed": 7}


def answers(items: list[Any]) -> list[int]:
    return [TRUTH[item] for item in items]


def plain(evaluation: lowshot.Evaluation) -> None:
    """Three rounds, one answer that is late, two corrections, two items that are pending."""
    first = evaluation.ask(12)
    evaluation.tell(first[1:], answers(first[1:]))
    evaluation.correct(first[2], 1 - TRUTH[first[2]])
    evaluation.tell(first[:1], answers(first[:1]))
    for _ in range(4):
        items = evaluation.ask(8)
        evaluation.tell(items, answers(items))
    evaluation.correct(first[2], TRUTH[first[2]])
    items = evaluation.ask(6)
    evaluation.tell(items[2:], answers(items[2:]))


def again(evaluation: lowshot.Evaluation) -> None:
    """Another evaluation of the same question: it knows the labels of the first one."""
    for count in (7, 9):
        items = evaluation.ask(count)
        evaluation.tell(items, answers(items))


def people(evaluation: lowshot.Evaluation) -> None:
    """Two annotators: most answers agree, on one item they do not, one is decided; of two nobody can tell."""
    from lowshot.labelling import Desk

    desk = Desk(evaluation, wanted=2, hold=10**9)  # seconds: what is taken stays taken
    items = desk.take("ann", 10)
    assert desk.take("bob", 10) == items
    for number, item in enumerate(items[:8]):
        label = None if number < 2 else TRUTH[item]
        desk.answer("ann", item, label)
        desk.answer("bob", item, 1 - TRUTH[item] if number in (3, 4) else label)
    desk.decide("eve", items[3], TRUTH[items[3]])


def write(where: str) -> None:
    plain(lowshot.Evaluation(POOL, store=where, name="plain", question=QUESTION, about={"by": ["me", 1]}, **PLAIN))
    again(lowshot.Evaluation(POOL, store=where, name="again", question=QUESTION, **AGAIN))
    people(lowshot.Evaluation(POOL, store=where, name="people", **PEOPLE))
