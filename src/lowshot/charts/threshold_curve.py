"""Precision and recall along the whole ranking, with the thresholds that matter."""

from pathlib import Path
from typing import Any, NamedTuple

from lowshot.charts.estimate_path import with_matplotlib
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, PURPLE
from lowshot.charts.threshold_page import marks_of
from lowshot.core.curve.envelope import Envelope
from lowshot.errors import InputError
from lowshot.threshold_result import ThresholdChoice, Thresholds

STYLES = {"cut-now": (GREY, ":"), "cut-best": (GREEN, "--"), "cut-chosen": (PURPLE, "-")}  # colour and style of a line


class Curve(NamedTuple):
    """A line with its band, against the number of kept items."""

    name: str
    colour: str
    band: Envelope


class Line(NamedTuple):
    """A threshold that is marked, by the number of items that it keeps."""

    name: str
    colour: str
    style: str  # as Matplotlib writes it
    kept: int


def curves(found: Thresholds) -> list[Curve]:
    return [Curve("precision", BLUE, found.precision), Curve("recall", ORANGE, found.recall)]


def lines(found: Thresholds, choice: ThresholdChoice | None) -> list[Line]:
    """The thresholds that the page marks, too."""
    return [Line(mark.words, *STYLES[mark.kind], mark.kept) for mark in marks_of(found, found.best(), choice)]


def plot(found: Thresholds, ax: Any = None, choice: ThresholdChoice | None = None) -> Any:
    """Draw precision and recall with Matplotlib on `ax`, or on new axes, and return the axes.

    choice  a threshold that was chosen, to be marked
    """
    return _drawing(found, choice).plot_thresholds(found, ax, choice)


def save(found: Thresholds, path: Path, heading: str, choice: ThresholdChoice | None = None) -> None:
    """The same as a file, under a heading."""
    _drawing(found, choice).thresholds(found, heading, choice).savefig(path, dpi=150)


def _drawing(found: Thresholds, choice: ThresholdChoice | None) -> Any:
    if not len(found):
        raise InputError(f"a plot needs labels: {found.reason}; label some items first")
    if choice is not None and choice.model != found.model:
        raise InputError(f"choice must be of the same model as the curve, {found.model!r}: got one of {choice.model!r}")
    return with_matplotlib()
