"""Small pieces of HTML for notebooks: tables, a bar that shows an interval, and a card around them.

Text and lines have the colour of the text around them, and nothing has a background, so that they suit light and dark
notebooks. Styles are attributes of elements: notebooks remove <style>. Nothing is loaded from elsewhere.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

BLUE = "#4285d6"  # on white and on the dark grey (#111) of JupyterLab: a contrast of 3.7 and 5.0
CELL = "text-align:left;padding:.15em .9em .15em 0;vertical-align:middle"
TABLE = "margin:.3em 0;border-collapse:collapse;color:inherit;font-size:inherit"
LONG = 40  # characters: a shorter cell is not broken into lines
QUIET = "opacity:.75"  # of notes; the text stays readable on both themes
ROWS = 20  # rows of a long table that a notebook shows
WIDE, NARROW = 340, 130  # units of a bar, about pixels: that of one result, and that in a row of a table


class Html(str):
    """Text that is HTML already, and is not escaped again."""

    __slots__ = ()


def escaped(text: str) -> Html:
    """Any text as HTML. HTML stays as it is.

    >>> escaped("a < b"), escaped(Html("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    return text if isinstance(text, Html) else Html(escape(text))


def html_table(header: Iterable[str], rows: Iterable[Iterable[str]], most: int | None = None) -> Html:
    """A table, of which the first `most` rows are shown. Cells are escaped: ids and reasons may be any text.

    >>> print(html_table([], [["<b>"], ["c"]], most=1))
    <div ...><table ...><tbody><tr><td ...>&lt;b&gt;</td></tr></tbody></table></div><p ...>1 more row</p>
    """
    listed = list(rows)
    shown = listed if most is None else listed[:most]
    left = len(listed) - len(shown)
    more = note(f"{left:,} more row{'s' * (left != 1)}" if left else "")
    table = _table(header, shown, f' style="{TABLE}"', _style)
    return Html(f'<div style="overflow-x:auto">{table}</div>{more}')


def plain_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Html:
    """A table for pages that have styles of their own.

    >>> plain_table([], [["item", "<b>"]])
    '<table><tbody><tr><td>item</td><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    return Html(_table(header, rows, "", lambda cell: ""))


def _table(header: Iterable[str], rows: Iterable[Iterable[str]], style: str, styled: Callable[[str], str]) -> str:
    head = "".join(f"<th{styled(name)}>{escaped(name)}</th>" for name in header)
    cells = ("".join(f"<td{styled(cell)}>{escaped(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table{style}>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def _style(cell: str) -> str:
    whole = ";white-space:nowrap" if isinstance(cell, Html) or len(cell) < LONG else ""
    return f' style="{CELL}{whole}"'


def note(text: str) -> Html:
    """A line of small print; an empty text gives none.

    >>> note("")
    ''
    """
    return Html(f'<p style="margin:.2em 0;{QUIET}">{escaped(text)}</p>' if text else "")


def careful(text: str) -> Html:
    """A warning; an empty text gives none."""
    return Html(f'<p style="margin:.2em 0"><strong>careful:</strong> {escaped(text)}</p>' if text else "")


def card(number: str, name: str, *parts: str) -> Html:
    """A result: a number in large print, what it is, and what belongs to it.

    >>> print(card("0.5", "f<1>"))
    <div style="..."><p ...><span style="...">0.5</span> f&lt;1&gt;</p></div>
    """
    large = f'<span style="font-size:1.7em;font-weight:600">{escaped(number)}</span>'
    heading = f'<p style="margin:.2em 0">{large} {escaped(name)}</p>'
    return Html(f'<div style="max-width:44em;line-height:1.4">{heading}{"".join(map(escaped, parts))}</div>')


def bar(
    low: float | None,
    value: float | None,
    high: float | None,
    *,
    span: tuple[float, float] = (0.0, 1.0),
    marks: Sequence[float] = (),
    width: int = WIDE,
) -> Html:
    """An interval on an axis, as an inline SVG: a line from low to high, a dot at the value; empty without numbers.

    span   the ends of the axis
    marks  further numbers, as upright dashes: a margin, a wanted value

    >>> bar(None, math.nan, None)
    ''
    >>> bar(0.3, 0.5, 0.7).count("<circle")
    1
    """
    numbers = [one for one in (low, value, high) if one is not None and math.isfinite(one)]
    if not numbers or not span[0] < span[1]:
        return Html("")
    height, middle = (26, 8) if width == WIDE else (14, 7)

    def place(number: float) -> float:
        share = (number - span[0]) / (span[1] - span[0])
        return round(6 + (width - 12) * min(max(share, 0.0), 1.0), 1)

    label = escape(" to ".join(f"{one:.3g}" for one in dict.fromkeys(numbers)))
    parts = [_line(place(span[0]), place(span[1]), middle, 'stroke="currentColor" stroke-opacity=".3"')]
    parts += [_dash(place(one), middle) for one in marks]
    if len(numbers) > 1:
        ends = place(min(numbers)), place(max(numbers))
        parts.append(_line(*ends, middle, f'stroke="{BLUE}" stroke-width="4" stroke-linecap="round"'))
    if value is not None and math.isfinite(value):
        parts.append(f'<circle cx="{place(value)}" cy="{middle}" r="5" fill="{BLUE}"/>')
    if width == WIDE:
        parts += [_end(place(end), f"{end:.3g}", side) for end, side in zip(span, ("start", "end"), strict=True)]
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = "max-width:100%;overflow:visible" if width == WIDE else "max-width:none;overflow:visible"
    return Html(f'<svg {size} role="img" aria-label="{label}" style="{style}">{"".join(parts)}</svg>')


def _line(start: float, end: float, y: int, how: str) -> str:
    return f'<line x1="{start}" x2="{end}" y1="{y}" y2="{y}" {how}/>'


def _dash(x: float, y: int) -> str:
    return f'<line x1="{x}" x2="{x}" y1="{y - 6}" y2="{y + 6}" stroke="currentColor" stroke-opacity=".6"/>'


def _end(x: float, text: str, side: str) -> str:
    anchor = f'text-anchor="{side}" font-size="10" fill="currentColor" fill-opacity=".75"'
    return f'<text x="{x}" y="24" {anchor}>{escape(text)}</text>'


def axis(numbers: Iterable[float | None]) -> tuple[float, float]:
    """The ends of an axis for these numbers: 0 to 1 for shares, otherwise from 0, or from the lowest, to the highest.

    >>> axis([0.2, 0.9]), axis([3.0, None, 120.0]), axis([-0.2, 0.1])
    ((0.0, 1.0), (0.0, 120.0), (-0.2, 0.1))
    """
    there = [one for one in numbers if one is not None and math.isfinite(one)]
    low, high = min([0.0, *there]), max([0.0, *there])
    return (0.0, 1.0) if low == 0 and high <= 1 else (low, high)
