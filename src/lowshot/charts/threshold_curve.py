"""Precision and recall along the whole ranking, with the thresholds that matter."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lowshot.charts.estimate_path import with_matplotlib
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, PURPLE, title
from lowshot.core.curve.envelope import Envelope
from lowshot.errors import InputError
from lowshot.threshold_result import ThresholdChoice, Thresholds


class Curve(NamedTuple):
    """A line with its band, against the number of kept items."""

    name: str
    colour: str
    band: Envelope


class Mark(NamedTuple):
    """A threshold that is marked, by the number of items that it keeps."""

    name: str
    colour: str
    style: str  # of the line, as Matplotlib writes it
    kept: int


def curves(found: Thresholds) -> list[Curve]:
    return [Curve("Precision", ORANGE, found.precision), Curve("Recall", BLUE, found.recall)]


def marks(found: Thresholds, choice: ThresholdChoice | None = None) -> Iterator[Mark]:
    """The threshold of the pool, the best one for F1, and the one that was chosen, where there is one."""
    if found.present is not None:
        yield Mark(
            f"threshold of the pool: {found.threshold[found.present]:.4g}", GREY, "--", int(found.kept[found.present])
        )
    best = found.best()
    yield Mark(f"best for {title(best.metric)}: {best.threshold:.4g}", GREEN, ":", best.kept)
    if choice is not None and choice.threshold is not None:
        name = "chosen" if choice.certified else "chosen, not certified"
        kept = int(found.at(choice.threshold)["kept"])
        yield Mark(f"{name}: {choice.threshold:.4g}", PURPLE, "-", kept)


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
