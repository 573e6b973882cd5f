"""Gates for scripts and CI systems: a verdict, its exit code, and what CI systems are told about it.

>>> exit_code(Verdict.UNDECIDED, None), exit_code(Verdict.UNDECIDED, Undecided.NEUTRAL)
(4, 0)

`estimate --at-least`, `compare --require` and `choose --require` are gates. An error is told to CI systems, too: the
group of commands catches it, and finds in the context of the command whether one was to be told.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Annotated, Any, NoReturn

import typer

from lowshot.cli import console, github
from lowshot.cli.opening import Opened
from lowshot.errors import InputError, without_password

GITHUB = "lowshot.github"  # a key of a context's `meta`
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

    verdict: Verdict
    sentence: str  # the verdict in words, or the message of an error
    requirement: str = ""  # what has to be so; the same in every run
    evaluation: str = ""
    text: str = ""  # the result in words
    facts: Mapping[str, Any] = field(default_factory=dict)

    def step(self, undecided: Undecided | None) -> github.Step:
        """As GitHub shows it: annotated as an error if the command fails, or as a warning if it is undecided."""
        failed = exit_code(self.verdict, undecided) != 0
        warned = self.verdict is Verdict.UNDECIDED and undecided is Undecided.NEUTRAL
        facts = {"evaluation": self.evaluation, "required": self.requirement, **self.facts}
        return github.Step(
            verdict=self.verdict.word,
            sentence=self.sentence,
            text=self.text,
            facts={} if self.verdict is Verdict.ERROR else facts,
            level="error" if failed else "warning" if warned else None,
        )


def exit_code(verdict: Verdict, undecided: Undecided | None) -> int:
    """0 for an undecided verdict that is not to fail, otherwise that of the verdict."""
    tolerated = verdict is Verdict.UNDECIDED and undecided not in (None, Undecided.FAIL)
    return 0 if tolerated else verdict.value


def _remember_github(context: typer.Context, wanted: bool) -> bool:
    if wanted:
        github.refuse_elsewhere()
        context.meta[GITHUB] = True
    return wanted


AsUndecided = Annotated[
    Undecided | None,
    typer.Option(
        "--undecided",
        help="If the gate is undecided: fail (exit code 4, the default), neutral (0; GitHub warns) or pass (0).",
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


def refuse_no_gate(option: str, github: bool, undecided: Undecided | None) -> None:
    """These options say what becomes of a verdict, so that there has to be one.

    option  the one that makes the command a gate
    """
    given = {"--github": github, "--undecided": undecided is not None}
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


def end(outcome: Outcome, for_github: bool, undecided: Undecided | None) -> NoReturn:
    """Tell GitHub the outcome if it is to know, and end the command with its exit code."""
    if for_github:
        github.write(outcome.step(undecided))
    raise typer.Exit(exit_code(outcome.verdict, undecided))


def tell_error(meta: MutableMapping[str, Any], message: str) -> None:
    """After an error: tell it to GitHub if the command was to. An error of telling is only a note: the first one
    matters."""
    if not meta.pop(GITHUB, False):
        return
    try:
        github.write(Outcome(Verdict.ERROR, message).step(None))
    except InputError as error:
        console.note(f"lowshot: {error}")
