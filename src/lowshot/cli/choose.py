"""`lowshot choose`: the threshold for a target, and the items that it keeps."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from lowshot.answer import YES_NO, Label
from lowshot.cli import console, gate
from lowshot.cli.console import AllowExternal, AsJson, ForSpreadsheet, ModelName, Moved, Name, StorePath
from lowshot.cli.estimate import hint, refuse_no_model
from lowshot.cli.export import refuse_overwriting
from lowshot.cli.gate import AsUndecided, ForGitHub, Outcome, Verdict
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.core.types import Flags, Integers
from lowshot.csv_text import rows_to_csv
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import Threshold
from lowshot.goal import in_words as goal_in_words
from lowshot.pools.base import BasePool
from lowshot.result import percent
from lowshot.threshold_result import ThresholdChoice
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot choose birds.db
  lowshot choose birds.db --recall 0.9
  lowshot choose birds.db --precision 0.9 --confidence 0.9 -o kept.csv
  lowshot choose birds.db --maximise f1 --json
  lowshot choose birds.db --recall 0.9 --reading bare --require && deploy
"""
COLUMNS = ("id", "score", "label")


class Read(StrEnum):
    """What has to reach the target."""

    SET = "set"
    BARE = "bare"


def choose(
    store: StorePath,
    recall: Annotated[float | None, typer.Option(help="Recall of what is kept: at least this.")] = None,
    precision: Annotated[float | None, typer.Option(help="Precision of what is kept: at least this.")] = None,
    maximise: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC", help="f1, f2, ...: the threshold where it is largest, of those that reach the targets."
        ),
    ] = None,
    reading: Annotated[
        Read | None,
        typer.Option(
            help="What has to reach the targets: set (the default), the items above the threshold, with labelled"
            " positives below it and without labelled negatives above it; bare, all items above it.",
            show_default=False,
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="How sure a certified threshold is; 0.95 if not given, or that of the goal."),
    ] = None,
    model: ModelName = None,
    require: Annotated[
        bool,
        typer.Option(
            "--require",
            help="Exit code 0 if the threshold is certified, 3 if surely no threshold reaches the target, 4 if"
            " undecided.",
        ),
    ] = False,
    undecided: AsUndecided = None,
    github: ForGitHub = False,
    path: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="CSV file to write: id, score and label of the items that are kept."
        ),
    ] = None,
    for_spreadsheet: ForSpreadsheet = False,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """The threshold for a recall or a precision, and whether the labels so far certify it.

    Without a target, that of the goal that the evaluation began with.
    """
    if not require:
        gate.refuse_no_gate("--require", github, undecided)
    console.check(path)
    if path is not None and path.suffix.lower() != ".csv":
        raise InputError(f"--output must end in .csv: got {str(path)!r}; the ids, scores and labels are written as CSV")
    if for_spreadsheet and path is None:
        raise InputError("--for-spreadsheet must come with --output: got none; name a file")
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    evaluation = opened.evaluation
    refuse_overwriting(path, store, opened.about.pool, *(one.pool for one in opened.about.added))
    refuse_no_model(evaluation, model)
    refuse_no_target(evaluation, require, recall, precision, maximise)
    with console.estimating():
        found = evaluation.choose_threshold(
            recall=recall,
            precision=precision,
            maximise=maximise,
            reading=reading and reading.value,
            model=model,
            confidence=confidence,
        )
    decided = required(found) if require else None
    if decided not in (None, Verdict.REACHED):
        path = None  # a script must not take what is not certified for what is
    if path is not None:
        console.write(rows_to_csv(COLUMNS, rows(evaluation, found), for_spreadsheet), path)
    if as_json:
        decision = {} if decided is None else {"required": decided.word}
        console.print_json({"name": opened.header.name, **found.to_dict(), **decision, "output": path and str(path)})
    else:
        tell(opened, found, decided, path)
    if decided is not None:
        of = f" of {found.model}" if len(evaluation.pool.models) > 1 else ""
        outcome = Outcome(
            decided,
            in_words(decided, found),
            f"a threshold{of} is certified for {found.wanted.words}",
            opened.header.name,
            text=str(found),
            facts=gate.facts_of(opened, store, facts(found), threshold=found.threshold, model=found.model),
        )
        gate.end(outcome, github, undecided)


def facts(found: ThresholdChoice) -> dict[str, Any]:
    """The numbers of the first target, under the keys that other gates use.

    >>> from lowshot.threshold_result import Reading, Spread
    >>> reading = Reading(120, Spread(0.5, 0.3, 0.6), Spread(0.5, 0.4, 0.6), 0.04)
    >>> facts(ThresholdChoice(Threshold(recall=0.9), 0.4, False, reading, reading, 100))
    {'metric': 'recall', 'confidence': 0.95, 'labels': 100, 'value': 0.5, 'low': 0.3, 'high': 0.6}
    """
    metric = next(iter(found.wanted.targets))
    asked = found.asked
    spread = {} if asked is None else {"recall": asked.recall, "precision": asked.precision}[metric].to_dict()
    return {"metric": metric, "confidence": found.confidence, "labels": found.labels, **spread}


