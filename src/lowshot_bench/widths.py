"""How many labels for how narrow an interval: one line a family, so that readers can find the pool most like theirs."""

from matplotlib.figure import Figure

from lowshot_bench.panels import curve, dress, values
from lowshot_bench.summary import Cell, Cells, line

WANTED = (0.05, 0.1, 0.2)  # half-widths that people ask for


def widths(cells: Cells) -> Figure:
    """Mean half-width of the 95 % interval against labels, the widest family on top of the legend."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    axis = figure.subplots()
    families = sorted(values(cells, 0), key=lambda family: -(_lines(cells, family)[-1].width or 0))
    for number, family in enumerate(families):
        curve(axis, _lines(cells, family), number, family, lambda cell: (cell.width or 0) / 2)
    dress(axis, "", "mean half-width of the 95 % interval", log=True)
    axis.set_yticks(WANTED, [f"± {wanted:g}" for wanted in WANTED])
    for wanted in WANTED:
        axis.axhline(wanted, color="black", linestyle="--", linewidth=0.8)
    figure.legend(loc="outside right center", frameon=False, fontsize=9)
    return figure


def _lines(cells: Cells, family: str) -> list[Cell]:
    return line(cells, family, values(cells, 1)[0])
