"""The notebooks of docs/notebooks/ as they are committed: without outputs, small, and with links that lead somewhere.

They are not executed here: the build of the site does that, and fails if a cell does.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .pages_of_docs import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},  # without a version, which would change with every machine
}
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def sources(path: Path, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in read(path)["cells"] if cell["cell_type"] == kind]


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebook:
    def test_it_has_no_outputs(self, path: Path) -> None:
        code = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]
        assert code
        assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * len(code)

    def test_its_metadata_are_minimal(self, path: Path) -> None:
        notebook = read(path)
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        assert notebook["metadata"] == METADATA
        assert not any(cell["metadata"] for cell in notebook["cells"])
        names = [cell["id"] for cell in notebook["cells"]]
        assert len(set(names)) == len(names)

    def test_it_begins_with_its_only_title(self, path: Path) -> None:
        texts = sources(path, "markdown")
        assert texts[0].startswith("# ")
        assert sum(line.startswith("# ") for text in texts for line in text.splitlines()) == 1

    def test_every_cell_is_python(self, path: Path) -> None:
        for source in sources(path, "code"):
            compile(source, path.name, "exec")

    def test_its_links_lead_to_files(self, path: Path) -> None:
        links = [link for text in sources(path, "markdown") for link in LINK.findall(text)]
        assert [link for link in links if not (path.parent / link).exists()] == []
