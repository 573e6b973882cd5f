"""The settings that the paper does not print (epsilon, weight of the prior, schedule).

They are chosen by the errors on even classes and reported on odd classes, from the rows of the experiment `settings`.
"""

from collections.abc import Iterator

import numpy as np

from lowshot_bench.summary import Cells, families, methods, of_classes, paired, ratio
from lowshot_bench.verdicts import Check, Checks, Results, at_most, lower, pick

JUDGED = (30, 70, 150)  # numbers of labels at which settings are compared: ends of ACIS's rounds
DEFAULT = "acis"


def halves(cells: Cells) -> tuple[Cells, Cells]:
    """The cells over even classes, and over odd classes."""
    return of_classes(cells, lambda category: category % 2 == 0), of_classes(cells, lambda category: category % 2 == 1)


def candidates(cells: Cells) -> list[str]:
    """The methods that were made from a grid of settings: their names list the settings, with commas."""
    return [method for method in methods(cells) if "," in method]


def scores(cells: Cells, candidates: list[str]) -> dict[str, float]:
    """Error / error of the default: geometric mean over families and numbers of labels, all with equal weight."""
    return {method: float(np.exp(np.mean(list(_log_ratios(cells, method))))) for method in candidates}


def _log_ratios(cells: Cells, method: str) -> Iterator[float]:
    for family in families(cells):
        for labels in JUDGED:
            mine, default = cells[family, method, "own", labels], cells[family, DEFAULT, "own", labels]
            yield float(np.log(ratio(*paired(mine, default))[0]))


def choose(cells: Cells) -> str:
    """The candidate with the lowest score on even classes."""
    even = scores(halves(cells)[0], candidates(cells))
    return min(even, key=lambda method: even[method])


def chosen_beats(other: str) -> Checks:
    """On odd classes, the chosen settings have a lower error than another method."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results["settings"]
        best, odd = choose(cells), halves(cells)[1]
        for family in families(odd):
            for labels in JUDGED:
                yield lower(odd[family, best, "own", labels], odd[family, other, "own", labels])

    return checks


def chosen_below(labels: int, limit: float) -> Checks:
    """On odd classes, the error of the chosen settings is below a limit."""

    def checks(results: Results) -> Iterator[Check]:
        cells = results["settings"]
        for cell in pick(halves(cells)[1], (choose(cells),), (labels,)):
            yield at_most(cell.square, limit, cell.square_error, f"{cell.family}: {cell.square:.4f}")

    return checks


def choice_table(cells: Cells) -> list[str]:
    """The lines of a Markdown table: all candidates on even classes, the best first; above it, the chosen one."""
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
