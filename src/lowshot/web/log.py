"""The logger of the page, and a filter that logs a repeated message once per minute.

Without the filter an error that repeats thousands of times per second could fill the disk that labels are written to.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

LOGGERS = ("asyncio", "uvicorn.error", "lowshot.web")  # everything that logs in a process that serves the page
INTERVAL = 60.0  # seconds between two records with the same message
MOST = 1000  # messages that are remembered, so that memory stays bounded

log = logging.getLogger("lowshot.web")


@dataclass
class Logged:
    """When a message was last logged, and how often it was dropped since then."""

    at: float
    dropped: int = 0


class RepeatFilter(logging.Filter):
    """Drops a message that was logged less than a minute ago. The next record says how many were dropped.

    >>> now = iter([0.0, 1.0, 61.0])
    >>> repeats = RepeatFilter(lambda: next(now))
    >>> records = [logging.LogRecord("asyncio", logging.ERROR, "", 0, "no more files", None, None) for _ in range(3)]
    >>> [repeats.filter(record) for record in records], records[2].getMessage()
    ([True, False, True], 'no more files (and 1 more since then)')
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._logged: dict[tuple[str, int, str], Logged] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Compares first lines only: asyncio's further lines name sockets and tasks, which differ each time."""
        first, _, rest = record.getMessage().partition("\n")
        key, now = (record.name, record.levelno, first), self._clock()
        before = self._logged.get(key)
        if before is not None and now - before.at < INTERVAL:
            before.dropped += 1
            return False
        if before is not None and before.dropped:
            record.msg, record.args = f"{first} (and {before.dropped} more since then)\n{rest}".rstrip(), None
        if len(self._logged) >= MOST:
            self._logged.clear()
        self._logged[key] = Logged(now)
        return True


REPEATS = RepeatFilter()


def limit_repeats() -> None:
    """Add the filter to the loggers of this process. Adding it again has no effect."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(REPEATS)
