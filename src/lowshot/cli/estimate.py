"""`lowshot estimate` and `lowshot plan`: the estimate from the labels so far, and how many labels are needed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from lowshot import checks
from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers
from lowshot.class_evaluation import ClassEvaluation
from lowshot.cli import console, gate
from lowshot.cli.columns import MODEL, FileColumns, where_from
from lowshot.cli.console import AllowExternal, AsJson, Confidence, Margin, ModelName, Moved, Name, SameIds, StorePath
from lowshot.cli.gate import AsUndecided, ForGitHub, Outcome, Verdict
from lowshot.cli.models import answered_in_words
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.cli.pool_file import pool_of
from lowshot.cli.rules import refuse_two_predictions
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import BEST, Threshold, one_model
from lowshot.goal import in_words as goal_in_words
from lowshot.result import Estimate
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot estimate birds.db
  lowshot estimate birds.db --metric recall --confidence 0.9
  lowshot estimate birds.db --threshold 0.3
  lowshot estimate birds.db --model v2
  lowshot estimate birds.db --where camera=north --where month=1 --where month=2
  lowshot estimate birds.db --predictions other.parquet --id path --prediction is_crow
  lowshot estimate birds.db --at-least 0.8 && deploy
  lowshot estimate birds.db --at-least 0.8 --undecided neutral
  lowshot estimate birds.db --category heron --metric recall
"""
PLAN_EXAMPLES = """[bold]Examples[/bold]
  lowshot plan birds.db
  lowshot plan birds.db --half-width 0.1 --json
  lowshot plan birds.db --verdict --margin 0.02
"""
NUMBERS = ("tp", "fp", "fn")  # metrics that are numbers of items


def estimate(
    store: StorePath,
    metric: Annotated[
        str | None,
        typer.Option(
            help="Another metric: f1, precision, recall, f2, tp, fp, fn, prevalence; an average over many categories:"
            " f1_macro, accuracy, ...; of one category: f1, precision, recall, f2."
        ),
    ] = None,
    category: Annotated[
        str | None, typer.Option(metavar="CLASS", help="One of many categories; the average over all if not given.")
    ] = None,
    model: ModelName = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with another model's predictions, in a format of pools; the pool's file if not given.",
        ),
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the other model's 0/1 predictions.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Another threshold, instead of --prediction.")] = None,
    score: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of scores for --threshold; as at the start if not given."),
    ] = None,
    id_: SameIds = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="A part of the pool, by a column that --slice named at the start; repeatable: the values of a column"
            " count together, and several columns must all agree.",
        ),
    ] = None,
    confidence: Confidence = 0.95,
    at_least: Annotated[
        float | None,
        typer.Option(help="Exit code 0 if the interval is above this value, 3 if below, 4 if undecided."),
    ] = None,
    undecided: AsUndecided = None,
    github: ForGitHub = False,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """The estimate from the labels so far, also for another metric, model, threshold or part of the pool."""
    if at_least is None:
        gate.refuse_no_gate("--at-least", github, undecided)
    else:
        checks.finite("--at-least", at_least)
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    part = where_from(where or (), opened.evaluation.pool.slices)
    other = _predictions(opened, predictions, FileColumns(score, id_, prediction), threshold, model)
    one = None if category is None else category_of(opened.evaluation, category)
    if one is not None:
        found = of_category(opened.evaluation, one, metric, part, confidence)
    elif other is None:
        refuse_no_model(opened.evaluation, model)
        with console.estimating():
            found = opened.evaluation.estimate(metric, model=model, where=part, confidence=confidence)
    else:
        with console.estimating():
            found = opened.evaluation.estimate(metric, predictions=other, where=part, confidence=confidence)
    refuse_no_share(at_least, found.metric)
    outcome = None
    if at_least is not None:
        of = found.metric if one is None else f"{found.metric} of {one}"
        decided = verdict(found, at_least)
        outcome = Outcome(
            decided,
            in_words(decided, of, at_least),
            requirement(of, at_least, model, where or (), threshold, predictions or prediction),
            opened.header.name,
            text=str(found if one is None else f"{one}: {found}"),
            facts=gate.facts_of(opened, store, found.to_dict(), at_least=at_least, model=model, category=one),
        )
    if as_json:
        decision = {} if outcome is None else {"at_least": at_least, "verdict": outcome.verdict.word}
        which = {} if one is None else {"category": one}
        console.print_json({"name": opened.header.name, **which, **found.to_dict(), **decision})
    else:
        console.say(found if one is None else f"{one}: {found}")
        console.note(hint(opened.evaluation))
        console.note(counts(opened.evaluation))
        console.note(exact(found, opened.evaluation, model) if one is None and other is None and part is None else "")
        if outcome is not None:
            console.say(outcome.sentence)
    if outcome is not None:
        gate.end(outcome, github, undecided)


