"""The command line as a whole. A command's module is loaded when the command runs, so that `lowshot --help` is quick.

>>> from typer.testing import CliRunner
>>> print(CliRunner().invoke(app, ["--version"]).output)
lowshot ...
"""

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

import lowshot
from lowshot.errors import InputError, LowshotError


class Entry(NamedTuple):
    """The module of a command: it has a function of that name, with _ for -, and EXAMPLES; or an `app` with several
    commands."""

    module: str
    summary: str  # the first line of its docstring, shown by `lowshot --help`


COMMANDS = {
    "start": Entry("lowshot.cli.start", "Begin an evaluation of a pool and keep it in a store."),
    "ask": Entry(
        "lowshot.cli.ask",
        "Hand out items to label, without score or prediction. Exit code 1 if there is nothing to hand out.",
    ),
    "tell": Entry("lowshot.cli.tell", "Read labels from a file: all of them or, if one is invalid, none."),
    "label": Entry(
        "lowshot.cli.label",
        "Label items in the browser, or in this terminal with --terminal. Each answer is stored at once.",
    ),
    "label-studio": Entry(
        "lowshot.cli.label_studio",
        "Send items to Label Studio and receive the answers, round after round, until a goal or Ctrl-C.",
    ),
    "status": Entry(
        "lowshot.cli.status", "List the evaluations of a store: labels, pending items and who has them, estimate."
    ),
    "estimate": Entry(
        "lowshot.cli.estimate",
        "The estimate from the labels so far, also for another metric, model, threshold or part of the pool.",
    ),
    "plan": Entry(
        "lowshot.cli.estimate",
        "The total number of labels until the interval is this narrow, or until there is a verdict.",
    ),
    "compare": Entry(
        "lowshot.cli.compare", "How much better one model is than another: the difference, its interval and a verdict."
    ),
    "table": Entry(
        "lowshot.cli.table",
        "The estimates of all models, each with the probability of being the best; or of all categories, or slices.",
    ),
    "choose": Entry(
        "lowshot.cli.choose", "The threshold for a recall or a precision, and whether the labels so far certify it."
    ),
    "thresholds": Entry(
        "lowshot.cli.thresholds", "Precision, recall and F1 at every threshold, each with its band; also as a picture."
    ),
    "add-model": Entry(
        "lowshot.cli.add_model", "Begin an evaluation with one more model; it takes over the labels of an earlier one."
    ),
    "report": Entry(
        "lowshot.cli.report",
        "Write an HTML file: estimate, mistakes and doubtful labels with their content, how to check it by hand.",
    ),
    "log": Entry("lowshot.cli.log", "Log estimate, interval, settings and report to MLflow or Weights & Biases."),
    "export": Entry(
        "lowshot.cli.export",
        "Write one row per labelled item: label, prediction, score, when it was drawn, who answered, what they saw.",
    ),
    "check": Entry(
        "lowshot.cli.check",
        "Check every row: scores, predictions, and that no id is missing or repeated. Exit code 1 if one is,"
        " 2 if a score or a prediction cannot be used.",
    ),
    "demo": Entry(
        "lowshot.cli.demo",
        "Evaluate a real classifier with 100 labels and compare the error with other samplers.",
    ),
    "sample": Entry(
        "lowshot.cli.sample",
        "Write a small real pool to try lowshot on: scores, pictures or texts, and the true labels.",
    ),
    "bench": Entry("lowshot_bench.cli", "The paper's figures, re-run on real and simulated models, or on yours."),
}


def without_types(options: Any) -> Any:
    """A switch takes no value: its help shows none, where typer would write <bool>."""
    for one in options:
        if getattr(one, "is_bool_flag", False):
            one.metavar = ""
    return options


class Command(TyperCommand):
    """A command whose help shows no type for switches, and which takes no option twice."""

    def get_params(self, ctx: Any) -> Any:
        return without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = [*args]  # a copy, because parsing empties the list
        rest: list[str] = super().parse_args(ctx, args)  # first: it handles --github, so that an error is told there
        if not ctx.resilient_parsing:  # as completion in a shell does
            refuse_repeated(self.make_parser(ctx).parse_args(args=given)[2])
        return rest


