"""An evaluation of several models in a store."""

from pathlib import Path
from typing import Any

from lowshot import Evaluation, Pool
from lowshot.core.types import Flags
from lowshot.goal import Goal
from lowshot.tasks import finish

from ..test_several import scores_of

LIFTS = (2.0, 3.0, 2.5, 1.0)  # how much higher each model's scores are for positives


def several(
    folder: Path,
    goal: Goal | None = None,
    *,
    models: int = 2,
    labels: int = 60,
    names: tuple[str, ...] = (),
    **more: Any,
) -> tuple[Evaluation, Flags]:
    """Models v1, v2, ... (or other names) with so many labels, and the truth about each item."""
    scores, truth = scores_of(items=2000, share=0.03, lifts=LIFTS[:models])
    named = dict(zip(names or scores, scores.values(), strict=True))
    pool = Pool(named, threshold=2.0, **more)
    return finish(Evaluation(pool, goal=goal, store=folder / "birds.db"), truth, labels), truth
