"""`lowshot compare`: the difference of two models, and whether it is what a script requires."""

from enum import StrEnum
from typing import Annotated

import typer

from lowshot.cli import console, gate
from lowshot.cli.console import AllowExternal, AsJson, Confidence, Margin, Moved, Name, StorePath
from lowshot.cli.estimate import hint
from lowshot.cli.gate import AsUndecided, ForGitHub, Outcome, Verdict
from lowshot.cli.opening import open_evaluation
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import in_words
from lowshot.result import Comparison

EXAMPLES = """[bold]Examples[/bold]
  lowshot compare birds.db v1 v2
  lowshot compare birds.db v1 v2 --metric recall --margin 0.02 --confidence 0.9
  lowshot compare birds.db v1 v2 --require not-worse --margin 0.02 && deploy
  lowshot compare birds.db --json
"""


class Require(StrEnum):
    """What a script needs to be sure of."""

    BETTER = "better"
    NOT_WORSE = "not-worse"


def compare(
    store: StorePath,
    baseline: Annotated[
        str | None, typer.Argument(help="The old model; that of the evaluation's goal if not given.")
    ] = None,
    candidate: Annotated[
        str | None, typer.Argument(help="The new model; that of the evaluation's goal if not given.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Another metric: f1, precision, recall, f2, ...")] = None,
    margin: Margin = 0.0,
    confidence: Confidence = 0.95,
    require: Annotated[
        Require | None,
        typer.Option(
            help="Exit code 0 if the candidate is surely better by more than the margin, or surely not worse; 3 if"
            " surely not, 4 if undecided.",
            show_default=False,
        ),
    ] = None,
    undecided: AsUndecided = None,
    github: ForGitHub = False,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """How much better one model is than another: the difference, its interval and a verdict."""
    if require is None:
        gate.refuse_no_gate("--require", github, undecided)
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    pair = pair_of(opened.evaluation, baseline, candidate)
    with console.estimating():
        found = opened.evaluation.compare(*pair, metric=metric, margin=margin, confidence=confidence)
    outcome, decision = None, {}
    if require is not None:
        decided = required(found, require)
        decision = {"require": require.value, "required": decided.word}
        more = {"baseline": found.baseline, "candidate": found.candidate, "margin": margin, "require": require.value}
        outcome = Outcome(
            decided,
            gate_in_words(decided, found, require),
            requirement(found, require),
            opened.header.name,
            text=str(found),
            facts=gate.facts_of(opened, store, found.to_dict(), **more),
        )
    if as_json:
        console.print_json({"name": opened.header.name, **found.to_dict(), **decision})
    else:
        console.say(found)
        console.note(hint(opened.evaluation))
        if outcome is not None:
            console.say(outcome.sentence)
    if outcome is not None:
        gate.end(outcome, github, undecided)


def pair_of(evaluation: Evaluation, baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """The models that are compared: as given, or those of the goal."""
    if baseline is not None and candidate is not None:
        return baseline, candidate
    if evaluation.pool.categories:
        evaluation.compare("", "")  # refuses: a goal of categories is no pair of models
    models = ", ".join(evaluation.pool.models)
    if len(evaluation.pool.models) == 1:
        raise InputError(
            f"compare needs two models: this evaluation has one, {models}; add another with `lowshot add-model`, or"
            " name both with --model when you start"
        )
    if baseline is not None:
        raise InputError(f"CANDIDATE must come with BASELINE: got {baseline!r} alone; name two of {models}")
    if not isinstance(evaluation.goal, tuple):
        raise InputError(
            f"BASELINE and CANDIDATE must be given, because the goal is {in_words(evaluation.goal)}: got neither;"
            f" name two of {models}"
        )
    return evaluation.goal


def required(found: Comparison, require: Require) -> Verdict:
    """Whether the comparison is what is required. The interval decides, not the value.

    >>> from lowshot import Interval
    >>> found = Comparison("v1", "v2", "f1", 0.02, Interval(-0.01, 0.05), 0.9, margin=0.02, labels=70)
    >>> required(found, Require.BETTER), required(found, Require.NOT_WORSE)
    (<Verdict.UNDECIDED: 4>, <Verdict.REACHED: 0>)
    """
    if require is Require.BETTER:
        met, missed = found.verdict == "better", found.interval is not None and found.interval.high <= found.margin
    else:
        met, missed = found.interval is not None and found.interval.low >= -found.margin, found.verdict == "worse"
    if met:
        return Verdict.REACHED
    return Verdict.MISSED if missed else Verdict.UNDECIDED


def requirement(found: Comparison, require: Require) -> str:
    """What is required, without what was found: the same in every run.

    >>> requirement(Comparison("v1", "v2", "f1", 0.02, None, None, margin=0.02, labels=70), Require.NOT_WORSE)
    'f1: v2 is not worse than v1 by more than 0.02'
    """
    return f"{found.metric}: {_claim(Verdict.REACHED, found, require)}"


def gate_in_words(decided: Verdict, found: Comparison, require: Require) -> str:
    """What was required, and whether it is so.

    >>> found = Comparison("v1", "v2", "f1", 0.02, None, None, margin=0.02, labels=70)
    >>> gate_in_words(Verdict.UNDECIDED, found, Require.NOT_WORSE)
    'undecided: v2 may be worse than v1 by more than 0.02 or not; label more items'
    """
    if decided is Verdict.UNDECIDED:
        return f"undecided: {found.candidate} may be {_what(found, require)} or not; label more items"
    return f"{decided.word}: {_claim(decided, found, require)}"


def _claim(decided: Verdict, found: Comparison, require: Require) -> str:
    """What is so if the requirement is reached, or if it is missed."""
    is_ = "is not" if (require is Require.BETTER) != (decided is Verdict.REACHED) else "is"
    return f"{found.candidate} {is_} {_what(found, require)}"


def _what(found: Comparison, require: Require) -> str:
    by = f" by more than {found.margin:g}" if found.margin else ""
    return f"{'better' if require is Require.BETTER else 'worse'} than {found.baseline}{by}"
