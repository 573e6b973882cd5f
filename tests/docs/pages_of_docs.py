"""The pages of docs/, and how their commands are run here: quickly, and as a reader would run them."""

import gc
import re
import shlex
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import pytest
from typer.testing import Result

from pages import Block, Line, Terminal, blocks_of, environment, is_run, is_server, lines_of, matches, write_file

from ..helpers import invoke

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
FOR_A_SHELL = re.compile(r"[|&;<>()$`*?\[\]~{}\\\n'\"]")
EXIT_CODE = re.compile(r'; echo "exit code \$\?"$')


def pages() -> list[Path]:
    """All pages, without what Sphinx writes."""
    return sorted(path for path in DOCS.rglob("*.md") if not any(part.startswith("_") for part in path.parts))


def name_of(page: Path) -> str:
    """As documents name it: relative to docs/."""
    return page.relative_to(DOCS).as_posix()


def blocks(page: Path) -> list[Block]:
    return blocks_of(page.read_text(encoding="utf-8"))


def commands_of(block: Block) -> list[str]:
    """Of an `sh` block: one command per line; a backslash at the end continues a line."""
    lines = block.content.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def arguments_of(command: str) -> list[str] | None:
    """The arguments of a plain `lowshot` command, or None for what needs a shell or is another program.

    >>> arguments_of('lowshot start birds.db --question "Is it?"  # a comment; with (signs)')
    ['start', 'birds.db', '--question', 'Is it?']
    >>> arguments_of("lowshot table birds.db --csv | head")
    """
    one_line = command.replace("\\\n", " ").strip()
    bare = re.sub(r"\s#.*", "", QUOTED.sub("", one_line))
    if not one_line.startswith("lowshot ") or FOR_A_SHELL.search(bare):
        return None
    return shlex.split(one_line, comments=True)[1:]


class Done(NamedTuple):
    """How a command ended."""

    stdout: str
    stderr: str
    exit_code: int


class Socket:
    """Stands for the port of a page, so that two pages can be started at the same time."""

    def __init__(self, host: str, port: int) -> None:
        self.address = (host, port)

    def getsockname(self) -> tuple[str, int]:
        return self.address

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass


class Reader:
    """Types the commands of a page, in a folder of its own.

    A plain `lowshot` command runs in this process, because a new one takes a second to import everything; anything else
    runs in bash. Of `lowshot label` everything is run but the server: it prints its addresses and ends.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.terminal = Terminal(folder, environment())
        monkeypatch.chdir(folder)
        monkeypatch.setattr("lowshot.web.server.listen", Socket)
        monkeypatch.setattr("lowshot.web.server.run", lambda *_: None)

    def run(self, command: str) -> Done:
        asks_exit_code = EXIT_CODE.search(command) is not None
        arguments = arguments_of(EXIT_CODE.sub("", command))
        if arguments is None:
            gc.collect()  # closes the stores of commands that ran in this process
            done = self.terminal.run(command)
            return Done(done.stdout, done.stderr, done.returncode)
        result = in_this_process([*arguments, "--no-browser"] if is_server(command) else arguments)
        if asks_exit_code:
            return Done(f"{result.stdout}exit code {result.exit_code}\n", result.stderr, 0)
        return Done(result.stdout, result.stderr, result.exit_code)

    def follow(self, line: Line) -> None:
        """Run a command, which must end well and print what the page shows."""
        if not is_run(line.typed):
            return
        done = self.run(line.command)
        assert done.exit_code == 0, f"$ {line.command}\nexit code {done.exit_code}\n{done.stdout}{done.stderr}"
        shown_alone = is_server(line.command) and not line.output
        assert shown_alone or matches(line.output, done.stdout), (
            f"$ {line.command}\nprints\n{done.stdout}\ninstead of\n{line.output}\n"
            "If the page is wrong: python tools/fill_readme.py PAGE"
        )

    def follow_page(self, page: Path) -> None:
        """From top to bottom: files are written, commands are run."""
        for block in blocks(page):
            if block.caption is not None:
                write_file(block, self.terminal.folder)
            elif block.language == "console":
                for line in lines_of(block.content):
                    self.follow(line)


def in_this_process(arguments: list[str]) -> Result:
    """A command with the warnings of an ordinary process: in tests, they are errors."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("ignore", DeprecationWarning)
        result = invoke(*arguments, input="q")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def with_console() -> Iterator[Path]:
    """The pages that have commands with their output, or files."""
    for page in pages():
        if any(block.caption is not None or block.language == "console" for block in blocks(page)):
            yield page
