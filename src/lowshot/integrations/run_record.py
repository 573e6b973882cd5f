"""What a run of a tracker holds of an evaluation, under names that every tracker allows."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lowshot.csv_text import rows_to_csv
from lowshot.errors import InputError, ServiceError
from lowshot.result import Table

Param = str | int | float
OWN = "lowshot."  # before the names of params and notes, because a run has others of its own, such as "seed"
NAME, BEGAN, QUESTION = "evaluation", "began", "question"  # notes that never change
FOLDER = "lowshot"  # of the files of a run
REPORT = "report.html"
LONGEST_PARAM = 500  # characters: servers of MLflow before 2.8 refuse longer ones
LONGEST_NOTE = 5000  # of MLflow's tags
PASSWORD = re.compile(r"(://[^\s/:@]*:)\S*@")  # and what stands around it, within a text
SIGNS = re.compile(r"[^\w\-. ]+")  # all other signs are refused in names of MLflow, and a slash makes a section


@dataclass(frozen=True)
class Logged:
    """What is logged of an evaluation."""

    labels: int  # the step
    metrics: dict[str, float]  # without those that are undefined: a tracker draws NaN as a gap, or as 0
    params: dict[str, Param]
    notes: dict[str, str | None]  # None: there is nothing to say, and what was said before is gone
    tables: dict[str, Table]  # by the name of the file
    results: dict[str, Any]  # all results as plain data
    prefix: str = ""

    @property
    def folder(self) -> str:
        """Where files of the run are."""
        return f"{self.prefix}{FOLDER}"

    def write(self, folder: Path) -> None:
        """Write the files of the run into a folder, without the report: results as JSON, tables as CSV."""
        texts = {"estimate.json": json.dumps(self.results, indent=2, allow_nan=False, ensure_ascii=False)}
        texts |= {f"{name}.csv": rows_to_csv(*cells(table)) for name, table in self.tables.items()}
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", errors="replace")

    @property
    def _fixed(self) -> dict[str, Param]:
        """What never changes. Evaluations of one pool may differ in nothing but their name, or when they began."""
        names = [f"{self.prefix}{OWN}{name}" for name in (NAME, BEGAN, QUESTION)]
        return {**self.params, **{name: text for name in names if (text := self.notes.get(name))}}

    def refuse_another(self, there: Mapping[str, Any], run: str) -> None:
        """An evaluation is logged to one run: what never changes must be as it was logged before.

        there  params and notes of the run; what it lacks, or has as an empty text, is not compared
        """
        for name, value in self._fixed.items():
            before = str(there.get(name, ""))
            if before and before != str(value):
                was, now = shortened(before, LONGEST_PARAM), shortened(str(value), LONGEST_PARAM)
                raise InputError(
                    f"{run} must be a run without another evaluation or model: it has {name} = {was}, and this one has"
                    f" {now}; log to another run, or give a prefix"
                )


@dataclass(frozen=True)
class LoggedRun:
    """Where an evaluation was logged, and what."""

    run_id: str
    where: str  # the address of its page, or the folder where it is
    logged: Logged

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        found = self.logged
        return {
            "run_id": self.run_id,
            "where": self.where,
            "labels": found.labels,
            "metrics": found.metrics,
            "params": found.params,
            "notes": {name: text for name, text in found.notes.items() if text is not None},
        }


def cells(table: Table) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of a table, with plain values."""
    header = list(dict.fromkeys(key for row in table.rows for key in row))
    return header, [[row.get(key) for key in header] for row in table.rows]


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def checked_prefix(prefix: Any) -> str:
    """The prefix, if names that begin with it are allowed everywhere.

    >>> checked_prefix("night/"), checked_prefix("val_")
    ('night/', 'val_')
    >>> checked_prefix("../")
    Traceback (most recent call last):
    lowshot.errors.InputError: prefix must be letters, digits, _ - . spaces and single slashes: got '../'
    """
    good = isinstance(prefix, str) and re.fullmatch(r"[\w\-. /]*", prefix) and len(prefix) <= 100
    if not good or re.search(r"^/|^\.\.|//|(^|/)\.+(/|$)", prefix):
        raise InputError(f"prefix must be letters, digits, _ - . spaces and single slashes: got {prefix!r}")
    return str(prefix)


def named(text: str) -> str:
    """A name that trackers allow, with _ for other signs.

    >>> named("f(alpha=0.25)"), named("v2 / night"), named(".."), named("../v2")
    ('f_alpha_0.25', 'v2 _ night', '_', '_v2')
    """
    found = SIGNS.sub("_", text).strip("_ ")[:100].rstrip().lstrip(".")  # MLflow reads .. at the beginning as a path
    return found or "_"


def unique(names: Iterable[str]) -> dict[str, str]:
    """Names that trackers allow, a different one for each.

    >>> unique(["v1", "v@2", "v+2"])
    {'v1': 'v1', 'v@2': 'v_2', 'v+2': 'v_2_2'}
    """
    found: dict[str, str] = {}
    for name in names:
        plain, number = named(name), 1
        while (free := plain if number == 1 else f"{plain}_{number}") in found.values():
            number += 1
        found[name] = free
    return found


def refused(tracker: str, error: Exception) -> ServiceError:
    """An error of a tracker as one line. Its address may have a password.

    >>> refused("MLflow", ValueError("no reply from http://ann:secret@host:5000/api"))
    ServiceError('MLflow did not take the evaluation: no reply from http://ann:***@host:5000/api')
    """
    text = PASSWORD.sub(r"\1***@", " ".join(str(error).split()))
    return ServiceError(f"{tracker} did not take the evaluation: {text}")
