"""Facts and figures as one HTML file that loads nothing from anywhere."""

from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from plotly.io import to_html
from plotly.offline import get_plotlyjs

from lowshot.report import details, words
from lowshot.report.doubts import Doubt
from lowshot.report.facts import Facts, Measure
from lowshot.report.figures import figures
from lowshot.result import short

CONFIG = {"displayModeBar": False, "responsive": True, "scrollZoom": False}


def page(facts: Facts) -> str:
    """The report. What comes from outside, ids above all, is shown as text, whatever it contains."""
    template = files("lowshot.report").joinpath("page.html").read_text("utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(short=_short, change=_change, measured=_measured, number=_number)
    return environment.from_string(template).render(
        facts=facts,
        words=words,
        details=details,
        figures={name: _html(name, figure) for name, figure in figures(facts).items()},
        plotly=Markup(get_plotlyjs()),
    )


def _html(name: str, figure: Any) -> Markup:
    """Nothing for a figure without data. Plotly writes every < in it as an escape, so that no id can end the script."""
    if not figure.data:
        return Markup("")
    return Markup(
        to_html(
            figure,
            config=CONFIG,
            include_plotlyjs=False,
            full_html=False,
            div_id=f"figure-{name}",
            default_height=f"{figure.layout.height}px",
        )
    )


def _short(value: float | None) -> str:
    return "" if value is None else short(value)


def _number(value: float | None) -> str:
    """
    >>> _number(1.8e-5), _number(0.25), _number(None)
    ('1.8e-05', '0.25', '')
    """
    return "" if value is None else f"{value:.3g}"


def _measured(measure: Measure) -> dict[str, str]:
    """Value and interval of a metric, in words; a dash for what there is not."""
    found = measure.estimate
    if found is None or not found.defined:
        return {"value": "–", "interval": measure.reason or (found.reason if found else "")}
    if found.interval is None:
        return {"value": short(found.value), "interval": "no interval"}
    return {"value": short(found.value), "interval": f"{short(found.interval.low)} to {short(found.interval.high)}"}


def _change(doubt: Doubt) -> str:
    """With its sign, so that up and down can be told at a glance."""
    return f"{'+' if doubt.change > 0 else '−'}{short(abs(doubt.change))}"
