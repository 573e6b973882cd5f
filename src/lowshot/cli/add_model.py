"""`lowshot add-model`: old labels, new model."""

from dataclasses import replace
from typing import Annotated

import typer

from lowshot.cli.added_model import AddedModel
from lowshot.cli.columns import FileColumns, goal_from, name_from
from lowshot.cli.confirmed import Confirmed
from lowshot.cli.console import AsJson, Name, Prediction, SameIds, StorePath, Threshold
from lowshot.cli.kept_paths import folder_of
from lowshot.cli.opening import Opened, header_in, open_evaluation
from lowshot.cli.pool_file import whereabouts
from lowshot.cli.rules import refuse_no_predictions, refuse_two_predictions
from lowshot.cli.start_words import tell_about
from lowshot.errors import InputError, without_password
from lowshot.evaluation import Evaluation
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot add-model birds.db v2 --pool new.parquet --id path --score score_v2 --threshold 0.4
  lowshot add-model birds.db v2 --pool new.csv --score p --prediction is_crow --goal model,v2 --as second
  lowshot add-model birds.db strict --score p --threshold 0.9
"""


def add_model(
    store: StorePath,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Name of the new model.")],
    pool: Annotated[
        str | None,
        typer.Option(
            help="File with the new model's column, in any format of pools, with every item of the pool in any"
            " order; the evaluation's own file if not given."
        ),
    ] = None,
    id_: SameIds = None,
    score: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of scores; a model may have predictions only."),
    ] = None,
    threshold: Threshold = None,
    prediction: Prediction = None,
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            help="What labels are spent on from now on: each, best, the name of a model, BASELINE,CANDIDATE for their"
            " difference, or a threshold such as recall=0.9,model=MODEL. If not given, the new model against the one"
            " that the goal was about.",
        ),
    ] = None,
    as_name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Name of the new evaluation; 'NAME with MODEL' if not given."),
    ] = None,
    name: Name = None,
    moved: Annotated[
        list[str] | None,
        typer.Option("--old-pool", metavar="PATH", help="Path of the evaluation's own file, if it was moved."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Begin an evaluation with one more model; it takes over the labels of an earlier one.

    The earlier evaluation stays in the store as it is.
    """
    refuse_two_predictions(threshold, prediction)
    if threshold is not None and score is None:
        raise InputError("--threshold must come with --score: got none; name the column of scores")
    opened = open_evaluation(store, name, moved)
    if opened.about.engine:
        raise InputError(
            "a model cannot be added to a pool whose rows stay where they are: begin another evaluation of the same"
            " question with `lowshot start`, which shares the labels; with --in-memory, models can be added to it"
        )
    columns = FileColumns(score, id_ or opened.about.columns.id, prediction)
    where = opened.about.pool if pool is None else whereabouts(pool)
    added = AddedModel(name_from("MODEL", model), where, columns, threshold)
    new = _with(opened, added, goal, as_name or f"{opened.header.name} with {added.name}")
    given = f"{counted(new.labels, 'label')} taken over from {opened.header.name}"
    tell_about(new, without_password(store), given, [], as_json)


def _with(opened: Opened, added: AddedModel, goal: str | None, name: str) -> Evaluation:
    """The new evaluation, in the store of the old one."""
    old, store = opened.evaluation, opened.evaluation.store
    assert store is not None, "open_evaluation opens it from a store"
    about = replace(opened.about, added=(*opened.about.added, added))
    _refuse_shown(opened, added)
    given = added.in_order_of(old.pool)
    refuse_no_predictions(old.pool.with_model(added.name, **given), added.name, added.threshold)
    if store.find(name) is not None:
        raise _taken(name)
    new = old.with_model(
        added.name, **given, goal=goal_from(goal), as_name=name, about=about.plain(folder_of(store.where))
    )
    if not new.began:  # another process began it since the check above
        raise _taken(name)
    pictures = [place for place in about.further_places if opened.confirmed.has(place)]
    Confirmed(store.where, header_in(store, name)).confirm([*about.places, *pictures])
    return new


def _refuse_shown(opened: Opened, added: AddedModel) -> None:
    """Annotators must not see scores and predictions."""
    for column in added.columns.all if added.pool == opened.about.pool else ():
        if column.kind != "id" and column.column in opened.about.fields:
            raise InputError(
                f"{column.option} must not be a column that annotators see, because it influences them: they see"
                f" {column.column!r}; begin another evaluation without this --field"
            )


def _taken(name: str) -> InputError:
    return InputError(
        f"--as must be a new name: the store has an evaluation {name!r} already; choose another, or go on with that one"
    )
