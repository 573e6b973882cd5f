"""Scores of any magnitude that a float can have: right numbers, no overflow (warnings are errors in these tests)."""

import math
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, Pool, samplers
from lowshot.testing import finish, simulated

TASK = simulated(items=60, positives=12)
MARGIN = np.log(TASK.columns["scores"]) - np.log1p(-TASK.columns["scores"])
TOP = np.sort(MARGIN)[-15] <= MARGIN
SINGLE = np.finfo(np.float32)
LARGEST = float(np.finfo(np.float64).max)
NEEDS_SCALE = ("sawade", "gmm")
EXTREMES = {
    "1e200": MARGIN * 1e200,
    "to 1.7e308": MARGIN / np.abs(MARGIN).max() * 1.7e308,
    "subnormal": np.round(MARGIN * 1000) * 5e-324,
    "1e308 beside ordinary ones": np.where(TOP, 1e308 * (MARGIN / MARGIN.max()), MARGIN),
    "-1e308 beside ordinary ones": np.where(MARGIN < -1, -1e308, MARGIN),
    "one large": np.where(MARGIN.max() == MARGIN, 1.7e308, MARGIN),
    "both ends": np.where(TOP, LARGEST, -LARGEST),
    "float32, to its largest": (MARGIN / np.abs(MARGIN).max() * float(SINGLE.max)).astype(np.float32),
    "float32, subnormal": (MARGIN * float(SINGLE.smallest_subnormal) * 1000).astype(np.float32),
}
GROUPED: dict[str, Any] = {"levels": 5, "head": 8}
KINDS = [*((name, {}) for name in samplers), *((name, GROUPED) for name in samplers if name != "herding")]  # refused

herds_scores = pytest.mark.filterwarnings("ignore:the pool has no features")


@herds_scores
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize(("sampler", "grouped"), KINDS)
def test_estimates_from_scores_at_the_ends_of_what_a_float_can_hold(
    sampler: str, name: str, grouped: dict[str, Any]
) -> None:
    scores = EXTREMES[name]
    pool = Pool(scores, TOP, scale="logit" if sampler in NEEDS_SCALE else None, **grouped)
    evaluation = Evaluation(pool, sampler=sampler)
    for budget in (5, 20, 40):
        estimate = finish(evaluation, TASK.labels, budget).estimate()
        assert estimate.reason or 0 <= estimate.value <= 1
        assert estimate.interval is None or math.isnan(estimate.value) or estimate.value in estimate.interval
    assert finish(evaluation, TASK.labels, 60).estimate().value == pytest.approx(TASK.truth(predictions=TOP))


@herds_scores
@pytest.mark.parametrize("exponent", [1015, 400, -400, -1000])
@pytest.mark.parametrize("sampler", [name for name in samplers if name not in NEEDS_SCALE])
def test_another_unit_changes_no_bit(sampler: str, exponent: int) -> None:
    """A power of two changes no digit of a score: draws and estimates are the same to the last bit."""
    one, two = (Pool(scores, TOP) for scores in (MARGIN, np.ldexp(MARGIN, exponent)))
    assert _story(one, sampler) == _story(two, sampler)


@pytest.mark.parametrize("exponent", [1015, 400, -400, -800])
@pytest.mark.parametrize("sampler", ["curve", "acis", "acis_platt", "platt"])
def test_another_unit_changes_no_bit_of_a_grouped_pool(sampler: str, exponent: int) -> None:
    one, two = (Pool(scores, TOP, **GROUPED) for scores in (MARGIN, np.ldexp(MARGIN, exponent)))
    assert _story(one, sampler) == _story(two, sampler)


def _story(pool: Pool, sampler: str) -> tuple[Any, ...]:
    evaluation = finish(Evaluation(pool, sampler=sampler), TASK.labels, 30)
    return evaluation.history["rounds"], repr(evaluation.estimate())


def test_a_plan_from_huge_scores() -> None:
    one, two = (Evaluation(Pool(scores, TOP)).plan(0.2) for scores in (MARGIN, np.ldexp(MARGIN, 1015)))
    assert one == two
