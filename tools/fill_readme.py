"""Write what the commands of a page print now below each of them: `make readme`. The tests of pages check the result.

    python tools/fill_readme.py README.md docs/quickstart.md

The commands run in a temporary folder per page, with the `lowshot` beside this Python, after the files that blocks with
a caption show were written there. Commands that need a clone or a network are left as they are, and so is output that
matches already: dots that a writer put there stay. A random token and the folder of a path are written as dots.
"""

import re
import sys
import tempfile
from pathlib import Path

from pages import Block, Line, Terminal, blocks_of, environment, is_run, is_server, lines_of, matches, write_file


def printed(command: str, terminal: Terminal) -> str:
    """The output of a command that must end well."""
    if is_server(command):
        return terminal.started(command)
    done = terminal.run(command)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def filled(line: Line, terminal: Terminal) -> Line:
    """The command with its output."""
    if not is_run(line.typed):
        return line
    output = printed(line.command, terminal)
    output = re.sub(r"token=[\w-]+", "token=...", output.replace(f"{terminal.folder}/", ".../"))
    return line if matches(line.output, output) else Line(line.command, output)


def replaced(page: list[str], block: Block, content: str) -> list[str]:
    """The lines of a page with another content of a block, indented as before."""
    before = page[block.first - 1]
    indent = before[: len(before) - len(before.lstrip())]
    new = [f"{indent}{line}".rstrip() + "\n" for line in content.splitlines()]
    return [*page[: block.first], *new, *page[block.last :]]


def fill(path: Path) -> None:
    page = path.read_text(encoding="utf-8").splitlines(keepends=True)
    contents: list[tuple[Block, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(Path(folder).resolve(), environment())
        for block in blocks_of("".join(page)):
            if block.caption is not None:
                write_file(block, terminal.folder)
            elif block.language == "console":
                lines = [filled(line, terminal) for line in lines_of(block.content)]
                contents.append((block, "".join(line.shown for line in lines)))
    for block, content in reversed(contents):
        page = replaced(page, block, content)
    path.write_text("".join(page), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        fill(Path(name))
