"""The paper's claims, each with the comparisons that decide it. From cells only: no verdict is written by hand.

A claim is a list of checks. Each is for the claim, against it, or, where the difference is within two standard errors,
undecided. For it and none against: holds. Both: holds in part. Only against: does not hold.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lowshot.bench.summary import Cell, Cells

Results = dict[str, Cells]  # by experiment
ENDS = (10, 30, 70, 150, 310)  # the ends of ACIS's rounds


@dataclass(frozen=True)
class Check:
    """One comparison: for the claim, against it, or undecided (None)."""

    true: bool | None
    words: str


@dataclass(frozen=True)
class Claim:
    """What the paper says, and how to decide it."""

    where: str
    says: str
    experiments: tuple[str, ...]
    checks: Callable[[Results], Iterator[Check]]

    def row(self, results: Results) -> str:
        """A line of the table: what it says, what was measured, the verdict."""
        checks = list(self.checks(results)) if all(name in results for name in self.experiments) else []
        if not checks:
            return f"| {self.where} | {self.says} | not run ({', '.join(self.experiments)}) | - |"
        for_it, against, open_ = ([c.words for c in checks if c.true is kind] for kind in (True, False, None))
        count = f"{len(for_it)} for, {len(against)} against, {len(open_)} undecided"
        example = f"against: {against[0]}" if against else for_it[0] if for_it else open_[0]
        return f"| {self.where} | {self.says} | {count}; {example} | {verdict(checks)} |"


def verdict(checks: list[Check]) -> str:
    """In words.

    >>> verdict([Check(True, ""), Check(None, "")]), verdict([Check(True, ""), Check(False, "")])
    ('holds', 'holds in part')
    """
    found = {check.true for check in checks}
    if found == {None}:
        return "undecided"
    return "holds" if False not in found else "holds in part" if True in found else "does not hold"


def _families(cells: Cells) -> list[str]:
    return list(dict.fromkeys(key[0] for key in cells))


def _compare(value: float, limit: float, error: float, words: str) -> Check:
    """Whether the value is below the limit, if two standard errors can tell."""
    return Check(None if abs(value - limit) < 2 * error else value < limit, words)


def _lower(a: Cell, b: Cell) -> Check:
    """Whether a's error is below b's. The errors are of the same tasks, so this standard error is on the safe side."""
    error = math.hypot(a.square_error, b.square_error)
    words = f"{a.family} at {a.labels}: {a.method} {a.square:.4f}, {b.method} {b.square:.4f} (± {error:.4f})"
    return _compare(a.square, b.square, error, words)


def lowest(name: str, labels: tuple[int, ...], others: tuple[str, ...]) -> Callable[[Results], Iterator[Check]]:
    """ACIS below each of the others."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results[name]
        for family in _families(cells):
            for budget in labels:
                for other in others:
                    mine, theirs = (cells.get((family, method, "own", budget)) for method in ("acis", other))
                    if mine is not None and theirs is not None:
                        yield _lower(mine, theirs)

    return checks


def below(name: str, labels: int, limit: float) -> Callable[[Results], Iterator[Check]]:
    """ACIS's error below a limit."""

    def checks(results: Results) -> Iterator[Check]:
        for (family, method, target, budget), cell in results[name].items():
            if (method, target, budget) == ("acis", "own", labels):
                words = f"{family}: {cell.square:.4f} ± {cell.square_error:.4f}"
                yield _compare(cell.square, limit, cell.square_error, words)

    return checks


def biased(name: str, method: str, true: Callable[[float], bool]) -> Callable[[Results], Iterator[Check]]:
    """Something about the bias of a method at every number of labels up to 150 that ends a round."""

    def checks(results: Results) -> Iterator[Check]:
        for (family, found, target, labels), cell in results[name].items():
            if found == method and target == "own" and labels in ENDS[:4]:
                words = f"{family} at {labels}: {cell.bias:+.3f} ± {cell.bias_error:.3f}"
                ends = {true(cell.bias - 2 * cell.bias_error), true(cell.bias + 2 * cell.bias_error)}
                yield Check(None if len(ends) > 1 else ends.pop(), words)

    return checks


