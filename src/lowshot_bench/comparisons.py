"""The comparisons behind the paper's claims.

Each function takes the cells of all experiments (`Results`) and yields checks, or takes the parameters of a claim and
returns such a function. `claims.py` says which claim is decided by which comparison.
"""

import math
from collections.abc import Iterator

import numpy as np

from lowshot_bench.summary import Cell, Cells, families, line, mean, paired, ratio
from lowshot_bench.verdicts import (
    ENDS,
    TWICE,
    Check,
    Checks,
    Results,
    at_least,
    at_most,
    error_ratio,
    lower,
    pick,
    within,
)

BASELINES = ("sawade", "rand", "topk", "gmm")  # the paper's other methods; HERDING needs features
FEW = (10, 30, 70)  # the paper says "below 80 labels"

# ---- error (figures 3 to 6, supplement 2) ----------------------------------------------------------------------------


def lowest(name: str, labels: tuple[int, ...], others: tuple[str, ...], mine: str = "acis") -> Checks:
    """The error of one method is below that of each of the others."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for other in pick(cells, others, labels):
            if (own := cells.get((other.family, mine, "own", other.labels))) is not None:
                yield lower(own, other)

    return checks


def no_better(name: str, labels: tuple[int, ...], methods: tuple[str, ...], than: str) -> Checks:
    """The errors of these methods are not below that of another method."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for one in pick(cells, methods, labels):
            value, error, words = error_ratio(one, cells[one.family, than, "own", one.labels])
            yield at_least(value, 1, error, words)

    return checks


def meet(name: str, labels: int, others: tuple[str, ...]) -> Checks:
    """The errors of the other methods are at most twice the error of ACIS."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for one in pick(cells, others, (labels,)):
            value, error, words = error_ratio(one, cells[one.family, "acis", "own", labels])
            yield at_most(value, TWICE, error, words)

    return checks


def below(name: str, labels: int, limit: float) -> Checks:
    """The error of ACIS is below a limit."""

    def checks(results: Results) -> Iterator[Check]:
        for cell in pick(results[name], ("acis",), (labels,)):
            yield at_most(cell.square, limit, cell.square_error, f"{cell.family}: {cell.square:.4f}")

    return checks


def alike(results: Results) -> Iterator[Check]:
    """The error of ACIS on a million items is between half and twice its error on 50,000 items.

    The tasks differ, so the standard error is that of two independent means.
    """
    large, small = results["figure3"], results["figure4"]
    for cell in pick(large, ("acis",), ENDS):
        other = small.get((cell.family.replace("imagenet1m", "imagenet50k"), "acis", "own", cell.labels))
        if other is None:  # the experiments were run on the user's own files
            continue
        value = cell.square / other.square
        error = value * math.hypot(cell.square_error / cell.square, other.square_error / other.square)
        yield within(value, 1 / TWICE, TWICE, error, f"{cell.family} / 50,000 at {cell.labels}: {value:.2g}")


def saves(name: str, factor: float, others: tuple[str, ...]) -> Checks:
    """At 30 or 70 labels, some other method needs `factor` times as many labels for the error that ACIS has."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for family in families(cells):
            found = [
                (labels_needed(line(cells, family, other), own.square) / own.labels, own.labels, other)
                for own in pick(cells, ("acis",), (30, 70))
                if own.family == family
                for other in others
                if line(cells, family, other)
            ]
            most, labels, other = max(found)
            words = f"{family}: for ACIS's error at {labels}, {other} needs {most:.1f} times as many labels or more"
            yield Check(math.inf if most >= factor else -math.inf, words)

    return checks


def labels_needed(cells: list[Cell], square: float) -> float:
    """The number of labels at which a method reaches this mean squared error, interpolated on logarithms.

    If the error is never reached, this is the largest number of labels that was run.
    """
    ordered = sorted(cells, key=lambda cell: cell.labels)
    labels = np.log([cell.labels for cell in ordered])
    best = np.minimum.accumulate(np.log([max(cell.square, 1e-12) for cell in ordered]))  # 1e-12: log(0) is infinite
    return float(np.exp(np.interp(-math.log(square), -best, labels)))


# ---- bias, variance and time (figures 3, 4, 7, 8; supplement 3) ------------------------------------------------------


def biased(name: str, method: str, low: float, high: float) -> Checks:
    """The bias of a method is between two limits at the ends of the first four rounds."""

    def checks(results: Results) -> Iterator[Check]:
        for cell in pick(results[name], (method,), ENDS[:4]):
            yield within(
                cell.bias, low, high, cell.bias_error, f"{cell.family} at {cell.labels}: bias {cell.bias:+.3f}"
            )

    return checks


