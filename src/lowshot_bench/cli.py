"""The commands of `lowshot bench`."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from lowshot.cli.console import say
from lowshot.errors import InputError, required_by
from lowshot_bench.data_folders import DATA_FOLDERS, Folders, there
from lowshot_bench.experiment import (
    Experiment,
    FamilyChoice,
    Finished,
    find,
    from_digest,
    names,
)
from lowshot_bench.peers.packages import missing

app = typer.Typer(no_args_is_help=True, help="The paper's figures, re-run on real and simulated models, or on yours.")
Data = Annotated[
    list[Path] | None,
    typer.Option(
        help="Folder with the real score files (simclr_250.npy, ..., labels.npz); of zoo, with index.json."
        " May be repeated: experiments about several models and choose read both."
    ),
]
EXAMPLES = """[bold]Examples[/bold]
  lowshot bench run figure4 figure6 --out results --data scores --fraction 0.02
  lowshot bench run zoo zoo_recall zoo_precision --out results --data pools --half both
  lowshot bench run pairs helpers transfer best --out results --data scores --data pools --half choosing
  lowshot bench run disagree --out results --fraction 0.1
  lowshot bench run classes --out results --data scores"""
ACCEPTED = {  # which options choose among the tasks of a family
    "pools": ("half", "kinds", "points"),
    "pool_models": ("half", "kinds", "points"),
    "image_models": ("half",),
    "pool_rankings": ("half", "kinds", "points"),
    "image_rankings": ("half",),
    "image_classes": ("half",),
    "pool_slices": ("half", "kinds", "points"),
}


def _require_extra() -> None:
    """Refuse to run without the packages of the extra `bench`. The modules that need them are imported after this."""
    with required_by("lowshot bench", extra="bench"):
        import matplotlib  # noqa: F401
        import pyarrow  # noqa: F401


@app.command("list")
def list_experiments() -> None:
    """List the experiments, and which of them need --data."""
    table = Table("experiment", "of the paper", "what", "needs")
    for name in names():
        experiment = find(name)
        table.add_row(name, experiment.paper, experiment.title, "--data" if experiment.needs_data else "")
    Console().print(table)


@app.command(epilog=EXAMPLES)
def run(
    experiments: Annotated[
        list[str], typer.Argument(help="Names from `lowshot bench list`, TOML files, or `all` for those of the paper.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the rows. A run that was interrupted continues there.")],
    data: Data = None,
    fraction: Annotated[
        float, typer.Option(min=0.0001, max=1, help="Share of the classes and repetitions to run.")
    ] = 1.0,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Run all classes, also if the experiment limits their number. Of zoo and of several models: 200 runs"
            " or more per data set.",
        ),
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")] = None,
    logits: Annotated[
        Path | None, typer.Option(help="Logits of your model: .npy, \\[items, classes]. Needs --labels.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="Scores of your binary model: .npy. Needs --predictions and --labels.")
    ] = None,
    predictions: Annotated[Path | None, typer.Option(help="0/1 predictions of your binary model: .npy.")] = None,
    labels: Annotated[
        Path | None, typer.Option(help="The class of each item with --logits, 0/1 with --scores: .npy.")
    ] = None,
    scale: Annotated[str | None, typer.Option(help="Scale of --scores: probability, log or logit.")] = None,
    half: Annotated[
        str | None,
        typer.Option(help="Of zoo and several models, the data for choosing, reporting (the default) or both."),
    ] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Of zoo, only pools of this kind. May be repeated.")] = None,
    point: Annotated[
        list[str] | None, typer.Option(help="Of zoo, only this operating point, or near, nearer, perfect. May repeat.")
    ] = None,
) -> None:
    """Run experiments and write rows to OUT/NAME.parquet. Your own files replace the tasks of the experiment."""
    _require_extra()
    from lowshot_bench.run import Amount, left_out, not_run, units
    from lowshot_bench.run import run as run_experiment

    own = own_family(logits, scores, predictions, labels, scale)
    chosen = [find(name) for name in (_of_the_paper() if experiments == ["all"] else experiments)]
    if own and (several := [experiment.name for experiment in chosen if experiment.of_several]):
        raise InputError(f"--logits and --scores are of one model: {', '.join(several)} needs several; leave them out")
    if own and (others := [experiment.name for experiment in chosen if experiment.by_group]):
        raise InputError(f"--logits and --scores are not for {', '.join(others)}, which needs --data; leave them out")
    chosen = [replace(experiment, families=(own,)) if own else experiment for experiment in chosen]
    chosen = [some_pools(experiment, half, kind, point) for experiment in chosen]
    folders = tuple(data or ())
    _check_data(chosen, folders)
    for experiment in chosen:
        for note in no_data(experiment, folders):
            say(note)
    chosen = [with_data(experiment, folders) for experiment in chosen]
    for note in (note for experiment in chosen for note in no_packages(experiment)):
        say(note)
    chosen = [with_packages(experiment) for experiment in chosen]
    amount = Amount(full, fraction)
    for experiment in (each for each in chosen if each.of_pools or each.by_group):
        units(experiment, folders, amount)  # reads the whole folder, so that a bad file is refused before a long run
    for note in dict.fromkeys(note for experiment in chosen for note in not_run(experiment, folders)):
        say(note)
    with _progress() as progress:
        for experiment in chosen:
            bar = progress.add_task(experiment.name, total=None)
            path = run_experiment(
                experiment,
                out,
                folders,
                amount,
                workers,
                started=lambda total, bar=bar: progress.update(bar, total=total),  # type: ignore[misc]
                advance=lambda tasks, bar=bar: progress.advance(bar, tasks),  # type: ignore[misc]
            )
            progress.console.print(f"{experiment.name}: {path}")
            for note in left_out(experiment, folders):
                progress.console.print(f"  {note}")


def own_family(
    logits: Path | None, scores: Path | None, predictions: Path | None, labels: Path | None, scale: str | None = None
) -> FamilyChoice | None:
    """The family for the user's own files; None if no file is given.

    >>> own_family(Path("logits.npy"), None, None, Path("y.npy")).family
    'logits'
    """
    paths = {"scores": scores, "predictions": predictions, "labels": labels}
    given = {name: str(path) for name, path in paths.items() if path is not None}
    if scale is not None and scores is None:
        raise InputError(f"--scale must be given with --scores: got {scale!r} without it; logits have a scale already")
    if logits is None and not given:
        return None
    if logits is not None and list(given) == ["labels"]:
        return FamilyChoice("logits", {"logits_path": str(logits), "labels_path": str(labels)})
    if logits is None and len(given) == 3:
        return FamilyChoice("binary", {**{f"{name}_path": path for name, path in given.items()}, "scale": scale})
    came = ", ".join(f"--{name}" for name in (["logits"] if logits else []) + list(given))
    raise InputError(f"give --logits and --labels, or --scores, --predictions and --labels: got {came}")


def some_pools(
    experiment: Experiment, half: str | None, kinds: list[str] | None, points: list[str] | None
) -> Experiment:
    """The experiment on some pools of its folder only.

    >>> some_pools(find("zoo"), "choosing", None, ["screen"]).families[0].arguments
    {'half': 'choosing', 'points': ['screen']}
    """
    given = {name: value for name, value in (("half", half), ("kinds", kinds), ("points", points)) if value}
    if given and not any(choice.family in ACCEPTED for choice in experiment.families):
        options = " and ".join(f"--{name.removesuffix('s')}" for name in given)
        raise InputError(
            f"{options} must be given for experiments on a folder of pools: {experiment.name} is not one;"
            " run zoo, zoo_recall or zoo_precision, or pairs, helpers, transfer, best, choose, classes, slices or peers"
        )
    families = []
    for choice in experiment.families:
        mine = {name: value for name, value in given.items() if name in ACCEPTED.get(choice.family, ())}
        families.append(replace(choice, arguments={**choice.arguments, **mine}))
    return replace(experiment, families=tuple(families))


def with_data(experiment: Experiment, data: Folders) -> Experiment:
    """An experiment on both folders without the families whose folder was not given; others as they are."""
    if not experiment.by_group:
        return experiment
    families = tuple(choice for choice in experiment.families if there(choice.family, data))
    if not families:
        _check_data([experiment], None)
    return replace(experiment, families=families)


def no_data(experiment: Experiment, data: Folders) -> list[str]:
    """One line per folder that is missing, for an experiment on both folders."""
    missing = [] if not experiment.by_group else [c for c in experiment.families if not there(c.family, data)]
    words = dict.fromkeys(DATA_FOLDERS[choice.family].words for choice in missing)
    return [f"{experiment.name}: not run on what needs {each}; give it with --data, too" for each in words]


def with_packages(experiment: Experiment) -> Experiment:
    """A comparison with packages of others, without those that are not installed; other experiments as they are."""
    if not experiment.of_peers:
        return experiment
    return replace(experiment, methods=tuple(each for each in experiment.methods if not missing(each.sampler)))


def no_packages(experiment: Experiment) -> list[str]:
    """One line per package of others that is not installed."""
    found = [(each.name, missing(each.sampler)) for each in experiment.methods] if experiment.of_peers else []
    return [
        f"{experiment.name}: {name} is left out, because {package.name} is not installed: pip install {package.pip}"
        for name, package in found
        if package
    ]


Folder = Annotated[Path, typer.Argument(help="The folder given to `lowshot bench run --out`.")]


@app.command()
def figures(
    folder: Folder,
    to: Annotated[Path | None, typer.Option(help="Folder for the figures. Default: the same folder.")] = None,
) -> None:
    """Draw the figures of all experiments in a folder from their rows; some have only tables."""
    _require_extra()
    from lowshot_bench import figures as drawing
    from lowshot_bench.rows import read
    from lowshot_bench.summary import summarise

    target = to or folder
    target.mkdir(parents=True, exist_ok=True)
    for experiment, path in [found for found in finished(folder) if not found[0].by_group]:
        for saved in drawing.save(experiment, summarise(read([path])), target):
            say(str(saved))


@app.command(epilog="[bold]Example[/bold]\n  lowshot bench report results --zoo curve > zoo.md")
def report(
    folder: Folder,
    claims: Annotated[bool, typer.Option("--claims", help="Only the paper's claims, with all comparisons.")] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Only coverage and width of the intervals, and bias, of all samplers.")
    ] = False,
    compare: Annotated[
        str | None, typer.Option(help="Only this method: error relative to ACIS and to the best other method.")
    ] = None,
    held: Annotated[
        str | None, typer.Option(help="Only this method: how often its intervals contain the truth.")
    ] = None,
    stopping: Annotated[
        str | None, typer.Option(help="Only this method: the same if people stop at the first narrow interval.")
    ] = None,
    floor: Annotated[
        str | None, typer.Option(help="Only this method: its error beside the lowest that any method could have.")
    ] = None,
    trust: Annotated[
        str | None, typer.Option(help="Only this method on folders of pools: one short table by metric and kind.")
    ] = None,
    zoo: Annotated[
        str | None, typer.Option(help="Only this method: error, coverage, width and warnings on a folder of pools.")
    ] = None,
    models: Annotated[
        bool, typer.Option("--models", help="Only experiments about several models, beside what they must reach.")
    ] = False,
    thresholds: Annotated[
        bool, typer.Option("--thresholds", help="Only thresholds with a guarantee, beside what they must reach.")
    ] = False,
    classes: Annotated[
        bool, typer.Option("--classes", help="Only all classes of a model at once, beside what must be reached.")
    ] = False,
    slices: Annotated[
        bool, typer.Option("--slices", help="Only slices of pools, beside what they must reach.")
    ] = False,
    peers: Annotated[bool, typer.Option("--peers", help="Only the comparison with other packages.")] = False,
) -> None:
    """Print the paper's claims and the tables of all experiments in a folder as Markdown, from their rows."""
    _require_extra()
    from lowshot_bench import folder_report
    from lowshot_bench.method_report import method_tables

    found = finished(folder)
    options = {"compare": compare, "held": held, "stopping": stopping, "floor": floor, "trust": trust, "zoo": zoo}
    groups = {"models": models, "thresholds": thresholds, "classes": classes, "slices": slices, "peers": peers}
    only = [option for option, wanted in groups.items() if wanted]
    if method := next(((option, name) for option, name in options.items() if name), None):
        say(method_tables(method[0], found, method[1]))
    elif only:
        _print(folder_report.grouped(found, folder, only))
    elif coverage:
        say(folder_report.coverage(found))
    else:
        _print(folder_report.claims(found) if claims else folder_report.everything(found, folder))


