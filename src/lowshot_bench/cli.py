"""`lowshot bench`: the paper's figures, re-run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from lowshot.errors import InputError, MissingExtra
from lowshot_bench.experiment import Experiment, FamilyChoice, find, from_digest, names

app = typer.Typer(no_args_is_help=True, help="The paper's figures, re-run on real and simulated models, or on yours.")
Data = Annotated[Path | None, typer.Option(help="Folder with the real score files (simclr_250.npy, ..., labels.npz).")]


def _extra() -> None:
    try:
        import matplotlib  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"lowshot bench needs {error.name}: pip install 'lowshot[bench]'") from None


@app.command("list")
def list_experiments() -> None:
    """The experiments, and what each needs."""
    table = Table("experiment", "of the paper", "what", "needs")
    for name in names():
        experiment = find(name)
        table.add_row(name, experiment.paper, experiment.title, "--data" if experiment.needs_data else "")
    Console().print(table)


@app.command(
    epilog="[bold]Example[/bold]\n  lowshot bench run figure4 figure6 --out results --data scores --fraction 0.02"
)
def run(
    experiments: Annotated[
        list[str], typer.Argument(help="Names from `lowshot bench list`, TOML files; `all`: the paper.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the rows; a run that was stopped goes on there.")],
    data: Data = None,
    fraction: Annotated[float, typer.Option(min=0.0001, max=1, help="Share of classes and repetitions.")] = 1.0,
    full: Annotated[bool, typer.Option("--full", help="Every class, also where the experiment takes some.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core if not given.")] = None,
    logits: Annotated[Path | None, typer.Option(help="Your own model: .npy, [items, classes]; with --labels.")] = None,
    scores: Annotated[Path | None, typer.Option(help="Your own binary model: .npy; with the next two.")] = None,
    predictions: Annotated[Path | None, typer.Option(help="Its 0/1 predictions: .npy.")] = None,
    labels: Annotated[Path | None, typer.Option(help="The class of each item, or 0/1: .npy.")] = None,
    scale: Annotated[str | None, typer.Option(help="What --scores are: probability, log or logit.")] = None,
) -> None:
    """Run experiments; rows go to OUT/NAME.parquet. With files of your own, their tasks take the place of ours."""
    _extra()
    from lowshot_bench.run import Amount, left_out
    from lowshot_bench.run import run as run_experiment

    own = own_family(logits, scores, predictions, labels, scale)
    chosen = [find(name) for name in (_all() if experiments == ["all"] else experiments)]
    chosen = [replace(experiment, families=(own,)) if own else experiment for experiment in chosen]
    _check_data(chosen, data)
    with _progress() as progress:
        for experiment in chosen:
            bar = progress.add_task(experiment.name, total=None)
            path = run_experiment(
                experiment,
                out,
                data,
                Amount(full, fraction),
                workers,
                started=lambda total, bar=bar: progress.update(bar, total=total),  # type: ignore[misc]
                advance=lambda tasks, bar=bar: progress.advance(bar, tasks),  # type: ignore[misc]
            )
            progress.console.print(f"{experiment.name}: {path}")
            for note in left_out(experiment, data):
                progress.console.print(f"  {note}")


def own_family(
    logits: Path | None, scores: Path | None, predictions: Path | None, labels: Path | None, scale: str | None = None
) -> FamilyChoice | None:
    """The family of the user's own files.

    >>> own_family(Path("logits.npy"), None, None, Path("y.npy")).family
    'logits'
    """
    paths = {"scores": scores, "predictions": predictions, "labels": labels}
    given = {name: str(path) for name, path in paths.items() if path is not None}
    if logits is None and not given:
        return None
    if logits is not None and list(given) == ["labels"]:
        return FamilyChoice("logits", {"logits_path": str(logits), "labels_path": str(labels)})
    if logits is None and len(given) == 3:
        return FamilyChoice("binary", {**{f"{name}_path": path for name, path in given.items()}, "scale": scale})
    came = ", ".join(f"--{name}" for name in (["logits"] if logits else []) + list(given))
    raise InputError(f"give --logits and --labels, or --scores, --predictions and --labels: got {came}")


Folder = Annotated[Path, typer.Argument(help="The folder that `lowshot bench run --out` wrote to.")]


@app.command()
def figures(
    folder: Folder,
    to: Annotated[Path | None, typer.Option(help="Where to save the figures; the same folder if not given.")] = None,
) -> None:
    """Draw the figures of every experiment in a folder, from its rows only."""
    _extra()
    from lowshot_bench import figures as drawing
    from lowshot_bench.rows import read
    from lowshot_bench.summary import summarise

    target = to or folder
    target.mkdir(parents=True, exist_ok=True)
    for experiment, path in finished(folder):
        for saved in drawing.save(experiment, summarise(read([path])), target):
            typer.echo(str(saved))


@app.command()
def report(
    folder: Folder,
    claims: Annotated[bool, typer.Option("--claims", help="Only the paper's claims, with every comparison.")] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Only coverage, width and bias of every sampler.")
    ] = False,
    compare: Annotated[str | None, typer.Option(help="Only this method against ACIS and the best other one.")] = None,
    held: Annotated[str | None, typer.Option(help="Only this method: how often do its intervals hold?")] = None,
    stopping: Annotated[
        str | None, typer.Option(help="Only this method: do intervals hold when they say stop?")
    ] = None,
    floor: Annotated[str | None, typer.Option(help="Only this method: how far is it above the floor?")] = None,
) -> None:
    """Print the paper's claims and tables of every experiment in a folder as Markdown, from its rows only."""
    _extra()
    from lowshot_bench.claims import every_comparison, table
    from lowshot_bench.report import coverage_table, section
    from lowshot_bench.rows import read
    from lowshot_bench.summary import summarise
    from lowshot_bench.views import view

    for name, method in {"compare": compare, "held": held, "stopping": stopping, "floor": floor}.items():
        if method:
            typer.echo(view(name, finished(folder), method))
            return
    results = [(experiment, summarise(read([path]))) for experiment, path in finished(folder)]
    by_name = {experiment.name: cells for experiment, cells in results}
    if coverage:
        typer.echo(coverage_table(cells for experiment, cells in results if experiment.drawing == "error"))
        return
    typer.echo(f"## The paper's claims\n\n{table(by_name)}\n")
    if claims:
        typer.echo(every_comparison(by_name))
        return
    for experiment, cells in results:
        typer.echo(section(experiment, cells, f"lowshot bench run {experiment.name} --out {folder}"))


