"""What the interactive figures have in common: axes, lines along the ranking, one look."""

from itertools import pairwise
from typing import Any

import numpy as np
from plotly import graph_objects as go

from lowshot.charts.along_ranking import Line
from lowshot.charts.style import GREY, ORANGE, see_through
from lowshot.core.types import Floats

GRID = see_through(GREY, 0.25)


def spans(edges: Floats) -> list[str]:
    """The ranks between edges, in words.

    >>> spans(np.array([0.5, 1.5, 4.5]))
    ['1 to 1', '2 to 4']
    """
    return [f"{low + 0.5:,.0f} to {high - 0.5:,.0f}" for low, high in pairwise(edges)]


def line_of(line: Line, what: str) -> go.Scatter:
    """A value along the ranking."""
    kind, colour = ("predicted", ORANGE) if line.predicted else ("not predicted", GREY)
    return go.Scatter(
        x=line.rank,
        y=np.where(line.value > 0, line.value, np.nan),
        mode="lines",
        line={"color": colour, "width": 2.5},
        name=f"{what}, {kind}",
        hovertemplate="rank %{x:,}: %{y:.3g}<extra></extra>",
    )


def ranks(items: int) -> dict[str, Any]:
    """An axis of ranks: powers of ten, so that numbers do not overlap on a phone."""
    return axis("rank", type="log", dtick=1, tickformat=",", range=[-0.15, np.log10(items) + 0.1])


def axis(name: str, **more: Any) -> dict[str, Any]:
    """A quiet one: its grid can be seen on white and on black."""
    return {"title": {"text": name}, "gridcolor": GRID, "zeroline": False, "automargin": True, **more}


def figure(parts: list[Any], x: dict[str, Any], y: dict[str, Any], height: int = 340) -> go.Figure:
    """Without a background of its own: that of the page shows."""
    clear = see_through("#000000", 0)
    return go.Figure(parts).update_layout(
        template="none",
        xaxis=x,
        yaxis=y,
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        font={"family": "system-ui, sans-serif", "size": 13},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "bgcolor": clear, "traceorder": "normal"},
        hoverlabel={"font": {"family": "system-ui, sans-serif"}},
        dragmode=False,
    )
