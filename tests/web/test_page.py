"""The labelling page in a real browser: keys, two people at once, the owner's page, and nothing from elsewhere."""

import pytest

from lowshot.web import Shown
from lowshot.web.digits import Demo

from ..browsers import expect
from .desktop import Desktop, Open, label, settled
from .people import OWNER


@pytest.mark.journey
def test_fifty_items_by_keyboard(desktop: Open, demo: Demo) -> None:
    at = desktop()
    page = at.person("Ann")
    first = label(at, page, 25, demo.labels)
    page.reload()
    page.wait_for_selector("#item article")
    shown = [*first, *label(at, page, 25, demo.labels, ("ArrowLeft", "ArrowRight"))]
    assert len(set(shown)) == 50
    assert demo.evaluation.history["labels"] == {item: demo.labels[item] for item in shown}
    expect(page.locator("#progress")).to_contain_text("50 answered by you")
    for _ in range(2):  # if the first plan took longer than all of this, the next one begins with the next reply
        at.app.state.site.planned.making.join()  # a plan is made beside the labelling, and shown with the next reply
        page.reload()
        expect(page.locator("#progress")).to_contain_text("50 answered by you")
    expect(page.locator("#progress")).to_contain_text("to go")


@pytest.mark.journey
def test_undo_and_cannot_tell(desktop: Open, demo: Demo) -> None:
    at = desktop()
    page = at.person("Ann")
    shown = label(at, page, 3, demo.labels)
    for expected in (shown[2], shown[1]):
        page.keyboard.press("u")
        page.wait_for_function("id => document.getElementById('item').dataset.item === id", arg=_name(at, expected))
    expect(page.locator("#item")).to_contain_text("You said: ")
    page.keyboard.press("s")
    settled(page)
    assert demo.evaluation.history["labels"][shown[1]] is None
    assert demo.evaluation.labels == 3
    page.reload()
    page.wait_for_selector("#item article")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("id => document.getElementById('item').dataset.item === id", arg=_name(at, shown[1]))
    page.keyboard.press("ArrowRight")
    settled(page)
    page.keyboard.press("ArrowDown")
    settled(page)
    assert demo.evaluation.history["labels"][shown[1]] == 1
    assert list(demo.evaluation.history["labels"].values()).count(None) == 1


def _name(at: Desktop, item: str) -> str:
    return str(at.app.state.site.name(item))


def test_a_refused_answer_comes_back(desktop: Open, demo: Demo) -> None:
    """The server is away for one answer, and another one is refused: nothing is lost."""
    at = desktop()
    page = at.person("Ann")
    item = at.item(page)
    page.route("**/api/answer", lambda route: route.abort())
    page.keyboard.press("y")
    settled(page)
    expect(page.locator("#message")).to_contain_text("cannot be reached")
    assert at.item(page) == item
    page.unroute("**/api/answer")
    at.app.state.site._items.clear()  # as after a new start of the server
    at.app.state.site._names.clear()
    page.keyboard.press("y")
    settled(page)
    expect(page.locator("#message")).to_contain_text("no longer reserved for you")
    assert at.item(page) == item, "under its new name"
    page.keyboard.press("y")
    settled(page)
    assert demo.evaluation.history["labels"] == {item: 1}
    assert len(at.complaints) == 2, "the browser itself notes both"
    at.complaints.clear()


