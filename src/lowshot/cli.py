"""The command line: `lowshot demo`, `lowshot bench`, and the loop over a store.

>>> from typer.testing import CliRunner
>>> print(CliRunner().invoke(app, ["--version"]).output)
lowshot ...
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

import lowshot
from lowshot.bench.cli import app as bench
from lowshot.commands.app import app as commands
from lowshot.commands.labelling import NoBrowser, Port
from lowshot.demo import compare, data, picture, run, show
from lowshot.demo.outcome import Outcome
from lowshot.errors import LowshotError, MissingExtra


class Group(TyperGroup):
    """Every command: an error that lowshot raises on purpose is one line and exit code 2; a warning is one line."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_, **__: typer.echo(f"lowshot: {message}", err=True)
                return super().invoke(ctx)
        except LowshotError as error:
            typer.echo(f"lowshot: {self._with_option(ctx, str(error))}", err=True)
            raise typer.Exit(2) from None

    def _with_option(self, ctx: Any, message: str) -> str:
        """Messages begin with the argument: half_width in Python is --half-width here."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        pairs = [(option.name, name) for option in command.params for name in option.opts] if command else []
        long = [(mine, name) for mine, name in pairs if name.startswith("--")]
        options = {word: name for mine, name in long for word in (mine, name[2:].replace("-", "_"))}
        word, blank, rest = message.partition(" ")
        return f"{options.get(word, word)}{blank}{rest}"


app = typer.Typer(cls=Group, no_args_is_help=True, pretty_exceptions_show_locals=False, rich_markup_mode="rich")

app.add_typer(commands)
app.add_typer(bench, name="bench")

CATEGORIES = ", ".join(f"{category} ({place} %)" for category, place in data.CATEGORIES.items())


def version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lowshot {lowshot.__version__}")
        raise typer.Exit


FIRST_STEPS = """[bold]Examples[/bold]
  lowshot demo
  lowshot start birds.db --pool scores.csv --id path --score p --threshold 0.5
  lowshot label birds.db
  lowshot estimate birds.db
"""


@app.callback(epilog=FIRST_STEPS)
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """How good is a classifier for something rare, from as few labels as possible, with an interval."""


EXAMPLES = """[bold]Examples[/bold]
  lowshot demo
  lowshot demo --category 109 --labels 300 --seed 1
  lowshot demo --sampler rand --picture rand.png
  lowshot demo --json > demo.json
  lowshot demo --label
"""


@app.command(epilog=EXAMPLES)
def demo(
    category: Annotated[
        int, typer.Option(help=f"Class of Tiny-ImageNet (how many per cent of the classes are harder): {CATEGORIES}.")
    ] = data.DEFAULT,
    labels: Annotated[int, typer.Option(min=1, help="Labels to buy from the simulated annotator.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same draws.")] = 0,
    sampler: Annotated[str, typer.Option(help=f"One of {', '.join(lowshot.samplers)}.")] = "curve",
    runs: Annotated[int, typer.Option(min=1, help="Runs of each sampler in the comparison.")] = 40,
    picture_path: Annotated[
        Path, typer.Option("--picture", metavar="PATH", help="Where to save the picture: .png, .pdf or .svg.")
    ] = Path("lowshot-demo.png"),
    all_positives: Annotated[
        bool, typer.Option("--all-positives", help="Keep all positives, about one in 200, instead of one in 1,000.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
    label: Annotated[
        bool, typer.Option("--label", help="Be the annotator: the labelling page on pictures of handwritten digits.")
    ] = False,
    folder: Annotated[Path, typer.Option(help="With --label: where pictures and labels are kept.")] = Path(
        "lowshot-digits"
    ),
    no_browser: NoBrowser = False,
    port: Port = 8484,
) -> None:
    """Evaluate a real classifier with 100 labels, see how close it gets, and how much closer than other samplers.

    Real scores are shipped inside the package; the annotator is simulated from the known labels.
    """
    if label:
        label_digits(folder, port, no_browser)
        return
    path = picture.check(picture_path)
    task = data.load(category, all_positives=all_positives)
    console = Console(highlight=False, quiet=as_json)
    rows = run.rows(task, sampler, labels, seed)
    show.introduce(console, task)
    seen = show.watch(console, task, rows, labels)
    names = compare.with_chosen(sampler)
    trials = compare.trials(task, names, labels, runs, seed)
    done = show.compare(console, trials, len(compare.plan(names, runs, seed)))
    outcome = Outcome(task, sampler, seed, seen, compare.summary(task, done))
    show.conclude(console, outcome)
    saved = save(outcome, path)
    show.farewell(console, saved)
    if as_json:
        print_json(outcome, saved)


def label_digits(folder: Path, port: int, no_browser: bool) -> None:
    """The page, for one person who does both; started again, it goes on."""
    from lowshot.web import make_app, serve
    from lowshot.web.digits import digits_demo

    found = digits_demo(folder)
    app = make_app(found.evaluation, found.shown, solo=True, half_width=0.1)
    serve(app, port=port, open_browser=not no_browser)


def save(outcome: Outcome, path: Path) -> Path | str:
    """Where the picture is, or why there is none: the demo does not fail for want of matplotlib."""
    try:
        picture.save(outcome, path)
    except MissingExtra as missing:
        return str(missing)
    return path


def print_json(outcome: Outcome, saved: Path | str) -> None:
    """The outcome on stdout; nothing else goes there."""
    found = outcome.plain() | {"picture": str(saved) if isinstance(saved, Path) else None}
    if not isinstance(saved, Path):
        print(saved, file=sys.stderr)
    typer.echo(json.dumps(found, indent=2, allow_nan=False))
