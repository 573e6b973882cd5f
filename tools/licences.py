"""The licences of everything that lowshot installs, by extra: `make licences` writes docs/licences.md.

    python tools/licences.py docs/licences.md            writes the page
    python tools/licences.py docs/licences.md --check    fails if it is out of date, or a licence is not allowed

The packages are those that are installed here, with all that they need themselves. A licence is what the package says
of itself: an SPDX expression, else its classifiers, else its text.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OWN = "lowshot"
DEVELOPMENT = ("test", "docs", "peers")  # extras of those who change or measure lowshot: nobody is given their packages
# Of an expression, every part has to be allowed, or one of those that OR joins. All may be used beside MIT code.
ALLOWED = {
    *(
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "0BSD",
        "ISC",
        "Apache-2.0",
        "PSF-2.0",
        "Zlib",
        "HPND",
    ),
    *("Unlicense", "CC0-1.0"),
    *("MPL-2.0", "LGPL-3.0-only"),  # of packages that are used as they are, such as certifi and psycopg
}
# Names in classifiers and free texts, as SPDX calls them.
SPDX = {
    "MIT License": "MIT",
    "The MIT License": "MIT",
    "BSD License": "BSD",
    "BSD": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Apache Software License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "PSF": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "The Unlicense (Unlicense)": "Unlicense",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
}
HEAD = """# Licences of what lowshot installs

Somebody who has to approve dependencies wants to know which packages come with lowshot, and under which licences.
`make licences` writes this page from what the packages say of themselves; `make release-check` fails if it is out of
date, or if a licence is not on the list in `tools/licences.py`. lowshot itself is under the MIT licence; the texts of
`lowshot sample messages` are under that of Python (PSF-2.0). An extra installs the packages of its own table and those
of *lowshot*.
"""


def extras() -> list[str]:
    names = distribution(OWN).metadata.get_all("Provides-Extra") or []
    return sorted(name for name in names if name not in DEVELOPMENT)


def needed(name: str, extra: str, seen: set[tuple[str, str]]) -> set[str]:
    """All packages that a package with an extra installs, on this machine."""
    if (name, extra) in seen:
        return set()
    seen.add((name, extra))
    found: set[str] = set()
    for text in distribution(name).requires or ():
        one = Requirement(text)
        if one.marker is not None and not one.marker.evaluate({"extra": extra}):
            continue
        package = canonicalize_name(one.name)
        found |= {package} - {OWN}
        for inner in ("", *one.extras):
            found |= needed(package, inner, seen)
    return found


def licence_of(name: str) -> str:
    """As an SPDX expression, where the package says enough."""
    metadata = distribution(name).metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [one.rpartition(" :: ")[2] for one in metadata.get_all("Classifier") or () if "License ::" in one]
    said = [one for one in classifiers if one != "OSI Approved"] or [str(metadata.get("License") or "").split("\n")[0]]
    return " AND ".join(sorted({SPDX.get(one, one) for one in said})) or "not said"


def allowed(licence: str) -> bool:
    """Whether lowshot may need a package with this licence.

    >>> allowed("MIT AND BSD-3-Clause"), allowed("GPL-3.0-only OR MIT"), allowed("MIT AND GPL-3.0-only")
    (True, True, False)
    """
    parts = [part.strip(" ()") for part in re.split(r"\bAND\b", licence)]
    return all(any(one.strip(" ()") in ALLOWED for one in re.split(r"\bOR\b", part)) for part in parts)


def page() -> tuple[str, list[str]]:
    """The text of the page, and what is not allowed."""
    core = needed(OWN, "", set())
    lines, wrong = [HEAD], []
    for extra in ("", *extras()):
        packages = core if not extra else needed(OWN, extra, set()) - core
        lines += [f"## {f'lowshot[{extra}]' if extra else 'lowshot'}", "", "| package | licence |", "| --- | --- |"]
        for name in sorted(packages):
            licence = licence_of(name)
            lines.append(f"| {name} | {licence} |")
            wrong += [] if allowed(licence) else [f"{name}: {licence}"]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n", sorted(set(wrong))


def main() -> None:
    path = Path(sys.argv[1])
    try:
        text, wrong = page()
    except PackageNotFoundError as error:
        sys.exit(f"{error.name} is not installed here: run this with the Python of .venv, after `make test`")
    if wrong:
        sys.exit("licences that are not allowed (tools/licences.py):\n  " + "\n  ".join(wrong))
    if sys.argv[2:] != ["--check"]:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        sys.exit(f"{path} is out of date: run `make licences`")


if __name__ == "__main__":
    main()
