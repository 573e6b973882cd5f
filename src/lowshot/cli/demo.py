"""`lowshot demo`: real scores from the package; or the labelling page on pictures of digits."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

import lowshot
from lowshot.cli.console import note, say
from lowshot.cli.label import NoBrowser, Port
from lowshot.demo import compare as samplers
from lowshot.demo import data, picture, run, show
from lowshot.demo.outcome import Outcome
from lowshot.errors import MissingExtra

PICTURE = Path("lowshot-demo.png")
CATEGORIES = ", ".join(f"{category} ({place} %)" for category, place in data.CATEGORIES.items())


EXAMPLES = """[bold]Examples[/bold]
  lowshot demo
  lowshot demo --category 109 --labels 300 --seed 1
  lowshot demo --sampler rand --picture rand.png
  lowshot demo --json > demo.json
  lowshot demo --label
"""


def demo(
    category: Annotated[
        int,
        typer.Option(
            help="Class of Tiny-ImageNet, with the share of classes on which the classifier has a lower F1:"
            f" {CATEGORIES}."
        ),
    ] = data.DEFAULT,
    labels: Annotated[int, typer.Option(min=1, help="Labels to buy from the simulated annotator.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same draws.")] = 0,
    sampler: Annotated[str, typer.Option(help=f"One of {', '.join(lowshot.samplers)}.")] = "curve",
    runs: Annotated[int, typer.Option(min=1, help="Runs per sampler in the comparison.")] = 40,
    picture_path: Annotated[
        Path, typer.Option("--picture", metavar="PATH", help="Where to save the picture: .png, .pdf or .svg.")
    ] = PICTURE,
    all_positives: Annotated[
        bool, typer.Option("--all-positives", help="Keep all positives, about one in 200, instead of one in 1,000.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    label: Annotated[
        bool, typer.Option("--label", help="Label pictures of handwritten digits yourself, on the labelling page.")
    ] = False,
    folder: Annotated[Path, typer.Option(help="With --label: folder for pictures and labels.")] = Path(
        "lowshot-digits"
    ),
    no_browser: NoBrowser = False,
    port: Port = 8484,
) -> None:
    """Evaluate a real classifier with 100 labels and compare the error with other samplers.

    Real scores are shipped inside the package; the annotator is simulated from the known labels.
    """
    if label:
        label_digits(folder, port, no_browser)
        return
    path = picture.check(picture_path)
    console = Console(highlight=False, quiet=as_json)
    task = data.load(category, all_positives=all_positives)
    outcome = compare_samplers(console, task, sampler, labels, seed, runs)
    finish(console, outcome, path)


def compare_samplers(console: Console, task: data.Task, sampler: str, labels: int, seed: int, runs: int) -> Outcome:
    """An evaluation as the labels come in, then runs of several samplers."""
    rows = run.rows(task, sampler, labels, seed)
    show.introduce(console, task)
    seen = show.watch(console, task, rows, labels)
    names = samplers.with_chosen(sampler)
    trials = samplers.trials(task, names, labels, runs, seed)
    done = show.compare(console, trials, len(samplers.plan(names, runs, seed)))
    outcome = Outcome(task, sampler, seed, seen, samplers.summary(task, done))
    show.conclude(console, outcome)
    return outcome


def label_digits(folder: Path, port: int, no_browser: bool) -> None:
    """Serve the page for one person who labels and owns the evaluation; a later call continues it."""
    from lowshot.web import make_app, serve
    from lowshot.web.digits import digits_demo

    found = digits_demo(folder)
    page = make_app(found.evaluation, found.shown, solo=True, half_width=0.1)
    serve(page, port=port, open_browser=not no_browser)


def finish(console: Console, outcome: Outcome, path: Path) -> None:
    """Save the picture and say where it is, or print the outcome on stdout if the console is quiet (--json)."""
    saved = saved_or_why(outcome, path)
    show.farewell(console, saved)
    if console.quiet:
        print_json(outcome.plain(), saved)


def saved_or_why(outcome: Outcome, path: Path) -> Path | str:
    """The path of the picture, or why there is none: the demo does not need matplotlib."""
    try:
        picture.save(outcome, path)
    except MissingExtra as missing:
        return str(missing)
    return path


def print_json(plain: dict[str, Any], saved: Path | str) -> None:
    """Print the outcome on stdout, and nothing else there."""
    found = plain | {"picture": str(saved) if isinstance(saved, Path) else None}
    if not isinstance(saved, Path):
        note(saved)
    say(json.dumps(found, indent=2, allow_nan=False))
