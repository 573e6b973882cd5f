"""`lowshot demo`: real scores from the package, of one model, of two, or for many classes; or the labelling page on
pictures of digits."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

import lowshot
from lowshot.cli.console import note, say
from lowshot.cli.label import NoBrowser, Port
from lowshot.demo import compare as samplers
from lowshot.demo import data, picture, run, show, words
from lowshot.demo.classes import data as class_data
from lowshot.demo.classes import picture as class_picture
from lowshot.demo.classes import random_labels
from lowshot.demo.classes import run as class_run
from lowshot.demo.classes import show as class_show
from lowshot.demo.classes import words as class_words
from lowshot.demo.classes.outcome import Outcome as ClassOutcome
from lowshot.demo.outcome import Outcome
from lowshot.demo.pair import picture as pair_picture
from lowshot.demo.pair import run as pair_run
from lowshot.demo.pair import show as pair_show
from lowshot.demo.pair import words as pair_words
from lowshot.demo.pair.outcome import Outcome as PairOutcome
from lowshot.demo.pair.outcome import summaries
from lowshot.errors import InputError, MissingExtra

# Runs of one model with each sampler, of two models on each class, and of many classes. Each set takes seconds.
RUNS, PAIR_RUNS, CLASS_RUNS = 40, 5, 20
LABELS, CLASS_LABELS = 100, 250
PICTURE, PAIR_PICTURE, CLASS_PICTURE = map(Path, ("lowshot-demo.png", "lowshot-compare.png", "lowshot-classes.png"))
CATEGORIES = ", ".join(f"{category} ({place} %)" for category, place in data.CATEGORIES.items())


EXAMPLES = """[bold]Examples[/bold]
  lowshot demo
  lowshot demo --category 109 --labels 300 --seed 1
  lowshot demo --sampler rand --picture rand.png
  lowshot demo --json > demo.json
  lowshot demo --compare
  lowshot demo --classes
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
    labels: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Labels to buy from the simulated annotator.",
            show_default=f"{LABELS}; with --classes {CLASS_LABELS}",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same draws.")] = 0,
    sampler: Annotated[str, typer.Option(help=f"One of {', '.join(lowshot.samplers)}.")] = "curve",
    runs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Runs per sampler in the comparison; with --compare, runs per class; with --classes, runs in all.",
            show_default=f"{RUNS}; with --compare {PAIR_RUNS}; with --classes {CLASS_RUNS}",
        ),
    ] = None,
    picture_path: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="PATH",
            help="Where to save the picture: .png, .pdf or .svg.",
            show_default=f"{PICTURE}; with --compare {PAIR_PICTURE}; with --classes {CLASS_PICTURE}",
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
    classes: Annotated[
        bool,
        typer.Option("--classes", help="Evaluate a real model with 34 classes: their mean F1, and each of them."),
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
    refuse_two({"--label": label, "--compare": compare, "--classes": classes})
    if label:
        label_digits(folder, port, no_browser)
        return
    path = picture.check(picture_path or (PAIR_PICTURE if compare else CLASS_PICTURE if classes else PICTURE))
    console = Console(highlight=False, quiet=as_json)
    labels = labels or (CLASS_LABELS if classes else LABELS)
    if classes:
        refuse_with_classes(category, sampler, all_positives)
        many = evaluate_classes(console, class_data.load(), labels, seed, runs or CLASS_RUNS)
        finish(console, lambda: class_picture.save(many, path), path, many.plain(), class_words.HINT)
    elif compare:
        pair = data.load_pair(category, all_positives=all_positives)
        found = compare_models(console, pair, sampler, labels, seed, runs or PAIR_RUNS, all_positives)
        finish(console, lambda: pair_picture.save(found, path), path, found.plain(), pair_words.HINT)
    else:
        task = data.load(category, all_positives=all_positives)
        outcome = compare_samplers(console, task, sampler, labels, seed, runs or RUNS)
        finish(console, lambda: picture.save(outcome, path), path, outcome.plain(), words.HINT)


def refuse_two(given: dict[str, bool]) -> None:
    """One demo at a time."""
    came = [option for option, wanted in given.items() if wanted]
    if len(came) > 1:
        raise InputError(f"give either {came[0]} or {came[1]}: got both")


def refuse_with_classes(category: int, sampler: str, all_positives: bool) -> None:
    """Options that are about one class."""
    given = {
        "--category": category != data.DEFAULT,
        "--sampler": sampler != "curve",
        "--all-positives": all_positives,
    }
    came = [option for option, wanted in given.items() if wanted]
    if came:
        raise InputError(f"{came[0]} must be left out with --classes, which evaluates all classes at once")


def evaluate_classes(console: Console, task: class_data.ClassTask, labels: int, seed: int, runs: int) -> ClassOutcome:
    """Many classes: an evaluation as the labels come in, then further runs, and labels that are drawn at random."""
    rows = class_run.rows(task, labels, seed)
    class_show.introduce(console, task)
    seen = class_show.watch(console, task, rows, labels)
    done = class_show.run_all(console, class_run.trials(task, labels, runs, seed), runs)
    outcome = ClassOutcome(task, seed, seen, done, random_labels.path(task))
    class_show.conclude(console, outcome)
    return outcome


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
        note(saved)
    say(json.dumps(found, indent=2, allow_nan=False))
