"""The picture of thresholds on the owner's page in a real browser: slider, keyboard, fresh labels, small screens."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lowshot import Evaluation, Pool, Threshold
from lowshot.core.types import Flags
from lowshot.tasks import finish
from lowshot.threshold_result import Thresholds

from ..browsers import expect, new_context
from ..test_several import scores_of
from .desktop import Open
from .test_models_page import TEXT, labelled
from .test_overview_page import CONTRAST

if TYPE_CHECKING:
    from playwright.sync_api import Page


def begun(folder: Path, goal: Any = None, labels: int = 60, **more: Any) -> tuple[Evaluation, Flags]:
    scores, truth = scores_of(items=2000, share=0.03, lifts=(3.0,))
    pool = Pool(scores["v1"], threshold=2.0)
    return finish(Evaluation(pool, goal=goal, store=folder / "birds.db", **more), truth, labels), truth


def shows(page: "Page", found: Thresholds, kept: int) -> None:
    """The numbers at the slider are those of this many kept items."""
    row = found.row(found.kept.tolist().index(kept))
    shown = page.locator("#thresholds .cut-numbers dd")
    expect(shown.nth(0)).to_have_text(f"{row['threshold']:.6g}")
    expect(shown.nth(1)).to_have_text(f"{kept:,}")
    for number, name in enumerate(("precision", "recall", "f1"), 2):
        expect(shown.nth(number)).to_contain_text(f"{row[name]:.3f}")


@pytest.mark.journey
def test_the_slider(desktop: Open, tmp_path: Path) -> None:
    """By keyboard and on the picture; what a screen reader says follows."""
    evaluation, _ = begun(tmp_path)
    page = desktop(evaluation, TEXT, solo=True).person()
    page.goto("/owner")
    expect(page.get_by_role("heading", name="Precision and recall at every threshold")).to_be_visible()
    found = evaluation.thresholds()
    assert found.present is not None
    slider = page.get_by_role("slider", name="Move the threshold")
    shows(page, found, int(found.kept[found.present]))
    slider.press("Home")
    shows(page, found, 1)
    slider.press("ArrowRight")
    shows(page, found, 2)
    slider.press("End")
    shows(page, found, 2000)
    said = slider.get_attribute("aria-valuetext")
    assert said is not None
    assert said.startswith(f"threshold {found.threshold[-1]:.6g}; items kept 2,000; precision ")
    line = page.locator("#thresholds .cut-here")
    expect(line).to_have_attribute("x1", "628")
    picture = page.locator("#thresholds .cut-picture")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] * 56 / 640, "y": box["height"] / 2})
    shows(page, found, 1)
    expect(line).to_have_attribute("x1", "56")
    assert slider.input_value() == "0"


def test_it_follows_the_labels(desktop: Open, tmp_path: Path) -> None:
    """The slider that somebody moved stays, with its focus; one that nobody moved goes to the new choice."""
    evaluation, truth = begun(tmp_path, Threshold(recall=0.8))
    at = desktop(evaluation, TEXT, solo=True)
    page, other = at.person(), at.person()
    for one in (page, other):
        one.goto("/owner")
        expect(one.locator("#thresholds .cut-chosen")).not_to_have_count(0)
    slider = page.get_by_role("slider", name="Move the threshold")
    slider.press("Home")
    page.get_by_text("Some thresholds as a table").click()
    slider.focus()
    labelled(evaluation, truth, 20, at.lock)
    choice, found = evaluation.choose_threshold(), evaluation.thresholds()
    assert choice.bare is not None
    for one in (page, other):
        expect(one.locator("#choice .cut-threshold")).to_have_text(f"{choice.threshold:.6g}")
    expect(page.locator("#counts")).to_contain_text("80 labels")
    shows(page, found, 1)
    expect(slider).to_be_focused()
    expect(page.locator("#thresholds table")).to_be_visible()
    shows(other, found, choice.bare.kept)
    slider.press("End")
    shows(page, found, 2000)


def test_the_choice(desktop: Open, tmp_path: Path) -> None:
    evaluation, _ = begun(tmp_path, Threshold(recall=0.5, confidence=0.6), labels=200)
    choice = evaluation.choose_threshold()
    assert choice.certified
    assert choice.set is not None
    assert choice.bare is not None
    page = desktop(evaluation, TEXT, solo=True).person()
    page.goto("/owner")
    card = page.locator("#choice")
    expect(card.locator(".cut-threshold")).to_have_text(f"{choice.threshold:.6g}")
    expect(card.locator(".cut-certified")).to_have_text("Certified")
    numbers = card.locator(".cut-numbers")
    expect(numbers.nth(0).locator("dd").first).to_have_text(f"{choice.set.kept:,}")
    expect(numbers.nth(1).locator("dd").first).to_have_text(f"{choice.bare.kept:,}")
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#counts")).to_contain_text("200 labels")
    expect(page.locator("#width")).to_contain_text("now")
    expect(page.locator("#width")).not_to_contain_text("wanted")
    expect(page.locator("#chart .line")).to_have_count(1)
    expect(page.locator("#chart .wanted")).to_have_count(0)


def test_before_the_first_label(desktop: Open, tmp_path: Path) -> None:
    evaluation, truth = begun(tmp_path, Threshold(recall=0.9), labels=0)
    at = desktop(evaluation, TEXT, solo=True)
    page = at.person()
    page.goto("/owner")
    expect(page.locator("#choice")).to_have_text("No threshold: no labels yet.")
    expect(page.locator("#thresholds")).to_have_text("No labels yet.")
    expect(page.locator("#stop")).to_be_hidden()
    labelled(evaluation, truth, 5, at.lock)
    expect(page.get_by_role("slider", name="Move the threshold")).to_be_visible()
    expect(page.locator("#choice .cut-open")).to_have_text("Not certified")


def test_another_sampler(desktop: Open, tmp_path: Path) -> None:
    """Nothing is shown, and nobody complains."""
    evaluation, _ = begun(tmp_path, sampler="acis")
    page = desktop(evaluation, TEXT, solo=True).person()
    with page.expect_response("**/api/owner/thresholds"):
        page.goto("/owner")
    expect(page.locator("#value")).to_have_text(f"{evaluation.estimate().value:.3f}")
    expect(page.locator("#thresholds-card")).to_be_hidden()
    expect(page.locator("#message")).to_be_empty()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_readable_everywhere(desktop: Open, tmp_path: Path, scheme: str, width: int) -> None:
    evaluation, _ = begun(tmp_path, Threshold(recall=0.9, precision=0.5))
    page = desktop(evaluation, TEXT, solo=True).person(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.goto("/owner")
    slider = page.get_by_role("slider", name="Move the threshold")
    expect(slider).to_be_visible()
    expect(page.locator("#choice .cut-threshold")).to_be_visible()
    page.get_by_text("Some thresholds as a table").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRAST) == []
    box = slider.bounding_box()
    assert box is not None
    assert box["height"] >= 44


def test_without_javascript(chromium: Any, tmp_path: Path) -> None:
    """A page of its own: the picture and the table remain, and no slider that does nothing."""
    from lowshot.charts.threshold_page import page as written

    evaluation, _ = begun(tmp_path)
    file = tmp_path / "curve.html"
    file.write_text(written(evaluation.thresholds(), "crows"), "utf-8")
    for scripts in (False, True):
        context = new_context(chromium, java_script_enabled=scripts)
        page = context.new_page()
        page.goto(file.as_uri())
        expect(page.get_by_role("img")).to_be_visible()
        expect(page.get_by_role("slider")).to_have_count(int(scripts))
        page.get_by_text("Some thresholds as a table").click()
        expect(page.get_by_role("table")).to_be_visible()
        context.close()
