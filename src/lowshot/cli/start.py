"""`lowshot start`: begin an evaluation in a store."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import lowshot
from lowshot.class_answer import ClassAnswers
from lowshot.cli.classes import CLASSES, ClassOptions, class_goal_from
from lowshot.cli.columns import FORM, HELPER, MODEL, FileColumns, goal_from, helpers_from, models_from, slices_from
from lowshot.cli.console import (
    AsJson,
    StorePath,
    Threshold,
    counted,
    noting_warnings,
    print_json,
    working,
)
from lowshot.cli.known_file import Drawn, known_from
from lowshot.cli.models import models_in_words, models_to_dict
from lowshot.cli.opening import About, folder_of, keep_pool, open_evaluation
from lowshot.cli.pool_file import is_one_file, stays, whereabouts
from lowshot.errors import InputError, without_password
from lowshot.evaluation import Evaluation
from lowshot.goal import BEST
from lowshot.known import known_in
from lowshot.method import NOT_GIVEN
from lowshot.pools.base import BasePool
from lowshot.pools.models import ONLY
from lowshot.prior import Prior, without_arguments
from lowshot.stored import is_new, open_store

if TYPE_CHECKING:
    from lowshot.store import Store

EXAMPLES = """[bold]Examples[/bold]
  lowshot start birds.db --pool scores.parquet --id path --score p --threshold 0.5
  lowshot start birds.db --pool scores.csv --id path --score p --prediction is_crow --show image --field path
  lowshot start birds.db --pool scores.csv --id path --model v1=score_v1@0.5 --model v2=score_v2,pred_v2 --goal v1,v2
  lowshot start birds.db --pool scores.parquet --id path --score p --threshold 0.5 --helper clip
  lowshot start birds.db --pool scores.parquet --id path --score p --threshold 0.5 --slice camera --slice month
  lowshot start birds.db --pool new.parquet --id path --score p --threshold 0.4 --name second --question "A crow?"
  lowshot start birds.db --pool scores.parquet --id path --score p --threshold 0.5 --goal recall=0.9
  lowshot start birds.db --pool scores.csv --score p --threshold 0.5 --set anytime=true
  lowshot start birds.db --pool scores.csv --id path --score p --threshold 0.5 --known random.csv --known-drawn uniform
  lowshot start birds.db --pool scores.csv --score p --threshold 0.5 --prevalence 0.0005:0.002 --recall 0.5:0.95
  lowshot start birds.db --pool july.csv --score p --threshold 0.5 --name july --like birds.db:june
  lowshot start birds.db --pool 'scores/*.parquet' --id path --score p --threshold 0.5
  lowshot start birds.db --pool scores.parquet --id path --classes heron,crow,wren --question "Which bird is this?"
  lowshot start birds.db --pool scores.csv --id path --classes 'p_*' --prediction bird --goal heron,crow
  lowshot start birds.db --pool scores.parquet --id path --classes @names.txt --metric recall_macro
  lowshot start birds.db --pool scores.parquet --id path --classes all --kind multilabel --threshold 0.5
  lowshot start birds.db --pool long.parquet --id path --classes rows --class bird --score p
  lowshot start birds.db --pool items.csv --id path --classes scores.npy --class-names names.txt --field title
  lowshot start birds.db --pool postgresql://me@host/db --table scores --id path --score p --threshold 0.5
