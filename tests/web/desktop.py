"""The page in real browsers: who sits there, what they press, and what the browser complains about."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lowshot import Evaluation
from lowshot.web import Shown, make_app
from lowshot.web.digits import Demo

from ..browsers import new_context
from .people import OWNER
from .servers import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclass
class Desktop:
    """Browsers that note every complaint and every request that would leave the machine."""

    chromium: "Browser"
    address: str
    app: Any
    complaints: list[str]

    def person(self, name: str = "", **settings: Any) -> "Page":
        context = new_context(self.chromium, base_url=self.address, **settings)
        context.route("**/*", self._only_here)
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if name:
            entered(page, name)
            page.wait_for_selector("#item article")
        return page

    @property
    def lock(self) -> AbstractContextManager[bool]:
        """To be held by a test that writes to the evaluation while pages are open: they ask for news all the time."""
        lock: AbstractContextManager[bool] = self.app.state.site.lock
        return lock

    def _only_here(self, route: Any) -> None:
        if urlsplit(route.request.url).netloc != urlsplit(self.address).netloc:
            self.complaints.append(f"left the machine: {route.request.url}")
            route.abort()
        else:
            route.continue_()

    def item(self, page: "Page") -> str:
        """The id of what is shown."""
        return str(self.app.state.site.item(page.locator("#item").get_attribute("data-item")))


Open = Callable[..., Desktop]


def entered(page: "Page", name: str) -> "Page":
    """With this name, until there is an item, or a text that says why there is none."""
    page.goto("/")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("#item > *")
    return page


def opened(chromium: "Browser", demo: Callable[[], Demo]) -> Iterator[Open]:
    """A function that serves an evaluation, or the demo, which is made if it is needed."""
    desktops: list[Desktop] = []

    def start(evaluation: Evaluation | None = None, shown: Shown | None = None, **settings: Any) -> Desktop:
        app = make_app(evaluation or demo().evaluation, shown or demo().shown, owner_token=OWNER, **settings)
        desktops.append(Desktop(chromium, servers.enter_context(serving(app)).address, app, []))
        return desktops[-1]

    with ExitStack() as servers:
        yield start
        for context in chromium.contexts:
            context.unroute_all(behavior="ignoreErrors")  # a page may be asking for news just now
            context.close()
    assert [one.complaints for one in desktops] == [[] for _ in desktops]


def settled(page: "Page") -> None:
    """Until every answer is in the store."""
    page.evaluate("async () => { let last; do { last = sending; await last; } while (last !== sending); }")


def label(
    at: Desktop, page: "Page", count: int, labels: dict[Any, int], keys: tuple[str, str] = ("n", "y")
) -> list[str]:
    """Answer rightly by keyboard; the items in the order they were shown."""
    shown = []
    for _ in range(count):
        page.wait_for_selector("#item article")
        shown.append(at.item(page))
        page.keyboard.press(keys[labels[shown[-1]]])
    settled(page)
    return shown


def label_until_enough(at: Desktop, page: "Page", labels: dict[Any, int]) -> None:
    """Answer rightly by keyboard until the page says that it is enough."""
    while page.wait_for_selector("#item article, #more") and not page.locator("#more").count():
        page.keyboard.press("ny"[labels[at.item(page)]])
        settled(page)
