"""compare(a, b) is exactly minus compare(b, a): value, interval, probability, warning and verdict."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from lowshot import Comparison, Evaluation, Pool, Prior
from lowshot.core.types import Flags
from lowshot.sampler import Curve

METRICS = ("f1", "precision", "recall", "f2", "f0.5")
MIRRORED = {"better": "worse", "worse": "better", "tied": "tied", "undecided": "undecided"}
PAIR = ("v1", "v2")


class Case(NamedTuple):
    """A pool of a few dozen items, and how it is labelled."""

    pool: Pool
    options: dict[str, Any]  # of the evaluation
    truth: Flags
    skipped: Flags
    labels: int


def case_of(seed: int) -> Case:
    random = np.random.default_rng(seed)
    items = int(random.integers(5, 60))
    truth = random.random(items) < random.choice([0.1, 0.3, 0.6])
    scores: Any = random.normal(size=items) + random.uniform(0, 3) * truth
    if seed % 4 == 0:  # few levels, and so many ties
        scores = np.round(scores)
    if seed % 10 == 3:  # scores of their own, and so several rankings
        scores = {name: random.normal(size=items) + random.uniform(0, 3) * truth for name in PAIR}
    weights = random.uniform(0.1, 3, size=items)
    pool = Pool(
        scores,
        threshold={name: float(random.uniform(-0.5, 2)) for name in PAIR},
        weights=weights / weights.sum() if seed % 5 == 0 else None,
        slices={"camera": np.where(random.random(items) < 0.5, "north", "south").tolist()},
    )
    return Case(
        pool=pool,
        options={
            "sampler": Curve(curves=50, anytime=seed % 7 == 0),
            "prior": Prior(prevalence=(0.05, 0.5)) if seed % 6 == 0 else None,
        },
        truth=truth,
        skipped=random.random(items) < (0.2 if seed % 11 == 0 else 0.0),
        labels=int(random.integers(1, items + 1)),
    )


def evaluated(case: Case, goal: Any = PAIR) -> Evaluation:
    evaluation = Evaluation(case.pool, goal=goal, seed=1, **case.options)
    while evaluation.labels < case.labels and (items := evaluation.ask(case.labels - evaluation.labels)):
        evaluation.tell(items, [None if case.skipped[item] else int(case.truth[item]) for item in items])
    return evaluation


def assert_mirrored(there: Comparison, back: Comparison) -> None:
    assert back.verdict == MIRRORED[there.verdict]
    assert np.array_equal(back.value, -there.value, equal_nan=True)
    assert (back.reason, back.warning, back.certain) == (there.reason, there.warning, there.certain)
    assert (back.labels, back.skipped, back.margin) == (there.labels, there.skipped, there.margin)
    assert (there.interval is None) == (back.interval is None)
    assert (there.probability is None) == (back.probability is None)
    if there.interval is None or back.interval is None or there.probability is None or back.probability is None:
        return
    assert (-back.interval.high, -back.interval.low) == (there.interval.low, there.interval.high)
    total = there.probability + back.probability
    if there.margin == 0 and not there.skipped and not there.certain:
        assert total == 1
    assert total <= 1 + 1e-12


@pytest.mark.parametrize("seeds", [range(start, start + 10) for start in range(0, 120, 10)])
def test_the_other_way_round_everything_is_mirrored(seeds: range) -> None:
    for seed in seeds:
        case, random = case_of(seed), np.random.default_rng(seed)
        evaluation = evaluated(case)
        part = {"camera": case.pool.slices.column("camera").values[0]}
        for where in (None, part) if seed % 9 == 0 else (None, None):
            asked: dict[str, Any] = {
                "metric": str(random.choice(METRICS)),
                "margin": float(random.choice([0.0, 0.0, 0.02, 0.1])),
                "confidence": float(random.choice([0.5, 0.8, 0.95])),
                "where": where,
            }
            assert_mirrored(evaluation.compare("v1", "v2", **asked), evaluation.compare("v2", "v1", **asked))


@pytest.mark.parametrize("seed", [3, 4, 7])
def test_a_goal_and_its_mirror_image_label_the_same(seed: int) -> None:
    case = case_of(seed)
    there, back = evaluated(case), evaluated(case, PAIR[::-1])
    assert there.labels == back.labels == case.labels
    assert there.ask(5) == back.ask(5)
    assert there.stop_when(verdict=True) == back.stop_when(verdict=True)
    assert there.stop_when(half_width=0.2) == back.stop_when(half_width=0.2)
    if case.labels < len(case.pool):
        assert there.plan(verdict=True) == back.plan(verdict=True)
        assert there.plan(half_width=0.05) == back.plan(half_width=0.05)


def test_the_warning_is_about_both_models() -> None:
    """After two rounds, everything that only v2 predicts is positive: v1 has missed it, and v2 nothing."""
    score = np.linspace(1, 0, 400)
    flags = {"v1": score > 0.95, "v2": (score > 0.95) | (score < 0.5)}
    evaluation = Evaluation(Pool(score, predictions=flags), goal=PAIR, seed=0)
    while evaluation.labels < 60:
        items = np.array(evaluation.ask(60 - evaluation.labels))
        evaluation.tell(items.tolist(), (flags["v1"] | (flags["v2"] & (evaluation.labels >= 20)))[items].tolist())
    there, back = evaluation.compare(*PAIR), evaluation.compare(*PAIR[::-1])
    assert "missed positives were found" in there.warning
    assert_mirrored(there, back)
