"""What a report shows of items, where it says that it comes from, and what it counts."""

import base64
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, Pool, report
from lowshot.labelling import Desk
from lowshot.labelling.items import Shown
from lowshot.report import content
from lowshot.report.content import Contents
from lowshot.report.details import settings
from lowshot.report.facts import ReportFacts
from lowshot.report.sentences import probable
from lowshot.report.writing import page
from lowshot.tasks import finish, simulated

from ..test_several import scores_of
from .test_report import NASTY, labelled, without_plotly

PNG = base64.b64decode(  # one grey pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
LONG = "A text about herons. " * 40


def texts(item: Any) -> list[tuple[str, str]]:
    return [("title", f"Bird number {item}"), ("story", LONG)]


@pytest.fixture(scope="module")
def facts() -> ReportFacts:
    """With two labels that make a missed positive and a false alarm certain."""
    task = simulated()
    evaluation = finish(Evaluation(task.pool), task.labels, 30)
    rows = report.gather(evaluation).table
    evaluation.correct(next(row.item for row in rows if row.predicted), 0)
    evaluation.correct(next(row.item for row in rows if not row.predicted), 1)
    return report.gather(evaluation)


def test_mistakes_are_shown_with_their_content(facts: ReportFacts) -> None:
    wrong = [one.row for one in (*facts.misses, *facts.false_alarms)]
    assert {row.item for row in wrong} == {row.item for row in facts.table if row.label == 1 - row.predicted}
    assert [one.row.rank for one in facts.false_alarms] == sorted(one.row.rank for one in facts.false_alarms)
    html = page(facts, Shown("text", texts))
    cards = re.findall(r"<li>(.*?)</li>", html[html.index("Missed positives</h3>") :], flags=re.DOTALL)
    for one in (facts.misses[0], facts.false_alarms[0]):
        (card,) = [card for card in cards if f'<span class="name">{one.row.item}</span>' in card]
        assert f"Bird number {one.row.item}" in card
        assert f"<p>{LONG}</p></details>" in card
    assert html.count(f"Bird number {facts.doubts[0].row.item}") >= 2, "in the table of labels, too"


@pytest.mark.slow
def test_without_content(facts: ReportFacts) -> None:
    html = page(facts)
    assert "The report names items by their ids" in html
    assert f'<span class="name">{facts.misses[0].row.item}</span>' in html
    assert "<img" not in html


def test_content_is_text(facts: ReportFacts) -> None:
    html = without_plotly(page(facts, Shown("text", lambda item: [(NASTY, NASTY + LONG)])))
    assert NASTY not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def refusing(item: Any) -> Any:
    raise OSError("the disk is gone")


@pytest.mark.parametrize("fields", [{}, refusing, lambda item: 7], ids=["missing", "raises", "wrong"])
def test_what_cannot_be_read_is_left_out(facts: ReportFacts, fields: Any) -> None:
    assert "Mistakes among the labelled items" in page(facts, Shown("fields", fields))


def test_pictures(facts: ReportFacts, tmp_path: Path) -> None:
    """Inside of the file; a missing file, one outside of the folder and one that is no picture are named."""
    media = tmp_path / "media"
    media.mkdir()
    (media / "bird.png").write_bytes(PNG)
    (media / "page.png").write_text("<svg onload='alert(1)'>")
    (tmp_path / "secret.png").write_bytes(PNG)
    uri = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    html = page(facts, Shown("image", lambda item: [("photo", "bird.png")], media_root=media))
    assert html.count(f'<img src="{uri}" alt="photo of item ') >= len(facts.doubts) + 2
    for name in ("none.png", "page.png", "../secret.png"):
        shown = Shown("image", lambda item, name=name: [("photo", name)], media_root=media)
        html = page(facts, shown)
        assert "<img" not in html
        assert "photo: the picture cannot be read." in html


def test_limits_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small.png").write_bytes(PNG)
    (tmp_path / "large.png").write_bytes(PNG + bytes(content.LARGEST_PICTURE))
    fields = {1: [("photo", "large.png")], 2: [("photo", "small.png")], 3: [("photo", "small.png"), ("story", LONG)]}
    contents = Contents(Shown("image", fields, media_root=tmp_path), most=200)
    assert contents.of(1)[0].note == "the picture has more than 750 kB"
    assert contents.of(2)[0].picture.startswith("data:image/png;base64,")
    (left,) = contents.of(3)
    assert left.note == "the report has too many pictures to include this one"
    assert contents.line(3) == ""


def test_an_id_is_not_repeated() -> None:
    """Without --field, the content of an item is its id."""
    contents = Contents(Shown("fields", {7: [("item", "7"), ("empty", "")]}))
    assert contents.of(7) == ()
    assert contents.line(7) == ""


def test_origin(tmp_path: Path) -> None:
    task = simulated()
    evaluation = Evaluation(task.pool, store=tmp_path / "birds.db", question="Is it a heron?")
    desk = Desk(evaluation)
    for person in ("ann", "bob", "ann"):
        (item,) = desk.take(person)
        desk.answer(person, item, 0)
    evaluation.tell(evaluation.ask(1), [1])
    about = {"Pool file": "birds.csv", "Columns": "id <path>", "Threshold": "0.5"}
    found = report.gather(evaluation, about=about, clock=lambda: datetime(2026, 11, 16, 9, 30, tzinfo=UTC))
    told = dict(settings(found))
    assert told["Labelled by"] == "ann 2, bob 1, command line or Python 1 (items answered)"
    assert told["Report written"] == "2026-11-16 09:30 UTC"
    assert {name: told[name] for name in about} == about
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC", told[name]) for name in ("Begun", "Last label"))
    html = page(found)
    assert "lowshot report on evaluation, 2026-11-16 09:30 UTC" in html
    assert "Pool file: birds.csv. Threshold: 0.5. Labelled by ann, bob and others." in html
    assert "id &lt;path&gt;" in html


def test_what_is_not_known_is_left_out() -> None:
    told = dict(settings(report.gather(labelled(budget=10))))
    assert not {"Evaluation", "Question", "Labelled by", "Begun", "Last label", "Pool file"} & told.keys()


def test_one_count_of_labels() -> None:
    """Headline, table, groups, labels tried and settings."""
    found = report.gather(labelled(budget=40))
    html = page(found)
    assert "40 labels</h1>" in html
    assert "40 items, best rank first" in html
    assert "All 40 labels were tried." in html
    assert dict(settings(found))["Labels"] == "40 labels"
    assert "Here every answer counts" not in html
    assert found.path[-1].labels == found.counts.counted == 40


def test_slices() -> None:
    task = simulated()
    cameras = np.resize(["north", "south"], len(task.pool))
    evaluation = finish(
        Evaluation(Pool(task.pool.scores, task.pool.predictions, slices={"camera": cameras})), task.labels, 40
    )
    found = report.gather(evaluation, confidence=0.9)
    assert found.slices == {" by camera": evaluation.table(by="camera", confidence=0.9)}
    html = page(found)
    assert "<h2>F1 by camera</h2>" in html
    assert 'data-name="north"' in html
    assert "beginDots" in html
    assert "beginDots" not in page(report.gather(labelled(budget=10)))


def test_slices_of_several_models() -> None:
    scores, truth = scores_of(items=400, share=0.1)
    pool = Pool(scores, threshold=2.0, slices={"camera": np.resize(["north", "south"], 400)})
    found = report.gather(finish(Evaluation(pool, goal=("v1", "v2")), truth, 20))
    assert [*found.slices] == [" of v1 by camera", " of v2 by camera"]
    assert "<h2>F1 of v2 by camera</h2>" in page(found)


def test_slices_need_curves() -> None:
    task = simulated()
    pool = Pool(task.pool.scores, task.pool.predictions, slices={"camera": np.resize(["north", "south"], 400)})
    assert report.gather(finish(Evaluation(pool, sampler="rand"), task.labels, 20)).slices == {}


@pytest.mark.slow
def test_mistakes_of_several_models() -> None:
    scores, truth = scores_of(items=1000, share=0.05)
    found = report.gather(finish(Evaluation(Pool(scores, threshold=2.0), goal=("v1", "v2")), truth, 40))
    for one in found.misses:
        assert one.row.label == 1
        assert set(one.models) == {"v1", "v2"} - set(one.row.predicted_by)
    assert any(one.models == ("v1",) for one in found.misses)
    assert "v1: labelled 1, not predicted; rank" in page(found)


@pytest.mark.slow
def test_probabilities_of_curves_are_never_certain() -> None:
    """0 % of the curves beside "below 1 %" would look like another kind of number."""
    scores, truth = scores_of(items=400, share=0.1)
    few = report.gather(finish(Evaluation(Pool(scores, threshold=2.0)), truth, 20))
    assert [probable(few, share) for share in (0.0, 0.003, 0.5, 1.0)] == [
        "below 1 %",
        "below 1 %",
        "50 %",
        "above 99 %",
    ]
    every = report.gather(finish(Evaluation(Pool(scores, threshold=2.0)), truth, 400))
    assert [probable(every, share) for share in (0.0, 1.0)] == ["0 %", "100 %"]


def test_confusions_are_shown_with_their_content() -> None:
    pool = lowshot.ClassPool([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]], classes=["heron", "crow"], ids=["a", "b", "c"])
    evaluation = lowshot.Evaluation(pool)
    evaluation.tell(evaluation.ask(3), ["crow"] * 3)
    from lowshot.report.class_facts import gather_classes

    html = page(gather_classes(evaluation), Shown("text", texts))  # type: ignore[arg-type]
    table = html[html.index("What is confused") : html.index("<h2>Labelled items")]
    assert "Bird number a" in table
    assert "Bird number b" in table
    assert "Bird number c" not in table
    assert "Bird number c" in html
