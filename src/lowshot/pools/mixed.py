"""The seeded order of items as the engine computes it: the same numbers as `lowshot.core.mix`."""

from typing import Any

import ibis
from ibis.expr.types import Table

from lowshot.core.mix import DIGITS, FIRST, SECOND, WORD, salts
from lowshot.pools.columns import ID

MIX = "lowshot_mix"


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def md5(text: str) -> str:  # type: ignore[empty-body]
    """Of the engine: its digits in hexadecimal."""


@ibis.udf.scalar.builtin(name="md5")  # type: ignore[untyped-decorator]
def md5_bytes(text: str) -> bytes:  # type: ignore[empty-body]
    """Of BigQuery: its bytes."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def to_hex(digest: bytes) -> str:  # type: ignore[empty-body]
    """Of BigQuery."""


def with_mix(rows: Table, seed: int, dialect: str) -> Table:
    """The rows with a column for the mix of each id; for texts the digest, whose first digits are the mix.

    Step by step in subqueries: an engine would compute what is written twice twice.
    """
    key = rows[ID]
    if not key.type().is_integer():
        text = ibis.literal(f"{seed}:") + key
        return rows.mutate(**{MIX: to_hex(md5_bytes(text)) if dialect == "bigquery" else md5(text)})
    first, second = salts(seed)
    rows = rows.mutate(**{MIX: (key & WORD) ^ first})
    rows = rows.mutate(**{MIX: (((rows[MIX] ^ (rows[MIX] >> 16)) * FIRST) ^ (rows[ID] >> 32) ^ second) & WORD})
    rows = rows.mutate(**{MIX: ((rows[MIX] ^ (rows[MIX] >> 15)) * SECOND) & WORD})
    return rows.mutate(**{MIX: ((rows[MIX] ^ (rows[MIX] >> 15)) * FIRST) & WORD})


def literal(rows: Table, mix: int) -> Any:
    """A mix to compare the column with."""
    return mix if rows[ID].type().is_integer() else format(mix, f"0{DIGITS}x")


def beyond(rows: Table) -> Any:
    """More than any mix."""
    return WORD + 1 if rows[ID].type().is_integer() else "g"
