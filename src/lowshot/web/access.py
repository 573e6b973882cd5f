"""Tokens and levels: annotators have one token, the owner has another and may see more."""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from starlette.requests import Request

from lowshot.errors import InputError

OWN = ("127.0.0.1", "localhost", "::1")  # addresses that only this machine can reach
LOCAL = ("127.0.0.1", "localhost", "[::1]")  # the same addresses as browsers write them in a Host header
SHORTEST = 16  # characters: a token must not be guessed
OWNERS = ("/owner", "/overview")  # pages that need the owner's level
PAGES = ("/", *OWNERS)
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)


class Level(IntEnum):
    NOBODY = 0
    ANNOTATOR = 1
    OWNER = 2


@dataclass(frozen=True)
class Access:
    """The tokens and host names of one app. Without `token` every client on this machine is an annotator.

    >>> Access.of(None, None, solo=False, hosts=["label.example.org"]).token is None
    False
    """

    token: str | None
    owner_token: str
    solo: bool
    hosts: frozenset[str]

    @classmethod
    def of(cls, token: str | None, owner_token: str | None, solo: bool, hosts: Iterable[str]) -> "Access":
        """Checks the arguments. If a host is not this machine's own and there is no token, one is generated."""
        if isinstance(hosts, str):
            raise InputError(f"hosts must be a list of names: got {hosts!r}; write [{hosts!r}]")
        for what, given in (("token", token), ("owner_token", owner_token)):
            if given is not None:
                _check_token(what, given)
        if token is not None and token == owner_token:
            raise InputError(
                "owner_token must differ from token: got the same one twice, and every annotator would be the owner;"
                " leave one out, or give solo=True and no owner_token"
            )
        names = {_check_host(name) for name in hosts}
        if token is None and names.difference(LOCAL):
            token = secrets.token_urlsafe(32)
        return cls(token, owner_token or secrets.token_urlsafe(32), solo, frozenset({*LOCAL, *names}))

    def level(self, request: Request) -> Level:
        """The level of a request, by its cookies or its `Authorization: Bearer` header."""
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        given = [bearer] if scheme.lower() == "bearer" else []
        given += [request.cookies.get(self.cookie(level, request), "") for level in (Level.ANNOTATOR, Level.OWNER)]
        return max(self._least(request), *map(self.level_of, given), Level.NOBODY)

    def _least(self, request: Request) -> Level:
        """The level without any token. The client's address decides, because anybody can send any Host header."""
        if self.token is not None or request.client is None or request.client.host not in OWN:
            return Level.NOBODY
        return Level.OWNER if self.solo else Level.ANNOTATOR

    def level_of(self, given: str) -> Level:
        """The level of a token, compared in constant time."""
        if _same(given, self.owner_token):
            return Level.OWNER
        if self.token is not None and _same(given, self.token):
            return Level.OWNER if self.solo else Level.ANNOTATOR
        return Level.NOBODY

    def needed(self, path: str) -> Level:
        """The level that a path needs. `/api/v1` needs the owner's, unless only this machine can reach the app."""
        if path.startswith("/static/"):
            return Level.NOBODY
        if path in OWNERS or path.startswith("/api/owner/"):
            return Level.OWNER
        if path.startswith("/api/v1") and self.token is not None:
            return Level.OWNER
        return Level.ANNOTATOR

    def cookie(self, level: Level, request: Request) -> str:
        """The cookie's name. It contains the port, because browsers send the cookies of a host to all its ports."""
        _, port = name_and_port(request.headers.get("host", ""))
        return f"lowshot_{level.name.lower()}_{port}" if port else f"lowshot_{level.name.lower()}"


def name_and_port(host: str) -> tuple[str, str]:
    """The two parts of a Host header; two empty texts if it has another form.

    >>> name_and_port("Label.example.org:8484"), name_and_port("[::1]"), name_and_port("127.0.0.1:/static/")
    (('label.example.org', '8484'), ('[::1]', ''), ('', ''))
    """
    found = HOST.fullmatch(host)
    return (found[1].lower(), found[2] or "") if found else ("", "")


def _check_host(given: str) -> str:
    """The name in lower case, as browsers send it in the Host header."""
    name, port = name_and_port(given) if isinstance(given, str) else ("", "")
    if not name or port:
        raise InputError(
            f"hosts must be names or addresses without http:// and port: got {given!r};"
            " write for example 'label.example.org', '192.168.1.7' or '[fe80::1]'"
        )
    return name


def _check_token(what: str, given: str) -> None:
    """A token is sent in headers and cookies, which allow ASCII only."""
    if not isinstance(given, str) or len(given) < SHORTEST:
        got = len(given) if isinstance(given, str) else repr(given)
        raise InputError(f"{what} must have at least {SHORTEST} characters: got {got}; leave it out to have one made")
    if not (given.isascii() and given.isprintable()) or " " in given:
        raise InputError(
            f"{what} must be printable ASCII without spaces: got other characters; leave it out to have one made"
        )


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
