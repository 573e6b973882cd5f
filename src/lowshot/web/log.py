"""The same message once a minute: an error that repeats must not fill the disk that labels are written to."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

LOGGERS = ("asyncio", "uvicorn.error", "lowshot.web")  # of everything that serves the page
MINUTE = 60.0
KEPT = 1000  # messages that are remembered


@dataclass
class Heard:
    at: float
    left_out: int = 0


class Seldom(logging.Filter):
    """Leaves out what was said less than a minute ago, and counts it.

    >>> now = iter([0.0, 1.0, 61.0])
    >>> seldom = Seldom(lambda: next(now))
    >>> records = [logging.LogRecord("asyncio", logging.ERROR, "", 0, "no more files", None, None) for _ in range(3)]
    >>> [seldom.filter(record) for record in records], records[2].getMessage()
    ([True, False, True], 'no more files (and 1 more since then)')
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._heard: dict[tuple[str, int, str], Heard] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Messages are the same if their first lines are: the others name sockets and tasks."""
        first, _, rest = record.getMessage().partition("\n")
        key, now = (record.name, record.levelno, first), self._clock()
        before = self._heard.get(key)
        if before is not None and now - before.at < MINUTE:
            before.left_out += 1
            return False
        if before is not None and before.left_out:
            record.msg, record.args = f"{first} (and {before.left_out} more since then)\n{rest}".rstrip(), None
        if len(self._heard) >= KEPT:
            self._heard.clear()
        self._heard[key] = Heard(now)
        return True


SELDOM = Seldom()


def log_seldom() -> None:
    """For the loggers of this process."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(SELDOM)
