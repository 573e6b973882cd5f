"""The exceptions of lowshot, as a tree.

    LowshotError
    ├── InputError (ValueError)       an argument is invalid; nothing was changed
    ├── MissingExtra (ImportError)    an optional dependency is not installed
    ├── PoolError (OSError)           the engine that holds a pool failed, or its rows changed; nothing was changed
    ├── ServiceError (OSError)        another program, such as an MLflow server, cannot be reached or refuses
    └── StoreError (OSError)          a store cannot be read or written; nothing was changed

>>> from lowshot.errors import InputError
>>> issubclass(InputError, ValueError)
True
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager


class LowshotError(Exception):
    """The base of every error that lowshot raises on purpose."""


class InputError(LowshotError, ValueError):
    """An argument is invalid: the message names it and says what is needed, what came and what to do."""


class MissingExtra(LowshotError, ImportError):
    """An optional dependency is not installed: the message names the extra to install."""


@contextmanager
def required_by(what: str, extra: str) -> Iterator[None]:
    """Around imports of an extra: if a package is missing, the error says which, for what, and what to install.

    >>> with required_by("a plot", extra="plots"):
    ...     import no_such_package
    Traceback (most recent call last):
    lowshot.errors.MissingExtra: a plot needs no_such_package: pip install 'lowshot[plots]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lowshot"):  # a mistake of ours, which no extra mends
            raise
        raise MissingExtra(f"{what} needs {error.name}: pip install 'lowshot[{extra}]'") from None


class StoreError(LowshotError, OSError):
    """A store cannot be read or written: the message says where, why, and what to do. Nothing was changed."""


class ServiceError(LowshotError, OSError):
    """Another program or server cannot be reached, or refuses. The evaluation was not changed."""


class PoolError(LowshotError, OSError):
    """The engine that holds a pool failed, or its rows changed. The evaluation was not changed."""


SCHEME = re.compile(r"(?i)(?!sqlite)[a-z][a-z0-9+.-]*://|postgres[a-z0-9+]*:/?")  # also if a slash is missing
QUERY = re.compile(r"(?i)(pass(?:word|wd|phrase)?\s*=\s*)('(?:[^'\\]|\\.)*'|[^&\s]*)")


def without_password(where: str) -> str:
    """The address with *** instead of the password. If in doubt, hide more: a password may contain @ and /.

    >>> without_password("postgresql://ann:p@ss/word@host/birds"), without_password("birds.db")
    ('postgresql://ann:***@host/birds', 'birds.db')
    >>> without_password("postgresql://host/birds?user=ann&password=secret&sslmode=require")
    'postgresql://host/birds?user=ann&password=***&sslmode=require'
    """
    scheme = SCHEME.match(where)
    shown = where if scheme is None else scheme[0] + _without_password(where[scheme.end() :])
    return QUERY.sub(r"\1***", shown)


def _without_password(rest: str) -> str:
    """The same for the part after the scheme. The host follows the last @. Without an @, a port that is not a number is
    hidden, because it may be a password."""
    person, at, host = rest.rpartition("@")
    if not at:
        return re.sub(r":(?!\d+(?:[/?]|$))[^/?\]]*(?=[/?]|$)", ":***", rest, count=1)
    name, colon, _ = person.partition(":")
    return f"{name}{colon}{'***' if colon else ''}@{host}"