@pytest.mark.journey
def test_two_people_and_the_owner(desktop: Open, demo: Demo) -> None:
    at = desktop(wanted=2)
    ann, bob = at.person("Ann"), at.person("Bob")
    owner = at.person(color_scheme="dark")
    wrong = {item: 1 - value for item, value in demo.labels.items()}
    for _ in range(3):
        label(at, ann, 4, demo.labels)
        label(at, bob, 4, demo.labels)
    label(at, ann, 1, demo.labels)
    (disputed,) = label(at, bob, 1, wrong)
    owner.goto(f"/owner?token={OWNER}")
    expect(owner.locator("#disputed-count")).to_have_text("1")
    expect(owner.locator("#agreement")).to_contain_text("92 % agree")
    expect(owner.locator("#agreement")).to_contain_text("kappa")
    assert "token" not in owner.url
    expect(owner.locator("#chart")).to_have_attribute("data-labels", "12")
    word = "yes" if demo.labels[disputed] else "no"
    owner.locator(".dispute").get_by_role("button", name=word, exact=True).click()
    expect(owner.locator("#disputed")).to_contain_text("None")
    assert demo.evaluation.history["labels"][disputed] == demo.labels[disputed]
    expect(owner.locator("#chart")).to_have_attribute("data-labels", "13")
    row = owner.locator("#answers tr").last
    old = row.locator("td").nth(1).inner_text()
    row.get_by_role("button", name="no" if old == "yes" else "yes", exact=True).click()
    expect(row.locator("td").nth(1)).not_to_have_text(old)
    expect(row).to_contain_text("decided")


def test_the_owner_does_not_wait_for_one_person(desktop: Open, demo: Demo) -> None:
    at = desktop()
    ann, owner = at.person("Ann"), at.person("Eve")
    first, second = (str(at.app.state.site.item(item)) for item in ann.evaluate("queue.map((item) => item.item)")[:2])
    label(at, owner, 4, demo.labels)
    owner.goto(f"/owner?token={OWNER}")
    expect(owner.locator("#counts")).to_contain_text("4 labels: all wait for 3 earlier items; ")
    row = owner.locator("#unanswered tr").first
    expect(row).to_contain_text(first)
    expect(row).to_contain_text("Ann until")
    row.get_by_role("button", name="take back").click()
    expect(row).to_contain_text("Nobody")
    row.get_by_role("button", name="cannot tell").click()
    expect(row).to_contain_text(second)
    expect(owner.locator("#counts")).to_contain_text("5 labels: 1 is “cannot tell”, 4 wait for 2 earlier items")
    assert demo.evaluation.history["labels"][first] is None
    expect(owner.locator("#answers")).to_contain_text("Eve decided: cannot tell")


@pytest.mark.journey
def test_you_can_stop_now(desktop: Open, demo: Demo) -> None:
    at = desktop(solo=True, half_width=0.15)
    page = at.person("Ann")
    owner = page.context.new_page()
    owner.goto("/owner")
    expect(owner.locator("#interval")).not_to_be_empty()
    assert owner.locator("#stop").is_hidden()
    while not demo.evaluation.stop_when(0.15):
        label(at, page, 10, demo.labels)
    owner.bring_to_front()
    expect(owner.locator("#stop")).to_be_visible()
    expect(owner.locator("#chart")).to_have_attribute("data-labels", str(demo.evaluation.labels))
    assert len((owner.locator("#chart .line").get_attribute("points") or "").split()) > 10


def test_small_screens(desktop: Open, demo: Demo) -> None:
    at = desktop(solo=True)
    page = at.person("Ann", viewport={"width": 360, "height": 640})
    label(at, page, 3, demo.labels)
    for path in ("/", "/owner"):
        page.goto(path)
        page.wait_for_selector("#item article, #answers tr")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, path
        boxes = [button.bounding_box() for button in page.get_by_role("button").all() if button.is_visible()]
        assert all(box is not None and box["height"] >= 44 for box in boxes)


def test_text_blur_and_a_script(desktop: Open) -> None:
    """Text that is a script is shown, not run; nothing is seen before it is pressed."""
    script = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    shown = Shown("fields", lambda item: [("title", script), ("body", "long " * 200)], question=script)
    at = desktop(shown=shown, blur=True, solo=True)
    page = at.person(script)
    page.on("dialog", lambda dialog: at.complaints.append("a script ran"))
    expect(page.locator("#item .text").first).to_have_text(script)
    assert "blur" in page.locator("#item .field").first.evaluate("element => getComputedStyle(element).filter")
    page.keyboard.press("b")
    assert page.locator("#item .field").first.evaluate("element => getComputedStyle(element).filter") == "none"
    page.keyboard.press("y")
    settled(page)
    page.goto("/owner")
    expect(page.locator("#people")).to_contain_text(script)
