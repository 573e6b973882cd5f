"""Gates for scripts and CI systems: a verdict, its exit code, and what CI systems are told about it.

>>> exit_code(Verdict.UNDECIDED, None), exit_code(Verdict.UNDECIDED, Undecided.NEUTRAL)
(4, 0)

`estimate --at-least`, `compare --require` and `choose --require` are gates. An error is told to CI systems, too: the
group of commands catches it, and finds in the context of the command which reports were asked for.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from lowshot.cli import console, github, junit
from lowshot.cli.opening import Opened
from lowshot.errors import InputError, without_password

JUNIT, GITHUB = "lowshot.junit", "lowshot.github"  # keys of a context's `meta`
FACTS = ("metric", "value", "low", "high", "confidence", "labels")  # of a result, as its to_dict() calls them


class Verdict(Enum):
    """The result of a gate, with its exit code."""

    REACHED = 0
    ERROR = 2
    MISSED = 3
    UNDECIDED = 4

    @property
    def word(self) -> str:
        return self.name.lower()


class Undecided(StrEnum):
    """What CI systems make of a verdict that is undecided."""

    FAIL = "fail"
    NEUTRAL = "neutral"
    PASS = "pass"


@dataclass(frozen=True)
class Outcome:
    """What a gate found, in words and numbers."""

    command: str
    verdict: Verdict
    sentence: str  # the verdict in words, or the message of an error
    requirement: str  # what has to be so; the same in every run, so that CI systems can follow it over time
    evaluation: str = ""
    text: str = ""  # the result in words
    facts: Mapping[str, Any] = field(default_factory=dict)

    def seen(self, undecided: Undecided | None) -> junit.Seen:
        """As CI systems know it: they have tests that pass, fail, are skipped, or end with an error."""
        as_undecided: dict[Undecided | None, junit.Seen] = {Undecided.NEUTRAL: "skipped", Undecided.PASS: "passed"}
        others: dict[Verdict, junit.Seen] = {Verdict.REACHED: "passed", Verdict.ERROR: "error"}
        if self.verdict is Verdict.UNDECIDED:
            return as_undecided.get(undecided, "failure")
        return others.get(self.verdict, "failure")


def exit_code(verdict: Verdict, undecided: Undecided | None) -> int:
    """0 for an undecided verdict that is not to fail, otherwise that of the verdict."""
    tolerated = verdict is Verdict.UNDECIDED and undecided not in (None, Undecided.FAIL)
    return 0 if tolerated else verdict.value


def _remember_junit(context: typer.Context, path: Path | None) -> Path | None:
    """Before anything else is checked, so that errors are written there, too."""
    if path is not None and not context.resilient_parsing:  # which completion in a shell does
        junit.refuse_other_file(path)
        command = f"lowshot {context.info_name}"
        # An earlier verdict must not be read as that of a command which is killed before it has one.
        _tell(Outcome(command, Verdict.ERROR, "it did not finish: no verdict was written", command), path, False, None)
        context.meta[JUNIT] = path
    return path


def _remember_github(context: typer.Context, wanted: bool) -> bool:
    if wanted:
        github.refuse_elsewhere()
        context.meta[GITHUB] = True
    return wanted


JunitPath = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="FILE",
        is_eager=True,
        callback=_remember_junit,
        help="Write the verdict of the gate as a JUnit XML file, which CI systems show as a test.",
    ),
]
AsUndecided = Annotated[
    Undecided | None,
    typer.Option(
        "--undecided",
        help="If the gate is undecided: fail (exit code 4, the default), neutral (0; a skipped test) or pass (0).",
        show_default=False,
    ),
]
ForGitHub = Annotated[
    bool,
    typer.Option(
        "--github",
        is_eager=True,
        callback=_remember_github,
        help="In a step of GitHub Actions: set its outputs, write its summary, annotate a verdict that is not reached.",
    ),
]


def refuse_no_gate(option: str, junit: Path | None, github: bool, undecided: Undecided | None) -> None:
    """These options say what becomes of a verdict, so that there has to be one.

    option  the one that makes the command a gate
    """
    given = {"--junit": junit is not None, "--github": github, "--undecided": undecided is not None}
    came = [name for name, there in given.items() if there]
    if came:
        raise InputError(f"{came[0]} must come with {option}, which says what is required: got {came[0]} without it")


def facts_of(opened: Opened, store: str, found: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """What the outcome of a gate says besides the verdict; without what is undefined."""
    header = opened.header
    own = {"store": without_password(store), "sampler": header.sampler, "seed": header.seed}
    own["pool_fingerprint"] = header.fingerprint
    all_ = {**{name: found.get(name) for name in FACTS}, **more, **own}
    return {name: value for name, value in all_.items() if value is not None}


def end(outcome: Outcome, junit_path: Path | None, for_github: bool, undecided: Undecided | None) -> NoReturn:
    """Tell CI systems the outcome, and end the command with its exit code."""
    _tell(outcome, junit_path, for_github, undecided)
    raise typer.Exit(exit_code(outcome.verdict, undecided))


def tell_error(meta: MutableMapping[str, Any], command: str, message: str) -> None:
    """After an error: tell it to the CI systems that the command was to report to. An error of these reports
    themselves is only a note: the first one matters."""
    junit_path, for_github = meta.pop(JUNIT, None), meta.pop(GITHUB, False)
    outcome = Outcome(f"lowshot {command}", Verdict.ERROR, message, f"lowshot {command}")
    try:
        if junit_path is not None:
            junit.refuse_other_file(junit_path)  # an action with wrong inputs has not looked at it yet
        _tell(outcome, junit_path, for_github, None)
    except InputError as error:
        console.note(f"lowshot: {error}")


def _tell(outcome: Outcome, junit_path: Path | None, for_github: bool, undecided: Undecided | None) -> None:
    seen = outcome.seen(undecided)
    if junit_path is not None:
        test = junit.Test(
            suite=outcome.command,
            group=f"lowshot.{outcome.evaluation}" if outcome.evaluation else "lowshot",
            name=outcome.requirement,
            seen=seen,
            kind=outcome.verdict.word,
            message=outcome.sentence,
            text="\n".join(filter(None, (outcome.text, outcome.sentence))),
            properties={"verdict": outcome.verdict.word, **outcome.facts},
        )
        junit.write(junit_path, test)
    if for_github:
        facts = {"evaluation": outcome.evaluation, "required": outcome.requirement, **outcome.facts}
        step = github.Step(
            verdict=outcome.verdict.word,
            sentence=outcome.sentence,
            text=outcome.text,
            facts={} if outcome.verdict is Verdict.ERROR else facts,
            level={"passed": None, "skipped": "warning"}.get(seen, "error"),
        )
        github.write(step)
