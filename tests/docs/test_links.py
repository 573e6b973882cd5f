"""Links of the documents: files and headings exist, addresses elsewhere are well formed. Nothing is fetched.

`make docs-links` asks for addresses elsewhere, which needs a network.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pages import PROSE

from .pages_of_docs import DOCS, ROOT, pages

IN_HTML = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")
NAMED_IN_HTML = re.compile(r"<\w+\b[^>]*?\b(?:id|name)=\"([^\"]*)\"")
ELSEWHERE = re.compile(r"https://[\w.-]+\.[a-z]{2,}(?::\d+)?(?:[/?#][^\s<>\"]*)?")
HERE = ("localhost", "127.0.0.1")  # a page that the reader serves


def documents() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *pages(), *sorted(DOCS.glob("notebooks/*.ipynb"))]


def text_of(path: Path) -> str:
    """Of a notebook, what is not code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")


def inner(text: str) -> Iterator[Token]:
    """All tokens, also those inside of lines and of notes."""
    for token in MarkdownIt().parse(text):
        yield token
        yield from token.children or ()
        if token.type == "fence" and re.match(rf"\{{({'|'.join(PROSE)})\}}", token.info):
            yield from inner(token.content)


def links_of(text: str) -> list[str]:
    """
    >>> links_of('[a](b.md#c), ![](d.png), <img src="e.png">, `[f](g.md)`')
    ['b.md#c', 'd.png', 'e.png']
    """
    found: list[str] = []
    for token in inner(text):
        if token.type in ("link_open", "image"):
            found.append(str(token.attrs.get("href", token.attrs.get("src"))))
        elif token.type in ("html_inline", "html_block"):
            found += IN_HTML.findall(token.content)
    return found


def anchor(heading: str) -> str:
    """As GitHub makes it of the text of a heading.

    >>> anchor("What's new: `F1` & 2 models?")
    'whats-new-f1--2-models'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(text: str) -> set[str]:
    """Of all headings; one that is there already gets a number.

    >>> sorted(anchors_of('# One [link](a.md)\\n## Two\\n## Two\\n'))
    ['one-link', 'two', 'two-1']
    """
    tokens = list(inner(text))
    found, times = set(NAMED_IN_HTML.findall(text)), Counter[str]()
    for opening, line in pairwise(tokens):
        if opening.type == "heading_open":
            shown = "".join(child.content for child in line.children or () if child.type in ("text", "code_inline"))
            name = anchor(shown)
            found.add(f"{name}-{times[name]}" if times[name] else name)
            times[name] += 1
    return found


@cache
def anchors(path: Path) -> set[str]:
    return anchors_of(text_of(path))


def problem(link: str, page: Path) -> str | None:
    """What is wrong with a link of a page."""
    parts = urlsplit(link)
    if parts.scheme or link.startswith("//"):
        here = parts.hostname in HERE
        return None if here or ELSEWHERE.fullmatch(link) else "must be https://, a host and a path, without whitespace"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if link.startswith("/") or not target.is_relative_to(ROOT):
        return "must be relative, and inside of the repository"
    if not target.exists():
        return f"there is no {target.relative_to(ROOT)}"
    if parts.fragment and target.suffix in (".md", ".ipynb") and unquote(parts.fragment) not in anchors(target):
        return f"{target.relative_to(ROOT)} has no heading #{parts.fragment}: {', '.join(sorted(anchors(target)))}"
    return None if link else "is empty"


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    found = {link: problem(link, page) for link in links_of(text_of(page))}
    assert {link: what for link, what in found.items() if what} == {}


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("none.md", "there is no docs/none.md"),
        ("#none", "docs/loop.md has no heading #none"),
        ("store.md#none", "docs/store.md has no heading #none"),
        ("/docs/store.md", "must be relative"),
        ("../../other.md", "must be relative"),
        ("http://example.org", "must be https"),
        ("https://exam ple.org", "must be https"),
        ("https://example", "must be https"),
        ("", "is empty"),
    ],
)
def test_a_wrong_link_is_found(link: str, message: str) -> None:
    assert message in str(problem(link, DOCS / "loop.md"))


@pytest.mark.parametrize(
    "link",
    [
        "store.md",
        "store.md#reading-without-writing",
        "../README.md#install",
        "https://a.org/b(c)",
        "slices.png",
        "results",
    ],
)
def test_a_good_link(link: str) -> None:
    assert problem(link, DOCS / "loop.md") is None
