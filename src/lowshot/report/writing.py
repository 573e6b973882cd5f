"""Write the report of an evaluation as one HTML file, which needs no other file and no network."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot import checks
from lowshot.charts.style import percent, title
from lowshot.class_evaluation import ClassEvaluation
from lowshot.errors import InputError, required_by
from lowshot.evaluation import Evaluation
from lowshot.report import details, sentences
from lowshot.report.class_facts import ClassFacts, gather_classes
from lowshot.report.common import Advance
from lowshot.report.content import Contents
from lowshot.report.facts import ReportFacts, gather
from lowshot.report.labelled import Doubt
from lowshot.report.measures import Measure
from lowshot.report.origin import Clock, now
from lowshot.report.sentences import AnyFacts
from lowshot.result import Comparison, short, signed

if TYPE_CHECKING:
    from lowshot.labelling.items import Shown


def write(
    evaluation: Evaluation,
    path: str | Path,
    *,
    pictures: bool = False,
    confidence: float = 0.95,
    margin: float = 0.0,
    shown: "Shown | None" = None,
    about: Mapping[str, str] | None = None,
    clock: Clock = now,
    advance: Advance = lambda done, steps: None,
    headline: Callable[[str], None] = lambda text: None,
) -> list[Path]:
    """Write the report, and return the paths of the files that were written.

    evaluation  the evaluation, with at least one label; it is not changed
    path        the file, such as report.html; an existing file is replaced
    pictures    also write the figures beside it: report-estimate.png, report-calibration.png and report-draws.png; for
                several models report-models.png and, for two, report-difference.png instead of the first; for many
                categories report-estimate.png and report-categories.png
    confidence  the confidence of the intervals
    margin      a difference between models that does not matter, as for `Evaluation.compare`
    shown       how items are displayed: mistakes and labels to check then come with texts and pictures, up to 5 MB,
                inside of the file; without it, the report names items by their ids only
    about       what else is known about the pool, by name: {"Pool file": "birds.csv", "Threshold": "0.5"}
    clock       gives the time at which the report is written
    advance     called with (steps done, steps in all), for a progress bar
    headline    called with the headline of the report, for a command that prints it
    """
    if not isinstance(evaluation, Evaluation):
        raise InputError(f"evaluation must be a lowshot.Evaluation: got {type(evaluation).__name__}; make one first")
    if not isinstance(path, (str, Path)):
        raise InputError(f"path must be a text or a Path: got {path!r}; write 'report.html'")
    target = checks.new_file("path", Path(path), (".html", ".htm"))
    checks.flag("pictures", pictures)
    refuse_unreadable(shown, about)
    refuse_missing_extra(pictures)
    facts: AnyFacts
    if isinstance(evaluation, ClassEvaluation):
        if margin:
            raise InputError(
                f"margin must be left out with many classes: got {margin:g}; there are no models to compare"
            )
        facts = gather_classes(evaluation, confidence=confidence, about=about, clock=clock, advance=advance)
    else:
        facts = gather(evaluation, confidence=confidence, margin=margin, about=about, clock=clock, advance=advance)
    headline(sentences.headline(facts))
    try:
        # An id may contain a lone surrogate, which UTF-8 cannot encode: it becomes a question mark.
        target.write_text(page(facts, shown), encoding="utf-8", errors="replace")
        return [target, *(_save(facts, target) if pictures else [])]
    except OSError as error:
        raise InputError(f"path must be a file that can be written: got {str(path)!r} ({error.strerror})") from None


def refuse_unreadable(shown: "Shown | None", about: Mapping[str, str] | None) -> None:
    """Checked first, because gathering the facts may take minutes."""
    if shown is not None and not callable(getattr(shown, "parts", None)):
        raise InputError(f"shown must be a lowshot.labelling.items.Shown: got {shown!r}; make one, or leave it out")
    if about is not None and not (
        isinstance(about, Mapping) and all(isinstance(text, str) for pair in about.items() for text in pair)
    ):
        raise InputError(f"about must be texts by name, such as {{'Pool file': 'birds.csv'}}: got {about!r}")


def refuse_missing_extra(pictures: bool) -> None:
    """Checked first, because gathering the facts may take minutes."""
    with required_by("a report", extra="report"):
        import jinja2  # noqa: F401

        import lowshot.charts.html

        if pictures:
            import lowshot.charts.png  # noqa: F401


def _save(facts: AnyFacts, page: Path) -> list[Path]:
    from lowshot.charts import dots, png

    if isinstance(facts, ClassFacts):
        names = {name: page.with_name(f"{page.stem}-{name}.png") for name in ("estimate", "categories")}
        heading = f"{title(facts.table.metric)} of each category"
        png.path_figure(facts.path, sentences.headline(facts)).savefig(names["estimate"], dpi=150)
        dots.save(facts.table, names["categories"], heading)
        return [*names.values()]
    return png.save(facts.charts(sentences.headline(facts)), page)


def page(facts: AnyFacts, shown: "Shown | None" = None) -> str:
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
    environment.filters.update(many=details.many, probable=lambda share: sentences.probable(facts, share))
    environment.filters.update(percent=percent, title_of=title, signed=_signed, range=_range)
    template, parts = _class_parts(facts) if isinstance(facts, ClassFacts) else _parts(facts)
    shared: dict[str, Any] = {"facts": facts, "sentences": sentences, "details": details, "contents": Contents(shown)}
    shared |= {"slices": slice_figures(facts), **_as_html({"plotly": html.script()} | _dots(facts))}
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
    return "categories.html", _as_html(drawn)


def _dots(facts: AnyFacts) -> dict[str, str]:
    """The style and the script of tables with dots; empty if there is no such table."""
    from lowshot.charts import dot_rows

    if not facts.slices and not isinstance(facts, ClassFacts):
        return {"dots_style": "", "dots_script": ""}
    return {"dots_style": dot_rows.style(), "dots_script": dot_rows.script()}


def slice_figures(facts: AnyFacts) -> dict[str, Any]:
    """A table with dots per column of slices, by its heading."""
    from lowshot.charts import dot_rows

    return _as_html({title(table.metric) + of: dot_rows.fragment(table) for of, table in facts.slices.items()})


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