def variance_fits(method: str, low: float, high: float) -> Callable[[Results], Iterator[Check]]:
    """Estimated over empirical variance of ACIS, combined in this way, between two bounds from 30 labels on."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results["figure7"]
        for (family, found, target, labels), cell in cells.items():
            if found == method and target == "own" and labels in ENDS[1:] and cell.variance and cell.empirical:
                share = cell.variance / cell.empirical
                yield Check(low <= share <= high, f"{family} at {labels}: {share:.2f} of the empirical variance")

    return checks


def _at_most_twice(cell: Cell, own: Cell) -> Check:
    error = math.hypot(cell.square_error, 2 * own.square_error)
    words = f"{cell.family} for {cell.target} at {cell.labels}: {cell.square / own.square:.1f} times"
    return _compare(cell.square, 2 * own.square, error, words)


def transferred(results: Results) -> Iterator[Check]:
    """The error for another model at most twice that of a set of its own."""
    cells = results["figure9"]
    for (family, method, target, labels), cell in cells.items():
        simulated = family.split(" ")[0] if target == "a" else f"{family.split(' ')[0]} {target}"
        own = cells.get((simulated if len(target) == 1 else target, method, "own", labels))
        if target != "own" and labels in ENDS and own is not None:
            yield _at_most_twice(cell, own)


def thresholds_serve(results: Results) -> Iterator[Check]:
    """The error for another threshold at most twice that for the threshold of the set."""
    cells = results["supplement1"]
    for (family, method, target, labels), cell in cells.items():
        if target != "own" and labels in ENDS:
            yield _at_most_twice(cell, cells[family, method, "own", labels])


def finite_variance(results: Results) -> Iterator[Check]:
    """The variance of F1 on 50,000 fully labelled items, between a half and twice the paper's."""
    for (family, _, _, size), cell in results["figure8"].items():
        if size == 50_000 and cell.variance is not None and cell.empirical is not None:
            words = f"{family}: estimated {cell.variance:.4f}, empirical {cell.empirical:.4f}"
            yield Check(0.0015 < cell.variance < 0.006, words)


def quick(results: Results) -> Iterator[Check]:
    """Seconds of a whole ACIS evaluation to 600 labels."""
    for (family, method, _, labels), cell in results["figure3"].items():
        if (method, labels) == ("acis", 600):
            yield Check(cell.seconds < 60, f"{family}: {cell.seconds:.2f} s")


BASELINES = ("sawade", "topk", "gmm")
CLAIMS = (
    Claim(
        "figure 3",
        "lowest error on the million pool below 600 labels",
        ("figure3",),
        lowest("figure3", ENDS, BASELINES),
    ),
    Claim(
        "figure 4",
        "lowest error on 50,000 items below 300 labels",
        ("figure4",),
        lowest("figure4", ENDS[:4], BASELINES),
    ),
    Claim("figure 3", "error below 0.01 with 100 labels", ("figure3",), below("figure3", 100, 0.01)),
    Claim("figure 4", "error below 0.01 with 100 labels", ("figure4",), below("figure4", 100, 0.01)),
    Claim(
        "figure 4",
        "mean within 0.1 of the truth",
        ("figure4",),
        biased("figure4", "acis", lambda bias: abs(bias) < 0.1),
    ),
    Claim("figure 4", "TOP-K overestimates", ("figure4",), biased("figure4", "topk", lambda bias: bias > 0)),
    Claim("figure 4", "GMM underestimates", ("figure4",), biased("figure4", "gmm", lambda bias: bias < 0)),
    Claim("figure 5", "lowest error below 100 labels", ("figure5",), lowest("figure5", (10, 30, 70), BASELINES)),
    Claim(
        "figure 6",
        "lower error than SAWADE, ISO, PLATT, RAND",
        ("figure6",),
        lowest("figure6", ENDS, ("sawade", "iso", "platt", "rand")),
    ),
    Claim(
        "figure 6", "averaging rounds helps below 100 labels", ("figure6",), lowest("figure6", (30, 70), ("acis_last",))
    ),
    Claim("figure 7", "the variance of a single trial fits", ("figure7",), variance_fits("acis", 0.7, 1.3)),
    Claim("figure 8", "variance about 0.003 on 50,000 labelled items", ("figure8",), finite_variance),
    Claim("figure 9", "a set of another model costs at most twice the error", ("figure9",), transferred),
    Claim("supplement 1", "a set drawn at 0.1 serves 0.02 to 0.5", ("supplement1",), thresholds_serve),
    Claim("supplement 2", "isotonic beats Platt", ("supplement2",), lowest("supplement2", ENDS, ("acis_platt",))),
    Claim(
        "supplement 3", "the worst case overestimates the variance", ("figure7",), variance_fits("worst case", 1.3, 99)
    ),
    Claim("text", "under a minute a model", ("figure3",), quick),
)


def table(results: Results) -> str:
    """One row a claim."""
    head = ["| of the paper | claim | measured | verdict |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(claim.row(results) for claim in CLAIMS)])