"""
PYTHON = {"True": "true", "False": "false", "None": "null"}  # --set accepts these words of Python, too


def start(
    store: StorePath,
    pool: Annotated[
        str,
        typer.Option(
            help="The items, one row per item: a .parquet, .feather, .csv, .csv.gz or .jsonl file, a glob, a folder or"
            " a database."
        ),
    ],
    score: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of scores; higher means more likely positive.")
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="CLASSES",
            help="Many categories instead of --score: a column of scores per class, as heron,crow,wren; as a pattern"
            " such as 'p_*', where a class is called what the * stands for; as @FILE with a column per line; or all,"
            " for every column of numbers that has no other meaning. Or rows, for a table with one row per item and"
            " class. Or the path of a matrix, .npy or .npz, with a row per row of --pool.",
        ),
    ] = None,
    class_names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Names of the classes, one per line, in the order of the columns of --classes."
        ),
    ] = None,
    class_column: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="COLUMN", help="With --classes rows: column of the class; 'class' if not given."
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="With --classes: single, if every item has one class or none of them; multilabel, if any number apply."
        ),
    ] = "single",
    id_: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column of ids; row positions from 0 if not given.")
    ] = None,
    threshold: Threshold = None,
    prediction: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of 0/1 predictions, instead of --threshold. With --classes, column of the predicted class,"
            " which is the one with the best score if not given; with --kind multilabel, columns as 'pred_*'.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SCORE@THRESHOLD",
            help="A model that is judged, instead of --score: its name, its column of scores, and a threshold or, as"
            " NAME=SCORE,PREDICTION, a column of 0/1 predictions; repeatable.",
        ),
    ] = None,
    helper: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of another score that helps to judge the models, or NAME=COLUMN; it may lack values;"
            " repeatable.",
        ),
    ] = None,
    slice_: Annotated[
        list[str] | None,
        typer.Option(
            "--slice",
            metavar="COLUMN",
            help="Column that says in which part of the pool an item is, such as camera or month; repeatable.",
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            help="What labels are spent on: of several models each (the default), best, the name of one, or"
            " BASELINE,CANDIDATE for their difference; or a threshold that is to be found: recall=0.9, precision=0.9 or"
            " maximise=f1, and further confidence=0.9, promise=design, reading=bare, model=NAME, separated by commas."
            " With --classes the average over all classes (the default), each of them, or some, separated by commas.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="The metric to estimate: f1, precision, recall, f2, ...; with --classes f1_macro, f1_weighted,"
            " precision_macro, recall_macro, balanced_accuracy, accuracy.",
            show_default="f1; with --classes f1_macro",
        ),
    ] = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(lowshot.samplers)}; with --classes there is only one, classes.",
            show_default="curve; with --classes classes",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the sampler; repeatable.")
    ] = None,
    prevalence: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="You know, with 95 % certainty, that the share of positives is between."),
    ] = None,
    recall: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="You know, with 95 % certainty, that the recall is between."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="STORE[:NAME]",
            help="An earlier evaluation of the same classifier with other items; its curve is believed in, up to a"
            " shift.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed and labels give the same draws.")] = 0,
    scale: Annotated[str | None, typer.Option(help="Scale of the scores: probability, log or logit.")] = None,
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of item weights.")] = None,
    name: Annotated[str, typer.Option(help="Name of the evaluation in the store.")] = "evaluation",
    question: Annotated[
        str | None, typer.Option(help="What people answer; evaluations of the same question share labels.")
    ] = None,
    instructions: Annotated[str, typer.Option(help="Instructions for annotators.")] = "",
    show: Annotated[str, typer.Option(help="What the first field is: image (the path of a picture) or text.")] = "text",
    field: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column that annotators see; repeatable.")
    ] = None,
    media_root: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder that contains the pictures; that of --pool if not given.")
    ] = None,
    annotators_per_item: Annotated[int, typer.Option(min=1, help="Number of people who answer each item.")] = 1,
    engine: Annotated[
        bool | None,
        typer.Option(
            "--engine/--in-memory",
            help="Leave the rows where they are (extra \\[pools]). This is the default for globs, databases and files"
            " of more than 500,000 rows.",
        ),
    ] = None,
    table: Annotated[str | None, typer.Option(help="Table of the database that --pool names.")] = None,
    known: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Labels that exist already: a .csv or .parquet file with columns id, label."),
    ] = None,
    known_drawn: Annotated[
        Drawn | None,
        typer.Option(
            help="How the items of --known were drawn: uniform (each item of the pool had the same chance) or any.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Begin an evaluation of a pool and keep it in a store."""
    models, helpers, slices = models_from(model or ()), helpers_from(helper or ()), slices_from(slice_ or ())
    columns = FileColumns(score, id_, prediction, weight, models, helpers, slices)
    options = ClassOptions(classes, class_names, class_column, kind)
    many = options.wanted(pool)
    if many:
        refuse_with_classes(columns, {"--prevalence": prevalence, "--recall": recall, "--like": like, "--scale": scale})
        refuse_no_file(pool, engine, table)
        found, matrix = options.resolved(pool, columns, field or (), threshold)
    else:
        refuse_rules(columns, threshold)
    about = About(
        whereabouts(pool),
        columns,
        threshold,
        scale,
        show,
        tuple(field or ()),
        pictures_in(media_root, pool) if show == "image" or media_root else None,
        instructions,
        annotators_per_item,
        not many and stays(pool, engine, columns),
        table,
        classes=found if many else None,
        matrix=matrix if many else None,
    )
    about.check()
    prior = known_beforehand(prevalence, recall, like)
    items = about.open_pool()
    for one in () if many else items.models:
        refuse_no_predictions(items, one, threshold, f"{MODEL} {one}" if columns.models else "")
    where = without_evaluation(store, name)
    labels = known_from(known, known_drawn, id_, items)
    with noting_warnings(), working("Beginning the evaluation ..."):
        evaluation = Evaluation(
            items,
            metric or (NOT_GIVEN if many else "f1"),
            sampler or (NOT_GIVEN if many else "curve"),
            seed,
            settings=settings(setting or ()),
            goal=class_goal_from(goal, items.answers) if isinstance(items.answers, ClassAnswers) else goal_from(goal),
            prior=prior,
            store=where,
            name=name,
            question=question,
            about=about.plain(folder_of(store)),
            known=labels,
        )
    if not evaluation.began:  # another process began it since the check above
        raise taken(store, name)
    keep_pool(evaluation, store, about)
    began = began_to_dict(evaluation, without_password(store))
    print_json(began) if as_json else introduce(evaluation, began, known_in(evaluation.snapshot()) if labels else "")


