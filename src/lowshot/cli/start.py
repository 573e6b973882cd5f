"""`lowshot start`: begin an evaluation in a store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import lowshot
from lowshot.class_answer import ClassAnswers
from lowshot.cli.classes import ClassOptions, class_goal_from
from lowshot.cli.columns import MODEL, FileColumns, goal_from, helpers_from, models_from, slices_from
from lowshot.cli.console import AllowExternal, AsJson, Score, StorePath, Threshold, noting_warnings, working
from lowshot.cli.given import known_beforehand, settings
from lowshot.cli.hints import about_options, hints_about, refuse_no_pictures
from lowshot.cli.kept_paths import folder_of
from lowshot.cli.kept_pool import files_of
from lowshot.cli.known_file import Drawn, known_from
from lowshot.cli.opening import About, Texts, keep_pool, refuse_link
from lowshot.cli.pool_file import refuse_external, stays, whereabouts
from lowshot.cli.rules import refuse_no_file, refuse_no_predictions, refuse_rules, refuse_with_classes
from lowshot.cli.start_words import tell_about
from lowshot.errors import InputError, without_password
from lowshot.evaluation import Evaluation
from lowshot.known import known_in
from lowshot.pools.base import BasePool
from lowshot.stored import is_new, open_store

if TYPE_CHECKING:
    from lowshot.store import Store

EXAMPLES = """[bold]Examples[/bold]
  lowshot start birds.db --pool birds/scores.csv --id path --score score --threshold 0.5
  lowshot start birds.db --pool scores.csv --score p --prediction crow --show image --field path --media-root pictures
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

# The options that most evaluations need come first, without a panel of their own.
PANELS = {
    "Several people": ("--instructions", "--annotators-per-item"),
    "Several models, parts of the pool, goals": ("--model", "--helper", "--slice", "--goal"),
    "Many categories": ("--classes", "--class-names", "--class", "--kind"),
    "What you know already": ("--known", "--known-drawn", "--prevalence", "--recall", "--like"),
    "How items are chosen": ("--sampler", "--set", "--seed", "--scale", "--weight"),
    "Large pools and databases": ("--engine", "--table", "--allow-external"),
}


def start(
    store: StorePath,
    pool: Annotated[
        str,
        typer.Option(
            help="The items, one row per item: a .parquet, .feather, .csv, .csv.gz or .jsonl file, a glob, a folder or"
            " a database."
        ),
    ],
    score: Score = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="CLASSES",
            help="Many categories instead of --score: a column of scores per category, as heron,crow,wren; as a pattern"
            " such as 'p_*', where a category is called what the * stands for; as @FILE with a column per line; or all,"
            " for every column of numbers that has no other meaning. Or rows, for a table with one row per item and"
            " class. Or the path of a matrix, .npy or .npz, with a row per row of --pool.",
        ),
    ] = None,
    class_names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Names of the categories, one per line, in the order of the columns of --classes."
        ),
    ] = None,
    class_column: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="COLUMN", help="With --classes rows: column of the category; 'class' if not given."
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="With --classes: single, if every item has one category or none; multilabel, if any number apply."
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
            help="Column of 0/1 predictions, instead of --threshold. With --classes, column of the predicted category,"
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
            " A promise by posterior (the default) rests on what is believed about scores; one by design on how items"
            " are drawn, whatever the scores are, and takes far more labels."
            " With --classes the average over all categories (the default), each, or some, separated by commas.",
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
        typer.Option(
            metavar="LOW:HIGH", help="You know, with 95 % certainty, that the share of positives is between these."
        ),
    ] = None,
    recall: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="You know, with 95 % certainty, that the recall is between these."),
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
    instructions: Annotated[str, typer.Option(help="Instructions for annotators, in Markdown.")] = "",
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
    allow_external: AllowExternal = False,
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
    options, fields = ClassOptions(classes, class_names, class_column, kind), tuple(field or ())
    if options.wanted(pool):
        refuse_with_classes(columns, {"--prevalence": prevalence, "--recall": recall, "--like": like, "--scale": scale})
        refuse_no_file(pool, engine, table)
    else:
        refuse_rules(columns, threshold)
    found, matrix = options.resolved(pool, columns, fields, threshold) if options.wanted(pool) else (None, None)
    about = About(
        whereabouts(pool),
        columns,
        threshold,
        scale,
        show,
        fields,
        pictures_in(media_root, pool) if show == "image" or media_root else None,
        instructions,
        annotators_per_item,
        found is None and stays(pool, engine, columns),
        table,
        classes=found,
        matrix=matrix,
    )
    about.check()
    refuse_external(pool, allow_external)
    prior = known_beforehand(prevalence, recall, like)
    files = files_of(about)
    items = about.open_pool(allow_external)
    texts = checked(about, items, threshold, media_root is not None)
    where = without_evaluation(store, name)
    labels = known_from(known, known_drawn, id_, items)
    wrong = [*about_options(fields, question, name), *hints_about(texts, {} if labels is None else labels.labels)]
    with noting_warnings(), working("Beginning the evaluation ..."):
        evaluation = Evaluation(
            items,
            metric or (None if found else "f1"),
            sampler or (None if found else "curve"),
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
    keep_pool(evaluation, store, Texts(about, evaluation.pool), files, allow_external)
    tell_about(evaluation, without_password(store), known_in(evaluation.snapshot()) if labels else "", wrong, as_json)


def checked(about: About, items: BasePool, threshold: float | None, media_root: bool) -> Texts:
    """What annotators would see, of a pool that some label can say something about."""
    for one in () if items.categories else items.models:
        refuse_no_predictions(items, one, threshold, f"{MODEL} {one}" if about.columns.models else "")
    texts = Texts(about, items)
    if about.show == "image" and not media_root:
        refuse_no_pictures(texts)
    return texts


def pictures_in(media_root: Path | None, pool: str) -> str:
    """The folder of the pictures: as given, or that of the pool's file."""
    if media_root is not None:
        return str(media_root.absolute())
    if not Path(pool).is_file():
        raise InputError(
            f"--show image must come with --media-root: got none, and {without_password(pool)} is no file that the"
            " pictures could be beside; name the folder that the paths of the pictures are relative to"
        )
    return str(Path(pool).absolute().parent)


def without_evaluation(store: str, name: str) -> "str | Store":
    """The store, if it has no evaluation with this name: `start` never continues one. Where it is, if it is new."""
    refuse_link(store)
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
