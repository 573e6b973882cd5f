"""A table as a picture: a dot and an interval per row, the lowest value first.

dots   what is drawn, as data
plot   on axes of Matplotlib; save: as a file (extra `[plots]`)
svg    as an SVG element inside HTML, which needs no library and no network; page: a document with it
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from lowshot.charts.document import document
from lowshot.charts.estimate_path import with_matplotlib
from lowshot.charts.style import BLUE, GREY, ORANGE, percent, title
from lowshot.errors import InputError
from lowshot.result import Table, short
from lowshot.result import percent as probable

MOST = 300  # rows that are drawn: a longer picture is of no use
LONGEST = 28  # characters of a name
# In units of the SVG picture, which are about pixels: the height of a row, the width of names, dots and counts.
ROW, NAMES, INSIDE, COUNTS, TOP, BOTTOM = 20, 190, 360, 90, 8, 34
TICKS = (0, 0.25, 0.5, 0.75, 1)
STYLE = """svg { width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .9rem; }
.table { overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0; white-space: nowrap; }
td:first-child, td:last-child { white-space: normal; }
"""  # of the document


class Dot(NamedTuple):
    """One row of the table."""

    name: str
    value: float
    low: float
    high: float
    labels: int
    below: float | None  # the probability of being below the line of the table
    weak: bool  # whether it says little: it has no labels, or the table has a note about it

    @property
    def words(self) -> str:
        """The row as a sentence, for people who cannot see the picture."""
        return f"{self.name}: {short(self.value)}, {short(self.low)} to {short(self.high)}, {self.labels:,} labels"


def dots(table: Table) -> list[Dot]:
    """The rows that have a value, the lowest first.

    >>> rows = ({"camera": "north", "value": 0.5, "low": 0.4, "high": 0.6, "labels": 9},
    ...         {"camera": "south", "value": 0.2, "low": 0.1, "high": 0.4, "labels": 7},
    ...         {"camera": "attic", "value": None, "low": None, "high": None, "labels": 0})
    >>> [dot.name for dot in dots(Table("f1", 0.95, 16, rows, by="camera"))]
    ['south', 'north']
    """
    found = [_dot(name, row) for name, row in zip(table.words, table.rows, strict=True) if row["value"] is not None]
    return sorted(found, key=lambda dot: dot.value)[:MOST]


def _dot(name: str, row: dict[str, Any]) -> Dot:
    value = row["value"]
    low, high = (value if row[end] is None else row[end] for end in ("low", "high"))
    weak = not row["labels"] or bool(row.get("reason"))
    return Dot(name, value, low, high, row["labels"], row.get("below"), weak)


def axis(table: Table) -> str:
    """What the values are."""
    return f"{title(table.metric)}, with {percent(table.confidence)} interval"


def shorter(name: str) -> str:
    """A name that fits beside the picture.

    >>> shorter("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def limit(found: Sequence[Dot]) -> float:
    """The right end of the axis: 1 for shares, otherwise a little more than the largest value."""
    most = max(dot.high for dot in found)
    return 1.0 if most <= 1 else 1.05 * most


def plot(table: Table, ax: Any = None) -> Any:
    """Draw the table with Matplotlib on `ax`, or on new axes, and return the axes."""
    return with_matplotlib().plot_dots(_some(table), table, ax)


def save(table: Table, path: Path, heading: str) -> None:
    """The same as a file, under a heading."""
    with_matplotlib().dots(_some(table), table, heading).savefig(path, dpi=150)


def _some(table: Table) -> list[Dot]:
    found = dots(table)
    if not found:
        raise InputError("a picture of a table needs a row with a value: there is none; label some items first")
    return found


def svg(table: Table) -> str:
    """The picture as an SVG element; an empty text if no row has a value.

    Text and axes have the colour of the text around them, so that it suits light and dark pages.
    """
    found = dots(table)
    if not found:
        return ""
    most, width, height = limit(found), NAMES + INSIDE + COUNTS, TOP + ROW * len(found) + BOTTOM
    label = f"{axis(table)} by {table.by}, {len(found)} rows, the lowest first"
    parts = [
        f'<svg class="dots" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}"'
        f' xmlns="http://www.w3.org/2000/svg" font-size="12" fill="currentColor" style="max-width:{width}px">'
    ]
    parts += [_tick(share, most, height) for share in TICKS]
    if table.below is not None and 0 < table.below < most:
        x = NAMES + INSIDE * table.below / most
        ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - BOTTOM}"'
        parts.append(f'<line {ends} stroke="{ORANGE}" stroke-dasharray="4 3"/>')
    parts += [_row(dot, TOP + ROW * (place + 0.5), most) for place, dot in enumerate(found)]
    left_out = len([row for row in table.rows if row["value"] is not None]) - len(found)
    words = f"{axis(table)}{f'; {left_out:,} more rows' if left_out else ''}"
    parts.append(f'<text x="{NAMES + INSIDE / 2}" y="{height - 4}" text-anchor="middle">{escape(words)}</text>')
    return "\n".join([*parts, "</svg>"])


def _tick(share: float, most: float, height: int) -> str:
    x, bottom = NAMES + INSIDE * share, height - BOTTOM
    line = f'<line x1="{x}" x2="{x}" y1="{TOP}" y2="{bottom}" stroke="currentColor" stroke-opacity="0.15"/>'
    return f'{line}<text x="{x}" y="{bottom + 14}" text-anchor="middle">{share * most:g}</text>'


def _row(dot: Dot, y: float, most: float) -> str:
    low, value, high = (NAMES + INSIDE * number / most for number in (dot.low, dot.value, dot.high))
    colour = GREY if dot.weak else BLUE
    count = f"{dot.labels:,} label{'s' * (dot.labels != 1)}" if dot.below is None else probable(dot.below)
    return (
        f"<g><title>{escape(dot.words)}</title>"
        f'<text x="{NAMES - 8}" y="{y + 4:g}" text-anchor="end">{escape(shorter(dot.name))}</text>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y:g}" y2="{y:g}" stroke="{colour}" stroke-width="2"/>'
        f'<circle cx="{value:.1f}" cy="{y:g}" r="4" fill="{colour}"/>'
        f'<text x="{NAMES + INSIDE + 8}" y="{y + 4:g}" fill-opacity="0.7">{escape(count)}</text></g>'
    )


def page(table: Table, heading: str) -> str:
    """A whole document with the picture and the table, which needs no other file."""
    return document(heading, f'{svg(table)}\n<div class="table">{table.to_html()}</div>', STYLE)
