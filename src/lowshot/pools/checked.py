"""What a check of all rows of a pool finds."""

from typing import Any, NamedTuple

from lowshot.pools.engine import Facts

SHOWN = 5  # repeated ids that are named


class Checked(NamedTuple):
    """The result of a check."""

    facts: Facts
    predicted: int
    repeated: int  # ids that occur more than once
    missing: int  # rows without an id
    examples: list[Any]  # some of the repeated ids

    @property
    def good(self) -> bool:
        return not self.repeated and not self.missing
