"""What the paper does not print (epsilon, prior weight, schedule): chosen on even classes, reported on odd ones."""

from collections.abc import Iterator

import numpy as np

from lowshot_bench.check import Check, Checks, Results, at_most, families, lower, pick
from lowshot_bench.summary import Cells, paired, part, ratio

JUDGED = (30, 70, 150)  # labels at which settings are judged
DEFAULT = "acis"


def halves(cells: Cells) -> tuple[Cells, Cells]:
    """The cells of the even and of the odd classes."""
    return part(cells, lambda category: category % 2 == 0), part(cells, lambda category: category % 2 == 1)


def candidates(cells: Cells) -> list[str]:
    """The settings that were tried: methods named after their settings."""
    return [method for method in dict.fromkeys(key[1] for key in cells) if "," in method]


def scores(cells: Cells, methods: list[str]) -> dict[str, float]:
    """Error over that of the default: the geometric mean over families and label counts, so that each counts alike."""
    return {method: float(np.exp(np.mean(list(_logarithms(cells, method))))) for method in methods}


def _logarithms(cells: Cells, method: str) -> Iterator[float]:
    for family in families(cells):
        for labels in JUDGED:
            mine, default = cells[family, method, "own", labels], cells[family, DEFAULT, "own", labels]
            yield float(np.log(ratio(*paired(mine, default))[0]))


def choose(cells: Cells) -> str:
    """The settings with the lowest score on even classes."""
    even = scores(halves(cells)[0], candidates(cells))
    return min(even, key=lambda method: even[method])


def chosen_beats(other: str) -> Checks:
    """The chosen settings have a lower error than another method, on odd classes."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results["settings"]
        best, odd = choose(cells), halves(cells)[1]
        for family in families(odd):
            for labels in JUDGED:
                yield lower(odd[family, best, "own", labels], odd[family, other, "own", labels])

    return checks


def chosen_below(labels: int, limit: float) -> Checks:
    """The error of the chosen settings is below a limit, on odd classes."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results["settings"]
        for cell in pick(halves(cells)[1], (choose(cells),), (labels,)):
            yield at_most(cell.square, limit, cell.square_error, f"{cell.family}: {cell.square:.4f}")

    return checks


def choice_table(cells: Cells) -> list[str]:
    """Every candidate on even classes, best first; the chosen one also on odd classes."""
    even, odd = halves(cells)
    tried = scores(even, candidates(cells))
    best = choose(cells)
    lines = [
        f"Error / error of the default settings, geometric mean over families at {', '.join(map(str, JUDGED))} labels.",
        f"Chosen on even classes: {best} ({tried[best]:.2f}); on odd classes: {scores(odd, [best])[best]:.2f}.",
        "",
        "| settings | even classes |",
        "| --- | --- |",
    ]
    return [*lines, *(f"| {method} | {tried[method]:.2f} |" for method in sorted(tried, key=lambda m: tried[m]))]