@app.command()
def pack(folder: Folder, to: Annotated[Path, typer.Option(help="Where to save the small files.")]) -> None:
    """Round the rows of every experiment, to commit them; `figures` and `report` read such a folder too."""
    _extra()
    from lowshot_bench import rows

    for experiment, path in finished(folder):
        rows.pack(to / path.name, rows.read([path]))
        typer.echo(f"{to / path.name}: {(to / path.name).stat().st_size:,} bytes, {experiment.title}")


def finished(folder: Path) -> list[tuple[Experiment, Path]]:
    """The experiments whose rows are in a folder."""
    found = [(_definition(folder, path.stem), path) for path in sorted(folder.glob("*.parquet"))]
    if not found:
        raise InputError(
            f"folder must hold rows of lowshot bench: {folder} has none; use lowshot bench run --out {folder}"
        )
    return found


def _definition(folder: Path, name: str) -> Experiment:
    """What was run under this name: as its folder says, else the shipped one."""
    header = folder / name / "experiment.json"
    return from_digest(json.loads(header.read_text())["experiment"]) if header.exists() else find(name)


def _all() -> list[str]:
    return [name for name in names() if not find(name).apart]


def _check_data(experiments: list[Experiment], data: Path | None) -> None:
    needing = [experiment.name for experiment in experiments if experiment.needs_data]
    if needing and data is None:
        raise InputError(f"--data must be given for {', '.join(needing)}: the folder with the real score files")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    )
