"""Precision and recall at every threshold as HTML: an SVG picture with a slider, and a choice of a threshold in words.

It needs no library and no network. Without JavaScript there is no slider; the picture and a table remain.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

import numpy as np

from lowshot.charts.document import document
from lowshot.charts.style import percent, title
from lowshot.core.curve.envelope import Envelope
from lowshot.core.types import Floats
from lowshot.result import percent as probable
from lowshot.result import short
from lowshot.threshold_result import BestThreshold, Reading, Spread, ThresholdChoice, Thresholds, spread_at

NUMBERS = ("Threshold", "Items kept", "Precision", "Recall", "F1")  # that are shown at the slider
WIDTH, HEIGHT = 640, 370  # of the picture, in its own units
LEFT, RIGHT, TOP, BOTTOM = 56, 628, 10, 314  # of the part inside the axes
SHARES = (0, 0.25, 0.5, 0.75, 1)
THOUSANDS = ("", "k", "M", "G")
# An estimate takes the expected number of positives under each curve; the thresholds draw whole numbers of them.
APART = (
    "At the present threshold, these numbers can differ a little from those of the estimate, because they are computed"
    " from other random draws."
)
SUMMARY = "summary { cursor: pointer; padding: .6rem 0; }\n"


def page(thresholds: Thresholds, title: str, choice: ThresholdChoice | None = None) -> str:
    """A whole document, which needs no other file.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(5), [1, 1, 1, 0, 0])
    >>> "<h1>birds &amp; bees</h1>" in page(evaluation.thresholds(), "birds & bees")
    True
    """
    words = "" if choice is None else choice_in_words(choice)
    body = f"{words}\n{fragment(thresholds, choice)}"
    return document(title, body, SUMMARY + style(), script())


def style() -> str:
    """The style sheet of both fragments."""
    return _static("thresholds.css")


def script() -> str:
    """What moves the slider. A page includes it once, after the fragments."""
    return _static("thresholds.js")


def _static(name: str) -> str:
    return files("lowshot.charts").joinpath("static", name).read_text("utf-8")


def fragment(thresholds: Thresholds, choice: ThresholdChoice | None = None) -> str:
    """The picture with its slider, the numbers at the slider, and a short table; the reason if there is no curve."""
    if not len(thresholds):
        return f'<div class="thresholds"><p class="cut-note">{escape(_sentence(thresholds.reason))}</p></div>'
    best = thresholds.best()
    marks = marks_of(thresholds, best, choice)
    place, texts = _first_place(thresholds, marks), _texts(thresholds)
    cuts = [[where, *parts] for where, parts in zip(_places(thresholds), texts, strict=True)]
    slider = f'<input type="range" min="0" max="{len(cuts) - 1}" step="1" value="{place}">'
    return "\n".join(
        [
            '<div class="thresholds">',
            f"<figure>{_picture(thresholds, marks, choice, place)}",
            f"<figcaption>{_key(marks, choice)}</figcaption></figure>",
            f'<label class="cut-slider" hidden>Move the threshold{slider}</label>',
            _listed(dict(zip(NUMBERS, texts[place], strict=True))),
            _notes(thresholds, best),
            f'<script type="application/json">{json.dumps(cuts, separators=(",", ":"))}</script>',
            "</div>",
        ]
    )


@dataclass(frozen=True)
class Mark:
    """A threshold that stands out: a vertical line, and what the key says about it."""

    kind: str  # the class of its line
    kept: int
    words: str


def marks_of(thresholds: Thresholds, best: BestThreshold, choice: ThresholdChoice | None) -> list[Mark]:
    """The threshold of the predictions, the one with the largest F1, and the chosen one."""
    found = []
    if thresholds.present is not None:
        kept = int(thresholds.kept[thresholds.present])
        found.append(Mark("cut-now", kept, f"predicted positive now: {_items(kept)}"))
    found.append(Mark("cut-best", best.kept, f"largest F1: threshold {best.threshold:.4g}, {_items(best.kept)}"))
    if choice is not None and choice.threshold is not None:
        kept = int(thresholds.at(choice.threshold)["kept"])
        unsure = ", not certified" if choice.wanted.targets and not choice.certified else ""
        words = f"chosen for {choice.wanted.words}: threshold {choice.threshold:.4g}, {_items(kept)}{unsure}"
        found.append(Mark("cut-chosen", kept, words))
    return found


def _first_place(thresholds: Thresholds, marks: list[Mark]) -> int:
    """Where the slider begins: at the chosen threshold, or that of the predictions, or the one with the largest F1."""
    first = marks[-1] if marks[-1].kind == "cut-chosen" else marks[0]
    return int(np.searchsorted(thresholds.kept, first.kept))


def _x(kept: Floats | float, total: int) -> Floats:
    """Across, on a log axis."""
    found: Floats = LEFT + (RIGHT - LEFT) * np.log(np.asarray(kept)) / max(math.log(total), 1e-9)
    return found


def _y(share: Floats | float) -> Floats:
    found: Floats = BOTTOM - (BOTTOM - TOP) * np.asarray(share)
    return found


def _places(thresholds: Thresholds) -> list[list[float]]:
    """Per cut: where it is in the picture, across, and the heights of precision and recall there."""
    across = _x(thresholds.kept.astype(np.float64), int(thresholds.kept[-1]))
    heights = (_y(band.value) for band in (thresholds.precision, thresholds.recall))
    found: list[list[float]] = np.stack([across, *heights], axis=1).round(1).tolist()
    return found


def _texts(thresholds: Thresholds) -> list[list[tuple[str, str]]]:
    """Per cut: value and interval of each of the NUMBERS."""
    bands = (thresholds.precision, thresholds.recall, thresholds.f1)
    shares = [[_text_of(spread_at(band, place)) for place in range(len(thresholds))] for band in bands]
    cut = [(f"{one:.6g}", "") for one in thresholds.threshold.tolist()]
    kept = [(f"{one:,}", "") for one in thresholds.kept.tolist()]
    return [list(parts) for parts in zip(cut, kept, *shares, strict=True)]


def _picture(thresholds: Thresholds, marks: list[Mark], choice: ThresholdChoice | None, place: int) -> str:
    total = int(thresholds.kept[-1])
    across = _x(thresholds.kept.astype(np.float64), total)
    curves = {"cut-precision": thresholds.precision, "cut-recall": thresholds.recall}
    parts = [*_axes(total), *(_band(across, band, name) for name, band in curves.items())]
    parts += [] if choice is None else [_level(target, "cut-target") for target in choice.wanted.targets.values()]
    parts += [_upright(float(_x(mark.kept, total)), mark.kind) for mark in marks]
    parts += [f'<path class="{name}" d="{_path(across, _y(band.value))}"/>' for name, band in curves.items()]
    parts.append(_upright(float(across[place]), "cut-here"))
    parts += [
        f'<circle class="cut-dot {name}" cx="{across[place]:.1f}" cy="{_y(band.value)[place]:.1f}" r="5"/>'
        for name, band in curves.items()
    ]
    words = "Precision and recall against the number of items kept. " + "; ".join(mark.words for mark in marks)
    return (
        f'<svg class="cut-picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(words)}">'
        f"{''.join(parts)}</svg>"
    )


def _axes(total: int) -> list[str]:
    """Shares upwards, and powers of ten across."""
    found = []
    for share in SHARES:
        found.append(_level(share, "cut-grid"))
        found.append(_text(LEFT - 8, float(_y(share)) + 4, f"{share:g}", "end"))
    for power in range(int(math.log10(total) + 1e-9) + 1):
        at = float(_x(10**power, total))
        found.append(f'<line class="cut-grid" x1="{at:.1f}" x2="{at:.1f}" y1="{BOTTOM}" y2="{BOTTOM + 5}"/>')
        found.append(_text(at, BOTTOM + 22, _power(power), "middle"))
    return [*found, _text((LEFT + RIGHT) / 2, BOTTOM + 46, "items kept", "middle")]


def _power(power: int) -> str:
    """A power of ten that is short enough for a small screen.

    >>> _power(2), _power(4), _power(6)
    ('100', '10k', '1M')
    """
    return f"{10 ** (power % 3)}{THOUSANDS[power // 3]}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="cut-tick" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _level(share: float, kind: str) -> str:
    y = float(_y(share))
    return f'<line class="{kind}" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _upright(x: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{BOTTOM}"/>'


def _band(across: Floats, band: Envelope, name: str) -> str:
    outline = _path(np.append(across, across[::-1]), _y(np.append(band.high, band.low[::-1])))
    return f'<path class="cut-band {name}" d="{outline}Z"/>'


def _path(x: Floats, y: Floats) -> str:
    """A line through these points; of a single one, a dot."""
    points = [f"{across:.1f} {up:.1f}" for across, up in zip(x.tolist(), y.tolist(), strict=True)]
    return f"M{points[0]}L{' '.join(points[1:] or points)}"


def _key(marks: list[Mark], choice: ThresholdChoice | None) -> str:
    """What the lines are."""
    lines = [("cut-precision", "precision"), ("cut-recall", "recall"), *((mark.kind, mark.words) for mark in marks)]
    lines += [("cut-target", "target")] if choice is not None and choice.wanted.targets else []
    entries = "".join(
        f'<li><svg viewBox="0 0 24 12" aria-hidden="true"><line class="{kind}" x1="2" x2="22" y1="6" y2="6"/></svg>'
        f"<span>{escape(words)}</span></li>"
        for kind, words in lines
    )
    return f'<ul class="cut-key">{entries}</ul>'


def _notes(thresholds: Thresholds, best: BestThreshold) -> str:
    """What the bands mean, what belongs to the whole curve, and some thresholds as a table."""
    sure = percent(thresholds.confidence)
    band = (
        f"Shaded: the {sure} interval at each threshold."
        if thresholds.band == "pointwise"
        else f"Shaded: bands that hold at all thresholds from 10 items on, with {sure} confidence."
    )
    best_lies = f"The threshold with the largest F1 lies between {best.low:.4g} and {best.high:.4g}."
    average = f"Average precision: {thresholds.average_precision}."
    careful = (
        f'<p class="cut-note cut-careful">Careful: {escape(thresholds.warning)}.</p>' if thresholds.warning else ""
    )
    table = thresholds.to_html()
    return (
        f'<div class="cut-notes"><p class="cut-note">{band} {best_lies} {average} {APART}</p>{careful}'
        f'<details><summary>Some thresholds as a table</summary><div class="cut-scroll">{table}</div></details></div>'
    )


def choice_in_words(choice: ThresholdChoice) -> str:
    """The threshold, whether it is certified, and the two readings of what is kept."""
    if choice.threshold is None or choice.set is None or choice.bare is None:
        return f'<div class="choice"><p class="cut-note">No threshold: {escape(choice.reason)}.</p></div>'
    careful = f'<p class="cut-note cut-careful">Careful: {escape(choice.warning)}.</p>' if choice.warning else ""
    return "\n".join(
        [
            '<div class="choice">',
            f'<p>For {escape(choice.wanted.words)}:</p><p class="cut-threshold">{choice.threshold:.6g}</p>',
            _verdict(choice),
            careful,
            _readings(choice),
            "</div>",
        ]
    )


def _verdict(choice: ThresholdChoice) -> str:
    """Whether it is certified and by what, or why not."""
    if not choice.wanted.targets:
        return ""
    ahead = f" {choice.ahead.capitalize()}." if choice.ahead else ""
    if choice.certified:
        rests = "on how items were drawn, whatever the scores are" if choice.wanted.by_design else "on the posterior"
        what = "the items kept reach" if choice.wanted.reading == "set" else "the threshold alone reaches"
        return (
            f'<p class="cut-verdict cut-certified">Certified</p><p class="cut-note">{percent(choice.confidence)} sure'
            f" that {what} this. The promise rests {rests}.{ahead}</p>"
        )
    why = f"{escape(_sentence(choice.reason))}{ahead}"
    return f'<p class="cut-verdict cut-open">Not certified</p><p class="cut-note">{why}</p>'


def _readings(choice: ThresholdChoice) -> str:
    """Both readings, each with what it is about."""
    assert choice.set is not None
    assert choice.bare is not None
    added = _counted(len(choice.added), "labelled positive")
    removed = _counted(len(choice.removed), "labelled negative")
    both = f"items above the threshold, with {added} below it and without {removed} above it"
    readings = ("With the labels", both, choice.set), ("Threshold alone", "items above the threshold", choice.bare)
    return "".join(_reading(*one) for one in readings)


def _reading(name: str, about: str, one: Reading) -> str:
    numbers = {"Items kept": (f"{one.kept:,}", "")}
    numbers |= {what: _text_of(each) for what, each in (("Recall", one.recall), ("Precision", one.precision))}
    numbers |= {} if one.probability is None else {"Reaches the target": (probable(one.probability), "")}
    return f'<p class="cut-reading"><b>{name}</b>: {about}</p>{_listed(numbers)}'


def _text_of(one: Spread) -> tuple[str, str]:
    """Value and interval."""
    return short(one.value), f"{short(one.low)} to {short(one.high)}"


def _listed(numbers: Mapping[str, Sequence[str]]) -> str:
    """Values with their names above and their intervals below."""
    cells = "".join(
        f"<div><dt>{name}</dt><dd>{value}<small>{interval}</small></dd></div>"
        for name, (value, interval) in numbers.items()
    )
    return f'<dl class="cut-numbers">{cells}</dl>'


def _items(kept: int) -> str:
    return _counted(kept, "item")


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


def _sentence(text: str) -> str:
    return f"{title(text)}."
