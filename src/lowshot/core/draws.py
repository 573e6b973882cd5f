"""Draw t of round i from (seed, i, t) and the cells alone, so that a round can be extended and replayed."""

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
