"""The command line through typer's runner: what a command printed, or how it refused."""

import gc
import json
import re
from typing import Any

from typer.testing import CliRunner, Result

from lowshot.cli.app import app


def invoke(*arguments: str, input: str | None = None, columns: int = 100) -> Result:
    """A command in a terminal without colours that is so many columns wide."""
    environment = {"COLUMNS": str(columns), "TERM": "dumb", "FORCE_COLOR": None}
    return CliRunner(env=environment).invoke(app, list(arguments), input=input)


def good(*arguments: str, input: str | None = None) -> Result:
    """A command that succeeds."""
    result = invoke(*arguments, input=input)
    assert result.exit_code == 0, result.output
    return result


def refused(message: str, *arguments: str) -> None:
    """A command that ends with exit code 2 and one line on stderr, which the pattern is found in."""
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert re.search(message, result.stderr), result.stderr
    assert result.stderr.startswith("lowshot: ")
    assert result.stderr.count("\n") == 1


def found(*arguments: str) -> dict[str, Any]:
    """What a command prints with --json."""
    answer: dict[str, Any] = json.loads(good(*arguments, "--json").stdout)
    return answer


def close_stores() -> None:
    """Those of commands that ran in this process, before their files are moved, copied or replaced. They are closed
    when they are collected as garbage, sooner or later: until then the last labels are in the log beside the file, and
    then the log is removed, even if it is that of another store by now."""
    gc.collect()