class LowshotGroup(TyperGroup):
    """All commands. An error of lowshot is printed as one line, with exit code 2; a warning is printed as one line."""

    _summaries_only = False  # true while help is formatted, so that commands are listed without loading them

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = dict.fromkeys(COMMANDS, self)  # names for "Did you mean"; `get_command` loads what is run

    def get_params(self, ctx: Any) -> Any:
        return without_types(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if self._summaries_only:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name].summary)
        return load(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._summaries_only = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._summaries_only = False

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_, **__: note(f"lowshot: {message}")
                return super().invoke(ctx)
        except LowshotError as error:
            message = self._with_option(ctx, str(error))
            note(f"lowshot: {message}")
            tell_error(ctx, message)
            raise typer.Exit(2) from None
        except typer.BadParameter as error:  # such as a text for a number: typer prints it
            tell_error(ctx, error.format_message())
            raise

    def _with_option(self, ctx: Any, message: str) -> str:
        """Messages name arguments of Python; here half_width is called --half-width."""
        from lowshot.cli.words import in_options

        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        pairs = [(option.name, name) for option in command.params for name in option.opts] if command else []
        long = [(mine, name) for mine, name in pairs if name.startswith("--")]
        options = {word: name for mine, name in long for word in (mine, name[2:].replace("-", "_"))}
        return in_options(message, options)


def refuse_repeated(given: Sequence[Any]) -> None:
    """An option that takes one value must not be given twice: the first value would be ignored without a word."""
    once = [one for one in given if one.param_type_name == "option" and not (one.multiple or one.is_flag or one.count)]
    for option in once:
        if once.count(option) > 1:
            advice = "; to put several files into one pool, join them first" if option.name == "pool" else ""
            raise InputError(f"{option.opts[0]} must be given once: got {once.count(option)} of it{advice}")


def note(text: str) -> None:
    """As `console.note`, which is imported late: most commands fail never."""
    from lowshot.cli import console

    console.note(text)


def tell_error(context: Any, message: str) -> None:
    """To GitHub, if the command is a gate that was to tell it."""
    if context.meta:
        from lowshot.cli import gate

        gate.tell_error(context.meta, message)


def load(name: str) -> Any:
    """The command of that name, from its module."""
    module = import_module(COMMANDS[name].module)
    several: typer.Typer | None = getattr(module, "app", None)
    if several is not None:
        for inner in several.registered_commands:
            inner.cls = Command
        group = typer.main.get_group(several)
        without_types([group.get_help_option(typer.Context(group))])
        return group
    one = typer.Typer(add_completion=False, rich_markup_mode="rich")
    examples = getattr(module, f"{name.upper()}_EXAMPLES", module.EXAMPLES)
    one.command(name, cls=Command, epilog=examples)(getattr(module, name.replace("-", "_")))
    return in_panels(typer.main.get_command(one), getattr(module, "PANELS", {}))


def in_panels(command: Any, panels: Mapping[str, Sequence[str]]) -> Any:
    """Divide the options in the help of a command: each panel has columns as wide as its own options need."""
    titles = {option: title for title, options in panels.items() for option in options}
    for one in command.params:
        found = [titles[option] for option in one.opts if option in titles]
        if found:
            one.rich_help_panel = found[0]
    return command


app = typer.Typer(cls=LowshotGroup, no_args_is_help=True, pretty_exceptions_show_locals=False, rich_markup_mode="rich")
EXAMPLES = """[bold]Examples[/bold]
  lowshot demo
  lowshot sample birds
  lowshot start birds.db --pool birds/scores.csv --id path --score score --threshold 0.5
  lowshot label birds.db
  lowshot estimate birds.db
"""


def version(wanted: bool) -> None:
    if wanted:
        from lowshot.cli import console

        console.say(f"lowshot {lowshot.__version__}")
        raise typer.Exit


@app.callback(epilog=EXAMPLES)
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Estimate how good a classifier is for something rare, from few labels, with an interval."""
