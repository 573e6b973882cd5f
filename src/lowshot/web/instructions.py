"""Instructions for annotators: Markdown becomes HTML without scripts, pictures or HTML of its own.

markdown-it-py renders and escapes HTML in the text; nh3 removes every element and attribute that is not listed here.
The Content-Security-Policy of the pages (guard.py) would stop scripts and pictures from elsewhere, too.
"""

import re

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from lowshot.errors import InputError
from lowshot.labelling.items import whole

LONGEST = 20_000  # characters: longer instructions are a document that nobody reads while labelling
TAGS = {"p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"}
TAGS |= {"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}
BELOW = 2  # levels by which headings are lowered: the question of the page is its h1

# A line break stays a line break, and an indented line stays text: plain text looks like what was written.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable("code")


def rendered(text: str) -> Markup:
    r"""The instructions as HTML for the page.

    >>> print(rendered("Say **yes** if it is a bird.\nSee [the guide](https://example.org/birds)."))
    <p>Say <strong>yes</strong> if it is a bird.<br>
    See <a href="https://example.org/birds" target="_blank" rel="noopener noreferrer">the guide</a>.</p>
    <BLANKLINE>
    >>> print(rendered("<script>alert(1)</script> [a](javascript:alert(1)) ![a](https://example.org/a.png)"))
    <p>&lt;script&gt;alert(1)&lt;/script&gt; [a](javascript:alert(1)) </p>
    <BLANKLINE>
    """
    if not isinstance(text, str):
        raise InputError(f"instructions must be text: got {type(text).__name__}; give Markdown or plain text")
    if len(text) > LONGEST:
        raise InputError(
            f"instructions must have at most {LONGEST:,} characters: got {len(text):,}; shorten them, or link to more"
        )
    cleaned = nh3.clean(
        _html(whole(text)),
        tags=TAGS,
        attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
        attribute_filter=_whole_address,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return Markup(cleaned)


def _whole_address(_: str, attribute: str, value: str) -> str | None:
    """An address as it is; None if it has no scheme and would lead to a page of this server."""
    whole = attribute != "href" or re.match(r"(https?://|mailto:)", value, re.IGNORECASE)
    return value if whole else None


def _html(text: str) -> str:
    """What markdown-it-py makes of the text, with lowered headings."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            token.tag = f"h{min(6, int(token.tag[1]) + BELOW)}"
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return html
