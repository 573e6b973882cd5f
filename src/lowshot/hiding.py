"""The address of a store as it may be shown: without its password, however it is written."""

import re

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
