"""axe-core on the pages: what people with other eyes, hands or screens cannot use."""

from typing import TYPE_CHECKING, Any, Literal

from ..needed import module

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = {375: 667, 768: 1024, 1440: 900}  # CSS pixels: a phone, a tablet, a laptop; with their heights
Scheme = Literal["light", "dark"]
# The layout depends on the width and colours on the scheme, so not every pair of them is looked at.
LOOKS: tuple[tuple[int, Scheme], ...] = ((375, "light"), (375, "dark"), (768, "light"), (1440, "dark"))
REFUSED = ("serious", "critical")


def refuse_findings(page: "Page") -> None:
    """No serious or critical finding of axe on the page as it is now, in three widths, light or dark.

    Nothing is wider than the screen, either. The page keeps its state; its first size and colours come back.
    """
    prepare(page)
    before = page.viewport_size
    found = []
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{width} px, {scheme}: {finding}" for finding in findings(page)]
        if (there := page.evaluate("document.documentElement.scrollWidth")) > width:
            found.append(f"{width} px, {scheme}: the page is {there} px wide")
    page.emulate_media(color_scheme="null", reduced_motion="null")
    if before is not None:
        page.set_viewport_size(before)
    assert not found, "\n".join(found)


def prepare(page: "Page") -> None:
    page.evaluate(module("axe_playwright_python.sync_playwright").Axe().axe_script)


def findings(page: "Page") -> list[str]:
    """What is serious or critical on the page as it is now, after `prepare`."""
    results: dict[str, Any] = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{one['id']} ({one['help']}): {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in results["violations"]
        if one["impact"] in REFUSED
        for node in one["nodes"]
    ]
