"""The code blocks of a page of Markdown, and a terminal that runs the commands in them.

>>> page = '''Try it:
...
... ```console
... $ echo one &&
... > echo two
... one
... two
... ```
... '''
>>> [block] = blocks_of(page)
>>> lines_of(block.content)
[Line(command='echo one &&\\necho two', output='one\\ntwo\\n')]
>>> matches("one\\n...\\n", "one\\ntwo\\n")
True

`tests/docs/` runs the pages of docs/, `tests/test_new_user.py` runs README.md, `tools/fill_readme.py` writes what the
commands print.
"""

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

CODE = ("code-block", "code")  # directives of MyST whose argument is the language
PROSE = ("note", "tip", "warning", "important", "admonition", "dropdown", "tab-set", "tab-item", "seealso", "caution")
NOT_RUN = ("pip", "make", "git")  # they need a network, or a clone
SERVER = ("lowshot", "label")  # runs until Ctrl-C
SECONDS = 60  # the longest time until a server has printed its addresses
LAST_ADDRESS = "owner"
NUMBER = re.compile(r"\d+\.\d+")  # with digits behind the point: a number of items is exact


class Block(NamedTuple):
    """A block of code. One that is only indented has no language; other directives keep their name in braces."""

    language: str
    content: str
    caption: str | None  # the name of a file, from the option :caption:
    first: int  # the lines of the page that hold the content: those from first to before last
    last: int


class Line(NamedTuple):
    """A command of a console block and the output that stands below it."""

    command: str
    output: str

    @property
    def typed(self) -> str:
        """Without the comment behind it."""
        return re.sub(r"\s+#.*", "", self.command).strip()

    @property
    def shown(self) -> str:
        """As a page shows it."""
        return "$ " + self.command.replace("\n", "\n> ") + "\n" + self.output


def blocks_of(text: str, offset: int = 0) -> list[Block]:
    """All blocks of code, also those inside notes and the like."""
    found: list[Block] = []
    for token in MarkdownIt().parse(text):
        if token.map is None or token.type not in ("fence", "code_block"):
            continue
        first, last = token.map[0] + offset, token.map[1] + offset
        if token.type == "code_block":
            found.append(Block("", token.content, None, first, last))
        else:
            found += blocks_of_fence(token.info.strip(), token.content, first + 1)
    return found


def blocks_of_fence(info: str, content: str, first: int) -> list[Block]:
    """The block of a fence, or the blocks inside of a note."""
    directive = re.match(r"\{([\w:-]+)\}\s*(.*)", info)
    head = re.match(r"(?:[ \t]*:[\w-]+:.*\n)+", content) if directive else None
    body = content[head.end() :] if head else content
    inside = first + (head[0].count("\n") if head else 0)
    if directive and directive[1] in PROSE:
        return blocks_of(body, inside)
    caption = re.search(r":caption:\s*(.+)", head[0]) if head else None
    language = info if directive is None else directive[2] if directive[1] in CODE else f"{{{directive[1]}}}"
    return [Block(language, body, caption[1].strip() if caption else None, inside, inside + body.count("\n"))]


def lines_of(content: str) -> list[Line]:
    """The commands of a console block: `$ ` begins a command, `> ` directly below continues it."""
    return [Line(*one) for one in _lines_of(content)]


def _lines_of(content: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while output.startswith("> "):
            more, _, output = output[2:].partition("\n")
            command += f"\n{more}"
        yield command, output


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; three dots stand for anything, and then columns may be wider or narrower.

    >>> matches("model  f1     labels\\nv1     ...    100\\n", "model  f1   labels\\nv1     0.5  100\\n")
    True
    >>> matches("model  f1\\n", "model   f1\\n")
    False

    The last digit of a number may be one more or less: processors differ in the last bit before it is rounded.

    >>> matches("300: ± 0.06\\n", "300: ± 0.05\\n"), matches("300: ± 0.06\\n", "300: ± 0.04\\n")
    (True, False)
    """
    if "..." in shown:
        shown, printed = (re.sub(" +", " ", text) for text in (shown, printed))
    elif len(expected := NUMBER.findall(shown)) == len(NUMBER.findall(printed)):
        numbers = iter(expected)
        printed = NUMBER.sub(lambda found: _unless_rounding_differs(found[0], next(numbers)), printed)
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


def _unless_rounding_differs(printed: str, shown: str) -> str:
    digits = len(shown.partition(".")[2])
    alike = len(printed.partition(".")[2]) == digits and abs(float(printed) - float(shown)) < 1.5 * 10**-digits
    return shown if alike else printed


def is_run(command: str) -> bool:
    return command.split()[0] not in NOT_RUN


def is_server(command: str) -> bool:
    return tuple(command.split()[:2]) == SERVER and "--terminal" not in shlex.split(command, comments=True)


def write_file(block: Block, folder: Path) -> None:
    """The file that a block with a caption shows."""
    assert block.caption is not None
    path = (folder / block.caption).resolve()
    assert path.is_relative_to(folder.resolve()), f"the caption must name a file of the page's folder: {block.caption}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.content.lstrip("\n"), encoding="utf-8")


def environment() -> dict[str, str]:
    """Programs beside this Python come first on the PATH; no colours, and lines of 100 characters."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, **PLAIN}


PLAIN = {
    "TERM": "dumb",
    "COLUMNS": "100",
    "BROWSER": "true",  # a program that does nothing
    "PYTHONUNBUFFERED": "1",  # the addresses of a server are read while it runs
}


@dataclass(frozen=True)
class Terminal:
    """A folder, and the environment of the commands that run there, each in a process of its own."""

    folder: Path
    environment: dict[str, str]

    def start(self, command: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def started(self, command: str) -> str:
        """What a server prints before anybody uses it."""
        server = self.start(command)
        assert server.stdout is not None
        first = ""
        for line in server.stdout:
            first += line
            if LAST_ADDRESS in line:
                break
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=SECONDS)
        return first + rest
