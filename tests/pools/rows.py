"""Rows of every kind that a pool may be made of."""

from typing import Any

import numpy as np
import pyarrow as pa

from lowshot.core.types import Flags, Floats

from .places import table

ODD_NUMBERS = [0, -1, 1, 7 - 2**40, 2**32, 2**32 + 1, 2**53 + 1, 2**63 - 1, -(2**63)]
ODD_TEXTS = [
    "it's",
    'say "so"',
    "Ärger/größe.jpg",
    "日本 語",
    "a,b;c",
    "back\\slash",
    "%_like",
    "🐦",
    " padded ",
    "A",
    "a",
]


def numbers(count: int) -> list[int]:
    """Integer ids: small, negative, beyond 32 bits, and the limits of 64."""
    random = np.random.default_rng(7)
    drawn = random.choice(2**50, count, replace=False) - 2**49
    return [*ODD_NUMBERS, *drawn.tolist()][:count]


def texts(count: int) -> list[str]:
    """Text ids: paths, and whatever else people write."""
    return [*ODD_TEXTS, *(f"clips/{number:05d}.wav" for number in range(count))][:count]


def scores_of(kind: str, count: int) -> Floats:
    random = np.random.default_rng(3)
    if kind == "probability":
        return random.beta(0.2, 2, count)
    if kind == "float32":
        return random.beta(0.2, 2, count).astype(np.float32)
    if kind == "logit":
        return random.normal(-4, 3, count)
    if kind == "integers":
        return random.integers(-5, 30, count)
    if kind == "ties":
        return np.round(random.beta(0.2, 2, count), 2)
    raise ValueError(kind)


def rows_of(kind: str = "probability", names: str = "integer", count: int = 300, flags: str = "bool") -> pa.Table:
    """With a column by which some of them can be left out."""
    ids: Any = numbers(count) if names == "integer" else texts(count)
    scores = scores_of(kind, count)
    predicted: Flags = scores >= np.quantile(scores, 0.9)
    told = predicted if flags == "bool" else predicted.astype(np.int32)
    return table(ids, scores, told, part=[["train", "test"][number % 3 > 0] for number in range(count)])
