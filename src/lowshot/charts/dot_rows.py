"""A table as HTML with a dot and an interval in every row: it can be scrolled, searched and sorted.

It needs no library and no network. Without JavaScript, rows cannot be searched; they are all there, the lowest first.
"""

from html import escape
from importlib.resources import files
from typing import Any

from lowshot.charts.style import percent, title
from lowshot.result import Table, short
from lowshot.result import percent as probable

MANY = 12  # with more rows than these there is a field to search them
WIDTH, HEIGHT, EDGE = 1000, 20, 12  # of the picture in a row, in its own units; it is stretched to the column
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
ORDERS = {
    "lowest": "Lowest first",
    "highest": "Highest first",
    "widest": "Widest interval first",
    "fewest": "Fewest labels first",
    "name": "By name",
}
COUNTS = {"labels": "Labels", "items": "Items", "predicted": "Predicted"}
EXPLAINED = {
    "labels": "Labels: labelled items that are, or are predicted to be, of the category.",
    "items": "Items: how many the category has, as estimated.",
    "predicted": "Predicted: items that are predicted to be of it.",
}


def style() -> str:
    """The style sheet of `fragment`."""
    return _static("dots.css")


def script() -> str:
    """What searches and sorts the rows. A page includes it once, after the fragments."""
    return _static("dots.js")


def _static(name: str) -> str:
    return files("lowshot.charts").joinpath("static", name).read_text("utf-8")


def fragment(table: Table, average: float | None = None) -> str:
    """The table, the lowest value first; rows without a value come last.

    average  a value that is marked in every row

    >>> rows = ({"category": "heron", "value": 0.5, "low": 0.4, "high": 0.6, "labels": 9, "reason": ""},
    ...         {"category": "crow", "value": 0.2, "low": 0.1, "high": 0.4, "labels": 7, "reason": ""})
    >>> found = fragment(Table("f1", 0.95, 16, rows, by="category"))
    >>> found.index("crow") < found.index("heron")
    True
    """
    rows = sorted(table.rows, key=lambda row: (row["value"] is None, row["value"] or 0.0, str(row[table.by])))
    counts = [key for key in COUNTS if table.rows and all(key in row for row in table.rows)]
    body = "".join(_row(table, row, counts, average) for row in rows)
    name = f"{title(table.metric)} of each {table.by}"
    return "\n".join(
        [
            '<div class="dots">',
            _tools(table) if len(rows) > MANY else "",
            f'<div class="dots-scroll" role="region" aria-label="{escape(name)}" tabindex="0"><table>',
            f"<thead><tr>{_head(table, counts)}</tr></thead>",
            f"<tbody>{body}</tbody></table></div>",
            f'<div class="dots-notes">{_notes(table, counts, average)}</div>',
            "</div>",
        ]
    )


def _tools(table: Table) -> str:
    orders = "".join(f'<option value="{key}">{words}</option>' for key, words in ORDERS.items())
    return (
        f'<div class="dots-tools" hidden><label>Find a {escape(table.by)}<input class="dots-find" type="search"'
        f' autocomplete="off"></label><label>Order<select class="dots-sort">{orders}</select></label>'
        '<p class="dots-count" role="status"></p></div>'
    )


def _head(table: Table, counts: list[str]) -> str:
    sure = percent(table.confidence)
    below = [] if table.below is None else [f'<th class="dots-more">Below {table.below:g}</th>']
    return "".join(
        [
            f"<th>{escape(title(table.by))}</th>",
            '<th class="dots-place"><span class="dots-axis"><span>0</span><span>1</span></span></th>',
            f"<th>{escape(title(table.metric))}</th><th>{sure} interval</th>",
            *below,
            *(f'<th class="dots-more">{COUNTS[key]}</th>' for key in counts),
        ]
    )


def _row(table: Table, row: dict[str, Any], counts: list[str], average: float | None) -> str:
    name, value, low, high = str(row[table.by]), row["value"], row["low"], row["high"]
    wide = 0.0 if low is None else high - low
    data = f'data-name="{escape(name)}" data-value="{9 if value is None else value:.6g}" data-width="{wide:.6g}"'
    interval = "" if low is None else f"{short(low)} to {short(high)}"
    below = [] if table.below is None else [f'<td class="dots-more">{probable(row["below"])}</td>']
    cells = [
        f'<th scope="row">{escape(name)}</th>',
        f'<td class="dots-place">{_picture(row, average, table.below, _words(table, row))}</td>',
        f"<td>{'–' if value is None else short(value)}</td><td>{interval}</td>",
        *below,
        *(f'<td class="dots-more">{row[key]:,}</td>' for key in counts),
    ]
    weak = ' class="dots-weak"' if _weak(row) else ""
    return f'<tr{weak} {data} data-labels="{row.get("labels", 0)}">{"".join(cells)}</tr>\n'


def _words(table: Table, row: dict[str, Any]) -> str:
    """The row as a sentence: what a mouse that rests on it, and a screen reader, get."""
    found = [
        f"{title(table.metric)} of {row[table.by]} is {'unknown' if row['value'] is None else short(row['value'])}"
    ]
    if row["low"] is not None:
        found.append(f"{percent(table.confidence)} interval {short(row['low'])} to {short(row['high'])}")
    found += [f"{row[key]:,} {key}" for key in COUNTS if key in row]
    return ", ".join(found) + (f": {row['reason']}" if row.get("reason") else "")


def _weak(row: dict[str, Any]) -> bool:
    return bool(row.get("reason")) or not row.get("labels", 1)


def _picture(row: dict[str, Any], average: float | None, below: float | None, words: str) -> str:
    parts = [_line("dots-grid", *((tick, None) for tick in TICKS))]
    parts += [_line("dots-average", (one, None)) for one in (average, below) if one is not None and one == one]
    if row["low"] is not None:
        parts.append(_line("dots-range", (row["low"], row["high"])))
    if row["value"] is not None:
        parts.append(_line("dots-dot", (row["value"], row["value"])))
        parts += [_line("dots-hole", (row["value"], row["value"]))] if _weak(row) else []
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img"><title>{escape(words)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _line(kind: str, *ends: tuple[float, float | None]) -> str:
    """Lines from one value to another; where there is no other one, from the top to the bottom.

    A line without a length is a dot: its ends are round, and its width does not change with the size of the picture.
    """
    path = "".join(
        f"M{_x(one)} 0V{HEIGHT}" if other is None else f"M{_x(one)} {HEIGHT // 2}H{_x(other)}" for one, other in ends
    )
    return f'<path class="{kind}" d="{path}"/>'


def _x(value: float) -> int:
    return round(EDGE + (WIDTH - 2 * EDGE) * min(max(float(value), 0.0), 1.0))


def _notes(table: Table, counts: list[str], average: float | None) -> str:
    """What the marks mean, and the reasons of rows, each once."""
    found = [f"Line: the {percent(table.confidence)} interval."]
    found += [] if average is None else [f"Dashed: the average, {short(average)}."]
    found += [EXPLAINED[key] for key in counts] if table.by == "category" else []
    reasons: dict[str, int] = {}
    for row in table.rows:
        if row.get("reason"):
            reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    told = [f'<p class="dots-note">{" ".join(found)}</p>']
    told += [
        f'<p class="dots-note">Hollow dot, {count:,} row{"s" * (count != 1)}: {escape(reason)}.</p>'
        for reason, count in reasons.items()
    ]
    return "".join([*told, *(f'<p class="dots-note">Careful: {escape(text)}.</p>' for text in table.warnings)])