def pictures_in(media_root: Path | None, pool: str) -> str | None:
    """The folder of the pictures: as given, or beside the pool's file; None where there is no file."""
    if media_root is not None:
        return str(media_root.absolute())
    return str(Path(pool).absolute().parent) if Path(pool).is_file() else None


def refuse_rules(columns: FileColumns, threshold: float | None) -> None:
    """Either --model, or --score with one of --threshold and --prediction. Helpers have names of their own."""
    single = {"--score": columns.score, "--threshold": threshold, "--prediction": columns.prediction}
    came = [option for option, value in single.items() if value is not None]
    if columns.models and came:
        raise InputError(
            f"give either {MODEL} or --score: got {MODEL} and {', '.join(came)}; write {MODEL} {FORM} for each model"
        )
    if not columns.models and columns.score is None:
        raise InputError(
            f"give either --score or {MODEL}: got neither; --score names the column of scores of one model, {MODEL}"
            f" {FORM} one of several; for a classifier with many classes, {CLASSES} names the columns of scores"
        )
    if not columns.models:
        refuse_two_predictions(threshold, columns.prediction)
    names = [model.name for model in columns.models] or [ONLY]
    for helper in columns.helpers:
        if helper.name in names:
            raise InputError(
                f"{HELPER} must have a name of its own: {helper.name!r} is a model; write {HELPER}"
                f" NAME={helper.column} with another name"
            )


def refuse_with_classes(columns: FileColumns, others: Mapping[str, Any]) -> None:
    """Options that only an evaluation of one category has."""
    several = {MODEL: columns.models or None, HELPER: columns.helpers or None}
    came = [option for option, value in {**several, **others}.items() if value is not None]
    if came:
        raise InputError(
            f"{came[0]} must be left out with {CLASSES}: got both; a pool with many classes has one model, and its"
            " beliefs are learned from the labels"
        )


def refuse_no_file(pool: str, engine: bool | None, table: str | None) -> None:
    """Pools with many classes are read into memory, a few numbers per item."""
    if engine or table is not None or not is_one_file(pool):
        raise InputError(f"{CLASSES} needs --pool to be one file, .parquet, .csv, .npy or .npz: got {pool}")


def refuse_two_predictions(threshold: float | None, prediction: str | None) -> None:
    if (threshold is None) == (prediction is None):
        came = "neither" if threshold is None else "both"
        raise InputError(f"give either --threshold or --prediction: got {came}")


def refuse_no_predictions(pool: BasePool, model: str, threshold: float | None, option: str = "") -> None:
    """Without predicted positives no label can change the answer; usually the threshold is on a wrong scale.

    option  the one that gives the threshold or the predictions; --threshold or --prediction if not given
    """
    view = pool.view(model)
    if view.predicted_positives:
        return
    low, high = view.limits
    if option:
        raise InputError(
            f"{option} must predict some items positive: it predicts none, and its scores go from {low:g} to {high:g};"
            " choose another threshold, or another column of predictions"
        )
    if threshold is None:
        raise InputError("--prediction must be 1 for some items: it is 0 for all of them; name another column")
    raise InputError(
        f"--threshold must be reached by some scores, which go from {low:g} to {high:g}: got {threshold:g};"
        " choose another"
    )


def without_evaluation(store: str, name: str) -> "str | Store":
    """The store, if it has no evaluation with this name: `start` never continues one. Where it is, if it is new."""
    if is_new(store):
        return store
    there = open_store(store)
    if there.find(name) is not None:
        raise taken(store, name)
    return there


def taken(where: str, name: str) -> InputError:
    return InputError(
        f"--name must be a new one: {without_password(where)} has an evaluation {name!r} already;"
        " use another name or another store, or go on with `lowshot label`"
    )


def settings(given: Sequence[str]) -> dict[str, Any]:
    """Settings of the sampler; values are JSON, or plain words.

    >>> settings(["anytime=true", "insurance=0.1", "reuse=paper"])
    {'anytime': True, 'insurance': 0.1, 'reuse': 'paper'}
    """
    pairs = [text.partition("=") for text in given]
    for name, equals, value in pairs:
        if not name or not equals:
            raise InputError(f"--set must be key=value: got {name + value!r}")
    return {name.strip(): _value(value.strip()) for name, _, value in pairs}


def _value(text: str) -> Any:
    try:
        found = json.loads(PYTHON.get(text, text))
    except ValueError:
        return text
    return tuple(found) if isinstance(found, list) else found


