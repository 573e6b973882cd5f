"""The head and the levels below it as the cells of one ranking."""

import numpy as np

from lowshot.core.ranked import RankedCells
from lowshot.core.ranking import listed_cells
from lowshot.ranked.engine import Rows
from lowshot.ranked.layout import Layout


def cells_of(head: Rows, layout: Layout) -> RankedCells:
    """Items of the head by score and prediction, then each level by prediction."""
    total = layout.facts.total
    best = listed_cells(np.arange(len(head)), head.scores, head.predictions, None, total)
    size = layout.count.sum(axis=0)
    count = layout.count.T.ravel()
    there = count > 0
    return RankedCells(
        level=np.concatenate([best.level, np.repeat(layout.level, 2)[there]]),
        prediction=np.concatenate([best.prediction, np.tile([True, False], len(size))[there]]),
        count=np.concatenate([best.count, count[there]]),
        above=np.concatenate([best.above, np.repeat(layout.above, 2)[there]]),
        midrank=np.concatenate([best.midrank, np.repeat(total - layout.above - size / 2, 2)[there]]),
        total=total,
    )
