"""What notebooks show of pools, evaluations and results: every number in words, and nothing that could be a script."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lowshot import ClassPool, Evaluation, Pool, Threshold

NASTY = "<script>alert('1')</script>"
COUNT = 300
RANDOM = np.random.default_rng(0)
TRUTH = RANDOM.random(COUNT) < 0.2
FRAME = pd.DataFrame(
    {
        "one": RANDOM.normal(size=COUNT) + 2 * TRUTH,
        "two": RANDOM.normal(size=COUNT) + 3 * TRUTH,
        "clip": RANDOM.normal(size=COUNT) + TRUTH,
        NASTY: RANDOM.choice(["north", NASTY], COUNT),
    }
)
MODELS = {"v1": "one", NASTY: "two"}


def labelled(**more: Any) -> Evaluation:
    pool = Pool.from_frame(FRAME, score=MODELS, threshold=1.5, helpers=["clip"], slices=[NASTY])
    evaluation = Evaluation(pool, **more)
    while evaluation.labels < 60 and (items := evaluation.ask(60 - evaluation.labels)):
        evaluation.tell(items, TRUTH[items])
    return evaluation


def words(found: Any) -> str:
    """What people read of it; the HTML must be closed properly, load nothing and run nothing."""
    html = found._repr_html_()
    Checked().feed(html)
    assert not re.search(r"(?:src|href|url)\s*[=(]|background", html)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


class Checked(HTMLParser):
    """Refuses scripts, attributes that run something, and elements that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def feed(self, data: str) -> None:
        super().feed(data)
        assert self.open == []


def test_a_pool() -> None:
    pool = labelled().pool
    text = words(pool)
    assert text.startswith("300 items model predicted positive share scores from to v1")
    positive = int((FRAME["two"] >= 1.5).sum())
    assert f"{NASTY} {positive} {100 * positive / COUNT:.3g} %" in text
    assert f"helpers: clip slices: {NASTY} (2 values)" in text
    grouped = Pool.from_frame(FRAME, score="one", threshold=1.5, levels=5, head=10).bind(0)
    assert words(grouped).endswith("items of about the same score are one group")


def test_a_pool_of_many_classes() -> None:
    names = [NASTY, *(f"bird {number}" for number in range(30))]
    text = words(ClassPool(RANDOM.random((200, 31)), classes=names))
    assert text.startswith("200 items class predicted share")
    assert text.endswith("21 more rows")


def test_an_evaluation_of_a_pair_shows_its_verdict_and_the_models() -> None:
    evaluation = labelled(goal=("v1", NASTY))
    text, found = words(evaluation), evaluation.compare("v1", NASTY)
    assert f"goal {NASTY} against v1 metric f1 sampler curve, seed 0 labels 60 {found.verdict} {found.sentence}" in text
    assert found.difference in text
    assert text.endswith(words(evaluation.table()))
    assert words(found) in text


def test_thresholds_and_a_choice() -> None:
    evaluation = labelled()
    curve, choice = evaluation.thresholds(model=NASTY), evaluation.choose_threshold(recall=0.8, model=NASTY)
    text = words(curve)
    assert f"average precision of {NASTY}" in text
    assert str(curve.best()) in text
    chosen = words(choice)
    assert chosen.startswith(f"{choice.threshold:.6g} is the threshold for {choice.wanted.words}")
    assert "with the labels" in chosen
    assert f"threshold alone {choice.bare and choice.bare.kept}" in chosen
    empty = Evaluation(Pool(FRAME["one"], threshold=1.5), goal=Threshold(recall=0.8))
    assert words(empty.thresholds()).startswith("no curve")
    assert words(empty.choose_threshold(recall=0.8)).startswith("no threshold")


@pytest.mark.parametrize("by", ["model", NASTY])
def test_a_table_has_a_bar_per_row(by: str) -> None:
    evaluation = labelled()
    table = evaluation.table() if by == "model" else evaluation.table(by, model="v1", below=0.5)
    words(table)
    assert table._repr_html_().count("<circle") == len(table.rows)
