"""What can go wrong, as a tree.

    LowshotError
    ├── InputError (ValueError)       an argument cannot be used; nothing was changed
    ├── MissingExtra (ImportError)    a part that is installed with an extra is not there
    ├── PoolError (OSError)           the engine that holds a pool failed, or its rows changed; nothing was changed
    └── StoreError (OSError)          a store cannot be read or written; nothing was changed

>>> from lowshot.errors import InputError
>>> issubclass(InputError, ValueError)
True
"""

import re


class LowshotError(Exception):
    """The base of every error that lowshot raises on purpose."""


class InputError(LowshotError, ValueError):
    """An argument cannot be used: the message names it, what is needed, what came, what to do."""


class MissingExtra(LowshotError, ImportError):
    """An optional part is not installed: the message names the extra to install."""


class StoreError(LowshotError, OSError):
    """A store cannot be read or written: the message says where, why, and what to do. Nothing was changed."""


class PoolError(LowshotError, OSError):
    """The engine that holds a pool failed, or its rows are not what they were. The evaluation is as it was."""


SCHEME = re.compile(r"(?i)(?!sqlite)[a-z][a-z0-9+.-]*://|postgres[a-z0-9+]*:/?")  # with a slash too few, too
QUERY = re.compile(r"(?i)(pass(?:word|wd|phrase)?\s*=\s*)('(?:[^'\\]|\\.)*'|[^&\s]*)")


def without_password(where: str) -> str:
    """Rather too little is shown than too much: a password may hold anything, an @ and a / too.

    >>> without_password("postgresql://ann:p@ss/word@host/birds"), without_password("birds.db")
    ('postgresql://ann:***@host/birds', 'birds.db')
    >>> without_password("postgresql://host/birds?user=ann&password=secret&sslmode=require")
    'postgresql://host/birds?user=ann&password=***&sslmode=require'
    """
    scheme = SCHEME.match(where)
    shown = where if scheme is None else scheme[0] + _without_password(where[scheme.end() :])
    return QUERY.sub(r"\1***", shown)


def _without_password(rest: str) -> str:
    """What follows the scheme. The host comes after the last @; without one, a port that is none may be a password."""
    person, at, host = rest.rpartition("@")
    if not at:
        return re.sub(r":(?!\d+(?:[/?]|$))[^/?\]]*(?=[/?]|$)", ":***", rest, count=1)
    name, colon, _ = person.partition(":")
    return f"{name}{colon}{'***' if colon else ''}@{host}"
