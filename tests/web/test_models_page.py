"""The owner's page of several models in a real browser: verdicts, choices in the address, small screens, colours."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from lowshot import Evaluation
from lowshot.core.types import Flags
from lowshot.labelling import Desk
from lowshot.web import Shown

from ..browsers import expect
from .desktop import Open
from .models import several
from .test_overview_page import CONTRAST, SCRIPT

NOBODY_ELSE = nullcontext()
TEXT = Shown("text", lambda item: [("text", f"item {item}")], question="Is it a crow?")


def labelled(evaluation: Evaluation, truth: Flags, count: int, lock: AbstractContextManager[Any] = NOBODY_ELSE) -> None:
    """Ann answers so many items on the page.

    lock  of the page that is open
    """
    desk = Desk(evaluation)
    for _ in range(count):
        with lock:
            (item,) = desk.take("Ann", 1)
            desk.answer("Ann", item, int(truth[item]))


@pytest.mark.journey
def test_a_pair(desktop: Open, tmp_path: Path) -> None:
    """The verdict, the difference and its picture; they follow the labels."""
    evaluation, truth = several(tmp_path, ("v1", "v2"))
    at = desktop(evaluation, TEXT, solo=True)
    page = at.person()
    page.goto("/owner")
    expect(page.get_by_role("heading", name="F1: v2 against v1")).to_be_visible()
    found = evaluation.compare("v1", "v2")
    assert found.interval is not None
    assert found.verdict == "better"
    expect(page.locator("#verdict")).to_have_text("v2 is better than v1")
    expect(page.locator("#difference")).to_have_text(f"+{found.value:.3f}")
    expect(page.locator("#difference-interval")).to_contain_text(
        f"95 % interval +{found.interval.low:.3f} to +{found.interval.high:.3f}"
    )
    expect(page.locator("#probability")).to_contain_text("v2 is better with probability")
    expect(page.locator("#stop")).to_be_visible()
    chart = page.locator("#difference-chart")
    expect(chart).to_have_attribute("data-labels", "60")
    expect(chart.locator(".zero")).to_have_count(1)
    expect(chart.locator(".wanted")).to_have_count(0)
    page.wait_for_function("() => document.querySelector('#difference-chart .line').points.length >= 12")
    expect(page.locator("#model-rows tr")).to_have_count(2)
    expect(page.locator("#models-chart .line")).to_have_count(2)
    expect(page.locator("#models-chart .band")).to_have_count(2)
    labelled(evaluation, truth, 5, at.lock)
    expect(page.locator("#counts")).to_contain_text("65 labels")
    expect(chart).to_have_attribute("data-labels", "65")
    expect(page.locator("#difference")).to_have_text(f"+{evaluation.compare('v1', 'v2').value:.3f}")


def test_the_choice_is_in_the_address(desktop: Open, tmp_path: Path) -> None:
    evaluation, _ = several(tmp_path, "best", models=3)
    page = desktop(evaluation, TEXT, solo=True).person()
    page.goto("/owner")
    expect(page.locator("#difference-note")).to_have_text("Choose two models.")
    expect(page.locator("#difference-figure")).to_be_hidden()
    page.get_by_label("Candidate").select_option("v1")
    page.get_by_label("Baseline").select_option("v1")
    expect(page.locator("#difference-note")).to_have_text("Choose two different models.")
    page.get_by_label("Baseline").select_option("v2")
    expect(page.locator("#verdict")).to_have_text("v1 is worse than v2")
    page.get_by_label("Margin").fill("0.9")
    page.get_by_label("Margin").press("Enter")
    expect(page.locator("#verdict")).to_have_text("v1 and v2 are tied within 0.9")
    expect(page.locator("#difference-chart .wanted")).to_have_count(2)
    assert page.url.endswith("/owner?baseline=v2&candidate=v1&margin=0.9")
    page.reload()
    expect(page.locator("#verdict")).to_have_text("v1 and v2 are tied within 0.9")
    expect(page.get_by_label("Candidate")).to_have_value("v1")
    expect(page.locator("#message")).to_be_empty()
    page.goto("/owner?baseline=v2&candidate=v3")
    expect(page.locator("#probability")).to_contain_text("v3 is better with probability")
    page.goto("/owner?baseline=v2&candidate=nobody")
    expect(page.locator("#message")).to_contain_text("candidate in the address must be one of the models: got “nobody”")


def test_a_margin_that_makes_no_sense(desktop: Open, tmp_path: Path) -> None:
    """The server refuses it in words; another one is answered."""
    evaluation, _ = several(tmp_path)
    at = desktop(evaluation, TEXT, solo=True)
    page = at.person()
    page.goto("/owner")
    expect(page.locator("#verdict")).not_to_be_empty()
    page.get_by_label("Margin").fill("7")
    page.get_by_label("Margin").press("Enter")
    expect(page.locator("#difference-note")).to_contain_text("margin: input should be less than or equal to 1")
    expect(page.locator("#verdict")).to_be_empty()
    page.get_by_label("Margin").fill("0.1")
    page.get_by_label("Margin").press("Enter")
    expect(page.locator("#verdict")).not_to_be_empty()
    assert at.complaints, "the browser itself notes the refusal"
    at.complaints.clear()


def test_one_of_several(desktop: Open, tmp_path: Path) -> None:
    """The page of the model, and the others below."""
    evaluation, _ = several(tmp_path, "v2", models=3)
    page = desktop(evaluation, TEXT, solo=True).person()
    page.goto("/owner")
    expect(page.get_by_role("heading", name="F1 of v2")).to_be_visible()
    expect(page.locator("#value")).to_have_text(f"{evaluation.estimate().value:.3f}")
    expect(page.locator("#chart")).to_have_attribute("data-labels", "60")
    expect(page.locator("#model-rows tr")).to_have_count(3)
    expect(page.locator("#models-chart")).to_have_count(0)


def test_before_the_first_label(desktop: Open, tmp_path: Path) -> None:
    evaluation, truth = several(tmp_path, ("v1", "v2"), labels=0)
    at = desktop(evaluation, TEXT, solo=True)
    page = at.person()
    page.goto("/owner")
    expect(page.locator("#verdict")).to_have_text("Undecided between v2 and v1")
    expect(page.locator("#difference")).to_have_text("–")
    expect(page.locator("#difference-note")).to_have_text("no labels yet")
    expect(page.locator("#model-rows tr")).to_have_count(2)
    expect(page.locator("#stop")).to_be_hidden()
    labelled(evaluation, truth, 3, at.lock)
    expect(page.locator("#difference")).not_to_have_text("–")
    expect(page.locator("#difference-chart")).to_have_attribute("data-labels", "3")


def test_labels_that_wait(desktop: Open, tmp_path: Path) -> None:
    evaluation, truth = several(tmp_path, ("v1", "v2"), labels=0)
    desk = Desk(evaluation)
    desk.take("Bob", 2)
    labelled(evaluation, truth, 3)
    page = desktop(evaluation, TEXT, solo=True).person()
    page.goto("/owner")
    expect(page.locator("#counts")).to_contain_text("3 labels: all wait for 2 earlier items")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_readable_everywhere(desktop: Open, tmp_path: Path, scheme: str, width: int) -> None:
    """Nothing sticks out, also with long names; everything can be pressed with a thumb; every text stands out."""
    names = (SCRIPT, "convnext_base.clip_laion2b_augreg_ft_in12k_in1k_384", "v3", "v4")
    evaluation, _ = several(tmp_path, (names[0], names[1]), models=4, names=names)
    at = desktop(evaluation, TEXT, solo=True, margin=0.01)
    page = at.person(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.on("dialog", lambda dialog: at.complaints.append("a script ran"))
    page.goto("/owner")
    page.wait_for_selector("#model-rows tr:nth-child(4)")
    page.wait_for_selector("#models-chart .line")
    page.wait_for_selector("#difference-chart .line")
    expect(page.locator("#verdict")).to_contain_text(SCRIPT)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRAST) == []
    for role in ("button", "combobox", "link", "spinbutton"):
        boxes = [one.bounding_box() for one in page.get_by_role(role).all() if one.is_visible()]
        assert all(box is not None and box["height"] >= 44 for box in boxes), role
