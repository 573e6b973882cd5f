"""The API reference has every public name."""

import re
from pathlib import Path

import pytest

import lowshot

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", lowshot.__all__)
def test_a_public_name_is_in_the_reference(name: str) -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    assert re.search(rf"^\.\. auto\w+:: lowshot\.{name}$", pages, re.MULTILINE), f"add {name} to docs/reference/"