def known_beforehand(prevalence: str | None, recall: str | None, like: str | None) -> Prior | None:
    """What the user knows; None if nothing is given.

    >>> known_beforehand("0.0005:0.002", None, None).prevalence
    (0.0005, 0.002)
    """
    if prevalence is None and recall is None and like is None:
        return None
    ends = {"prevalence": _ends("--prevalence", prevalence), "recall": _ends("--recall", recall)}
    return Prior(**ends, like=None if like is None else _earlier(like))


def _earlier(like: str) -> Evaluation:
    """The evaluation that --like names."""
    where, name = split_name(like)
    try:
        return open_evaluation(where, name, read_only=True).evaluation
    except InputError as error:  # it names other arguments, because it is written for other commands
        raise InputError(f"--like must be a store with one evaluation, or STORE:NAME: got {like!r}; {error}") from error


def split_name(text: str) -> tuple[str, str | None]:
    """The store and the name of an evaluation in it; a path or an address may contain colons.

    >>> split_name("birds.db:august"), split_name("postgresql://host:5432/birds")
    (('birds.db', 'august'), ('postgresql://host:5432/birds', None))
    """
    folder, slash, last = text.rpartition("/")
    where, colon, name = last.rpartition(":")
    if not colon or ("://" not in text and not is_new(text)):
        return text, None
    return folder + slash + where, name


def _ends(option: str, text: str | None) -> tuple[float, float] | None:
    """Two shares, written as LOW:HIGH."""
    if text is None:
        return None
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low, high = math.nan, math.nan  # not two numbers: refused with those that are out of range
    if not 0 <= low < high <= 1:
        example = {"--prevalence": "0.0005:0.002", "--recall": "0.5:0.95"}[option]
        raise InputError(f"{option} must be two shares from 0 to 1, LOW:HIGH: got {text!r}; write {option} {example}")
    return low, high


def introduce(evaluation: Evaluation, began: dict[str, Any], given: str) -> None:
    """Print what was begun, the labels that were `given`, how many labels it may take, and what to do next."""
    name, metric, sampler, seed, store = (began[key] for key in ("name", "metric", "sampler", "seed", "store"))
    lines = models_in_words(evaluation)
    predicted = f", {began['predicted_positives']:,} predicted positive" if len(began["models"]) == 1 else ""
    pool = (
        f"{counted(began['items'], 'item')}{predicted}" if lines and not evaluation.pool.categories else evaluation.pool
    )
    typer.echo(f"{name}: {metric} of {pool}, sampler {sampler}, seed {seed}, in {store}")
    for line in lines:
        typer.echo(f"{line[0].upper()}{line[1:]}")
    if evaluation.pool.grouped:
        typer.echo("The rows stay where they are: the best items are listed, all others counted (see --in-memory).")
    if slices := evaluation.pool.slices:
        parts = [f"{name} ({counted(len(slices.by(name).names), 'value')})" for name in slices.names]
        typer.echo(f"Slices: {', '.join(parts)}")
    if evaluation.prior:
        typer.echo(f"Known beforehand: {evaluation.prior}")
    if given:
        typer.echo(f"{given}.")
    elif known := began["known"]:
        typer.echo(f"{counted(known, 'label')} known already, from other evaluations of the question.")
    typer.echo(f"Plan: {_plan(evaluation)}")
    several = evaluation.store is not None and len(evaluation.store.headers()) > 1
    which = f"{store} --name {shlex.quote(name)}" if several else store
    typer.echo(f"Next: lowshot label {which}")
    typer.echo(f"  or: lowshot ask {which} -o items.csv, fill in the labels, lowshot tell {which} items.csv")


def began_to_dict(evaluation: Evaluation, store: str) -> dict[str, Any]:
    """As plain data, with the keys of `lowshot status --json`."""
    history = evaluation.snapshot()
    return {
        "name": evaluation.name,
        "question": evaluation.question,
        "store": store,
        "metric": evaluation.metric.name,
        "sampler": evaluation.sampler.name,
        "settings": without_arguments(evaluation.sampler.settings),
        "prior": evaluation.prior and evaluation.prior.to_dict(),
        "seed": evaluation.seed,
        "items": len(evaluation.pool),
        "predicted_positives": evaluation.pool.predicted_positives,
        **models_to_dict(evaluation),
        "known": len(history.known),
        "uniform": len(history.uniform),
    }


def _plan(evaluation: Evaluation) -> str:
    """The plan, or why there is none: some samplers need labels first. For a verdict, where the goal is one."""
    verdict = not evaluation.pool.categories and (
        isinstance(evaluation.goal, (tuple, lowshot.Threshold)) or evaluation.goal == BEST
    )
    try:
        with working("Simulating further labels ..."):
            return str(evaluation.plan(verdict=verdict))
    except InputError as error:
        return str(error)
