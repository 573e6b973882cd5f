"""The owner's overview in a real browser: filters, corrections, pages, small screens, dark and light."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from lowshot import Evaluation
from lowshot.labelling import Desk
from lowshot.web.digits import Demo

from ..browsers import expect
from .desktop import Open, label, settled
from .people import OWNER

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>"
CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (part) => part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [red, green, blue] = parts(colour).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return parts(colour).length === 3 ? colour : ground(element.parentElement);
  };
  const texts = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const poor = (element) => {
    const pair = [light(getComputedStyle(element).color), light(ground(element))];
    return Math.max(...pair) / Math.min(...pair) < 4.5;
  };
  const all = [...document.querySelectorAll("main *")];
  const shown = all.filter((element) => element.checkVisibility() && texts(element));
  return shown.filter((element) => poor(element)).map((element) => element.outerHTML);
}"""  # WCAG 2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio


@pytest.fixture
def second(demo: Demo) -> Evaluation:
    """Another evaluation in the store, of somebody whose name is a script."""
    store = demo.evaluation.store
    assert store is not None
    evaluation = Evaluation(demo.evaluation.pool, "recall", store=store.where, name=SCRIPT, question="Is it odd?")
    desk = Desk(evaluation)
    for item in desk.take(SCRIPT, 5):
        desk.answer(SCRIPT, item, 0)
    return evaluation


def rows(page: "Page", count: int) -> None:
    expect(page.locator("#record li")).to_have_count(count)


def test_who_said_what(desktop: Open, demo: Demo, second: Evaluation) -> None:
    at = desktop()
    ann, owner = at.person("Ann"), at.person(timezone_id="Asia/Tokyo", locale="en-GB")
    owner.on("dialog", lambda dialog: at.complaints.append("a script ran"))
    shown = label(at, ann, 4, demo.labels)
    ann.keyboard.press("u")
    expect(ann.locator("#item")).to_contain_text("You said: ")
    ann.keyboard.press("s")
    settled(ann)
    owner.goto(f"/owner?token={OWNER}")
    owner.get_by_role("link", name="Overview").click()
    rows(owner, 10)
    cards = owner.locator("#evaluations > li")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("served here")
    expect(cards.first).to_contain_text("4 answered")
    expect(cards.last).to_contain_text(SCRIPT)
    expect(cards.last).not_to_contain_text("served here")
    cards.last.get_by_text("How to serve it").click()
    expect(cards.last.locator("pre")).to_contain_text("lowshot.web.serve")
    owner.get_by_label("Annotator").select_option("Ann")
    rows(owner, 5)
    time = owner.locator("#record time").first
    tokyo = datetime.fromisoformat(time.get_attribute("datetime") or "") + timedelta(hours=9)
    expect(time).to_contain_text(f"{tokyo:%H:%M}")
    owner.get_by_label("Only answers that were changed later").check()
    rows(owner, 1)
    changed = owner.locator("#record li")
    expect(changed.locator("s")).to_have_text("yes" if demo.labels[shown[-1]] else "no")
    expect(changed).to_contain_text("changed to cannot tell")
    expect(changed).to_contain_text(shown[-1])
    owner.get_by_label("Evaluation", exact=True).select_option(SCRIPT)
    expect(owner.locator("#shown")).to_have_text("Nothing to show.")
    owner.get_by_label("Only answers that were changed later").uncheck()
    owner.get_by_label("Annotator").select_option(SCRIPT)
    rows(owner, 5)
    owner.get_by_role("link", name="Estimate").click()
    expect(owner.locator("#answers time").first).to_be_visible()


def test_page_by_page_and_refresh(desktop: Open, demo: Demo) -> None:
    desk = Desk(demo.evaluation)
    while count := 70 - desk.answered("Bob"):
        for item in desk.take("Bob", count):
            desk.answer("Bob", item, 0)
    page = desktop(solo=True).person()
    page.goto("/overview")
    rows(page, 50)
    expect(page.locator("#shown")).to_have_text("The last 50 shown.")
    desk.answer("Bob", desk.last("Bob") or "", 1)
    page.get_by_role("button", name="Show more").press("Enter")
    rows(page, 70)
    expect(page.locator("#shown")).to_be_focused()
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    page.get_by_role("button", name="Refresh").click()
    rows(page, 50)
    expect(page.locator("#record li").nth(1)).to_contain_text("changed to yes")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_readable_everywhere(desktop: Open, demo: Demo, second: Evaluation, scheme: str, width: int) -> None:
    """Nothing sticks out, everything can be pressed with a thumb, every text stands out from what is behind it."""
    desk = Desk(demo.evaluation)
    for item in desk.take("Ann", 5):
        desk.answer("Ann", item, 0)
    desk.decide("Eve", desk.last("Ann") or "", 1)
    at = desktop(solo=True)
    page = at.person(color_scheme=scheme, viewport={"width": width, "height": 800})
    for path in ("/overview", "/owner"):
        page.goto(path)
        page.wait_for_selector("#record li, #answers tr")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) == []
        for role in ("button", "combobox", "link"):
            boxes = [one.bounding_box() for one in page.get_by_role(role).all() if one.is_visible()]
            assert all(box is not None and box["height"] >= 44 for box in boxes), role
