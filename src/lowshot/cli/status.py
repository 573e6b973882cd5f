"""`lowshot status`: every evaluation of a store."""

from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple

from lowshot.cli import console
from lowshot.cli.console import AsJson, Name, StorePath
from lowshot.cli.estimate import hint
from lowshot.cli.models import (
    Found,
    answered_in_words,
    choice_by,
    found_by,
    found_to_dict,
    models_in_words,
    models_to_dict,
)
from lowshot.cli.opening import existing_store, header_in, open_evaluation
from lowshot.errors import LowshotError, StoreError
from lowshot.goal import plain_goal
from lowshot.known import described
from lowshot.prior import without_arguments
from lowshot.threshold_result import ThresholdChoice
from lowshot.words import counted

if TYPE_CHECKING:
    from lowshot.labelling.tally import Holder
    from lowshot.store import Store
    from lowshot.store.progress import EvaluationProgress

EXAMPLES = """[bold]Examples[/bold]
  lowshot status birds.db
  lowshot status birds.db --json
"""


def status(store: StorePath, name: Name = None, as_json: AsJson = False) -> None:
    """List the evaluations of a store: labels, pending items and who has them, estimate."""
    opened = existing_store(store, read_only=True)
    opened.check()  # a damaged store is refused instead of counted
    found = [(one, _holders(opened, one), _seen(opened, one)) for one in _progress(opened, name)]
    if as_json:
        console.print_json({"evaluations": [_plain(*each) for each in found]})
        return
    if not found:
        console.say("The store has no evaluation; begin one with `lowshot start`.")
    for each in found:
        console.say(_words(*each))


class Seen(NamedTuple):
    """What can be said of an evaluation if its pool can be opened."""

    found: Found | None  # None if it cannot
    problem: str = ""  # why it cannot
    next_step: str = ""
    models: dict[str, Any] | None = None  # models, helpers and goal as plain data
    lines: tuple[str, ...] = ()  # the same in words
    choice: ThresholdChoice | None = None  # if the goal is a threshold
    skipped: int = 0  # labels that are 'cannot tell'


def _progress(store: "Store", name: str | None) -> "list[EvaluationProgress]":
    from lowshot.store.progress import progress

    wanted = None if name is None else header_in(store, name).name
    return [one for one in progress(store) if wanted in (None, one.header.name)]


def _holders(store: "Store", one: "EvaluationProgress") -> "list[Holder]":
    from lowshot.labelling.tally import holders

    return holders(store, one.key)


def _seen(store: "Store", one: "EvaluationProgress") -> Seen:
    """The estimate and what to do next. Or why there is no estimate: a missing pool must not hide other evaluations."""
    try:
        evaluation = open_evaluation(store, one.header.name).evaluation
        lines = tuple(models_in_words(evaluation))
        models, skipped = models_to_dict(evaluation), evaluation.snapshot().skipped
        with console.estimating():
            choice, estimate = choice_by(evaluation), found_by(evaluation)
        return Seen(estimate, "", hint(evaluation), models, lines, choice, skipped)
    except StoreError:
        raise
    except LowshotError as error:
        return Seen(None, str(error))


def _words(one: "EvaluationProgress", held: "list[Holder]", seen: Seen) -> str:
    header = one.header
    last = f", last label {_minute(one.last_label)}" if one.last_label else ""
    lines = [
        *seen.lines,
        *([f"known beforehand: {header.prior}"] if header.prior else []),
        f"{answered_in_words(one.labels, seen.skipped)}, {one.pending:,} pending, begun {_minute(one.began)}{last}",
        *([described(one.known, one.uniform, one.doubted)] if one.known else []),
        *(f"{counted(each.items, 'item')} with {each.name}, until {_minute(each.until)}" for each in held),
        f"no estimate: {seen.problem}" if seen.found is None else str(seen.found),
        *([] if seen.choice is None else [str(seen.choice)]),
        *([seen.next_step] if seen.next_step else []),
    ]
    heading = f"{header.name}: {header.metric}, sampler {header.sampler}, {header.items:,} items"
    return "\n".join([heading, *(indent(line, "  ") for line in lines)])


def _minute(time: str) -> str:
    """Times are stored in UTC.

    >>> _minute("2026-11-15T10:24:56.123+00:00")
    '2026-11-15 10:24 UTC'
    """
    return f"{time[:10]} {time[11:16]} UTC"


def _plain(one: "EvaluationProgress", held: "list[Holder]", seen: Seen) -> dict[str, Any]:
    header = one.header
    return {
        "name": header.name,
        "question": header.question,
        "metric": header.metric,
        "sampler": header.sampler,
        "settings": without_arguments(header.settings),
        "prior": header.prior and header.prior.to_dict(),
        "seed": header.seed,
        "items": header.items,
        "predicted_positives": header.predicted,
        **(seen.models or {"models": [], "helpers": [], "goal": plain_goal(header.goal)}),
        "labels": one.labels,
        "skipped": seen.skipped,
        "known": one.known,
        "uniform": one.uniform,
        "pending": one.pending,
        "held": [vars(each) for each in held],
        "began": one.began,
        "last_label": one.last_label,
        **found_to_dict(seen.found),
        "choice": None if seen.choice is None else seen.choice.to_dict(),
        "problem": seen.problem,
    }
