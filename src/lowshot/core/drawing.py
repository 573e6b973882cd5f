"""Draw t of round i depends on (seed, i, t) and the cells alone, so that a round can be extended and replayed.

`mix_integers` and `mix_texts` give ids a pseudo-random order that every database engine can compute, too.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from lowshot.core.cells import Cells
from lowshot.core.types import Floats, Integers


def uniforms(seed: int, round_number: int, start: int, count: int) -> Floats:
    """Two uniform numbers per draw, for draws start, ..., start+count-1 of a round.

    Philox is counter based: each counter gives four 64-bit words, and the counter is the number of the draw.

    >>> bool((uniforms(7, 1, 0, 5)[3:] == uniforms(7, 1, 3, 2)).all())
    True
    """
    bits = np.random.Philox(key=np.array([seed, round_number], dtype=np.uint64), counter=start)
    words = bits.random_raw(4 * count).reshape(count, 4)[:, :2]
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def draw(cells: Cells, probability: Floats, numbers: Floats, even: bool = False) -> tuple[Integers, Integers]:
    """One item for each row of uniform numbers: the first chooses the cell, the second the item in it.

    `probability` is that of the whole cell; inside a cell items are drawn in proportion to p(x), or with equal chances
    if `even`. Returns cells and positions.
    """
    edges = np.cumsum(probability)
    last = int(np.flatnonzero(probability)[-1])  # rounding must not lead past the last cell that can be drawn
    cell = np.minimum(np.searchsorted(edges, numbers[:, 0] * edges[-1], side="right"), last)
    return cell, cells.pick(cell, numbers[:, 1], even)


WORD = 2**32 - 1  # a mask for the lower 32 bits
# The multipliers of the generator splitmix32: odd, and below 2**31, so that a product with 32 bits fits into a signed
# integer of 64 bits, the largest type that every engine has.
FIRST, SECOND = 0x21F0AAAD, 0x735A2D97
DIGITS = 15  # hexadecimal digits of an MD5 digest that are used: 60 bits
RANGE = {True: 2**32, False: 16**DIGITS}  # how many values a mix can have, for integer ids (True) and text ids


def salts(seed: int) -> tuple[int, int]:
    """Two words of 32 bits from the seed.

    >>> salts(0) == salts(0), salts(0) == salts(1)
    (True, False)
    """
    digest = hashlib.sha256(f"lowshot {seed}".encode()).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:8], "big")


def mix_integers(keys: Integers, seed: int) -> Integers:
    """32 bits from each key: only xor, shift and multiply, never beyond 63 bits, since some engines refuse to overflow.

    >>> mix_integers(np.array([1, 2, 3]), seed=0).tolist()
    [1187577715, 1232848663, 2626488100]

    The low and the high half of a key enter at different steps. If they were combined by one xor at the start, ids
    that hold a part number in the high half and a row number in the low half would collide by the hundred, with any
    seed, and colliding ids are ordered by id: part after part.
    """
    first, second = salts(seed)
    word = (keys & WORD) ^ first
    word = (((word ^ (word >> 16)) * FIRST) ^ (keys >> 32) ^ second) & WORD
    word = ((word ^ (word >> 15)) * SECOND) & WORD
    mixed: Integers = ((word ^ (word >> 15)) * FIRST) & WORD
    return mixed


DIGEST = 32  # hexadecimal digits of an MD5 digest
APART = 4  # digits between the mixes that are taken from one digest: their order is independent up to 16**APART items
PER_DIGEST = DIGEST // APART


def further_salt(seed: int, number: int) -> int:
    """A word of 32 bits from the seed, for the mix of this number."""
    return int.from_bytes(hashlib.sha256(f"lowshot {seed} {number}".encode()).digest()[:4], "big")


def prefix(seed: int, number: int) -> str:
    """What is put before a text id, in the digest that the mix of this number is taken from."""
    block = number // PER_DIGEST
    return f"{seed}.{block}:" if block else f"{seed}:"


def further_mix(keys: np.ndarray[Any, Any], seed: int, number: int) -> Integers:
    """A mix of its own for each number: orders that have nothing to do with each other, for several rankings.

    If two rankings had one order, the items that one of them drew first would be missing among the first of the other.

    >>> further_mix(np.array([1, 2, 3]), seed=0, number=1).tolist()
    [3925795835, 3564817825, 752408767]
    >>> [format(mix, "015x") for mix in further_mix(np.array(["a"], dtype=object), seed=7, number=1).tolist()]
    ['8820cf40c6a48c4']
    """
    if keys.dtype != object:
        word = mix_integers(keys, seed) ^ further_salt(seed, number)
        mixed: Integers = ((word ^ (word >> 15)) * FIRST) & WORD
        return mixed
    start, before = APART * (number % PER_DIGEST), prefix(seed, number)
    digests = (2 * digest(before + key) for key in keys.tolist())
    found = (int(twice[start : start + DIGITS], 16) for twice in digests)
    return np.fromiter(found, dtype=np.int64, count=len(keys))


def digest(text: str) -> str:
    return hashlib.md5(text.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()


def mix_texts(keys: Sequence[str], seed: int) -> Integers:
    """The first 60 bits of the MD5 digest of "seed:key".

    >>> [format(number, "015x") for number in mix_texts(["a"], seed=7).tolist()]
    ['6ff38820cf40c6a']
    """
    digests = (digest(f"{seed}:{key}") for key in keys)
    return np.fromiter((int(found[:DIGITS], 16) for found in digests), dtype=np.int64, count=len(keys))
