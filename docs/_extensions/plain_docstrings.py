"""Docstrings of lowshot, which are plain text, as reStructuredText for autodoc.

Two conventions are translated: `code` in single backticks, and lists of arguments, whose lines have a name, two or more
spaces, and what it means:

>>> print("\\n".join(translated(["pool    the items, as `Pool`", "seed    for draws;", "        a number"])))
``pool``
    the items, as ``Pool``
``seed``
    for draws; a number
<BLANKLINE>
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

ARGUMENT = re.compile(r"^(?P<name>[\w\[\].,=*\"'()-]+(?: [\w\[\].,=*\"'()-]+)*)\s{2,}(?P<text>\S.*)$")
CODE = re.compile(r"(?<![`:\w])`([^`\n]+)`(?!`)")
MARK = re.compile(r"(\*|(?<=\w)_(?!\w))")  # emphasis, or a link
PROMPTS = (">>>", "...")


def translated(lines: Sequence[str]) -> list[str]:
    """The lines of a docstring as reStructuredText."""
    return [line for block in _blocks(lines) for line in _translated_block(block)]


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines between empty lines, each block with the empty line that ends it."""
    block = list[str]()
    for line in lines:
        block.append(line)
        if not line.strip():
            yield block
            block = []
    if block:
        yield [*block, ""]


def _translated_block(block: list[str]) -> list[str]:
    first = block[0]
    if first.strip().startswith(PROMPTS):
        return block
    if ARGUMENT.match(first):
        return [*_definitions(block), ""]
    if first.startswith("    "):  # a drawing or a table
        return ["::", "", *block]
    return [_inline(line) for line in block]


def _definitions(block: list[str]) -> list[str]:
    """A list of arguments as a list of definitions. A line without a name of its own continues the one above."""
    found = list[list[str]]()
    for line in block:
        if matched := ARGUMENT.match(line):
            found.append([matched["name"], matched["text"]])
        elif line.strip():
            found[-1].append(line.strip())
    return [line for name, *texts in found for line in (f"``{name}``", "    " + _inline(" ".join(texts)))]


def _inline(text: str) -> str:
    """Single backticks are code; stars and underscores elsewhere mean themselves."""
    parts = CODE.split(text)  # what is code is at odd places
    return "".join(f"``{part}``" if place % 2 else MARK.sub(r"\\\1", part) for place, part in enumerate(parts))


def _process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = translated(lines)


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
