"""The annotator's page for everybody: axe, three widths, buttons that stay, zoom, links, and the end of the work."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from lowshot import Evaluation, Pool
from lowshot.charts.digits import png
from lowshot.web import Shown

from ..browsers import expect
from .axe import WIDTHS, refuse_findings
from .classes import any_number, birds
from .desktop import Open, entered, settled
from .people import TOKEN

if TYPE_CHECKING:
    from playwright.sync_api import Page

LINKS = "Say **yes** if it is [one](https://example.org/one): https://example.org/two."
RULES = f"{LINKS}\n\n- `a`\n- b\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"
SIZES = [(1200, 1600), (2400, 120), (60, 2000), (8, 8)]  # height and width, in pixels
TEXTS = ["short", "long " * 2000, "https://example.org " * 60, "שלום " * 40]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "sizes"
    folder.mkdir()
    for place, (height, width) in enumerate(SIZES):
        waves = np.add.outer(np.arange(height), np.arange(width)) % 256
        (folder / f"{place}.png").write_bytes(png(waves.astype(np.uint8)))
    return folder


def kinds(folder: Path) -> Callable[[Any], list[tuple[str, str]]]:
    """Every item has another picture than the one before it, and another text."""
    seen: dict[Any, int] = {}

    def fields(item: Any) -> list[tuple[str, str]]:
        place = seen.setdefault(item, len(seen)) % len(SIZES)
        return [("file", f"{place}.png"), ("text", TEXTS[place])]

    return fields


def place_of(page: "Page", selector: str) -> dict[str, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return {key: round(value) for key, value in box.items()}


def of_three(folder: Path) -> Evaluation:
    return Evaluation(Pool([0.9, 0.8, 0.2], threshold=0.5, ids=["a", "b", "c"]), store=folder / "three.db")


def test_everybody_can_use_it(desktop: Open, evaluation: Evaluation, pictures: Path) -> None:
    """Every state of the page that asks a yes/no question."""
    shown = Shown("image", kinds(pictures), pictures, "Is it one?", RULES, reference=["stroller-1.png"])
    at = desktop(evaluation, shown, token=TOKEN)
    page = at.person()
    page.goto("/")
    expect(page.get_by_role("heading")).to_have_text("This page needs a token")
    refuse_findings(page)
    page.route(f"{at.address}/", lambda route: route.fulfill(status=204))  # stays at the page that leads there
    page.goto(f"/?token={TOKEN}")
    expect(page.get_by_role("link", name="Continue")).to_be_visible()
    refuse_findings(page)
    page.unroute(f"{at.address}/")
    page.goto("/")
    refuse_findings(page)
    entered(page, "Ann")
    expect(page.get_by_text("Say yes if it is")).to_be_visible()
    expect(page.get_by_role("link", name="https://example.org/two", exact=True)).to_be_visible()
    refuse_findings(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    refuse_findings(page)
    page.keyboard.press("y")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert evaluation.labels == 0, "keys for answers are off while the list of keys is open"
    page.keyboard.press("z")
    expect(page.get_by_role("dialog", name="Enlarged picture")).to_be_focused()
    refuse_findings(page)
    at.complaints = [one for one in at.complaints if "401" not in one]  # the browser notes the page without a token


def test_everybody_can_use_classes(desktop: Open, tmp_path: Path, pictures: Path) -> None:
    shown = Shown("image", kinds(pictures), pictures, "Which bird is it?", RULES)
    page = desktop(birds(tmp_path, classes=200)[0], shown).person("Ann")
    refuse_findings(page)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_contain_text("1 to 6")
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    expect(page.get_by_role("dialog", name="Enlarged picture")).to_be_visible()
    page.keyboard.press("z")
    page.locator("#search").fill("ba")
    refuse_findings(page)
    (tmp_path / "sets").mkdir()
    sets = desktop(any_number(tmp_path / "sets", classes=7)[0], shown).person("Ann")
    sets.keyboard.press("1")
    refuse_findings(sets)
    sets.keyboard.press("?")
    expect(sets.locator("#help")).to_contain_text("1 to 7")


SCROLLED = """(wanted) => {
  const most = document.documentElement.scrollHeight - window.innerHeight;
  return window.scrollY > Math.min(wanted, most) - 1;
}"""


def drawn(page: "Page") -> None:
    """Until the page has noticed its new size: it measures what room there is, and then again when parts have moved."""
    page.evaluate("async () => { for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame); }")


def test_buttons_stay_where_they_are(desktop: Open, evaluation: Evaluation, pictures: Path) -> None:
    page = desktop(evaluation, Shown("image", kinds(pictures), pictures)).person("Ann")
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        drawn(page)
        places, tops = [], []
        for _ in range(len(SIZES) + 1):
            page.wait_for_function("() => document.querySelector('#item img')?.naturalWidth > 0")
            places.append([place_of(page, one) for one in ("#no", "#cannot-tell", "#yes", "#undo")])
            tops.append(place_of(page, "#item .field")["y"])
            page.mouse.wheel(0, 2000)
            page.wait_for_function(SCROLLED, arg=2000)
            places.append([place_of(page, one) for one in ("#no", "#cannot-tell", "#yes", "#undo")])
            page.keyboard.press("y")
            settled(page)
        assert all(one == places[0] for one in places), f"{width} px"
        assert len(set(tops)) == 1, "text does not jump when a picture of another shape is shown"
        no, _, yes, _ = places[0]
        assert (no["y"], no["height"]) == (yes["y"], yes["height"]), "side by side"
        assert no["x"] < yes["x"]
        assert yes["y"] + yes["height"] <= height
        assert height - yes["y"] <= 120, "near the thumb"
        assert min(yes["height"], yes["width"]) >= 56


def scale(page: "Page") -> float:
    return float(page.evaluate("zoom.scale"))


def scaled(page: "Page", wanted: float) -> None:
    """Until it is: a page gets what fingers do later than what a program asks it."""
    page.wait_for_function("wanted => Math.abs(zoom.scale / wanted - 1) < 0.01", arg=wanted)


def test_zoom_and_pan(desktop: Open, evaluation: Evaluation, pictures: Path) -> None:
    shown = Shown("image", lambda item: [("file", "0.png")], pictures)
    page = desktop(evaluation, shown).person("Ann", viewport={"width": 768, "height": 700}, has_touch=True)
    view = page.get_by_role("dialog", name="Enlarged picture")
    page.get_by_role("button", name="enlarge").click(position={"x": 100, "y": 150})
    expect(view).to_be_focused()
    assert scale(page) == 1, "full size"
    assert page.evaluate("zoom.middle.x") > 0, "what was clicked is in view"
    assert page.locator("header").evaluate("one => one.inert")
    bar, box = place_of(page, ".bar"), place_of(page, ".zoom")
    assert box["y"] + box["height"] == bar["y"], "the buttons stay free"
    before = page.evaluate("zoom.middle")
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(340, 310, steps=4)
    page.mouse.up()
    after = page.evaluate("zoom.middle")
    assert (after["x"] - before["x"], after["y"] - before["y"]) == pytest.approx((40, 10))
    page.mouse.wheel(0, -200)
    page.wait_for_function("() => zoom.scale > 1.5")
    page.mouse.dblclick(300, 300)
    assert scale(page) == pytest.approx(page.evaluate("zoom.fit()"))
    page.mouse.dblclick(300, 300)
    assert scale(page) == 1
    page.keyboard.press("+")
    assert scale(page) == pytest.approx(1.4)
    before = page.evaluate("zoom.middle.y")
    page.keyboard.press("Shift+ArrowDown")
    assert page.evaluate("zoom.middle.y") == pytest.approx(before - 80)
    page.get_by_role("button", name="Zoom out").click()
    assert scale(page) == pytest.approx(1)
    _pinch(page)
    scaled(page, 2)
    page.keyboard.press("Escape")
    expect(view).to_be_hidden()
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_role("button", name="enlarge")).to_be_focused()
    assert not page.locator("header").evaluate("one => one.inert")
    page.keyboard.press("z")
    expect(view).to_be_focused()
    page.keyboard.press("n")
    settled(page)
    expect(view).to_be_hidden()
    page.keyboard.press("z")
    expect(view).to_be_focused()
    page.get_by_role("button", name="Yes").click()
    settled(page)
    expect(view).to_be_hidden()
    assert list(evaluation.history["labels"].values()) == [0, 1], "answered while it was enlarged"


def test_a_picture_that_still_loads(desktop: Open, evaluation: Evaluation, pictures: Path) -> None:
    """It is enlarged when it is there, unless its item was answered before."""
    at = desktop(evaluation, Shown("image", lambda item: [("file", "0.png")], pictures))
    page = at.person()
    loading: list[Any] = []
    held = [True]
    page.route("**/media/**", lambda route: loading.append(route) if held[0] else route.continue_())
    entered(page, "Ann")
    view = page.get_by_role("dialog", name="Enlarged picture")
    page.keyboard.press("z")
    page.keyboard.press("y")
    page.keyboard.press("z")
    expect(view).to_be_hidden()
    held[0] = False  # those that come only now, too
    for one in loading:
        one.continue_()
    expect(view).to_have_count(1)
    expect(view).to_be_focused()


def _pinch(page: "Page") -> None:
    """Two fingers, 100 px apart, move until they are 200 px apart."""
    client = page.context.new_cdp_session(page)

    def touch(kind: str, *places: int) -> None:
        points = [{"x": x, "y": 300, "id": place} for place, x in enumerate(places)]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 300)
    touch("touchStart", 300, 400)
    for step in (10, 20, 30, 40, 50):
        touch("touchMove", 300 - step, 400 + step)
    touch("touchEnd")


LINKS = {
    "see https://example.org/a?b=c&d=(e). And": ["https://example.org/a?b=c&d=(e)"],
    "(HTTP://example.org/x), <https://example.org/y>": ["HTTP://example.org/x", "https://example.org/y"],
    "javascript:alert(1) data:text/html,<b>x</b> vbscript:x ftp://example.org file:///etc/passwd": [],
    'https://example.org/"onmouseover="alert(1)': ["https://example.org/"],
    "<a href='https://example.org/z' onclick=alert(1)>x</a>": ["https://example.org/z"],
    "javascript:https://example.org/%0Aalert(1)": ["https://example.org/%0Aalert(1)"],
    "https:// http://[ https://exa mple": ["https://exa"],
    "https://example.org/\u202egpj.exe": ["https://example.org/"],
}


def test_links_in_texts(desktop: Open, evaluation: Evaluation) -> None:
    texts = list(LINKS)
    at = desktop(
        evaluation, Shown("fields", lambda item: [(f"text {place}", text) for place, text in enumerate(texts)])
    )
    page = at.person("Ann")
    page.on("dialog", lambda dialog: at.complaints.append("a script ran"))
    for place, (text, expected) in enumerate(LINKS.items()):
        shown = page.locator("#item .text").nth(place)
        assert shown.evaluate("one => one.textContent") == text, "nothing is lost"
        assert shown.locator("a").all_text_contents() == expected
        assert shown.locator("*:not(a)").count() == 0
        for link in shown.locator("a").all():
            assert link.evaluate("one => [one.protocol, one.target, one.rel, one.attributes.length]") in (
                [["https:", "_blank", "noopener noreferrer", 3], ["http:", "_blank", "noopener noreferrer", 3]]
            )


def test_the_end_of_the_work(desktop: Open, tmp_path: Path) -> None:
    at = desktop(of_three(tmp_path), Shown("text", lambda item: [("text", f"https://example.org/{item}")]))
    ann, bob = at.person("Ann"), at.person()
    bob.clock.install()
    entered(bob, "Bob")
    expect(bob.locator("#item")).to_contain_text("Other people have the remaining items now.")
    expect(bob.get_by_role("button", name="Yes")).to_be_disabled()
    with at.app.state.site.lock:
        at.app.state.site.desk.take_back(at.item(ann))
    bob.clock.fast_forward(5000)
    bob.wait_for_selector("#item article")
    bob.keyboard.press("y")
    settled(bob)
    ann.reload()
    for _ in range(2):
        ann.wait_for_selector("#item article")
        ann.keyboard.press("n")
    expect(ann.locator("#item")).to_contain_text("Every item that matters is labelled.")
    expect(ann.locator("#item")).to_contain_text("You answered 2 items. Thank you!")
    expect(ann.locator("#progress")).to_have_text("2 answered by you · 3 labels in all · nothing is left for you")
    assert ann.locator("#planned").evaluate("one => one.value === one.max")
    refuse_findings(ann)
    bob.clock.fast_forward(5000)
    expect(bob.locator("#item")).to_contain_text("You answered 1 item. Thank you!")
    ann.keyboard.press("u")
    expect(ann.locator("#item")).to_contain_text("You said: no.")


def test_progress_towards_the_plan(desktop: Open, evaluation: Evaluation) -> None:
    at = desktop(evaluation, Shown("text", lambda item: [("text", "x")]))
    page = at.person("Ann")
    at.app.state.site.planned.making.join()
    page.keyboard.press("y")
    settled(page)
    planned = page.get_by_role("progressbar")
    expect(planned).to_be_visible()
    value, most = planned.evaluate("one => [one.value, one.max]")
    assert value == 1
    assert most % 10 == 0
    expect(page.locator("#progress")).to_have_text(f"1 answered by you · about {most} to go")
