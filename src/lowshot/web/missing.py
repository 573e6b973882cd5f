"""Which pictures cannot be read: of items that were shown, and of a sample of the pool."""

from collections.abc import Iterable
from threading import Lock, Thread
from typing import Any

import numpy as np

from lowshot.checks import Id
from lowshot.history import History
from lowshot.labelling.items import Pictures, Shown, whole
from lowshot.pools.base import BasePool
from lowshot.web.log import log

SAMPLED = 200  # items of the pool whose pictures are looked for when the owner opens the page
AGAIN = 20  # missing pictures that are looked for again in one request: the owner may have put them there
NAMED = 5  # paths in a reply


class MissingPictures:
    """Remembers of each item that was looked at whether its picture can be read. A picture that was there is not
    looked for again, so that pages that ask every two seconds stay cheap.

    >>> import tempfile
    >>> shown = Shown("image", lambda item: [("file", f"{item}.png")], media_root=tempfile.mkdtemp())
    >>> missing = MissingPictures(shown, Pictures(shown.media_root))
    >>> missing.look(7, "7.png")
    >>> missing.among([7, 8])
    [7]
    """

    def __init__(self, shown: Shown, pictures: Pictures) -> None:
        self._shown, self._pictures = shown, pictures
        self._lock = Lock()
        self._there: set[Id] = set()
        self._missing: dict[Id, str] = {}  # with the path that was tried
        self._sample: list[Id] = []
        self.looking: Thread | None = None

    def look(self, item: Id, path: str) -> None:
        """Note whether the picture of an item that is shown can be read."""
        if item in self._there:
            return
        readable = self._pictures.readable(path)
        with self._lock:
            if readable:
                self._there.add(item)
                self._missing.pop(item, None)
            else:
                self._missing[item] = path

    def among(self, items: Iterable[Id]) -> list[Id]:
        return [item for item in items if item in self._missing]

    def begin(self, pool: BasePool, history: History) -> None:
        """Look once, in a thread: at the items that were asked before the server began, and at a sample of the pool."""
        with self._lock:
            if self.looking is not None or self._shown.kind != "image":
                return
            self.looking = Thread(target=self._look_at_all, args=[pool, list(history.asked)], daemon=True)
        self.looking.start()

    def _look_at_all(self, pool: BasePool, asked: list[int]) -> None:
        try:
            self._look_at(pool.names(asked))
            if not pool.grouped:  # others would have to be queried
                drawn = np.random.default_rng(0).permutation(len(pool))[:SAMPLED]
                self._look_at(sample := pool.names(drawn))
                self._sample = sample
        except Exception:  # the owner's `fields` function may raise anything; labelling goes on without this check
            log.exception("pictures cannot be looked for")

    def _look_at(self, items: Iterable[Id]) -> None:
        for item in items:
            self.look(item, self._shown.parts(item)[0].value)

    def found(self, pool: BasePool, history: History) -> dict[str, Any] | None:
        """For the owner's page; None if no picture is missing."""
        for item, path in [*self._copy().items()][:AGAIN]:
            self.look(item, path)
        missing = self._copy()
        if not missing:
            return None
        asked = [
            item for item, place in zip(missing, pool.positions([*missing]), strict=True) if place in history.asked
        ]
        sample = [item for item in self._sample if item in missing]
        return {
            "asked": len(asked),
            "of_asked": len(history.asked),
            "sampled": len(sample),
            "of_sampled": len(self._sample),
            "paths": [whole(missing[item]) for item in dict.fromkeys([*asked, *sample])][:NAMED],
        }

    def _copy(self) -> dict[Id, str]:
        with self._lock:
            return {**self._missing}
