"""Who may see what: annotators with one token, the owner with another."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

from starlette.requests import Request

from lowshot.errors import InputError

OWN = ("127.0.0.1", "localhost", "::1")  # addresses of this machine
LOCAL = ("127.0.0.1", "localhost", "[::1]")  # the same, as browsers name them
SHORTEST = 16
OWNERS = ("/owner", "/overview")  # pages


class Level(IntEnum):
    NOBODY = 0
    ANNOTATOR = 1
    OWNER = 2


@dataclass(frozen=True)
class Access:
    """Without `token` everybody who reaches the machine's own address is an annotator.

    >>> Access.of(None, None, solo=False, hosts=["label.example.org"]).token is None
    False
    """

    token: str | None
    owner_token: str
    solo: bool
    hosts: frozenset[str]

    @classmethod
    def of(cls, token: str | None, owner_token: str | None, solo: bool, hosts: Iterable[str]) -> "Access":
        """Any other address than the machine's own needs a token: one is made."""
        if isinstance(hosts, str):
            raise InputError(f"hosts must be a list of names: got {hosts!r}; write [{hosts!r}]")
        for what, given in (("token", token), ("owner_token", owner_token)):
            if given is not None and len(given) < SHORTEST:
                raise InputError(f"{what} must have at least {SHORTEST} characters: got {len(given)}; leave it out")
        names = {name.lower() for name in hosts}
        if token is None and names.difference(LOCAL):
            token = secrets.token_urlsafe(32)
        return cls(token, owner_token or secrets.token_urlsafe(32), solo, frozenset({*LOCAL, *names}))

    def level(self, request: Request) -> Level:
        """By cookie, or by `Authorization: Bearer`."""
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        given = [bearer] if scheme.lower() == "bearer" else []
        given += [value for key, value in request.cookies.items() if key in self._cookies.values()]
        return max(self._least(request), *map(self.level_of, given), Level.NOBODY)

    def _least(self, request: Request) -> Level:
        """Without a token. Whoever is not at this machine is nobody, whatever host they name."""
        if self.token is not None or request.client is None or request.client.host not in OWN:
            return Level.NOBODY
        return Level.OWNER if self.solo else Level.ANNOTATOR

    def level_of(self, given: str) -> Level:
        """Of a token. The comparison takes as long wherever they differ."""
        if _same(given, self.owner_token):
            return Level.OWNER
        if self.token is not None and _same(given, self.token):
            return Level.OWNER if self.solo else Level.ANNOTATOR
        return Level.NOBODY

    def needed(self, path: str) -> Level:
        """For a path. Other tools are the owner's, unless nobody but this machine can call them."""
        if path.startswith("/static/"):
            return Level.NOBODY
        if path in OWNERS or path.startswith("/api/owner/"):
            return Level.OWNER
        if path.startswith("/api/v1") and self.token is not None:
            return Level.OWNER
        return Level.ANNOTATOR

    def cookie(self, level: Level) -> str:
        """Its name differs with the token: cookies of one machine are shared by all its ports."""
        return self._cookies[level]

    @property
    def _cookies(self) -> dict[Level, str]:
        ending = sha256(self.owner_token.encode()).hexdigest()[:8]
        return {Level.ANNOTATOR: f"lowshot_token_{ending}", Level.OWNER: f"lowshot_owner_{ending}"}


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
