"""The page of all commands, made from the command line itself while the site is built.

`reference/commands.md` has a comment where the commands go; it is replaced by a section per command: what it does, its
arguments and options as tables, and the examples of its help, which a test runs.
"""

import re
from collections.abc import Iterator
from typing import Any

from lowshot.cli.app import COMMANDS, load

PAGE = "reference/commands"
PLACE = "<!-- commands -->"
MARKUP = re.compile(r"\[/?(?:bold|dim|italic)\]")
NO_VALUE = (None, False, "", (), [])
ARGUMENTS, OPTIONS = "Arguments", "Options"  # panels of the help


def all_commands() -> str:
    """Markdown with a section per command."""
    return "\n".join(line for name in COMMANDS for line in _sections(name, load(name), "##"))


def _sections(name: str, command: Any, level: str) -> Iterator[str]:
    inner = getattr(command, "commands", None)
    yield f"{level} `lowshot {name}`"
    yield ""
    yield _plain(command.help or "")
    yield ""
    if inner:
        for inner_name, one in inner.items():
            yield from _sections(f"{name} {inner_name}", one, level + "#")
        return
    yield "```text"
    yield _usage(name, command)
    yield "```"
    yield ""
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    for panel in dict.fromkeys([ARGUMENTS, OPTIONS, *map(_panel, shown)]):
        yield from _table(panel, [parameter for parameter in shown if _panel(parameter) == panel])
    examples = [line.strip() for line in (command.epilog or "").split("\n") if line.strip().startswith("lowshot ")]
    if examples:
        yield from ["Examples:", "", "```console", *(f"$ {line}" for line in examples), "```", ""]


def _panel(parameter: Any) -> str:
    if _is_argument(parameter):
        return ARGUMENTS
    return str(getattr(parameter, "rich_help_panel", None) or OPTIONS)


def _is_argument(parameter: Any) -> bool:
    return not parameter.opts[0].startswith("-")


def _usage(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if _is_argument(parameter)]
    words = [f"{one.metavar or one.name.upper()}" for one in arguments]
    marked = [word if one.required else f"[{word}]" for word, one in zip(words, arguments, strict=True)]
    return " ".join(["lowshot", name, "[OPTIONS]", *marked])


def _table(panel: str, parameters: list[Any]) -> Iterator[str]:
    if parameters:
        yield f"| {panel} | |"
        yield "| --- | --- |"
    for parameter in parameters:
        yield f"| {_name(parameter)} | {_meaning(parameter)} |"
    yield ""


def _name(parameter: Any) -> str:
    if _is_argument(parameter):
        return f"`{parameter.metavar or parameter.name.upper()}`"
    switch = getattr(parameter, "is_flag", False)
    value = "" if switch else f" {parameter.metavar or _kind(parameter)}"
    return ", ".join(f"`{option}{value}`" for option in [*parameter.opts, *parameter.secondary_opts])


def _kind(parameter: Any) -> str:
    """What a value is: its choices, or a word for its type."""
    kind = parameter.type_descriptor.annotation
    choices = getattr(kind, "__members__", None)
    if choices:
        return "{" + ",".join(str(choice.value) for choice in kind) + "}"
    return {"int": "NUMBER", "float": "NUMBER", "Path": "PATH"}.get(getattr(kind, "__name__", ""), "TEXT")


def _meaning(parameter: Any) -> str:
    shown = getattr(parameter, "show_default", False)
    default = shown if isinstance(shown, str) else parameter.default
    notes = ["required"] if parameter.required else []
    if shown and default not in NO_VALUE and not callable(default):
        notes.append(f"default: {getattr(default, 'value', default)}")
    text = _plain(parameter.help or "")
    return f"{text} *({'; '.join(notes)})*" if notes else text


def _plain(text: str) -> str:
    """Help as one line of Markdown."""
    joined = " ".join(MARKUP.sub("", text).replace("\\[", "[").split())  # rich writes a bracket as \\[
    return re.sub(r"([|*_<>\[\]])", r"\\\1", joined)


def _fill(app: Any, docname: str, source: list[str]) -> None:
    if docname == PAGE:
        source[0] = source[0].replace(PLACE, all_commands())


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True}
