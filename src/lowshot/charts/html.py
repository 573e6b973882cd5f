"""The charts of a report drawn with Plotly, as interactive HTML that needs no network. Extra `[report]`."""

from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from plotly import graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs

from lowshot.charts.along_ranking import Line
from lowshot.charts.estimate_path import EstimatePath
from lowshot.charts.model_paths import BANDS
from lowshot.charts.report_charts import ReportCharts
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, percent, see_through, shades, title
from lowshot.core.types import Floats

LONGEST_NAME, LONGEST_AXIS = 24, 48  # characters
GRID = see_through(GREY, 0.25)
CONFIG = {"displayModeBar": False, "responsive": True, "scrollZoom": False}


def script() -> str:
    """Plotly's JavaScript, about 4 MB: a page includes it once, for all its figures."""
    code: str = get_plotlyjs()
    return code


def embedded(charts: ReportCharts) -> dict[str, str]:
    """The figures by name, as HTML; an empty text for a figure without data.

    Plotly escapes every < in its data, so no id can end the script element.
    """
    return {name: _html(name, figure) if figure.data else "" for name, figure in figures(charts).items()}


def embedded_path(path: EstimatePath) -> str:
    """The estimate and its interval against the number of labels, as HTML."""
    return _html("estimate", path_figure(path))


def _html(name: str, figure: go.Figure) -> str:
    code: str = to_html(
        figure,
        config=CONFIG,
        include_plotlyjs=False,
        full_html=False,
        div_id=f"figure-{name}",
        default_height=f"{figure.layout.height}px",
    )
    return code


def figures(charts: ReportCharts) -> dict[str, go.Figure]:
    """The figures by name."""
    return {
        "estimate": estimate(charts),
        "difference": difference(charts),
        "models": models(charts),
        "measures": measures(charts),
        "calibration": calibration(charts),
        "draws": draws(charts),
        "probability": probability(charts),
    }


def estimate(charts: ReportCharts) -> go.Figure:
    """The estimate and its interval against the number of labels."""
    return go.Figure() if charts.path is None else path_figure(charts.path)


def path_figure(path: EstimatePath) -> go.Figure:
    """One path."""
    interval = f"{percent(path.confidence)} interval"
    y = axis(title(path.metric), rangemode="tozero")
    return figure(path_with_band(path, BLUE, "estimate", interval), x=axis("labels"), y=y)


def difference(charts: ReportCharts) -> go.Figure:
    """The difference of two models and its interval against the number of labels, with a line at 0."""
    path = charts.difference
    if path is None:
        return go.Figure()
    parts = path_with_band(path, BLUE, "difference", f"{percent(path.confidence)} interval")
    found = figure(parts, x=axis("labels"), y=axis(shown(path.axis, LONGEST_AXIS)))
    for level, name in path.levels.items():
        style = {"color": GREY, "width": 2} if level == 0 else {"color": ORANGE, "width": 1.5, "dash": "dash"}
        found.add_hline(y=level, line=style, layer="below")
        if level >= 0:  # lines of the layout have no entry in the legend
            found.add_scatter(x=[None], y=[None], mode="lines", line=style, name=name)
    return found


def models(charts: ReportCharts) -> go.Figure:
    """The estimate of each model against the number of labels; with few models, their intervals, too."""
    if not charts.models:
        return go.Figure()
    parts = []
    for one in charts.models:
        name = shown(one.name)
        band = f"{name}, interval" if len(charts.models) <= BANDS else None
        parts += path_with_band(one.path, one.colour, name, band, group=one.name, legend=False)
    y = axis(title(charts.models[0].path.metric), rangemode="tozero")
    return figure(parts, x=axis("labels"), y=y, height=400)


def path_with_band(
    path: EstimatePath, colour: str, name: str, band: str | None, *, group: str = "", legend: bool = True
) -> list[go.Scatter]:
    """A line with its interval. `band` is the name of the interval; None: it is not drawn.

    group   parts of one group are hidden together by a click on the legend
    legend  whether the band has an entry in the legend
    """
    (across, values), (labels, low, high) = path.line, path.band
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "legendgroup": group}
    line = go.Scatter(
        x=across,
        y=values,
        mode="lines+markers",
        line={"color": colour, "width": 2.5},
        marker={"size": 6},
        name=name,
        legendgroup=group,
        hovertemplate="%{x} labels: %{y:.3f}<extra>" + (name if group else "") + "</extra>",
    )
    if band is None or not labels:
        return [line]
    shade = {"fill": "tonexty", "fillcolor": see_through(colour, 0.2 if legend else 0.14), "name": band}
    return [
        go.Scatter(x=labels, y=low, showlegend=False, **edge),
        go.Scatter(x=labels, y=high, showlegend=legend, **edge, **shade),
        line,
    ]


def shown(name: str, longest: int = LONGEST_NAME) -> str:
    """A name of the user's as Plotly shows it: cut where it is too long for a phone, and without any HTML."""
    return escape(name if len(name) <= longest else f"{name[: longest - 1]}…")


