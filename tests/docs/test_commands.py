"""Commands without output, in `sh` blocks of docs/: they run, too, or are checked as far as seconds allow.

Each block runs in a folder of its own, with files that have the columns which it names. A block that begins no
evaluation finds one in birds.db, which was labelled before; people answer what `ask` and `label` hand out. What takes
long is not run: of `lowshot bench` and `lowshot demo` the options and experiments are checked, of `make` the target, of
a program of this repository its options. `tests/docs/test_requests.py` sends what `curl` would send.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from lowshot_bench.experiment import find
from pages import Block

from ..examples import GATES, KINDS, SLOW, STORES, asked_files, begin, label_some, options_exist, use, write_files
from .pages_of_docs import ROOT, Reader, arguments_of, blocks, commands_of, name_of, pages

pytestmark = pytest.mark.docs

SQLITE = """#!/bin/sh
exec python -c "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]), sep='\\n')" "$@"
"""
PROGRAMS = {"bin/sqlite3": SQLITE, "deploy": "#!/bin/sh\n"}


def check_lowshot(words: list[str]) -> None:
    """The options of a slow command, and what it reads of this repository."""
    context = options_exist(words[1:])
    for name in context.params.get("experiments", []):
        assert name == "all" or find(name)
    for value in map(str, context.params.values()):
        assert not value.startswith("docs/") or (ROOT / value).exists(), f"there is no {value}"


def check_make(words: list[str]) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert words[1] in targets, f"the Makefile has no {words[1]}: {', '.join(targets)}"


def check_program(words: list[str]) -> None:
    code = (ROOT / words[1]).read_text()
    for option in (word for word in words if word.startswith("--")):
        assert f'"{option}"' in code, f"{words[1]} has no {option}"


def checks(command: str) -> Callable[[list[str]], None] | None:
    """How a command is checked that is not run."""
    first, second, *_ = [*shlex.split(command, comments=True), ""]
    if first == "lowshot" and second in SLOW:
        return check_lowshot
    return {"make": check_make, "python": check_program, "curl": lambda _: None}.get(first)


def parts(language: str) -> list[Any]:
    """Blocks of this language. One with a caption is a file, which the commands of its page use."""
    found = [(page, one) for page in pages() for one in blocks(page) if one.language == language and not one.caption]
    return [pytest.param(block, id=f"{name_of(page)}:{block.first}") for page, block in found]


@pytest.mark.parametrize("block", parts("sh"))
def test_commands_that_are_not_run_are_valid(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for command in commands_of(block):
        if check := checks(command):
            check(shlex.split(command, comments=True))


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("lowshot bench run figure4 --ouf results", Exception),
        ("lowshot bench run figure44 --out results", Exception),
        ("lowshot bench report docs/none --claims", AssertionError),
        ("lowshot demo --picture", Exception),
        ("make bench-nothing", AssertionError),
        ("python benchmarks/knowledge.py FOLDER --halves reporting", AssertionError),
        ("python benchmarks/none.py", FileNotFoundError),
    ],
)
def test_a_command_that_is_not_valid_is_found(command: str, error: type[Exception]) -> None:
    check = checks(command)
    assert check is not None
    with pytest.raises(error):
        check(shlex.split(command))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files and the programs that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    with chdir(folder):
        write_files()
    for name, text in PROGRAMS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return folder


@pytest.fixture
def here(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], Reader]:
    """A function that makes a new copy of the folder, with this store as birds.db."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'now' / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def make(store: str | None) -> Reader:
        if store is not None:
            monkeypatch.chdir(prepared)
            begin(store)
        monkeypatch.chdir(tmp_path)
        shutil.rmtree("now", ignore_errors=True)
        shutil.copytree(prepared, "now")
        reader = Reader(tmp_path / "now", monkeypatch)
        use(store)
        return reader

    return make


def is_run(block: Block) -> bool:
    return any(checks(command) is None for command in commands_of(block))


@pytest.mark.parametrize("block", [one for one in parts("sh") if is_run(one.values[0])])
def test_a_block_of_commands(block: Block, here: Callable[[str | None], Reader]) -> None:
    """It must run with one of the stores: an example does not say what birds.db holds, the text around it does."""
    commands = [command for command in commands_of(block) if checks(command) is None]
    begins = commands[0].startswith("lowshot start")
    problems = []
    for store in [None] if begins else STORES:
        problem = first_problem(here(store), commands)
        if problem is None:
            return
        problems.append(f"{store}: {problem}")
    pytest.fail("\n".join(problems))


def first_problem(reader: Reader, commands: list[str]) -> str | None:
    """Run a block, with people who answer. None if all went well."""
    for command in commands:
        if output := re.search(r" -o (\S+)", command):
            Path(output[1]).unlink(missing_ok=True)
        if command.startswith("lowshot tell"):
            asked_files(command)
        done = reader.run(command)
        gate = "--at-least" in command or "--require" in command
        if done.exit_code not in (GATES if gate else (0,)):
            return f"$ {command}\nexit code {done.exit_code}\n{done.stdout}{done.stderr}"
        name, *others = arguments_of(command) or [""]
        if name == "label":
            label_some(others[0], KINDS if "--classes" in commands[0] else ("no", "yes"), 1)
    return None


def test_a_block_that_does_not_run_is_found(here: Callable[[str | None], Reader]) -> None:
    problem = first_problem(here("one model"), ["lowshot status birds.db", "lowshot compare birds.db v1 v2"])
    assert problem is not None
    assert "$ lowshot compare birds.db v1 v2\nexit code 2" in problem
