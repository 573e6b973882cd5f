"""Write the report of an evaluation as one HTML file, which needs no other file and no network."""

from importlib.resources import files
from pathlib import Path

from lowshot import checks
from lowshot.charts.style import percent, title
from lowshot.errors import InputError, MissingExtra
from lowshot.evaluation import Evaluation
from lowshot.report import details, sentences
from lowshot.report.facts import Advance, ReportFacts, gather
from lowshot.report.labelled import Doubt
from lowshot.report.measures import Measure
from lowshot.result import Comparison, short, signed
from lowshot.result import percent as share


def write(
    evaluation: Evaluation,
    path: str | Path,
    *,
    pictures: bool = False,
    confidence: float = 0.95,
    margin: float = 0.0,
    advance: Advance = lambda done, steps: None,
) -> list[Path]:
    """Write the report, and return the paths of the files that were written.

    evaluation  the evaluation, with at least one label; it is not changed
    path        the file, such as report.html; an existing file is replaced
    pictures    also write the figures beside it: report-estimate.png, report-calibration.png and report-draws.png; for
                several models report-models.png and, for two, report-difference.png instead of the first
    confidence  the confidence of the intervals
    margin      a difference between models that does not matter, as for `Evaluation.compare`
    advance     called with (steps done, steps in all), for a progress bar
    """
    if not isinstance(evaluation, Evaluation):
        raise InputError(f"evaluation must be a lowshot.Evaluation: got {type(evaluation).__name__}; make one first")
    if not isinstance(path, (str, Path)):
        raise InputError(f"path must be a text or a Path: got {path!r}; write 'report.html'")
    target = checks.new_file("path", Path(path), (".html", ".htm"))
    checks.flag("pictures", pictures)
    refuse_missing_extra(pictures)
    facts = gather(evaluation, confidence=confidence, margin=margin, advance=advance)
    try:
        # An id may contain a lone surrogate, which UTF-8 cannot encode: it becomes a question mark.
        target.write_text(page(facts), encoding="utf-8", errors="replace")
        return [target, *(_save(facts, target) if pictures else [])]
    except OSError as error:
        raise InputError(f"path must be a file that can be written: got {str(path)!r} ({error.strerror})") from None


def refuse_missing_extra(pictures: bool) -> None:
    """Checked first, because gathering the facts may take minutes."""
    try:
        import jinja2  # noqa: F401

        import lowshot.charts.html

        if pictures:
            import lowshot.charts.png  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a report needs {error.name}: pip install 'lowshot[report]'") from None


def _save(facts: ReportFacts, page: Path) -> list[Path]:
    from lowshot.charts import png

    return png.save(facts.charts(sentences.headline(facts)), page)


def page(facts: ReportFacts) -> str:
    """The report as HTML. Ids and other texts of users are escaped."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    from lowshot.charts import html, threshold_page

    template = files("lowshot.report").joinpath("page.html").read_text("utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(short=_short, change=_change, measured=_measured, number=_number)
    environment.filters.update(percent=percent, title_of=title, share=share, signed=_signed, range=_range)
    figures = html.embedded(facts.charts(sentences.headline(facts)))
    return environment.from_string(template).render(
        facts=facts,
        sentences=sentences,
        details=details,
        figures={name: Markup(figure) for name, figure in figures.items()},
        plotly=Markup(html.script()),
        thresholds=Markup(threshold_html(facts)),
        threshold_style=Markup(threshold_page.style()),
        threshold_script=Markup(threshold_page.script()),
    )


def threshold_html(facts: ReportFacts) -> str:
    """The choice, if a threshold is the goal, and the picture of all thresholds; empty where there are none."""
    from lowshot.charts import threshold_page

    choice = "" if facts.choice is None else threshold_page.choice_in_words(facts.choice)
    curve = "" if facts.thresholds is None else threshold_page.fragment(facts.thresholds, facts.choice)
    return f"{choice}\n{curve}".strip()


def _short(value: float | None) -> str:
    return "" if value is None else short(value)


def _signed(value: float) -> str:
    """A difference, or a share, with a minus sign that is as wide as a plus sign."""
    return signed(value).replace("-", "−")


def _range(found: Comparison) -> str:
    """The interval of a difference; the reason if there is none."""
    if found.interval is None:
        return found.reason
    return f"{_signed(found.interval.low)} to {_signed(found.interval.high)}"


def _number(value: float | None) -> str:
    """
    >>> _number(1.8e-5), _number(0.25), _number(None)
    ('1.8e-05', '0.25', '')
    """
    return "" if value is None else f"{value:.3g}"


def _measured(measure: Measure) -> dict[str, str]:
    """Value and interval of a metric, as texts; a dash if there is no value."""
    found = measure.estimate
    if found is None or not found.defined:
        return {"value": "–", "interval": measure.reason or (found.reason if found else "")}
    if found.interval is None:
        return {"value": short(found.value), "interval": "no interval"}
    return {"value": short(found.value), "interval": f"{short(found.interval.low)} to {short(found.interval.high)}"}


def _change(doubt: Doubt) -> str:
    """The change with its sign."""
    return f"{'+' if doubt.change > 0 else '−'}{short(abs(doubt.change))}"
