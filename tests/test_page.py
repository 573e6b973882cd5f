"""The labelling page in a real browser: keys, two people at once, the owner's page, and nothing from elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from lowshot import Evaluation
from lowshot.web import Shown, make_app
from lowshot.web.digits import Demo, digits_demo
from lowshot.web.serving import listen, server_of

OWNER = "owners-token-0123456"


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    return digits_demo(tmp_path)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of a server in a thread."""
    server = server_of(app)
    with listen("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@dataclass
class Desktop:
    """Browsers that note every complaint and every request that would leave the machine."""

    chromium: Browser
    address: str
    app: Any
    complaints: list[str]

    def person(self, name: str = "", **settings: Any) -> Page:
        context: BrowserContext = self.chromium.new_context(base_url=self.address, **settings)
        context.route("**/*", self._only_here)
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if name:
            page.goto("/")
            page.get_by_label("Your name").fill(name)
            page.get_by_role("button", name="Start").click()
            page.wait_for_selector("#item article")
        return page

    def _only_here(self, route: Any) -> None:
        if urlsplit(route.request.url).netloc != urlsplit(self.address).netloc:
            self.complaints.append(f"left the machine: {route.request.url}")
            route.abort()
        else:
            route.continue_()

    def item(self, page: Page) -> str:
        """The id of what is shown."""
        return str(self.app.state.site.item(page.locator("#item").get_attribute("data-item")))


Open = Callable[..., Desktop]


@pytest.fixture
def desktop(chromium: Browser, demo: Demo) -> Iterator[Open]:
    """Serves the digits, or another evaluation; afterwards nobody may have complained."""
    with contextmanager(_open)(chromium, demo) as opened:
        yield opened


def _open(chromium: Browser, demo: Demo) -> Iterator[Open]:
    running: list[Any] = []
    desktops: list[Desktop] = []

    def start(evaluation: Evaluation = demo.evaluation, shown: Shown = demo.shown, **settings: Any) -> Desktop:
        app = make_app(evaluation, shown, owner_token=OWNER, **settings)
        running.append(served(app))
        desktops.append(Desktop(chromium, running[-1].__enter__(), app, []))
        return desktops[-1]

    yield start
    for context in chromium.contexts:
        context.close()
    for server in running:
        server.__exit__(None, None, None)
    assert [one.complaints for one in desktops] == [[] for _ in desktops]


def settled(page: Page) -> None:
    """Until every answer is in the store."""
    page.evaluate("async () => { let last; do { last = sending; await last; } while (last !== sending); }")


def label(at: Desktop, page: Page, count: int, labels: dict[Any, int], keys: tuple[str, str] = ("n", "y")) -> list[str]:
    """Answer rightly by keyboard; the items in the order they were shown."""
    shown = []
    for _ in range(count):
        page.wait_for_selector("#item article")
        shown.append(at.item(page))
        page.keyboard.press(keys[labels[shown[-1]]])
    settled(page)
    return shown


def test_thirty_items_by_keyboard(desktop: Open, demo: Demo) -> None:
    at = desktop()
    page = at.person("Ann")
    first = label(at, page, 15, demo.labels)
    page.reload()
    page.wait_for_selector("#item article")
    shown = [*first, *label(at, page, 15, demo.labels, ("ArrowLeft", "ArrowRight"))]
    assert len(set(shown)) == 30
    assert demo.evaluation.history["labels"] == {item: demo.labels[item] for item in shown}
    expect(page.locator("#progress")).to_contain_text("30 labelled by you")
    expect(page.locator("#progress")).to_contain_text("to go")


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
    expect(page.locator("#message")).to_contain_text("not with you any more")
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


def test_you_can_stop_now(desktop: Open, demo: Demo) -> None:
    at = desktop(solo=True, half_width=0.2)
    page = at.person("Ann")
    owner = page.context.new_page()
    owner.goto("/owner")
    expect(owner.locator("#interval")).not_to_be_empty()
    assert owner.locator("#stop").is_hidden()
    while not demo.evaluation.stop_when(0.2):
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
        page.wait_for_selector("article, #answers tr")
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