def less_bias(name: str, method: str) -> Checks:
    """The absolute bias of a method is below that of ACIS."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for cell in pick(cells, (method,), ENDS[:4]):
            own = cells[cell.family, "acis", "own", cell.labels]
            theirs, mine = paired(cell, own, "error")
            difference = math.copysign(1, theirs.mean()) * theirs - math.copysign(1, mine.mean()) * mine
            error = float(difference.std(ddof=1) / math.sqrt(len(difference)))
            words = f"{cell.family} at {cell.labels}: bias {method} {theirs.mean():+.3f}, acis {mine.mean():+.3f}"
            yield at_most(float(difference.mean()), 0, error, words)

    return checks


def more_variance(name: str, method: str) -> Checks:
    """The variance over tasks of a method's errors is above that of ACIS's errors."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for cell in pick(cells, (method,), ENDS[:4]):
            theirs, mine = paired(cell, cells[cell.family, "acis", "own", cell.labels], "error")
            value, error = ratio((theirs - theirs.mean()) ** 2, (mine - mine.mean()) ** 2)
            yield at_least(value, 1, error, f"{cell.family} at {cell.labels}: spread {method} / acis = {value:.2g}")

    return checks


def variance_fits(method: str, low: float, high: float, labels: tuple[int, ...] = ENDS[1:]) -> Checks:
    """The ratio of estimated to empirical variance is between two limits; `method` is a variant of ACIS."""

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
    """The variance of F1 on 50,000 fully labelled items is between half and twice the paper's 0.003 (figure 8)."""
    for cell in pick(results["figure8"], ("subset",), (50_000,)):
        value, error = mean(cell.means["empirical"].values())
        words = f"{cell.family}: estimated {cell.variance:.4f}, empirical {value:.4f}"
        yield within(value, 0.0015, 0.006, error, words)


def quick(results: Results) -> Iterator[Check]:
    """A whole ACIS evaluation to 600 labels takes at most 60 seconds."""
    for cell in pick(results["cost"], ("acis",), (600,)):
        yield at_most(cell.seconds, 60, 0, f"{cell.family}: {cell.seconds:.2f} s")


# ---- a set drawn for one model or threshold, used for another (figure 9, supplement 1) -------------------------------


def at_most_twice(results: Results) -> Iterator[Check]:
    """The error for another model is at most twice the error with a set that was drawn for that model."""
    cells = results["figure9"]
    for cell in _for_other_targets(cells, ENDS):
        own = cells.get((family_of_target(cell.family, cell.target), cell.method, "own", cell.labels))
        if own is not None:
            value, error, words = error_ratio(cell, own)
            yield at_most(value, TWICE, error, words)


def beats_best_baseline(results: Results) -> Iterator[Check]:
    """A set drawn for another model has a lower error than the model's own best baseline: the best case per model."""
    found: dict[str, list[Check]] = {}
    for cell in _for_other_targets(results["figure9"], FEW):
        model = family_of_target(cell.family, cell.target)
        baselines = [
            other
            for name in ("figure4", "real")
            for (family, method, _, labels), other in results[name].items()
            if (family, labels) == (model, cell.labels) and method in (*BASELINES, "herding")
        ]
        if baselines:
            best = min(baselines, key=lambda other: other.square)
            value, error = ratio(*paired(cell, best))
            words = (
                f"{cell.family} for {model} at {cell.labels}: error / best own baseline ({best.method}) = {value:.2g}"
            )
            found.setdefault(model, []).append(at_most(value, 1, error, words))
    yield from (max(checks, key=lambda check: check.margin) for checks in found.values())


def thresholds_serve(results: Results) -> Iterator[Check]:
    """The error for another threshold is at most twice the error for the threshold that the set was drawn for."""
    cells = results["supplement1"]
    for cell in _for_other_targets(cells, ENDS):
        value, error, words = error_ratio(cell, cells[cell.family, cell.method, "own", cell.labels])
        yield at_most(value, TWICE, error, words)


def worse_at_the_high_end(results: Results) -> Iterator[Check]:
    """The error for threshold 0.5 is above the error for threshold 0.05."""
    cells = results["supplement1"]
    for (family, method, target, labels), cell in cells.items():
        if target == "0.5" and labels in ENDS:
            value, error = ratio(*paired(cells[family, method, "0.05", labels], cell))
            yield at_most(value, 1, error, f"{family} at {labels}: error for 0.05 / for 0.5 = {value:.2g}")


def family_of_target(family: str, target: str) -> str:
    """The family in which the target model is evaluated with sets of its own.

    >>> family_of_target("imagenet50k b", "a"), family_of_target("imagenet50k", "c"), family_of_target("simclr", "byol")
    ('imagenet50k', 'imagenet50k c', 'byol')
    """
    if len(target) > 1:
        return target
    kind = family.split(" ")[0]
    return kind if target == "a" else f"{kind} {target}"


def _for_other_targets(cells: Cells, labels: tuple[int, ...]) -> Iterator[Cell]:
    return (cell for (_, _, target, budget), cell in cells.items() if target != "own" and budget in labels)
