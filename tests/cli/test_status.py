"""`lowshot status`, and what it says to do next."""

import re

import pytest

from ..helpers import found, good
from .birds import asked, begin, label_everything, tell, truth

pytestmark = pytest.mark.usefixtures("birds")


def test_status() -> None:
    begin()
    label_everything(1)
    good("ask", "birds.db", "--count", "2")
    text = good("status", "birds.db").stdout
    assert re.search(
        r"^evaluation: f1, sampler curve, 400 items\n"
        r"  10 labels, 2 pending, begun 20[0-9-]+ [0-9:]+ UTC, last label 20[0-9-]+ [0-9:]+ UTC\n"
        r"  2 items with command line, until 20[0-9-]+ [0-9:]+ UTC\n"
        r"  f1 = 0\.[0-9]+, 95 % interval .*, from 10 labels",
        text,
    )
    (one,) = found("status", "birds.db")["evaluations"]
    assert one["estimate"]["low"] < one["estimate"]["value"] < one["estimate"]["high"]
    assert one["began"] < one["last_label"]


def test_what_to_do_next_is_a_command() -> None:
    begin()
    assert good("estimate", "birds.db").stderr == "next: `lowshot label`, or `lowshot ask` and `lowshot tell`\n"
    assert "  next: `lowshot label`" in good("status", "birds.db").stdout
    _, *rest = asked()
    tell([(item, truth()[item]) for item in rest])
    waits = good("estimate", "birds.db")
    assert waits.stdout.endswith(
        "from 0 labels (the labels so far wait for items that were drawn before them: answer"
        " the pending ones); 4 more labels wait for 1 item without a label\n"
    )
    assert "`lowshot status` shows who has them" in waits.stderr
    assert [found("estimate", "birds.db")[key] for key in ("labels", "waiting", "waiting_for")] == [0, 4, 1]
    assert "`lowshot ask --again` repeats yours" in good("status", "birds.db").stdout
    label_everything(1)
    for command in ("estimate", "status", "report"):
        assert not re.search(r"\w\(\)", good(command, "birds.db").output), "Python"
