"""The facts as interactive figures."""

from html import escape

import numpy as np
from plotly import graph_objects as go

from lowshot.charts.style import BLUE, GREEN, see_through, shades
from lowshot.report.facts import Facts
from lowshot.report.marks import kinds, with_interval
from lowshot.report.plotted import axis, figure, line_of, ranks, spans
from lowshot.report.words import percent, title

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
    return figure([*(parts if labels else []), line], x=axis("labels"), y=axis(name, rangemode="tozero"))


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
                cliponaxis=False,
                hovertemplate=hover,
            )
        )
    height = 60 + 45 * max(1, len(parts))
    return figure(parts, x=axis("", range=[-0.01, 1.01]), y=axis(""), height=height).update_layout(showlegend=False)


def calibration(facts: Facts) -> go.Figure:
    """c(s) along the ranking, and the labelled items."""
    parts = [line_of(line, "expected") for line in facts.calibration]
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
    return figure(parts, x=ranks(facts.origin.items), y=axis("chance of being positive", **ticks), height=420)


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
            customdata=spans(facts.histogram.edges),
            hovertemplate="%{y} labels at ranks %{customdata}<extra>" + name + "</extra>",
        )
        for name, count, colour in zip(names, counts, shades(len(names)), strict=True)
    ]
    powers = list(range(int(edges[-1]) + 1))
    x = axis("rank", tickvals=powers, ticktext=[f"{10**power:,}" for power in powers], range=[edges[0], edges[-1]])
    return figure(parts, x=x, y=axis("labels")).update_layout(barmode="stack")


def probability(facts: Facts) -> go.Figure:
    """The probability of an item; where draws have none, which share of the items is labelled."""
    y = {"type": "log", "dtick": 1}
    if facts.probabilities:
        parts = [line_of(line, "one draw of an item") for line in facts.probabilities]
        return figure(parts, x=ranks(facts.origin.items), y=axis("probability", exponentformat="power", **y))
    edges, share = facts.histogram.edges, facts.histogram.share
    there = share > 0
    line = go.Scatter(
        x=np.sqrt(edges[1:] * edges[:-1])[there],
        y=share[there],
        mode="lines+markers",
        line={"color": GREEN, "width": 2.5},
        customdata=[span for span, kept in zip(spans(edges), there, strict=True) if kept],
        hovertemplate="%{y:.2g} of the items at ranks %{customdata}<extra></extra>",
    )
    y = axis("share labelled", tickformat=".3~%", **y)
    return figure([line], x=ranks(facts.origin.items), y=y).update_layout(showlegend=False)
