"""CSV as text: what commands print and the owner's page offers for download."""

import csv
import io
from collections.abc import Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet may run a cell that begins with one of these as a formula
GUARD = "'"


def rows_to_csv(header: Sequence[str], rows: Sequence[Sequence[Any]], for_spreadsheet: bool = False) -> str:
    """CSV with line feeds. `for_spreadsheet`: an apostrophe before every text that begins like a formula.

    >>> rows_to_csv(["id"], [["a\\rb"]])
    'id\\n"a\\rb"\\n'
    >>> rows_to_csv(["id", "gain"], [["=1+1", -0.5]], for_spreadsheet=True)
    "id,gain\\n'=1+1,-0.5\\n"
    """
    return "".join(f"{_line([*map(_guarded, row)] if for_spreadsheet else row)}\n" for row in [header, *rows])


def _guarded(value: Any) -> Any:
    """Only texts are guarded: a number is no formula."""
    return GUARD + value if isinstance(value, str) and value.startswith(FORMULA) else value


def unguarded(text: str) -> str:
    """Without the apostrophe that was put before a text for a spreadsheet.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text.removeprefix(GUARD) if text.startswith(GUARD) and text[1:].startswith(FORMULA) else text


def _line(row: Sequence[Any]) -> str:
    """csv quotes CR and LF only if they are in lineterminator: write with CRLF, then strip it."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(row)
    return buffer.getvalue().removesuffix("\r\n")
