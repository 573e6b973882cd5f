"""Version 1 of the beliefs: chosen by hand on the even classes of the benchmark families.

Evaluations that began with it keep it. docs/research.md says what other values did.
"""

from dataclasses import dataclass, replace

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.components import Bell, Component, Prior, Ratio, Slopes
from lowshot.core.types import Floats

START = Bell(2.0, 3.0)
CROSSING = Bell(-0.2, 1.8, 0.02)
# Gaps of the scores (`Bands.gap`, in units of u). Below the first there is no clean gap, above the second there is one.
# On the benchmark's very easy pools gaps exceed 1.1, on all other families they are below 0.65.
CLEAN = (0.65, 1.0)
# Measured on the benchmark families: 0.05 to 2.3 missed and 0.2 to 1.3 positives for each predicted positive.
MISSED, POSITIVES = Ratio(0.5, 1.5), Ratio(0.7, 1.1)
MISSED_IF_CLEAN = Ratio(0.01, 1.65)  # very easy pools miss hardly any
# On even classes, nearly all intervals that missed the true F lay above it.
STRETCH = 1.15

HEAD, TAIL = Slopes(2.0, 0.8, 0.1, 0.1, 0.1), Slopes(1.8, 0.5, 0.08, 0.08, 0.004)
AFTER_JUMP = Slopes(3.0, 0.7, 0.05, 0.08, 0.004)
SCORE_HEAD, SCORE_TAIL = Slopes(2.2, 0.8, 0.03, 0.05, 0.1), Slopes(1.8, 0.6, 0.08, 0.05, 0.004)
RANK, SCORE = (0.12, 0.3), (0.06, 0.2)  # redraw and drift
# Half of the weight is on curves that fall along the rank, half along the score.
COMPONENTS = (
    Component(0.275, 0, "rank", 0.1, *RANK, HEAD, TAIL, CROSSING),
    Component(0.15, 2, "rank", 0.1, *RANK, HEAD, TAIL, CROSSING),
    Component(0.075, 7, "rank", 0.1, *RANK, HEAD, AFTER_JUMP, CROSSING),
    Component(1.0, 7, "rank", 30.0, *RANK, HEAD, AFTER_JUMP, CROSSING),  # for pools with a clean gap in the scores
    Component(0.35, 0, "score", 0.1, *SCORE, SCORE_HEAD, SCORE_TAIL, CROSSING),
    Component(0.15, 2, "score", 0.1, *SCORE, SCORE_HEAD, SCORE_TAIL, CROSSING),
)
IS_CLEAN = np.array([component.doubt > 1 for component in COMPONENTS])


@dataclass(frozen=True)
class FirstNumbers:
    """Beliefs about the missed positives and about all positives; with a clean gap, hardly any are missed."""

    clean: float  # from 0 to 1: how clean the gap is in the scores where the predicted positives end

    def log_density(self, found: Floats, missed: Floats) -> Floats:
        usual = MISSED.log_density(missed) + POSITIVES.log_density(found + missed)
        return (1 - self.clean) * usual + self.clean * MISSED_IF_CLEAN.log_density(missed)


def first_prior(bands: Bands) -> Prior:
    """The prior of a pool.

    A curve that falls along the score falls far at a gap with any slope, so it cannot tell a clean gap from an
    ordinary one: such components lose their weight as gaps grow from 0.35 to 0.5. A clean gap gives 0.9 of the
    weight to the clean component.
    """
    clean, by_score = cleanness(bands.gap), float(np.clip((0.5 - bands.gap) / 0.15, 0, 1))
    weight = np.array([one.weight * (by_score if one.along == "score" else 1) for one in COMPONENTS])
    share = np.where(IS_CLEAN, 0.9 * clean, 1 - 0.9 * clean)
    weight *= share / np.where(IS_CLEAN, weight[IS_CLEAN].sum(), weight[~IS_CLEAN].sum())
    pairs = zip(COMPONENTS, weight.tolist(), strict=True)
    components = tuple(replace(component, weight=share) for component, share in pairs if share > 0)
    return Prior(components, START, FirstNumbers(clean), STRETCH, False, bands.patterns)


def cleanness(gap: float) -> float:
    """How clean a gap of the scores is: 0 for an ordinary one, 1 for a clean one.

    >>> cleanness(0.3), cleanness(1.5)
    (0.0, 1.0)
    """
    low, high = CLEAN
    return float(np.clip((gap - low) / (high - low), 0, 1))
