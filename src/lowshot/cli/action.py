"""What `action.yml` runs in GitHub Actions: from the inputs, which are in the environment, to the command of a gate.

>>> arguments({"LOWSHOT_STORE": "birds.db", "LOWSHOT_AT_LEAST": "0.8", "LOWSHOT_METRIC": ""})
['estimate', '--at-least=0.8', '--github', '--', 'birds.db']

A value is never taken for an option: it stands behind the = of its option, or behind the --.
"""

import os
import sys
from collections.abc import Mapping

from lowshot.cli import console
from lowshot.cli.app import app
from lowshot.cli.gate import GITHUB, Verdict, tell_error
from lowshot.cli.opening import open_evaluation
from lowshot.errors import InputError

PREFIX = "LOWSHOT_"
# Inputs that have an option of the same name, by command; the first of each makes it a gate.
OPTIONS = {
    "estimate": ("at-least", "metric", "model", "category", "predictions", "id", "prediction", "score", "threshold"),
    "compare": ("require", "metric", "margin"),
    "choose": ("recall", "precision", "model"),
}
EVERYWHERE = ("name", "confidence", "undecided")
MODELS = ("baseline", "candidate")  # inputs that are arguments of `lowshot compare`
GATES = "at-least, require, or one of recall and precision"


def given(environment: Mapping[str, str], name: str) -> str:
    """An input; GitHub has an empty text for one that was not given."""
    return environment.get(f"{PREFIX}{name.upper().replace('-', '_')}", "").strip()


def lines(environment: Mapping[str, str], name: str) -> list[str]:
    """An input that has several values, one per line."""
    return [line.strip() for line in given(environment, name).split("\n") if line.strip()]


def command_of(environment: Mapping[str, str]) -> str:
    """The command that the inputs ask for."""
    threshold = given(environment, "recall") or given(environment, "precision")
    asked = {"estimate": given(environment, "at-least"), "compare": given(environment, "require"), "choose": threshold}
    found = [command for command, value in asked.items() if value]
    if len(found) != 1:
        raise InputError(f"give {GATES}: got {'none' if not found else 'several'} of them; they make different gates")
    taken = {*OPTIONS[found[0]], *(MODELS if found[0] == "compare" else ())}
    inputs = [name for names in (*OPTIONS.values(), MODELS) for name in names]
    if others := [name for name in inputs if name not in taken and given(environment, name)]:
        raise InputError(f"{others[0]} must be left out for this gate, `lowshot {found[0]}`: got a value for it")
    return found[0]


def arguments(environment: Mapping[str, str]) -> list[str]:
    """The command of the gate.

    >>> inputs = {"STORE": "birds.db", "REQUIRE": "better", "BASELINE": "v1", "CANDIDATE": "v2", "POOL": "a.csv"}
    >>> arguments({f"LOWSHOT_{name}": value for name, value in inputs.items()})
    ['compare', '--require=better', '--github', '--pool=a.csv', '--', 'birds.db', 'v1', 'v2']
    """
    command = command_of(environment)
    store = given(environment, "store")
    if not store:
        raise InputError("store must be a file such as birds.db, or postgresql://...: got nothing")
    options = [f"--{name}={value}" for name in (*OPTIONS[command], *EVERYWHERE) if (value := given(environment, name))]
    models = [name for one in MODELS if (name := given(environment, one))]
    if len(models) == 1:
        missing = next(one for one in MODELS if not given(environment, one))
        raise InputError(
            f"{missing} must be given with the other model, {models[0]!r}: got none; give both, or neither"
        )
    switches = ["--github", *(["--require"] if command == "choose" else [])]
    return [command, *options, *switches, *moved(environment), "--", store, *models]


def moved(environment: Mapping[str, str]) -> list[str]:
    """Files that are elsewhere."""
    return [f"--pool={line}" for line in lines(environment, "pool")]


def report(environment: Mapping[str, str]) -> list[str]:
    """The command that writes the report. It has no content of items: artifacts are often readable by everybody."""
    options = [f"--{name}={value}" for name in ("name", "confidence", "margin") if (value := given(environment, name))]
    path = f"--output={given(environment, 'report')}"
    return ["report", "--no-content", path, *options, *moved(environment), "--", given(environment, "store")]


def run(command: list[str]) -> int:
    """A command as the program runs it; its exit code."""
    try:
        app(command)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Run the gate, then write the report if one is wanted. The exit code is that of the gate, unless it is 0."""
    try:
        command = arguments(environment)
    except InputError as error:
        console.note(f"lowshot: {error}")
        tell_error({GITHUB: True}, str(error))
        return Verdict.ERROR.value
    code = run(command)
    if code == Verdict.ERROR.value or not given(environment, "report"):
        return code
    if not has_labels(environment):
        console.note("lowshot: no report was written: the evaluation has no labels yet")
        return code
    written = run(report(environment))
    return code or written


def has_labels(environment: Mapping[str, str]) -> bool:
    """A gate of an evaluation without labels is undecided, and a report of it would be an error."""
    opened = open_evaluation(
        given(environment, "store"), given(environment, "name") or None, lines(environment, "pool"), read_only=True
    )
    return opened.evaluation.labels > 0


if __name__ == "__main__":
    sys.exit(main())
