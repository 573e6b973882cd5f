"""Variance into an interval: normal on the logit scale, or Wilson's interval where there is no usable variance."""

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import expit, logit, ndtri

NEGLIGIBLE = 1e-16  # a variance below this is 0 up to rounding
LARGEST_EXPONENT = 700.0  # exp() overflows beyond 709; such an interval covers all values anyway


@dataclass(frozen=True)
class Interval:
    """An interval for the true value, at some level of confidence.

    >>> interval = Interval(0.25, 0.75)
    >>> interval.width, 0.3 in interval
    (0.5, True)
    """

    low: float
    high: float
    confidence: float = 0.95

    @property
    def width(self) -> float:
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def hull(self, other: "Interval") -> "Interval":
        """The smallest interval that contains both."""
        return Interval(min(self.low, other.low), max(self.high, other.high), self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """As plain data.

        >>> Interval(0.25, 0.75).to_dict()
        {'low': 0.25, 'high': 0.75, 'confidence': 0.95, 'half_width': 0.25}
        """
        return {
            "low": finite(self.low),
            "high": finite(self.high),
            "confidence": self.confidence,
            "half_width": finite(self.width / 2),
        }


def finite(value: float | None) -> float | None:
    """The number, or None where there is none: JSON has neither NaN nor infinity.

    >>> finite(0.25), finite(math.nan), finite(None)
    (0.25, None, None)
    """
    return None if value is None or not math.isfinite(value) else float(value)


def share_interval(
    value: float, variance: float, effective: float, informative: int, confidence: float = 0.95
) -> Interval:
    """The interval of a share between 0 and 1.

    If the variance is 0 or undefined, or fewer than two draws are informative: Wilson's interval with the effective
    number of labels. If that is 0, too: the interval from 0 to 1.

    >>> share_interval(0.5, 0.01, 20, 20)
    Interval(low=0.3134..., high=0.6865..., confidence=0.95)
    >>> share_interval(1.0, 0.0, 10, 10)
    Interval(low=0.7224..., high=1.0, confidence=0.95)
    """
    z = normal_quantile(confidence)
    if variance > NEGLIGIBLE and informative >= 2 and 0 < value < 1:
        step = z * math.sqrt(variance) / (value * (1 - value))
        return Interval(float(expit(logit(value) - step)), float(expit(logit(value) + step)), confidence)
    if effective > 0 and math.isfinite(value):
        return wilson(value, effective, confidence)
    return Interval(0.0, 1.0, confidence)


def wilson(value: float, effective: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a share seen in `effective` trials.

    >>> wilson(0.0, 10)
    Interval(low=0.0, high=0.2775..., confidence=0.95)
    """
    z = normal_quantile(confidence)
    shrink = 1 + z**2 / effective
    centre = (value + z**2 / (2 * effective)) / shrink
    half = z / shrink * math.sqrt(value * (1 - value) / effective + z**2 / (4 * effective**2))
    return Interval(min(value, max(0.0, centre - half)), max(value, min(1.0, centre + half)), confidence)


def amount_interval(
    value: float, variance: float, effective: float, informative: int, highest: float, confidence: float = 0.95
) -> Interval:
    """The interval of an amount between 0 and `highest`: normal on the log scale, else Wilson, else 0 to `highest`.

    >>> amount_interval(10.0, 4.0, 8, 8, highest=100)
    Interval(low=6.75..., high=14.79..., confidence=0.95)
    >>> amount_interval(1e-6, 4.0, 8, 8, highest=100).high
    100
    """
    if not (variance > NEGLIGIBLE * value**2 and informative >= 2 and value > 0):
        share = share_interval(value / highest if highest else 0.0, 0.0, effective, 0, confidence)
        return Interval(share.low * highest, share.high * highest, confidence)
    factor = math.exp(min(normal_quantile(confidence) * math.sqrt(variance) / value, LARGEST_EXPONENT))
    return Interval(value / factor, min(highest, value * factor), confidence)


def normal_quantile(confidence: float) -> float:
    return float(ndtri(0.5 + confidence / 2))