def exact(found: Estimate, evaluation: Evaluation, model: str | None) -> str:
    """Why the interval of a precision has no width; empty if it has one.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(4), [1, 0, 0, 0])
    >>> exact(evaluation.estimate("precision"), evaluation, None)
    'exact: all 2 items that are predicted positive are labelled'
    """
    if found.metric != "precision" or found.interval is None or found.interval.low != found.interval.high:
        return ""
    view = evaluation.pool.view(model or evaluation.model)
    labelled = [item for item, label in evaluation.snapshot().labels.items() if label is not None]
    if int((view.predicted(np.array(labelled, dtype=np.int64)) > 0).sum()) < view.predicted_positives:
        return ""
    return f"exact: all {counted(view.predicted_positives, 'item')} that are predicted positive are labelled"


def refuse_no_share(at_least: float | None, metric: str) -> None:
    """Every metric but counts is a share."""
    if at_least is not None and metric not in NUMBERS and not 0 <= at_least <= 1:
        raise InputError(
            f"--at-least must be a share from 0 to 1, because {metric} is one: got {at_least:g}; write 0.8 for 80 %"
        )


def category_of(evaluation: Evaluation, text: str) -> Id:
    """The category that --category names."""
    answers = evaluation.pool.answers
    if not isinstance(answers, ClassAnswers):
        raise InputError(f"--category must be left out for an evaluation of one category: got {text!r}")
    return answers.named(text, "--category")


def of_category(
    evaluation: Evaluation, category: Id, metric: str | None, part: dict[str, Any] | None, confidence: float
) -> Estimate:
    """One of many categories."""
    assert isinstance(evaluation, ClassEvaluation), "only such an evaluation has categories"
    with console.estimating():
        return evaluation.estimate(metric, category=category, where=part, confidence=confidence)


def refuse_no_model(evaluation: Evaluation, model: str | None) -> None:
    """If several models are judged, one of them has to be named."""
    if model is None and evaluation.model is None:
        raise InputError(
            f"{MODEL} must say which model: the evaluation judges {', '.join(evaluation.pool.models)}; `lowshot table`"
            " shows all of them, `lowshot compare` the difference of two"
        )


def _predictions(
    opened: Opened, path: Path | None, given: FileColumns, threshold: float | None, model: str | None
) -> Any:
    """Predictions of another model or threshold: by id if there are ids, otherwise in the order of the pool's file."""
    if path is None and given.prediction is None and threshold is None:
        if given != FileColumns():
            raise InputError("--score and --id must come with --threshold or --prediction: got neither")
        return None
    refuse_two_predictions(threshold, given.prediction)
    opened.evaluation.pool.refuse_other_predictions()
    where, began = _file(opened, path, given, model)
    score = None if threshold is None else given.score or began.score
    if score is None and threshold is not None:
        raise InputError(
            f"--threshold must come with {MODEL} or --score, because the evaluation judges"
            f" {', '.join(opened.evaluation.pool.models)}: got neither; name the model with {MODEL}"
        )
    columns = FileColumns(score, given.id or began.id, given.prediction)
    other = pool_of(path or where, columns, threshold, option="--predictions" if path else "--pool")
    if columns.id is None:
        return other.predictions

    pool = opened.evaluation.pool
    items = [pool.id_of(str(item)) for item in other.names(range(len(other)))]
    return dict(zip(items, other.predictions.tolist(), strict=True))


def _file(opened: Opened, path: Path | None, given: FileColumns, model: str | None) -> tuple[str, FileColumns]:
    """The file with the scores of the model that --model names, or of the one that the goal is about."""
    if model is None:
        return opened.about.scores_of(opened.evaluation.model)
    one_model(MODEL, model, opened.evaluation.pool.models)
    others = {"--predictions": path, "--prediction": given.prediction, "--score": given.score}
    came = [option for option, value in others.items() if value is not None]
    if came:
        raise InputError(f"give either {MODEL} or {came[0]}: got both; {MODEL} may come with --threshold")
    where, columns = opened.about.scores_of(model)
    if columns.score is None:
        raise InputError(f"--threshold must be for a model that has scores: {model!r} has predictions only")
    return where, columns


