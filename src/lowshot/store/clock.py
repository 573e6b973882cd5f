"""The times in a store: text in UTC, with milliseconds, that sorts by time."""

from datetime import UTC, datetime, timedelta

from lowshot.errors import StoreError


def now(seconds: float = 0) -> str:
    """The time so many seconds from now."""
    return _text(datetime.now(UTC) + timedelta(seconds=seconds))


def plus(time: str, seconds: float) -> str:
    """The time so many seconds after another.

    >>> plus("2026-11-15T10:24:56.123+00:00", 3600)
    '2026-11-15T11:24:56.123+00:00'
    """
    return _text(datetime.fromisoformat(time) + timedelta(seconds=seconds))


def now_after(time: str) -> str:
    """The present time; if the clock was set back, a millisecond after `time`, so that later events have later times.

    >>> now_after("9999-01-01T00:00:00.999+00:00")
    '9999-01-01T00:00:01.000+00:00'
    """
    present = now()
    if present > time:
        return present
    try:
        return plus(time, 0.001)
    except (ValueError, OverflowError):
        raise StoreError(f"store is damaged ({time!r} is no time that it wrote): restore it from a copy") from None


def _text(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
