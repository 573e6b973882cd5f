"""The picture of thresholds as HTML: its numbers are those of the result, and texts of users are text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, Pool, Threshold
from lowshot.charts.threshold_page import choice_in_words, fragment, page
from lowshot.result import short
from lowshot.tasks import finish, simulated

NASTY = "<script>alert(1)</script>"


def labelled(goal: Threshold | None = None, labels: int = 60, **more: Any) -> Evaluation:
    task = simulated(items=3000, positives=60, seed=4)
    threshold = float(np.sort(task.pool.scores)[-60])
    return finish(Evaluation(Pool(task.pool.scores, threshold=threshold, **more), goal=goal), task.labels, labels)


def cuts_of(html: str) -> list[Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert found is not None
    cuts: list[Any] = json.loads(found[1])
    return cuts


def slider_of(html: str) -> tuple[int, int]:
    """Its largest value, and where it begins."""
    found = re.search(r'type="range" min="0" max="(\d+)" step="1" value="(\d+)"', html)
    assert found is not None
    return int(found[1]), int(found[2])


def lines_of(html: str, kind: str) -> list[float]:
    """Where the upright lines of a kind are; those of the key are shorter than 30 units."""
    return [float(x) for x in re.findall(rf'class="{kind}" x1="([\d.]+)" x2="\1"', html)]


class Tags(HTMLParser):
    """Counts tags that are open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, _: Any) -> None:
        if tag not in ("input", "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, _: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_every_cut_is_as_in_the_result(band: Any) -> None:
    found = labelled().thresholds(band=band)
    cuts = cuts_of(fragment(found))
    assert len(cuts) == len(found) == slider_of(fragment(found))[0] + 1
    for place in (0, 17, len(found) - 1):
        row, (_, threshold, kept, *shares) = found.row(place), cuts[place]
        assert (threshold, kept) == ([f"{row['threshold']:.6g}", ""], [f"{row['kept']:,}", ""])
        assert shares == [
            [short(row[name]), f"{short(row[f'{name}_low'])} to {short(row[f'{name}_high'])}"]
            for name in ("precision", "recall", "f1")
        ]
    across = [cut[0][0] for cut in cuts]
    assert across == sorted(across)
    assert all(10 <= height <= 314 for cut in cuts for height in cut[0][1:])
    words = "at each threshold" if band == "pointwise" else "at all thresholds from 10 items on"
    assert words in fragment(found)


def test_marks() -> None:
    """The predictions, the largest F1 and the choice are where their cuts are; the slider begins at the choice."""
    evaluation = labelled(Threshold(recall=0.8))
    found, choice = evaluation.thresholds(), evaluation.choose_threshold()
    html, kept = fragment(found, choice), found.kept.tolist()
    across = [cut[0][0] for cut in cuts_of(html)]
    assert found.present is not None
    assert choice.threshold is not None
    chosen = kept.index(found.at(choice.threshold)["kept"])
    assert lines_of(html, "cut-now") == [across[found.present]]
    assert lines_of(html, "cut-best") == [across[kept.index(found.best().kept)]]
    assert lines_of(html, "cut-chosen") == lines_of(html, "cut-here") == [across[chosen]]
    assert slider_of(html)[1] == chosen
    assert 'class="cut-target"' in html
    without = fragment(found)
    assert slider_of(without)[1] == found.present
    assert "cut-chosen" not in without
    assert "cut-target" not in without


def test_predictions_that_no_threshold_gives() -> None:
    """The slider begins where F1 is largest."""
    scores = np.repeat(np.linspace(0, 1, 25), 2)  # items with equal scores are kept together
    evaluation = finish(Evaluation(Pool(scores, np.arange(50) >= 45)), scores > 0.8, 30)
    found = evaluation.thresholds()
    assert found.present is None
    html = fragment(found)
    assert lines_of(html, "cut-now") == []
    assert slider_of(html)[1] == found.kept.tolist().index(found.best().kept)


@pytest.mark.parametrize("labels", [[1, 0, 1], [None, None, None], []])
def test_three_items_with_one_score(labels: list[int | None]) -> None:
    """One threshold; answers that do not count; no answer."""
    evaluation = Evaluation(Pool([0.5] * 3, threshold=0.5), goal=Threshold(recall=0.9))
    if labels:
        evaluation.tell(evaluation.ask(3), labels)
    html = page(evaluation.thresholds(), "ties", evaluation.choose_threshold())
    assert "nan" not in html
    assert Tags(html).open == []
    if 1 in labels:
        assert slider_of(html) == (0, 0)
        assert "All scores are equal: the only threshold keeps everything." in html
    else:
        assert ("No labels yet." if not labels else "&#x27;cannot tell&#x27;: label more items.") in html


def test_a_single_item() -> None:
    evaluation = Evaluation(Pool([0.5], threshold=0.5))
    evaluation.tell(evaluation.ask(1), [1])
    html = fragment(evaluation.thresholds())
    assert "nan" not in html
    assert cuts_of(html)[0][0][0] == 56


def test_choices_in_words() -> None:
    evaluation = labelled(labels=300)
    choice = evaluation.choose_threshold(recall=0.5)
    assert choice.certified
    html = choice_in_words(choice)
    assert choice.set is not None
    assert choice.bare is not None
    assert f'<p class="cut-threshold">{choice.threshold:.6g}</p>' in html
    assert "For recall of at least 0.5:" in html
    assert "Certified" in html
    assert "sure that the items kept reach this. The promise rests on the posterior." in html
    for one in (choice.set, choice.bare):
        assert f"<dd>{one.kept:,}<small>" in html
    assert f"with {len(choice.added)} labelled positive" in html
    assert "threshold alone reaches" in choice_in_words(evaluation.choose_threshold(recall=0.5, reading="bare"))
    open_ = evaluation.choose_threshold(recall=0.99, precision=0.99)
    assert not open_.certified
    assert "Not certified" in choice_in_words(open_)
    assert "No threshold is known to reach" in choice_in_words(open_)
    assert "About 1,200 more labels may do." in choice_in_words(replace(open_, more=1200))
    largest = choice_in_words(evaluation.choose_threshold(maximise="f1"))
    assert "ertified" not in largest, "there is no target"
    assert "Reaches the target" not in largest
    by_design = replace(choice, wanted=Threshold(recall=0.5, promise="design"))
    assert "on how items were drawn, whatever the scores are" in choice_in_words(by_design)


def test_texts_are_text() -> None:
    evaluation = labelled(Threshold(recall=0.9))
    found = replace(evaluation.thresholds(), warning=NASTY)
    choice = replace(evaluation.choose_threshold(), warning=NASTY, reason=NASTY)
    html = page(found, NASTY, choice)
    assert NASTY not in html
    assert html.count("&lt;script&gt;") == 5, "the title twice, the warnings, the reason"
    assert Tags(html).open == []


def test_a_page_needs_nothing_else() -> None:
    html = page(labelled().thresholds(), "crows")
    assert "default-src 'none'" in html
    assert not re.findall(r"(?:src|href|url)\s*[=(]", html)
    assert " style=" not in html, "the policy of the owner's page forbids it"
    assert not re.findall(r"\son\w+=", html), "and handlers in attributes"


def test_a_large_pool() -> None:
    """From cells: the kept items of a threshold are those of all items."""
    found = labelled(levels=40, head=100).thresholds()
    cuts = cuts_of(fragment(found))
    assert cuts[-1][2][0] == "3,000"
    assert len(cuts) == len(found)


def test_another_confidence() -> None:
    found = labelled().thresholds(confidence=0.8)
    assert "Shaded: the 80\N{NO-BREAK SPACE}% interval" in fragment(found)
