"""The command line as a whole: summaries, documentation and examples of every command; what it loads; Ctrl-C."""

import inspect
import signal
from importlib import import_module
from pathlib import Path

import pytest
import typer
from rich.text import Text

import lowshot
from lowshot.cli.app import COMMANDS, load

from ..helpers import good, invoke
from ..programs import loaded, run

DOCS = Path(__file__).parents[2] / "docs"
HEAVY = ("numpy", "scipy", "sklearn", "pandas", "pyarrow", "sqlalchemy", "matplotlib", "fastapi")
every_command = pytest.mark.parametrize("command", COMMANDS)


def plain(text: str) -> str:
    """Without colours, frames and line breaks."""
    return " ".join(Text.from_ansi(text).plain.replace("│", " ").split())


def commands_of(command: str) -> dict[str, str]:
    """The epilog of the command, or of each one of a group, by what is typed after `lowshot`."""
    found = load(command)
    inner = getattr(found, "commands", None)
    if inner is None:
        return {command: found.epilog or ""}
    return {f"{command} {name}": one.epilog or "" for name, one in inner.items()}


@every_command
def test_the_summary_is_the_first_paragraph_of_the_documentation(command: str) -> None:
    """It is written twice, so that `lowshot --help` need not load the module: both must say the same."""
    module = import_module(COMMANDS[command].module)
    group = getattr(module, "app", None)
    described = (
        group.info.help
        if isinstance(group, typer.Typer)
        else inspect.getdoc(getattr(module, command.replace("-", "_")))
    )
    assert isinstance(described, str)
    assert COMMANDS[command].summary == " ".join(described.split("\n\n")[0].split())


def test_help_lists_every_command_with_its_summary() -> None:
    text = plain(good("--help").stdout)
    for command, entry in COMMANDS.items():
        assert f" {command} {entry.summary[:40]}" in text


@every_command
def test_a_command_is_documented(command: str) -> None:
    page = "bench.md" if command == "bench" else "command-line.md"
    assert f"lowshot {command} " in (DOCS / page).read_text()


@every_command
def test_a_command_has_examples(command: str) -> None:
    shown = Text.from_ansi(good(command, "--help").stdout).plain
    examples = commands_of(command)
    if list(examples) == [command]:
        assert "Example" in shown
        assert f"\n lowshot {command} " in shown
    else:
        assert any(f"lowshot {one} " in text for one, text in examples.items())


def test_help_has_examples() -> None:
    assert "\n lowshot demo" in Text.from_ansi(good("--help").stdout).plain


def test_help_shows_brackets() -> None:
    """Rich takes [pools] for markup and drops it unless the bracket is escaped."""
    assert "(extra [pools])" in plain(invoke("start", "--help", columns=200).stdout)


def test_no_command_shows_help() -> None:
    assert "Usage" in invoke().output


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("threshold", "thresholds"), ("tabel", "table"), ("estimates", "estimate"), ("label_studio", "label-studio")],
)
def test_a_mistyped_command(typed: str, meant: str) -> None:
    result = invoke(typed, "birds.db")
    assert result.exit_code == 2
    assert f"No such command '{typed}'. Did you mean '{meant}'" in plain(result.stderr)


def test_a_command_that_is_like_no_other() -> None:
    result = invoke("xyzzy")
    assert result.exit_code == 2
    assert "No such command 'xyzzy'." in plain(result.stderr)
    assert "--help" in result.stderr


def test_version() -> None:
    assert good("--version").stdout == f"lowshot {lowshot.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """In a process of its own, by the entry point of the installed program."""
    code = f"from lowshot.cli import main\nsys.argv = ['lowshot', *{arguments!r}]\nmain()"
    assert loaded(code, HEAVY) == set()


@pytest.mark.slow
def test_a_command_loads_pictures_and_files_when_they_are_needed() -> None:
    """All commands in one process: if it has loaded something at the end, one of them did."""
    code = "\n".join(f"import {command.module}" for name, command in COMMANDS.items() if name != "bench")
    assert loaded(code, ("matplotlib", "plotly", "pyarrow.parquet", "sqlalchemy", "sklearn", "fastapi")) == set()


INTERRUPTED = """
import os, signal, sys
from lowshot.cli import main

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            print("interrupted", flush=True)
            os.kill(os.getpid(), signal.SIGINT)  # what Ctrl-C sends

wanted, *arguments = sys.argv[1:]
sys.meta_path.insert(0, Interrupt())
sys.argv = ["lowshot", *arguments]
main()
"""


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("typer", ["--help"]),
        ("lowshot.cli.app", ["status", "birds.db"]),
        ("lowshot.cli.status", ["status", "birds.db"]),
        ("numpy", ["demo"]),
    ],
)
def test_ctrl_c_while_modules_are_loaded(module: str, arguments: list[str]) -> None:
    """No traceback, and the exit code that a shell knows as interrupted."""
    ended = run(INTERRUPTED, module, *arguments, ends_with=128 + signal.SIGINT)
    assert ended.stdout == "interrupted\n"
    assert "Traceback" not in ended.stderr
    assert "KeyboardInterrupt" not in ended.stderr
