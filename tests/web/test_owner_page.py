"""The owner's page and the overview for everybody: what items are, files, and axe in three widths, light and dark."""

from pathlib import Path

import pytest

from lowshot import Evaluation, Threshold
from lowshot.goal import Goal
from lowshot.labelling import Desk
from lowshot.web import Shown
from lowshot.web.digits import Demo

from ..browsers import expect
from .axe import refuse_findings
from .classes import WORDS, birds
from .desktop import Open
from .models import several
from .people import OWNER

LONG = Shown("text", lambda item: [("text", f"<i>offer</i> {item} " * 90)], question="Is it spam?")


def test_items_files_and_everybody(desktop: Open, demo: Demo) -> None:
    """Two people disagree, a picture is missing, an item waits; the owner looks at items and saves files."""
    desk = Desk(demo.evaluation, 2)
    for number in range(8):
        for name, wrong in (("Ann", 0), ("Bob", number == 5)):
            (item,) = desk.take(name)
            desk.answer(name, item, abs(demo.labels[item] - wrong))
    assert demo.shown.media_root is not None
    (waiting,) = desk.take("Ann")
    (Path(demo.shown.media_root) / f"{waiting}.png").unlink()
    at = desktop(wanted=2)
    owner = at.person()
    owner.goto(f"/owner?token={OWNER}")
    expect(owner.locator("#counts")).to_contain_text("7 labels: 5 count, 2 wait for an earlier item; 2 items asked")
    expect(owner.locator("#missing-counts")).to_contain_text("1 of 9 items asked so far")
    expect(owner.locator("#measures dt")).to_have_text(["Precision", "Recall"])
    expect(owner.locator("#plan")).to_contain_text(", for an interval of ± 0.05")
    peek = owner.locator("#answers .peek").last
    item = peek.locator(".id").inner_text()
    peek.click()
    dialog = owner.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text(item)
    assert dialog.locator("img").evaluate("one => one.decode().then(() => one.naturalWidth)") > 0
    refuse_findings(owner)
    owner.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    refuse_findings(owner)
    for kind in ("labels", "report"):
        with owner.expect_download() as saved:
            owner.get_by_role("button", name=f"Download {kind}").click()
        assert saved.value.suggested_filename.startswith(f"evaluation-{kind}.")
        expect(owner.locator("#download-note")).to_contain_text("is in your downloads")
    owner.goto("/overview")
    expect(owner.locator("#record .peek")).to_have_count(16)
    refuse_findings(owner)
    assert all("404" in text for text in at.complaints), "of the missing picture alone"
    at.complaints.clear()


@pytest.mark.parametrize("goal", ["best", ("v1", "v2")])
def test_several_models(desktop: Open, tmp_path: Path, goal: Goal) -> None:
    evaluation, _ = several(tmp_path, goal, slices={"camera": ["north", "south"] * 1000})
    Desk(evaluation).take("Ann")
    page = desktop(evaluation, LONG, solo=True).person()
    page.goto("/owner")
    expect(page.locator("#slices tbody tr")).to_have_count(2)
    expect(page.locator("#meaning")).to_contain_text("v2 is ")
    expect(page.locator("#model-rows tr").first.locator("td")).to_have_count(6)
    expect(page.locator("#model-rows")).not_to_contain_text("…")
    expect(page.locator("#unanswered .snippet")).to_contain_text("<i>offer</i>")
    refuse_findings(page)


@pytest.mark.parametrize("labels", [0, 40])
def test_categories(desktop: Open, tmp_path: Path, labels: int) -> None:
    evaluation, _ = birds(tmp_path, labels=labels)
    page = desktop(evaluation, WORDS, solo=True).person()
    page.goto("/owner")
    expect(page.locator("#measures dt")).to_have_text(["Macro precision", "Macro recall"])
    expect(page.locator("#categories tbody tr")).to_have_count(12)
    expect(page.locator("#confusions .peek")).not_to_have_count(0) if labels else None
    refuse_findings(page)


def test_a_threshold(desktop: Open, demo: Demo, tmp_path: Path) -> None:
    evaluation = Evaluation(demo.evaluation.pool, goal=Threshold(recall=0.8), store=tmp_path / "chosen.db")
    items = evaluation.ask(30)
    evaluation.tell(items, [demo.labels[item] for item in items])
    page = desktop(evaluation, solo=True).person()
    page.goto("/owner")
    expect(page.locator("#thresholds .cut-picture")).to_be_visible()
    expect(page.locator("#measures dd b")).to_have_count(2)
    refuse_findings(page)
