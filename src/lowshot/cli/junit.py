"""A verdict as a JUnit XML file: one suite with one test, in the subset that Jenkins, GitLab and others read.

>>> test = Test("lowshot estimate", "lowshot.birds", "f1 is at least 0.8", "failure", "missed", "it is less", "f1 = 0")
>>> print(document(test, seconds=0.1, when="2026-11-17T12:00:00").decode())
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="lowshot" tests="1" failures="1" errors="0" skipped="0" time="0.100">
  <testsuite name="lowshot estimate" tests="1" failures="1" errors="0" skipped="0" time="0.100" timestamp="...">
    <testcase classname="lowshot.birds" name="f1 is at least 0.8" time="0.100">
      <failure type="missed" message="it is less">f1 = 0</failure>
      <system-out>f1 = 0</system-out>
    </testcase>
  </testsuite>
</testsuites>
"""

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from lowshot.errors import InputError

Seen = Literal["passed", "failure", "error", "skipped"]
ELEMENTS = {"failure": "failures", "error": "errors", "skipped": "skipped"}  # of a test, and the count of a suite
# What XML 1.0 cannot have, not even escaped: control characters, halves of characters, U+FFFE and U+FFFF.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
BEGINS = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<testsuite")
LOOKED_AT = 1024  # bytes, in which the first element of a report is
STARTED = time.monotonic()


@dataclass(frozen=True)
class Test:
    """One test of one suite."""

    __test__ = False  # pytest is not to collect it

    suite: str
    group: str  # what JUnit calls the class
    name: str
    seen: Seen
    kind: str  # of a failure or an error
    message: str
    text: str
    properties: Mapping[str, Any] = field(default_factory=dict)


def document(test: Test, seconds: float, when: str) -> bytes:
    """The whole file. Properties belong to the suite: not every reader knows those of a test."""
    counts = {count: str(int(test.seen == element)) for element, count in ELEMENTS.items()}
    numbers = {"tests": "1", **counts, "time": f"{seconds:.3f}"}
    root = Element("testsuites", {"name": "lowshot", **numbers})
    suite = SubElement(root, "testsuite", {"name": clean(test.suite), **numbers, "timestamp": when})
    if test.properties:
        listed = SubElement(suite, "properties")
        for name, value in test.properties.items():
            SubElement(listed, "property", {"name": name, "value": clean(str(value))})
    names = {"classname": clean(test.group), "name": clean(test.name)}
    case = SubElement(suite, "testcase", {**names, "time": f"{seconds:.3f}"})
    if test.seen in ELEMENTS:
        SubElement(case, test.seen, {"type": test.kind, "message": clean(test.message)}).text = clean(test.text)
    SubElement(case, "system-out").text = clean(test.text)
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def clean(text: str) -> str:
    """With a replacement character for each that XML cannot have.

    >>> clean("crow\\x1b[31m ]]> 🐦")
    'crow\ufffd[31m ]]> 🐦'
    """
    return FORBIDDEN.sub("\ufffd", text)


def refuse_other_file(path: Path) -> None:
    """A store or a pool is not to be replaced: what exists must be an earlier report, or empty. Folders are made now,
    as pytest does, so that a path which cannot be is refused before any work."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"--junit must be a file: {path} is something else; name a file such as gate.xml")
        path.parent.mkdir(parents=True, exist_ok=True)
        begins = _first_bytes(path) if path.exists() else b""
    except OSError as error:
        raise _not_written(path, error) from None
    if begins and not BEGINS.match(begins):
        raise InputError(f"--junit must not replace a file that is no JUnit XML: got {path}; name another file")


def write(path: Path, test: Test) -> None:
    """Replace the file as a whole, so that nobody reads half of it. If that fails, there is no file: an earlier verdict
    is not that of this run."""
    path = path.resolve()  # a link stays one
    found = document(test, time.monotonic() - STARTED, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"))
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(found)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise _not_written(path, error) from None


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LOOKED_AT)


def _not_written(path: Path, error: OSError) -> InputError:
    return InputError(f"--junit must be a file that can be written: {path} is not ({error.strerror})")
