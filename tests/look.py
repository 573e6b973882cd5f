"""An HTML file in a browser: nothing is cut off, nothing is fetched from elsewhere, axe finds nothing serious."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .browsers import new_context
from .web import axe
from .web.axe import Scheme

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LOCAL = ("file:", "data:", "blob:")


def refuse_bad_look(
    chromium: "Browser", path: Path, width: int, scheme: Scheme, *, before: Any = None, with_axe: bool = True
) -> None:
    """The file in a window of this many CSS pixels. `before` prepares the page, for example opens what is folded."""
    context = new_context(
        chromium, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    fetched, errors = list[str](), list[str]()
    page.on("request", lambda request: fetched.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page is wider than the window"
    if before is not None:
        before(page)
    assert page.evaluate("[...document.images].every((one) => one.complete && one.naturalWidth > 0)"), (
        "a picture is broken"
    )
    assert [url for url in fetched if not url.startswith(LOCAL)] == []
    assert errors == []
    if with_axe:
        axe.prepare(page)
        assert axe.findings(page) == []
    context.close()
