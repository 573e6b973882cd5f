"""What happened in the stores beside this file, each written by an earlier version of lowshot with this very code.

    python story.py version-1.sql                         a SQLite store, as SQL
    python story.py version-2.postgresql.sql postgresql://...   likewise PostgreSQL; the database must be empty

A store that was written is never written again: a new version gets a file of its own.
"""

import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
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


def as_sql(url: str) -> str:
    """Every table and row of a PostgreSQL database, without what only pg_dump's own reader understands."""
    command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", "--schema=public", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [
        line for line in text.splitlines() if line and not re.match(r"--|\\|SET|SELECT pg_catalog.set_config", line)
    ]
    return "\n".join(line.replace("public.", "") for line in lines if "SCHEMA public" not in line) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if len(sys.argv) > 2:
        write(sys.argv[2])
        target.write_text(as_sql(sys.argv[2]))
    else:
        path = f"{tempfile.mkdtemp()}/birds.db"
        write(path)
        target.write_text("\n".join(sqlite3.connect(path).iterdump()) + "\n")
