"""Write the report of an evaluation as one HTML file, which needs no other file and no network."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from lowshot import checks
from lowshot.charts.style import percent, title
from lowshot.class_evaluation import ClassEvaluation
from lowshot.errors import InputError, MissingExtra
from lowshot.evaluation import Evaluation
from lowshot.report import details, sentences
from lowshot.report.class_facts import ClassFacts, gather_classes
from lowshot.report.facts import Advance, ReportFacts, gather
from lowshot.report.labelled import Doubt
from lowshot.report.measures import Measure
from lowshot.report.sentences import AnyFacts
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
                several models report-models.png and, for two, report-difference.png instead of the first; for many
                categories report-estimate.png and report-categories.png
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
    facts: AnyFacts
    if isinstance(evaluation, ClassEvaluation):
        if margin:
            raise InputError(
                f"margin must be left out with many classes: got {margin:g}; there are no models to compare"
            )
        facts = gather_classes(evaluation, confidence=confidence, advance=advance)
    else:
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


def _save(facts: AnyFacts, page: Path) -> list[Path]:
    from lowshot.charts import dots, png

    if isinstance(facts, ClassFacts):
        names = {name: page.with_name(f"{page.stem}-{name}.png") for name in ("estimate", "categories")}
        heading = f"{title(facts.table.metric)} of each category"
        png.path_figure(facts.path, sentences.headline(facts)).savefig(names["estimate"], dpi=150)
        dots.save(facts.table, names["categories"], heading)
        return [*names.values()]
    return png.save(facts.charts(sentences.headline(facts)), page)


def page(facts: AnyFacts) -> str:
    """The report as HTML. Ids and other texts of users are escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    from lowshot.charts import html

    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(short=_short, change=_change, measured=_measured, number=_number)
    environment.filters.update(percent=percent, title_of=title, share=share, signed=_signed, range=_range)
    template, parts = _class_parts(facts) if isinstance(facts, ClassFacts) else _parts(facts)
    shared = {"facts": facts, "sentences": sentences, "details": details, **_as_html({"plotly": html.script()})}
    return environment.get_template(template).render(**shared, **parts)


def _template(name: str) -> str:
    return files("lowshot.report").joinpath(name).read_text("utf-8")


def _parts(facts: ReportFacts) -> tuple[str, dict[str, Any]]:
    """The template of a report on a yes/no question, and the parts that are HTML already."""
    from lowshot.charts import html, threshold_page

    figures = html.embedded(facts.charts(sentences.headline(facts)))
    drawn = {"thresholds": threshold_html(facts)}
    drawn |= {"threshold_style": threshold_page.style(), "threshold_script": threshold_page.script()}
    return "page.html", {"figures": _as_html(figures), **_as_html(drawn)}


def _class_parts(facts: ClassFacts) -> tuple[str, dict[str, Any]]:
    """The same for many categories."""
    from lowshot.charts import dot_rows, html

    drawn = {"estimate": html.embedded_path(facts.path)}
    drawn |= {"categories": dot_rows.fragment(facts.table, facts.estimate.value if facts.estimate.defined else None)}
    drawn |= {"dots_style": dot_rows.style(), "dots_script": dot_rows.script()}
    return "categories.html", _as_html(drawn)


def _as_html(parts: Mapping[str, str]) -> dict[str, Any]:
    """Texts that are not escaped."""
    from markupsafe import Markup

    return {name: Markup(part) for name, part in parts.items()}


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
