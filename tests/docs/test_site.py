"""Every page of the site in a browser, on a phone and a laptop, light and dark: `make test-docs` builds it first."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lowshot.cli.app import COMMANDS

from ..browsers import expect
from ..look import Scheme, refuse_bad_look
from ..needed import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS / "_build" / "html"
PAGES = sorted(
    str(path.relative_to(DOCS).with_suffix(""))
    for path in DOCS.rglob("*")
    if path.suffix in (".md", ".ipynb") and not path.relative_to(DOCS).parts[0].startswith("_")
)
# axe takes seconds per page: one page of each kind, all with the same theme.
WITH_AXE = ("index", "quickstart", "how-to/index", "glossary", "thresholds", "reference/commands", "reference/errors")
LOOKS: tuple[tuple[int, Scheme], ...] = ((375, "light"), (1440, "dark"))  # the phone is also narrow for tables


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    if not (SITE / "index.html").exists():
        missing("the site is not built: make docs")


@pytest.mark.parametrize("page", PAGES)
def test_the_look(chromium: "Browser", page: str) -> None:
    for width, scheme in LOOKS:
        refuse_bad_look(chromium, SITE / f"{page}.html", width, scheme, with_axe=page in WITH_AXE)


def test_two_clicks_to_the_comparison_of_two_models(chromium: "Browser") -> None:
    page = chromium.new_page()
    page.goto((SITE / "index.html").as_uri())
    page.get_by_text("Compare two models").click(force=True)  # the link of a card lies above its text
    expect(page.locator("h1")).to_contain_text("Is the new model better")
    expect(page.get_by_text("lowshot compare").first).to_be_visible()
    page.close()


def test_the_search_finds_a_page(chromium: "Browser") -> None:
    page = chromium.new_page()
    page.goto((SITE / "search.html").as_uri() + "?q=threshold")
    expect(page.locator("#search-results a").first).to_be_visible()
    page.close()


def test_every_command_is_in_the_reference() -> None:
    text = (SITE / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f'id="lowshot-{name}"' in text, name
