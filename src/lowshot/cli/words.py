"""Messages of the library in the words of the command line: an argument of Python is called as its option."""

import re
from collections.abc import Mapping

# Arguments of Python whose options have other names; those of the same name need no entry.
ALIASES = {"hosts": "--reached-as", "source": "--pool", "annotator": "--for", "show": "--field"}
# What only Python can do, and what the command line does instead.
PHRASES = {
    r",? or FBeta\(\.\.\.\)": "",
    r"call make_app with hosts=\[(.+?)\], which also generates a token": r"give --reached-as \1; it also makes a token",
    r"must be given to Pool where": "must be given where",
    r"drop them with where=, or": "drop such rows, or",
    r" \(that where= keeps\)": "",
    r"scale='probability', 'log' or 'logit' says": "--scale probability, log or logit says",
    r"use correct\(\) to change it": "`lowshot tell --correct` changes it",
    r"use correct\(\)": "use `lowshot tell --correct`",
    r"labels that exist go into known=": "labels that exist already are given to `lowshot start --known`",
    r"see all of them with table\(\)": "see all of them with `lowshot table`",
    r"see table\(\) for every category": "`lowshot table` shows every category",
    r"or compare\(\) two models": "or `lowshot compare` two models",
    r"estimate\(metric='([^']+)'\) from": r"`lowshot estimate --metric \1` from",
    r"make a lowshot\.ClassPool for a classifier": "give --classes for a classifier",
    r"lowshot\.Pool\b": "pool",
    r"lowshot\.ClassPool\b": "pool with many categories",
    r", in Python lowshot\.OTHER,": "",
    r"\bTrue or False\b": "true or false",
    r"add allow_external=True": "add --allow-external",
    r"Threshold\(([^)]*)\)": r"\1",
}
ARGUMENT = re.compile(r"(?<!['\"\w.])(?!model=)([a-z][a-z_]*)=(?=[ ,;:)]|$)")  # known=; model= is a part of --goal, too
WORD = re.compile(r"(?<!['\"\w./-])[a-z]+(?:_[a-z]+)+(?!['\"\w.(=])")  # half_width


def in_options(message: str, options: Mapping[str, str]) -> str:
    """A message of the library as a command says it.

    >>> options = {"half_width": "--half-width", "host": "--host", "reached_as": "--reached-as"}
    >>> in_options("half_width must be more than 0.2: give a larger half_width", options)
    '--half-width must be more than 0.2: give a larger --half-width'
    >>> in_options("hosts must be names: add it with hosts=", options)
    '--reached-as must be names: add it with --reached-as'

    --show of `start` is something else than show= of Python.

    >>> in_options("show must be a column of the table: got 'x'", {"show": "--show", "field": "--field"})
    "--field must be a column of the table: got 'x'"

    options  of the command, by the names of their arguments
    """
    known = {**options, **{name: option for name, option in ALIASES.items() if option in options.values()}}
    for pattern, replacement in PHRASES.items():
        message = re.sub(pattern, replacement, message)
    message = ARGUMENT.sub(lambda match: known.get(match[1], match[0]), message)
    message = WORD.sub(lambda match: known.get(match[0], match[0]), message)
    word, blank, rest = message.partition(" ")
    return f"{known.get(word, word)}{blank}{rest}"
