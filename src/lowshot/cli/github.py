"""A verdict in GitHub Actions: outputs of the step, its summary, and an annotation.

>>> step = Step("undecided", "undecided: f1 may be below 0.8 or not", "f1 = 0.8", {"value": 0.8}, level="warning")
>>> print(summary(step))
### lowshot: undecided
<BLANKLINE>
undecided: f1 may be below 0\\.8 or not
...
>>> annotation(step)
'::warning title=lowshot::undecided: f1 may be below 0.8 or not'
"""

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from lowshot.errors import InputError

OUTPUT, SUMMARY = "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"  # environment variables: files that a step appends to
OUTPUTS = ("metric", "value", "low", "high", "labels")  # the facts that are outputs of the step
MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&@$^=]|:(?=//))")
BREAKS = re.compile(r"\s*[\r\n\x0b\x0c\x85\u2028\u2029]\s*")


@dataclass(frozen=True)
class Step:
    """What a step has found."""

    verdict: str
    sentence: str
    text: str
    facts: Mapping[str, Any]
    level: str | None = None  # of the annotation: error, warning; None for none


def refuse_elsewhere() -> None:
    """GitHub names a file for the outputs of each step."""
    if not os.environ.get(OUTPUT):
        raise InputError(f"--github must be given in a step of GitHub Actions: {OUTPUT} is not set; leave it out")


def write(step: Step) -> None:
    """Append the outputs and the summary to the files that GitHub names, and annotate the step."""
    _append(OUTPUT, outputs(step))
    if os.environ.get(SUMMARY):  # servers older than 3.6 have no summaries
        _append(SUMMARY, summary(step))
    if step.level is not None:
        typer.echo(annotation(step), err=True)


def outputs(step: Step) -> str:
    """As GitHub reads them. Between names and texts stands a random word, so that no text can end its own output.

    >>> print(outputs(Step("reached", "reached: ...", "f1 = 0.9", {"value": 0.9})))
    verdict<<...
    reached
    ...
    """
    end = f"end_{secrets.token_hex(16)}"
    facts = {name: step.facts.get(name, "") for name in OUTPUTS}
    found = {"verdict": step.verdict, **facts, "text": step.text or step.sentence}
    return "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in found.items())


def summary(step: Step) -> str:
    """Markdown, in which names of models, of evaluations and of files are text and nothing else."""
    lines = [f"### lowshot: {step.verdict}", "", escaped(step.sentence), ""]
    if step.text:
        lines += [escaped(step.text), ""]
    if step.facts:
        rows = [f"| {escaped(name)} | {escaped(str(value))} |" for name, value in step.facts.items()]
        lines += ["| | |", "| --- | --- |", *rows, ""]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Any text as Markdown, in one line: no links, pictures, HTML or cells of its own.

    >>> print(escaped("<b>[v1](x)|\\nv2"))
    \\<b\\>\\[v1\\]\\(x\\)\\| v2
    """
    return MARKDOWN.sub(r"\\\1", BREAKS.sub(" ", text))


def annotation(step: Step) -> str:
    """A command to GitHub's runner, in one line."""
    message = step.sentence.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{step.level} title=lowshot::{message}"


def _append(variable: str, text: str) -> None:
    path = Path(os.environ.get(variable, ""))
    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{variable} must name a file that can be written: {path} is not ({error.strerror})") from None
