"""Instructions in Markdown: what they can say, and that nothing in them runs or loads."""

import re

import pytest

from lowshot import Evaluation, InputError
from lowshot.web import Shown, make_app
from lowshot.web.instructions import LONGEST, rendered

from .people import browser

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</div><iframe srcdoc='<script>alert(1)</script>'>",
    "<style>*{display:none}</style>",
    "<form action=https://evil.example><input name=token>",
    "<base href=https://evil.example>",
    "<meta http-equiv=refresh content=0>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#x0A;script:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    '[a](https://example.org "x\\" onclick=alert(1)")',
    "![a](https://evil.example/a.png)",
    "![a](data:image/png;base64,AAAA)",
    '<https://example.org/"onmouseover=alert(1)>',
    "[a]: javascript:alert(1)\n\n[a]",
    "```html\n<script>alert(1)</script>\n```",
    "| <script>x</script> | b |\n| --- | --- |\n| c | d |",
    "<!-- --!><script>alert(1)</script>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
]
TAG = re.compile(r"<\s*/?\s*([a-z0-9]+)([^>]*)>", re.IGNORECASE)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_runs_or_loads(text: str) -> None:
    found = TAG.findall(rendered(text))
    assert found, "text stays"
    assert {tag.lower() for tag, _ in found} <= {"p", "a", "pre", "code", "table", "thead", "tbody", "tr", "th", "td"}
    for _, more in found:
        assert re.fullmatch(r'( (href="https://[^"]*"|target="_blank"|rel="noopener noreferrer"))*', more), more


def test_markdown() -> None:
    found = rendered("# Rules\n- **yes** for *birds*\n- `no`\n\n3. third\n\n| a | b |\n|---|--:|\n| 1 | 2 |")
    for part in ("<h3>Rules</h3>", "<li><strong>yes</strong> for <em>birds</em></li>", "<code>no</code>", "<td>2</td>"):
        assert part in found
    assert '<ol start="3">' in found
    assert "style" not in found


def test_plain_text_keeps_its_lines() -> None:
    text = "Answer yes if it is one.\n    Look well: 2 < 3 & snake_case_names stay.\n\nThank you."
    expected = (
        "<p>Answer yes if it is one.<br>\nLook well: 2 &lt; 3 &amp; snake_case_names stay.</p>\n<p>Thank you.</p>\n"
    )
    assert rendered(text) == expected
    assert rendered("") == ""


def test_instructions_on_the_page(evaluation: Evaluation) -> None:
    shown = Shown("text", lambda item: [("text", "x")], instructions="Say **yes** <b>now</b>.")
    page = browser(make_app(evaluation, shown), "ann").get("/").text
    assert "<p>Say <strong>yes</strong> &lt;b&gt;now&lt;/b&gt;.</p>" in page


def test_instructions_that_are_too_long(evaluation: Evaluation) -> None:
    fields = {"fields": lambda item: [("text", "x")]}
    make_app(evaluation, Shown("text", **fields, instructions="x" * LONGEST))
    with pytest.raises(InputError, match=r"instructions must have at most 20,000 characters: got 20,001; shorten"):
        make_app(evaluation, Shown("text", **fields, instructions="x" * (LONGEST + 1)))
    with pytest.raises(InputError, match="instructions must be text: got list"):
        rendered(["x"])  # type: ignore[arg-type]
