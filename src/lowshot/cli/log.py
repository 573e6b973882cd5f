"""`lowshot log`: the estimate of an evaluation, with its report, in a tracker of experiments."""

from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from lowshot.cli import console
from lowshot.cli.console import AllowExternal, AsJson, Confidence, Margin, Moved, Name, StorePath
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.errors import InputError

if TYPE_CHECKING:
    from lowshot.evaluation import Evaluation
    from lowshot.integrations.logged import Options
    from lowshot.integrations.run_record import LoggedRun

EXAMPLES = """[bold]Examples[/bold]
  lowshot log birds.db --to mlflow
  lowshot log birds.db --to mlflow --tracking-uri http://127.0.0.1:5000 --experiment birds
  lowshot log birds.db --to mlflow --metric f1 --metric recall --prefix night/ --no-report
  lowshot log birds.db --to mlflow --model v2 --json
  lowshot log birds.db --to wandb --experiment birds
"""


class Tracker(StrEnum):
    """Where experiments are kept."""

    MLFLOW = "mlflow"
    WANDB = "wandb"


def log(
    store: StorePath,
    to: Annotated[Tracker, typer.Option(help="MLflow, or Weights & Biases.", show_default=False)],
    experiment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Experiment of MLflow, or project of W&B; new if it is not there."),
    ] = None,
    tracking_uri: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Server of MLflow; MLFLOW_TRACKING_URI if not given."),
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Run to log to; if not given, that of this evaluation, or a new one."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another metric: f1, precision, recall, f2, ...; may be repeated."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this model, with names such as f1 instead of v1/f1.")
    ] = None,
    confidence: Confidence = 0.95,
    margin: Margin = 0.0,
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="Before every name, such as val_ or night/.")] = "",
    with_report: Annotated[
        bool, typer.Option("--report/--no-report", help="Log the HTML report, which names items by their ids.")
    ] = True,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Log estimate, interval, settings and report to MLflow or Weights & Biases.

    The step is the number of labels: after more labels, the same command continues the curves of the same run.
    """
    from lowshot.integrations.logged import Options

    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    with TemporaryDirectory() as folder, console.working(_waiting_for(to)):
        report = written(opened, Path(folder), confidence, margin) if with_report else False
        options = Options(metric or None, model, confidence, margin, prefix, report)
        send = to_mlflow if to is Tracker.MLFLOW else to_wandb
        found = send(opened.evaluation, options, tracking_uri, experiment, run_id)
    if as_json:
        console.print_json({"name": opened.header.name, "to": to.value, **found.to_dict()})
    else:
        for line in in_words(found):
            console.say(line)


def _waiting_for(to: Tracker) -> str:
    """What a person who waits sees."""
    if to is Tracker.MLFLOW:
        return "Logging to MLflow ..."
    from lowshot.integrations.wandb import ANSWER_S

    return f"Logging to Weights & Biases, which has {ANSWER_S} seconds to answer ..."


def written(opened: Opened, folder: Path, confidence: float, margin: float) -> Path | bool:
    """The report with what the store knows about its pool; none before the first label."""
    from lowshot import report
    from lowshot.cli.showing import about_in_report

    if not opened.evaluation.labels:
        return False
    about = about_in_report(opened)
    return report.write(opened.evaluation, folder / "report.html", confidence=confidence, margin=margin, about=about)[0]


def to_mlflow(
    evaluation: "Evaluation", options: "Options", address: str | None, experiment: str | None, run_id: str | None
) -> "LoggedRun":
    """To the run that is named, or to that of this evaluation."""
    from lowshot.integrations import mlflow

    if run_id is None:
        return mlflow.log_to_own_run(evaluation, options, address, experiment)
    if experiment is not None:
        raise InputError("--experiment must be left out with --run-id: a run is in one already")
    return mlflow.log_to_run(evaluation, options, address, run_id)


def to_wandb(
    evaluation: "Evaluation", options: "Options", address: str | None, project: str | None, run_id: str | None
) -> "LoggedRun":
    """The same in Weights & Biases."""
    from lowshot.integrations import wandb

    if address is not None:
        raise InputError("--tracking-uri must be left out with --to wandb: set WANDB_BASE_URL for a server of your own")
    return wandb.log_to_own_run(evaluation, options, project, run_id)


def in_words(found: "LoggedRun") -> list[str]:
    """What was logged, and where."""
    notes = found.logged.notes
    text = next((text for name, text in notes.items() if name.endswith("lowshot.text") and text), "")
    return [*text.splitlines(), f"run {found.run_id}", found.where]
