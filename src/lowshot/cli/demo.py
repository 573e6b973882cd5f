"""`lowshot demo`: real scores from the package, of one model or of two; or the labelling page on pictures of digits."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

import lowshot
from lowshot.cli.label import NoBrowser, Port
from lowshot.demo import compare as samplers
from lowshot.demo import data, picture, run, show, words
from lowshot.demo.outcome import Outcome
from lowshot.demo.pair import picture as pair_picture
from lowshot.demo.pair import run as pair_run
from lowshot.demo.pair import show as pair_show
from lowshot.demo.pair import words as pair_words
from lowshot.demo.pair.outcome import Outcome as PairOutcome
from lowshot.demo.pair.outcome import summaries
from lowshot.errors import InputError, MissingExtra

RUNS, PAIR_RUNS = 40, 5  # of one model with each sampler; of two models on each class. Each set takes seconds
PICTURE, PAIR_PICTURE = Path("lowshot-demo.png"), Path("lowshot-compare.png")
CATEGORIES = ", ".join(f"{category} ({place} %)" for category, place in data.CATEGORIES.items())


EXAMPLES = """[bold]Examples[/bold]
  lowshot demo
  lowshot demo --category 109 --labels 300 --seed 1
  lowshot demo --sampler rand --picture rand.png
  lowshot demo --json > demo.json
  lowshot demo --compare
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
    runs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Runs per sampler in the comparison; with --compare, runs per class.",
            show_default=f"{RUNS}; with --compare {PAIR_RUNS}",
        ),
    ] = None,
    picture_path: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="PATH",
            help="Where to save the picture: .png, .pdf or .svg.",
            show_default=f"{PICTURE}; with --compare {PAIR_PICTURE}",
        ),
    ] = None,
    all_positives: Annotated[
        bool, typer.Option("--all-positives", help="Keep all positives, about one in 200, instead of one in 1,000.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare two real models from one set of labels: is the second one better?"),
    ] = False,
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
    if label and compare:
        raise InputError("give either --label or --compare: got both")
    if label:
        label_digits(folder, port, no_browser)
        return
    path = picture.check(picture_path or (PAIR_PICTURE if compare else PICTURE))
    console = Console(highlight=False, quiet=as_json)
    if compare:
        pair = data.load_pair(category, all_positives=all_positives)
        found = compare_models(console, pair, sampler, labels, seed, runs or PAIR_RUNS, all_positives)
        finish(console, lambda: pair_picture.save(found, path), path, found.plain(), pair_words.HINT)
    else:
        task = data.load(category, all_positives=all_positives)
        outcome = compare_samplers(console, task, sampler, labels, seed, runs or RUNS)
        finish(console, lambda: picture.save(outcome, path), path, outcome.plain(), words.HINT)


def compare_samplers(console: Console, task: data.Task, sampler: str, labels: int, seed: int, runs: int) -> Outcome:
    """One model: an evaluation as the labels come in, then runs of several samplers."""
    rows = run.rows(task, sampler, labels, seed)
    show.introduce(console, task)
    seen = show.watch(console, task, rows, labels)
    names = samplers.with_chosen(sampler)
    trials = samplers.trials(task, names, labels, runs, seed)
    done = show.compare(console, trials, len(samplers.plan(names, runs, seed)))
    outcome = Outcome(task, sampler, seed, seen, samplers.summary(task, done))
    show.conclude(console, outcome)
    return outcome


def compare_models(
    console: Console, pair: data.Pair, sampler: str, labels: int, seed: int, runs: int, all_positives: bool
) -> PairOutcome:
    """Two models: a comparison as the labels come in, then runs on all classes."""
    rows = pair_run.rows(pair, labels, seed, sampler)
    pair_show.introduce(console, pair)
    seen = pair_show.watch(console, pair, rows, labels)
    done = pair_show.run_all(console, pair_run.trials(labels, runs, seed, all_positives=all_positives), runs)
    outcome = PairOutcome(pair, seed, labels, seen, summaries(done))
    pair_show.conclude(console, outcome)
    return outcome


def label_digits(folder: Path, port: int, no_browser: bool) -> None:
    """Serve the page for one person who labels and owns the evaluation; a later call continues it."""
    from lowshot.web import make_app, serve
    from lowshot.web.digits import digits_demo

    found = digits_demo(folder)
    page = make_app(found.evaluation, found.shown, solo=True, half_width=0.1)
    serve(page, port=port, open_browser=not no_browser)


def finish(console: Console, save: Callable[[], None], path: Path, plain: dict[str, Any], hint: str) -> None:
    """Save the picture and say where it is, or print the outcome on stdout if the console is quiet (--json)."""
    saved = saved_or_why(save, path)
    show.farewell(console, saved, hint)
    if console.quiet:
        print_json(plain, saved)


def saved_or_why(save: Callable[[], None], path: Path) -> Path | str:
    """The path of the picture, or why there is none: the demo does not need matplotlib."""
    try:
        save()
    except MissingExtra as missing:
        return str(missing)
    return path


def print_json(plain: dict[str, Any], saved: Path | str) -> None:
    """Print the outcome on stdout, and nothing else there."""
    found = plain | {"picture": str(saved) if isinstance(saved, Path) else None}
    if not isinstance(saved, Path):
        print(saved, file=sys.stderr)
    typer.echo(json.dumps(found, indent=2, allow_nan=False))
