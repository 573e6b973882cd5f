"""Comparisons for figure 9 and supplement 1: a set drawn for one model or threshold, used for another."""

from collections.abc import Iterator

from lowshot_bench.check import ENDS, TWICE, Check, Results, at_most, error_ratio
from lowshot_bench.summary import Cell, Cells, paired, ratio

FEW = (10, 30, 70)  # the paper: below 80 labels


def model_of(family: str, target: str) -> str:
    """The family whose own sets are drawn for this target.

    >>> model_of("imagenet50k b", "a"), model_of("imagenet50k", "c"), model_of("simclr", "byol")
    ('imagenet50k', 'imagenet50k c', 'byol')
    """
    if len(target) > 1:
        return target
    kind = family.split(" ")[0]
    return kind if target == "a" else f"{kind} {target}"


def _others(cells: Cells, labels: tuple[int, ...]) -> Iterator[Cell]:
    return (cell for (_, _, target, budget), cell in cells.items() if target != "own" and budget in labels)


def at_most_twice(results: Results) -> Iterator[Check]:
    """The error for another model is at most twice that of a set of its own."""
    cells = results["figure9"]
    for cell in _others(cells, ENDS):
        own = cells.get((model_of(cell.family, cell.target), cell.method, "own", cell.labels))
        if own is not None:
            value, error, words = error_ratio(cell, own)
            yield at_most(value, TWICE, error, words)


def beats_best_baseline(results: Results) -> Iterator[Check]:
    """For some model, the set of another has a lower error than its own best baseline: one check a model."""
    found: dict[str, list[Check]] = {}
    for cell in _others(results["figure9"], FEW):
        model = model_of(cell.family, cell.target)
        baselines = [
            other
            for name in ("figure4", "real")
            for (family, method, _, labels), other in results[name].items()
            if (family, labels) == (model, cell.labels) and method in ("sawade", "rand", "topk", "gmm", "herding")
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
    """The error for another threshold is at most twice that for the threshold of the set."""
    cells = results["supplement1"]
    for cell in _others(cells, ENDS):
        value, error, words = error_ratio(cell, cells[cell.family, cell.method, "own", cell.labels])
        yield at_most(value, TWICE, error, words)


def worse_at_the_high_end(results: Results) -> Iterator[Check]:
    """The error for threshold 0.5 is above that for 0.05."""
    cells = results["supplement1"]
    for (family, method, target, labels), cell in cells.items():
        if target == "0.5" and labels in ENDS:
            value, error = ratio(*paired(cells[family, method, "0.05", labels], cell))
            yield at_most(value, 1, error, f"{family} at {labels}: error for 0.05 / for 0.5 = {value:.2g}")