def measures(charts: ReportCharts) -> go.Figure:
    """Shares with their intervals: F1, precision and recall, or the metric of each model.

    Counts have another scale, so they are only in the table.
    """
    parts = []
    for name, found in reversed(list(charts.measures.items())):
        low, high = (found.value, found.value) if found.interval is None else (found.interval.low, found.interval.high)
        bar = {"type": "data", "array": [high - found.value], "arrayminus": [found.value - low], "thickness": 3}
        mark = {"color": BLUE, "size": 11}
        hover = f"{found.value:.3f}, {low:.3f} to {high:.3f}<extra></extra>"
        parts.append(
            go.Scatter(
                x=[found.value],
                y=[shown(name)],
                error_x={**bar, "color": BLUE},
                mode="markers",
                marker=mark,
                cliponaxis=False,
                hovertemplate=hover,
            )
        )
    height = 60 + 45 * max(1, len(parts))
    y = axis("", type="category")  # a name such as "7" is no number
    return figure(parts, x=axis("", range=[-0.01, 1.01]), y=y, height=height).update_layout(showlegend=False)


def calibration(charts: ReportCharts) -> go.Figure:
    """c(s), the expected label, along the ranking, and the labelled items."""
    parts = [line_of(line, "expected") for line in charts.calibration]
    for marks in charts.marks:
        parts.append(
            go.Scatter(
                x=[row.rank for row in marks.rows],
                y=marks.height,
                mode="markers",
                marker={
                    "symbol": marks.symbol,
                    "color": marks.colour,
                    "size": 8,
                    "line": {"width": 1.2, "color": marks.colour},
                },
                name=marks.name,
                text=[escape(str(row.item)) for row in marks.rows],
                hovertemplate="%{text}<br>rank %{x:,}<extra></extra>",
            )
        )
    ticks = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "range": [-0.14, 1.14]}
    return figure(parts, x=ranks(charts.items), y=axis("probability of being positive", **ticks), height=420)


def draws(charts: ReportCharts) -> go.Figure:
    """Labels per bin of ranks, stacked by round."""
    edges = np.log10(charts.histogram.edges)
    names, counts = charts.histogram.rounds, charts.histogram.counts
    parts = [
        go.Bar(
            x=(edges[1:] + edges[:-1]) / 2,
            y=count,
            width=np.diff(edges) * 0.92,
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            customdata=spans(charts.histogram.edges),
            hovertemplate="%{y} labels at ranks %{customdata}<extra>" + name + "</extra>",
        )
        for name, count, colour in zip(names, counts, shades(len(names)), strict=True)
    ]
    powers = list(range(int(edges[-1]) + 1))
    x = axis("rank", tickvals=powers, ticktext=[f"{10**power:,}" for power in powers], range=[edges[0], edges[-1]])
    return figure(parts, x=x, y=axis("labels")).update_layout(barmode="stack")


def probability(charts: ReportCharts) -> go.Figure:
    """The probability of an item in one draw or, for samplers without probabilities, the share of labelled items."""
    y = {"type": "log", "dtick": 1}
    if charts.probabilities:
        parts = [line_of(line, "one draw of an item") for line in charts.probabilities]
        return figure(parts, x=ranks(charts.items), y=axis("probability", exponentformat="power", **y))
    edges, share = charts.histogram.edges, charts.histogram.share
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
    return figure([line], x=ranks(charts.items), y=y).update_layout(showlegend=False)


def spans(edges: Floats) -> list[str]:
    """The ranks of each bin, as text.

    >>> spans(np.array([0.5, 1.5, 4.5]))
    ['1 to 1', '2 to 4']
    """
    return [f"{low + 0.5:,.0f} to {high - 0.5:,.0f}" for low, high in pairwise(edges)]


def line_of(line: Line, what: str) -> go.Scatter:
    """One line along the ranking. Values of 0 are left out: most of these lines are on a log axis."""
    return go.Scatter(
        x=line.rank,
        y=np.where(line.value > 0, line.value, np.nan),
        mode="lines",
        line={"color": line.kind.colour, "width": 2.5},
        name=escape(f"{what}, {line.kind.name}"),
        hovertemplate="rank %{x:,}: %{y:.3g}<extra></extra>",
    )


def ranks(items: int) -> dict[str, Any]:
    """A log axis of ranks, with ticks only at powers of ten, so that they do not overlap on a phone."""
    return axis("rank", type="log", dtick=1, tickformat=",", range=[-0.15, np.log10(items) + 0.1])


def axis(name: str, **more: Any) -> dict[str, Any]:
    """An axis with a grey grid, which is visible on white and on black."""
    return {"title": {"text": name}, "gridcolor": GRID, "zeroline": False, "automargin": True, **more}


def figure(parts: list[Any], x: dict[str, Any], y: dict[str, Any], height: int = 340) -> go.Figure:
    """A figure with a transparent background, so that it fits a light and a dark page."""
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
