"""Every page of the site in a browser, on a phone and a laptop, light and dark: `make test-docs` builds it first."""

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest

from lowshot.cli.app import COMMANDS

from ..browsers import expect, new_context
from ..look import Scheme, refuse_bad_look
from ..needed import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.docs

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
    page = new_context(chromium).new_page()
    page.goto((SITE / "index.html").as_uri())
    page.get_by_text("Compare two models").click(force=True)  # the link of a card lies above its text
    expect(page.locator("h1")).to_contain_text("Is the new model better")
    expect(page.get_by_text("lowshot compare").first).to_be_visible()
    page.context.close()


@pytest.mark.parametrize(
    ("query", "recipe"),
    [
        ("compare", "how-to/compare-models"),
        ("compare two models", "how-to/compare-models"),
        ("threshold", "how-to/choose-a-threshold"),
        ("label studio", "how-to/label-studio"),
        ("macro f1", "how-to/many-classes"),
    ],
)
def test_the_search_finds_what_to_do_before_tables(chromium: "Browser", query: str, recipe: str) -> None:
    page = new_context(chromium).new_page()
    page.goto(f"{(SITE / 'search.html').as_uri()}?q={quote_plus(query)}")
    found = page.locator("#search-results li a")
    expect(found.nth(2)).to_be_visible()
    first = [found.nth(place).get_attribute("href") or "" for place in range(3)]
    assert any(address.startswith(f"{recipe}.html") for address in first), first
    page.context.close()


def test_the_search_knows_the_pages_of_the_appendix() -> None:
    scorer = (DOCS / "_extensions" / "search_scorer.js").read_text(encoding="utf-8")
    named = re.findall(r'"([^"]+)"', re.findall(r"APPENDIX = \[(.+?)\];", scorer, re.DOTALL)[0])
    trees = re.findall(r"```\{toctree\}(.+?)```", (DOCS / "appendix.md").read_text(encoding="utf-8"), re.DOTALL)
    pages = [line for tree in trees for line in tree.split("\n") if line and not line.startswith(":")]
    assert named == pages


def test_every_command_is_in_the_reference() -> None:
    text = (SITE / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f'id="lowshot-{name}"' in text, name
