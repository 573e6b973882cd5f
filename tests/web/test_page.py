"""The labelling page in a real browser: keys, two people at once, the owner's page, and nothing from elsewhere."""

from typing import Any

import pytest

from lowshot.web import Shown
from lowshot.web.digits import Demo

from ..browsers import expect
from .axe import refuse_findings
from .desktop import Desktop, Open, entered, label, label_until_enough, settled
from .people import OWNER, TOKEN


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
def test_enough(desktop: Open, demo: Demo) -> None:
    """A lone user is told to stop, sees the result and the owner's page without a token, and can go on."""
    at = desktop(half_width=0.15)
    page, owner = at.person("Ann"), at.person()
    owner.goto(f"/owner?token={OWNER}")
    expect(owner.locator("#interval")).not_to_be_empty()
    assert owner.locator("#stop").is_hidden()
    label_until_enough(at, page, demo.labels)
    expect(owner.locator("#stop")).to_be_visible()
    item = page.locator("#item")
    expect(item.get_by_role("heading")).to_have_text("Enough: the goal is reached.")
    estimate, labels = demo.evaluation.estimate(), demo.evaluation.labels
    expect(item).to_contain_text(f"F1 is {estimate.value:.3f}, 95 % interval ")
    expect(item).to_contain_text("± 0.15 was wanted.")
    expect(item).to_contain_text(f"You answered {labels} items. Thank you!")
    expect(page.locator("#progress")).to_have_text(f"{labels} answered by you · the goal is reached")
    refuse_findings(page)
    page.keyboard.press("y")
    settled(page)
    assert demo.evaluation.labels == labels, "there is nothing to answer"
    page.keyboard.press("u")
    expect(item).to_contain_text("You said: ")
    page.keyboard.press("ny"[demo.labels[at.item(page)]])
    expect(page.locator("#more")).to_be_visible()
    page.get_by_role("link", name="See the estimate").click()
    expect(page.locator("#stop")).to_be_visible()
    assert page.url == f"{at.address}/owner"
    expect(page.locator("#chart")).to_have_attribute("data-labels", str(labels))
    assert len((page.locator("#chart .line").get_attribute("points") or "").split()) > 10
    page.get_by_role("link", name="Label").click()
    page.wait_for_selector("#more")
    page.keyboard.press("m")
    label(at, page, 2, demo.labels)
    page.reload()
    label(at, page, 1, demo.labels)
    assert demo.evaluation.labels == labels + 3
    expect(page.locator("#progress")).to_contain_text("the goal is reached")


def test_enough_for_several_people(desktop: Open, demo: Demo) -> None:
    """Nobody sees the estimate who may go on; an item that somebody looks at can be answered; a correction goes on."""
    at = desktop(half_width=0.15, token=TOKEN)
    ann, bob = at.person(), at.person()
    for person, name in ((ann, "Ann"), (bob, "Bob")):
        person.goto(f"/?token={TOKEN}")
        entered(person, name)
    reached = [False]
    at.app.state.site.watch._reached = lambda history: reached[0]
    label(at, ann, 2, demo.labels)
    reached[0] = True
    label_until_enough(at, ann, demo.labels)
    expect(ann.locator("#item")).to_contain_text("Enough: the goal is reached.")
    assert ann.locator("#item .result").count() == 0
    assert ann.get_by_role("link").count() == 0
    before = demo.evaluation.labels
    for _ in range(2):  # his page knows with the first reply, when it shows the second item already
        label(at, bob, 1, demo.labels)
    assert demo.evaluation.labels == before + 2
    expect(bob.locator("#more")).to_be_visible()
    reached[0] = False
    with at.lock:
        item = next(iter(demo.evaluation.history["labels"]))
        demo.evaluation.correct(item, 1 - demo.labels[item])
    for person in (ann, bob):
        expect(person.locator("#item article")).to_be_visible()


def test_leaving_the_page_loses_no_answer(desktop: Open, demo: Demo) -> None:
    """One is on its way while two wait for their turn; the server is slow."""
    at = desktop()
    page = at.person("Ann")
    with at.lock:
        for key in "yny":
            page.keyboard.press(key)
        assert page.evaluate("underway.size") == 3
        page.goto("about:blank")
    page.goto("/")
    expect(page.locator("#progress")).to_contain_text("3 answered by you")
    assert [entry["label"] for entry in demo.evaluation.history["answers"]].count(1) == 2


def test_an_older_reply_changes_nothing(desktop: Open) -> None:
    """The owner's page asks again after a click, and the reply to the request before comes last."""
    at = desktop(solo=True)
    page = at.person()
    page.goto("/owner")
    expect(page.locator("#counts")).not_to_be_empty()
    waiting: list[Any] = []
    page.route("**/api/owner/state*", lambda route: waiting.append(route))
    page.evaluate("() => { window.both = [look(), look()]; }")
    while len(waiting) < 2:
        page.wait_for_timeout(10)
    for route, text in ((waiting[1], "new"), (waiting[0], "old")):
        reply = route.fetch()
        found = reply.json()
        route.fulfill(response=reply, json={**found, "counts": {**found["counts"], "text": text}})
        page.evaluate("place => window.both[place]", 1 if text == "new" else 0)
    expect(page.locator("#counts")).to_have_text("New.")


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
