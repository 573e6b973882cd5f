"""An estimate as plain data, for JSON."""

import math
from typing import Any

from lowshot.result import Estimate


def plain_estimate(estimate: Estimate) -> dict[str, Any]:
    """With null where something is undefined: JSON has no NaN.

    >>> from lowshot import Reach
    >>> plain_estimate(Estimate("f1", math.nan, None, None, 0, Reach(0, 9), "no labels yet"))["value"]
    """
    interval = estimate.interval
    return {
        "metric": estimate.metric,
        "value": _number(estimate.value),
        "low": None if interval is None else _number(interval.low),
        "high": None if interval is None else _number(interval.high),
        "confidence": None if interval is None else interval.confidence,
        "variance": _number(estimate.variance),
        "standard_error": _number(estimate.standard_error),
        "labels": estimate.labels,
        "skipped": estimate.skipped,
        "waiting": estimate.waiting,
        "waiting_for": estimate.waiting_for,
        "reason": estimate.reason,
        "warning": estimate.warning,
    }


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
