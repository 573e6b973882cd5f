"""The entry point of CONTRIBUTING.md belongs to the group in which lowshot looks for samplers."""

import tomllib

from lowshot.sampler import registry
from pages import blocks_of

from .pages_of_docs import ROOT


def test_the_entry_point_is_found() -> None:
    [block] = [block for block in blocks_of((ROOT / "CONTRIBUTING.md").read_text()) if block.language == "toml"]
    groups = tomllib.loads(block.content)["project"]["entry-points"]
    assert groups == {registry.GROUP: {"mine": "my_package:Mine"}}