def _print(parts: Iterable[str]) -> None:
    for part in parts:
        say(part)


@app.command()
def pack(folder: Folder, to: Annotated[Path, typer.Option(help="Folder for the small files.")]) -> None:
    """Write rounded rows of all experiments, small enough to commit. `figures` and `report` read them too."""
    _require_extra()
    from lowshot_bench import rows

    for experiment, path in finished(folder):
        rows.pack(to / path.name, rows.read([path]))
        say(f"{to / path.name}: {(to / path.name).stat().st_size:,} bytes, {experiment.title}")


def finished(folder: Path) -> Finished:
    """The experiments whose rows are in a folder, each with the file of its rows."""
    found = [(_definition(folder, path.stem), path) for path in sorted(folder.glob("*.parquet"))]
    if not found:
        raise InputError(
            f"folder must hold rows of lowshot bench: {folder} has none; use lowshot bench run --out {folder}"
        )
    return found


def _definition(folder: Path, name: str) -> Experiment:
    """The definition that was run: the one recorded in the folder, else the one of this package."""
    header = folder / name / "experiment.json"
    return from_digest(json.loads(header.read_text())["experiment"]) if header.exists() else find(name)


def _of_the_paper() -> list[str]:
    return [name for name in names() if not find(name).apart]


def _check_data(experiments: list[Experiment], data: Folders) -> None:
    needing = {experiment.name: experiment.data_folders for experiment in experiments if experiment.needs_data}
    if needing and not data:
        folders = " and ".join(dict.fromkeys(words for each in needing.values() for words in each))
        raise InputError(f"--data must be given for {', '.join(needing)}: {folders}")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    )
