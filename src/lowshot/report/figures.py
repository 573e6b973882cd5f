"""The facts as interactive figures."""

from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from plotly import graph_objects as go

from lowshot.report.colours import BLUE, GREEN, GREY, ORANGE, see_through, shades
from lowshot.report.facts import Facts
from lowshot.report.points import kinds, with_interval
from lowshot.report.ranked import Line
from lowshot.report.words import percent, title

GRID = see_through(GREY, 0.25)
SHARES = ("f1", "precision", "recall")


def figures(facts: Facts) -> dict[str, go.Figure]:
    """Every figure, by name."""
    return {
        "estimate": estimate(facts),
        "measures": measures(facts),
        "calibration": calibration(facts),
        "draws": draws(facts),
        "probability": probability(facts),
    }


def estimate(facts: Facts) -> go.Figure:
    """The estimate with its interval as the labels came in."""
    name, points = title(facts.estimate.metric), facts.path
    labels, low, high = with_interval(facts)
    band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    line = go.Scatter(
        x=[point.labels for point in points],
        y=[point.estimate.value for point in points],
        mode="lines+markers",
        line={"color": BLUE, "width": 2.5},
        marker={"size": 6},
        name="estimate",
        hovertemplate="%{x} labels: %{y:.3f}<extra></extra>",
    )
    shade = {"fill": "tonexty", "fillcolor": see_through(BLUE, 0.2), "name": f"{percent(facts)} interval"}
    parts = [go.Scatter(x=labels, y=low, showlegend=False, **band), go.Scatter(x=labels, y=high, **band, **shade)]
    return _figure([*(parts if labels else []), line], x=_axis("labels"), y=_axis(name, rangemode="tozero"))


def measures(facts: Facts) -> go.Figure:
    """Shares side by side; counts are in the table."""
    wanted = dict.fromkeys([facts.estimate.metric, *SHARES])
    shown = [m for m in facts.measures if m.name in wanted and m.estimate is not None and m.estimate.defined]
    parts = []
    for measure in reversed(shown):
        found = measure.estimate
        assert found is not None
        low, high = (found.value, found.value) if found.interval is None else (found.interval.low, found.interval.high)
        bar = {"type": "data", "array": [high - found.value], "arrayminus": [found.value - low], "thickness": 3}
        mark = {"color": BLUE, "size": 11}
        hover = f"{found.value:.3f}, {low:.3f} to {high:.3f}<extra></extra>"
        parts.append(
            go.Scatter(
                x=[found.value],
                y=[title(measure.name)],
                error_x={**bar, "color": BLUE},
                mode="markers",
                marker=mark,
                hovertemplate=hover,
            )
        )
    figure = _figure(parts, x=_axis("", range=[-0.01, 1.01]), y=_axis(""), height=60 + 45 * max(1, len(parts)))
    return figure.update_layout(showlegend=False)


def calibration(facts: Facts) -> go.Figure:
    """c(s) along the ranking, and the labelled items."""
    parts = [_line(line, "expected") for line in facts.calibration]
    for kind in kinds(facts):
        parts.append(
            go.Scatter(
                x=[row.rank for row in kind.rows],
                y=kind.height,
                mode="markers",
                marker={
                    "symbol": kind.symbol,
                    "color": kind.colour,
                    "size": 8,
                    "line": {"width": 1.2, "color": kind.colour},
                },
                name=kind.name,
                text=[escape(str(row.item)) for row in kind.rows],
                hovertemplate="%{text}<br>rank %{x:,}<extra></extra>",
            )
        )
    ticks = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "range": [-0.14, 1.14]}
    return _figure(parts, x=_ranks(facts), y=_axis("chance of being positive", **ticks), height=420)


def draws(facts: Facts) -> go.Figure:
    """How many labels fell where, by round."""
    edges = np.log10(facts.histogram.edges)
    names, counts = facts.histogram.rounds, facts.histogram.counts
    parts = [
        go.Bar(
            x=(edges[1:] + edges[:-1]) / 2,
            y=count,
            width=np.diff(edges) * 0.92,
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            customdata=_spans(facts),
            hovertemplate="%{y} labels at ranks %{customdata}<extra>" + name + "</extra>",
        )
        for name, count, colour in zip(names, counts, shades(len(names)), strict=True)
    ]
    powers = list(range(int(edges[-1]) + 1))
    x = _axis("rank", tickvals=powers, ticktext=[f"{10**power:,}" for power in powers], range=[edges[0], edges[-1]])
    return _figure(parts, x=x, y=_axis("labels")).update_layout(barmode="stack")


def probability(facts: Facts) -> go.Figure:
    """The probability of an item; where draws have none, which share of the items is labelled."""
    y = {"type": "log", "exponentformat": "power", "dtick": 1}
    if facts.probabilities:
        parts = [_line(line, "one draw of an item") for line in facts.probabilities]
        return _figure(parts, x=_ranks(facts), y=_axis("probability", **y))
    edges, share = facts.histogram.edges, facts.histogram.share
    there = share > 0
    line = go.Scatter(
        x=np.sqrt(edges[1:] * edges[:-1])[there],
        y=share[there],
        mode="lines+markers",
        line={"color": GREEN, "width": 2.5},
        customdata=[span for span, kept in zip(_spans(facts), there, strict=True) if kept],
        hovertemplate="%{y:.2g} of the items at ranks %{customdata}<extra></extra>",
    )
    return _figure([line], x=_ranks(facts), y=_axis("share labelled", **y)).update_layout(showlegend=False)


def _spans(facts: Facts) -> list[str]:
    edges = facts.histogram.edges
    return [f"{low + 0.5:,.0f} to {high - 0.5:,.0f}" for low, high in pairwise(edges)]


def _line(line: Line, what: str) -> go.Scatter:
    kind, colour = ("predicted", ORANGE) if line.predicted else ("not predicted", GREY)
    return go.Scatter(
        x=line.rank,
        y=np.where(line.value > 0, line.value, np.nan),
        mode="lines",
        line={"color": colour, "width": 2.5},
        name=f"{what}, {kind}",
        hovertemplate="rank %{x:,}: %{y:.3g}<extra></extra>",
    )


def _ranks(facts: Facts) -> dict[str, Any]:
    return _axis("rank", type="log", dtick=1, tickformat=",", range=[-0.15, np.log10(facts.origin.items) + 0.1])


def _axis(name: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": name}, "gridcolor": GRID, "zeroline": False, "automargin": True, **more}


def _figure(parts: list[Any], x: dict[str, Any], y: dict[str, Any], height: int = 340) -> go.Figure:
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
