"""Draw t of round i from (seed, i, t) and the cells alone, so that a round can be extended and replayed."""

import hashlib
from collections.abc import Sequence

import numpy as np

from lowshot.core.cells import Cells
from lowshot.core.types import Floats, Integers


def uniforms(seed: int, round_number: int, start: int, count: int) -> Floats:
    """Two uniform numbers a draw, for draws start, ..., start+count-1 of a round.

    Philox is counter based: four 64-bit words belong to each counter, and the counter is the draw.

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
    last = int(np.flatnonzero(probability)[-1])  # rounding must not push a draw past the last open cell
    cell = np.minimum(np.searchsorted(edges, numbers[:, 0] * edges[-1], side="right"), last)
    return cell, cells.pick(cell, numbers[:, 1], even)


WORD = 2**32 - 1
FIRST, SECOND = 0x21F0AAAD, 0x735A2D97  # odd, below 2**31: a product with 32 bits fits into a signed 64-bit integer
DIGITS = 15  # of a digest: 60 bits
RANGE = {True: 2**32, False: 16**DIGITS}  # of the mix, for keys that are integers and for those that are texts


def salts(seed: int) -> tuple[int, int]:
    """Two words of 32 bits from the seed.

    >>> salts(0) == salts(0), salts(0) == salts(1)
    (True, False)
    """
    digest = hashlib.sha256(f"lowshot {seed}".encode()).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:8], "big")


def mix_integers(keys: Integers, seed: int) -> Integers:
    """32 bits from each key: xor, shift and multiply only, and never beyond 63 bits, which some engines refuse.

    >>> mix_integers(np.array([1, 2, 3]), seed=0).tolist()
    [1187577715, 1232848663, 2626488100]

    Low and high half come in at different steps. Folded together at once, ids made of a part and a number inside it
    would be equal by the hundred whatever the seed, and then be drawn in the order of the parts.
    """
    first, second = salts(seed)
    word = (keys & WORD) ^ first
    word = (((word ^ (word >> 16)) * FIRST) ^ (keys >> 32) ^ second) & WORD
    word = ((word ^ (word >> 15)) * SECOND) & WORD
    mixed: Integers = ((word ^ (word >> 15)) * FIRST) & WORD
    return mixed


def mix_texts(keys: Sequence[str], seed: int) -> Integers:
    """The first 60 bits of the MD5 digest of "seed:key".

    >>> [format(number, "015x") for number in mix_texts(["a"], seed=7).tolist()]
    ['6ff38820cf40c6a']
    """
    digests = (
        hashlib.md5(f"{seed}:{key}".encode(errors="surrogatepass"), usedforsecurity=False).hexdigest() for key in keys
    )
    return np.fromiter((int(digest[:DIGITS], 16) for digest in digests), dtype=np.int64, count=len(keys))