def plan(
    store: StorePath,
    half_width: Annotated[
        float | None, typer.Option(help="Half-width of the interval that you want; 0.05 if not given.")
    ] = None,
    verdict: Annotated[
        bool,
        typer.Option(
            "--verdict",
            help="Until the goal BASELINE,CANDIDATE is decided, the best model is known, or a threshold is certified.",
        ),
    ] = False,
    margin: Margin = 0.0,
    confidence: Annotated[
        float | None,
        typer.Option(help="Confidence of the interval or the verdict; 0.95 if not given, or that of a threshold."),
    ] = None,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """The total number of labels until the interval is this narrow, or until there is a verdict."""
    if verdict and half_width is not None:
        raise InputError("give either --half-width or --verdict: got both")
    if margin and not verdict:
        raise InputError(f"--margin must come with --verdict: got {margin:g} without it; add --verdict")
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    if verdict:
        refuse_no_verdict(opened.evaluation)
    with console.working("Simulating further labels ..."):
        found = opened.evaluation.plan(half_width, verdict=verdict, margin=margin, confidence=confidence)
    if as_json:
        console.print_json({"name": opened.header.name, **found.to_dict()})
    else:
        console.say(found)


def refuse_no_verdict(evaluation: Evaluation) -> None:
    """Only a goal that is a question can be decided."""
    if not (isinstance(evaluation.goal, (tuple, Threshold)) or evaluation.goal == BEST):
        raise InputError(
            "--verdict needs an evaluation with goal BASELINE,CANDIDATE, best or a threshold: its goal is"
            f" {goal_in_words(evaluation.goal)}; give --half-width instead"
        )


def verdict(estimate: Estimate, at_least: float) -> Verdict:
    """The interval decides, not the value.

    >>> from lowshot import Interval, Reach
    >>> verdict(Estimate("f1", 0.85, 0.001, Interval(0.79, 0.9), 100, Reach(600, 600)), 0.8)
    <Verdict.UNDECIDED: 4>
    """
    if estimate.interval is None:
        return Verdict.UNDECIDED
    if estimate.interval.low >= at_least:
        return Verdict.REACHED
    return Verdict.MISSED if estimate.interval.high < at_least else Verdict.UNDECIDED


def in_words(found: Verdict, metric: str, at_least: float) -> str:
    """The verdict as a sentence.

    >>> in_words(Verdict.REACHED, "f1", 0.8)
    'reached: the whole interval of f1 is at least 0.8'
    """
    return {
        Verdict.REACHED: f"reached: the whole interval of {metric} is at least {at_least:g}",
        Verdict.MISSED: f"missed: the whole interval of {metric} is below {at_least:g}",
        Verdict.UNDECIDED: f"undecided: {metric} may be below {at_least:g} or not; label more items",
    }[found]


def requirement(
    metric: str,
    at_least: float,
    model: str | None = None,
    where: Sequence[str] = (),
    threshold: float | None = None,
    predictions: Path | str | None = None,
) -> str:
    """What --at-least requires, of what: the same in every run, so that CI systems can follow it over time.

    >>> requirement("recall", 0.8, "v2", ["camera=north", "month=1"], threshold=0.3)
    'recall of v2 at threshold 0.3 where camera=north, month=1 is at least 0.8'
    """
    parts = {
        "of": model,
        "by predictions": predictions,
        "at threshold": None if threshold is None else f"{threshold:g}",
        "where": ", ".join(where) or None,
    }
    said = " ".join(f"{word} {value}" for word, value in parts.items() if value is not None)
    return f"{metric} {said} is at least {at_least:g}" if said else f"{metric} is at least {at_least:g}"


def counts(evaluation: Evaluation) -> str:
    """Why the estimate is not from as many labels as the evaluation has; empty if it is."""
    history = evaluation.snapshot()
    if not (history.skipped or history.known):
        return ""
    return f"the evaluation has {answered_in_words(evaluation.labels, history.skipped, len(history.known))}"


LABEL = "next: `lowshot label`, or `lowshot ask` and `lowshot tell`"
WAITING = (
    "labels wait for items without a label: `lowshot status` shows who has them, `lowshot ask --again` repeats yours;"
    " on the owner's page you settle disagreements"
)


def hint(evaluation: Evaluation) -> str:
    """What to do next; empty if nothing stands in the way of the estimate.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> hint(evaluation)
    'next: `lowshot label`, or `lowshot ask` and `lowshot tell`'
    >>> evaluation.tell(evaluation.ask(3)[1:], [1, 0])
    >>> hint(evaluation)
    "labels wait for items without a label: ..."
    """
    history = evaluation.snapshot()
    if not history.labels:
        return LABEL
    return WAITING if history.waiting_for else ""
