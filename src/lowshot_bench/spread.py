"""Comparisons for figures 7 and 8 and supplement 3: estimated against empirical variance; and computing cost."""

from collections.abc import Iterator

import numpy as np

from lowshot_bench.check import ENDS, Check, Checks, Results, at_most, pick, within
from lowshot_bench.summary import mean, ratio


def variance_fits(method: str, low: float, high: float, labels: tuple[int, ...] = ENDS[1:]) -> Checks:
    """Estimated over empirical variance of ACIS, combined in this way, is between two bounds."""

    def checks(results: Results) -> Iterator[Check]:
        for cell in pick(results["figure7"], (method,), labels):
            both = [c for c in cell.means["variance"] if c in cell.means["empirical"]]
            estimated, empirical = (np.array([cell.means[n][c] for c in both]) for n in ("variance", "empirical"))
            value, error = ratio(estimated, empirical)
            words = f"{cell.family} at {cell.labels}: estimated / empirical = {value:.2f}"
            yield within(value, low, high, error, words)

    return checks


def variance_below(labels: int, limit: float) -> Checks:
    """The empirical variance of ACIS is below a limit."""

    def checks(results: Results) -> Iterator[Check]:
        for cell in pick(results["figure7"], ("acis",), (labels,)):
            value, error = mean(cell.means["empirical"].values())
            yield at_most(value, limit, error, f"{cell.family}: {value:.4f}")

    return checks


def finite_variance(results: Results) -> Iterator[Check]:
    """The variance of F1 on 50,000 fully labelled items is between a half and twice the paper's 0.003."""
    for cell in pick(results["figure8"], ("subset",), (50_000,)):
        value, error = mean(cell.means["empirical"].values())
        words = f"{cell.family}: estimated {cell.variance:.4f}, empirical {value:.4f}"
        yield within(value, 0.0015, 0.006, error, words)


def quick(results: Results) -> Iterator[Check]:
    """Seconds of a whole ACIS evaluation to 600 labels."""
    for cell in pick(results["cost"], ("acis",), (600,)):
        yield at_most(cell.seconds, 60, 0, f"{cell.family}: {cell.seconds:.2f} s")