def tell(opened: Opened, found: ThresholdChoice, decided: Verdict | None, path: Path | None) -> None:
    console.say(found)
    if path is not None:
        console.note(f"{counted(kept_by(found), 'item')} in {path}")
    console.note(hint(opened.evaluation))
    if decided is not None:
        console.say(in_words(decided, found))


def refuse_no_target(
    evaluation: Evaluation, require: bool, recall: float | None, precision: float | None, maximise: str | None
) -> None:
    """A target is given or that of the goal, and --require is about one that can be reached or missed."""
    given = any(one is not None for one in (recall, precision, maximise))
    goal = evaluation.goal
    if not given and not isinstance(goal, Threshold):
        raise InputError(
            "give --recall, --precision or --maximise: got none, and the goal of the evaluation is"
            f" {goal_in_words(goal)}; write for example --recall 0.9"
        )
    targets = [recall, precision] if given or not isinstance(goal, Threshold) else [*goal.targets.values()]
    if require and all(target is None for target in targets):
        raise InputError("--require must come with --recall or --precision: a maximum is neither reached nor missed")


def required(found: ThresholdChoice) -> Verdict:
    """Whether there is a certified threshold. If even the threshold that most likely reaches the target surely does
    not, it is missed.

    >>> from dataclasses import replace
    >>> from lowshot.threshold_result import Reading, Spread
    >>> reading = Reading(120, Spread(0.5, 0.3, 0.6), Spread(0.5, 0.4, 0.6), 0.04)
    >>> found = ThresholdChoice(Threshold(precision=0.9), 0.4, False, reading, reading, 100)
    >>> required(found), required(replace(found, set=replace(reading, probability=0.06)))
    (<Verdict.MISSED: 3>, <Verdict.UNDECIDED: 4>)
    """
    if found.certified:
        return Verdict.REACHED
    surely_not = found.probability is not None and found.probability <= 1 - found.confidence
    return Verdict.MISSED if surely_not else Verdict.UNDECIDED


def in_words(decided: Verdict, found: ThresholdChoice) -> str:
    """What was required, and whether it is so.

    >>> in_words(Verdict.UNDECIDED, ThresholdChoice(Threshold(recall=0.9), None, False, None, None, 0))
    'undecided: no threshold is certified for recall of at least 0.9; label more items'
    """
    wanted, sure = found.wanted.words, percent(found.confidence)
    return {
        Verdict.REACHED: f"reached: the threshold is certified for {wanted}",
        Verdict.MISSED: f"missed: each threshold falls short of {wanted}, with a probability of at least {sure}",
        Verdict.UNDECIDED: f"undecided: no threshold is certified for {wanted}; label more items",
    }[decided]


def kept_by(found: ThresholdChoice) -> int:
    """The number of items, by the reading that was asked for."""
    one = found.set if found.wanted.reading == "set" else found.bare
    return 0 if one is None else one.kept


def rows(evaluation: Evaluation, found: ThresholdChoice) -> list[list[Any]]:
    """Id, score and label of the items that are kept, by the reading that was asked for, best first."""
    if found.threshold is None:
        raise InputError(f"--output needs a threshold: {found.reason}; label some items first")
    refuse_elsewhere(evaluation.pool, found)
    view, pool = evaluation.pool.view(found.model), evaluation.pool
    items = view.examples()
    score = view.level(items)
    kept: Flags = score >= found.threshold
    if found.wanted.reading == "set":
        kept |= np.isin(items, _positions(pool, found.added))
        kept &= ~np.isin(items, _positions(pool, found.removed))
    words = {item: _word(label) for item, label in evaluation.snapshot().labels.items()}
    labels = [words.get(item, "") for item in items[kept].tolist()]
    return [list(row) for row in zip(pool.names(items[kept]), score[kept].tolist(), labels, strict=True)]


def _word(label: Label) -> str:
    """As `lowshot export` writes it."""
    return YES_NO.word(None) if label is None else str(label)


def refuse_elsewhere(pool: BasePool, found: ThresholdChoice) -> None:
    """Items of a pool that stays where it is are not listed one by one."""
    if not pool.grouped:
        return
    changed = "; of the set, --json lists the items that are added and removed" if found.wanted.reading == "set" else ""
    raise InputError(
        "--output must be left out for a pool whose rows stay where they are: select the items there by a score of at"
        f" least {found.threshold!r}{changed}"
    )


def _positions(pool: BasePool, items: tuple[Any, ...]) -> Integers:
    return np.array(pool.positions(list(items)), dtype=np.int64)
