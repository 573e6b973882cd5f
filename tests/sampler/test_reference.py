"""The package against the plain reference, on many pools: every draw, every round, every combination."""

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import lowshot

from . import reference

# The evaluations of one comparison: they ask for the same items and differ in the estimate alone.
ACIS = {
    "independent": ("acis", {"combine": "independent"}),
    "worst_case": ("acis", {"combine": "worst_case"}),
    "literal": ("acis", {"combine": "literal"}),
    "last": ("acis_last", {}),
}
SAWADE: dict[str, tuple[str, dict[str, Any]]] = {"independent": ("sawade", {})}
# A failing pool of hundreds of items does not become readable by shrinking, it only takes minutes.
plan = settings(derandomize=True, deadline=None, max_examples=60, phases=[Phase.generate])


def same(value: Any) -> Any:
    return pytest.approx(value, rel=1e-10, abs=1e-10, nan_ok=True)


@dataclass
class Case:
    """A pool with its true labels, the items that are known beforehand, and another model of the same task."""

    pool: reference.Pool
    truth: list[int]
    known: list[int]
    other: reference.Pool
    seed: int


@st.composite
def cases(draw: st.DrawFn, largest: int) -> Case:
    """Scores with ties or without; predictions by a threshold, or with some positive ones low in the ranking."""
    size, levels = draw(st.integers(30, largest)), draw(st.sampled_from([None, 4, 12, 50]))
    rarity, trust = draw(st.sampled_from([1, 2, 4])), draw(st.sampled_from([0.5, 1, 2]))
    random = Random(draw(st.integers(0, 2**32)))
    scores = [random.random() ** rarity for _ in range(size)]
    if levels:
        scores = [round(score * levels) / levels for score in scores]
    if draw(st.booleans()):
        threshold = sorted(scores)[-draw(st.integers(1, 1 + size // 6))]
        predictions = [int(score >= threshold) for score in scores]
    else:
        predictions = [int(random.random() < score**3 / 2) for score in scores]
        predictions[random.randrange(size)] = 1
    other = [prediction ^ (random.random() < 0.1) for prediction in predictions[1:]]
    return Case(
        pool=reference.Pool(scores, predictions, draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))),
        truth=[int(random.random() < score**trust) for score in scores],
        known=sorted(random.sample(range(size), draw(st.sampled_from([0, 0, 0, 5])))),
        other=reference.Pool(scores, [1, *other], random.choice([0.0, 0.6, 1.0])),
        seed=random.randrange(2**32),
    )


class Comparison:
    """Evaluations of one case that get the same labels, and what the reference says to them."""

    def __init__(self, case: Case, samplers: dict[str, tuple[str, dict[str, Any]]], reuse: str = "paper") -> None:
        self.case, self.reuse, self.random = case, reuse, Random(case.seed)
        self.evaluations = {
            how: lowshot.Evaluation(
                lowshot.Pool(case.pool.scores, case.pool.predictions, scale="probability"),
                sampler=sampler,
                seed=case.seed,
                alpha=case.pool.alpha,
                settings=changes if sampler == "sawade" else changes | {"reuse": reuse},
                known={item: case.truth[item] for item in case.known},
            )
            for how, (sampler, changes) in samplers.items()
        }
        self.first = self.evaluations["independent"]

    def run(self, budget: int) -> None:
        """Labels asked in random portions, some rounds extended, told in random order; checks in the middle of it."""
        while items := self.ask(budget):
            if self.random.random() < 0.2:
                items += self.ask(budget)
            self.random.shuffle(items)
            half = self.random.randrange(len(items) + 1)
            for part in (items[:half], items[half:]):
                for evaluation in self.evaluations.values():
                    evaluation.tell(part, [self.case.truth[item] for item in part])
                if self.random.random() < 0.3:
                    self.check()
        self.check()

    def ask(self, budget: int) -> list[int]:
        left = budget - self.first.labels - len(self.first.pending)
        if left <= 0:
            return []
        wanted = min(self.random.choice([1, 4, 10, 40]), left)
        asked = [evaluation.ask(wanted) for evaluation in self.evaluations.values()]
        assert all(items == asked[0] for items in asked)
        return asked[0]

    def check(self) -> None:
        history, case = self.first.history, self.case
        labels = history["labels"]
        if self.first.sampler.name == "sawade":
            rounds = reference.sawade(case.pool, labels, case.seed, case.known)
        else:
            asked = [past["asked"] for past in history["rounds"]]
            rounds = reference.acis(case.pool, labels, case.seed, case.known, asked, self.reuse)
            assert [past["size"] for past in history["rounds"]] == [round_.size for round_ in rounds]
            assert all(round_.size <= handed_out for round_, handed_out in zip(rounds[:-1], asked, strict=False))
        self.check_draws(history, rounds)
        for how, evaluation in self.evaluations.items():
            self.check_estimate(evaluation.estimate(), case.pool, labels, rounds, how)
            if case.pool.alpha < 1:  # a design for precision cannot speak for anything else
                answer = evaluation.estimate(lowshot.FBeta(alpha=case.other.alpha), predictions=case.other.predictions)
                self.check_estimate(answer, case.other, labels, rounds, how)

    def check_draws(self, history: dict[str, Any], rounds: list[reference.Round]) -> None:
        """The same items with the same probabilities, and no others handed out."""
        handed_out: list[int] = []
        for past, round_ in zip(history["rounds"], rounds, strict=True):
            times = range(len(past["items"]))
            draws = [reference.draw(round_.cells, self.case.seed, past["number"], t) for t in times]
            assert past["items"] == [item for item, _ in draws]
            assert past["probabilities"] == same([q for _, q in draws])
            assert past["known"] == sorted(round_.known)
            handed_out += list(dict.fromkeys(past["items"]))[: past["asked"]]
        assert sorted(handed_out) == sorted([*set(history["labels"]).difference(self.case.known), *self.first.pending])

    def check_estimate(
        self,
        answer: lowshot.Estimate,
        pool: reference.Pool,
        labels: dict[int, int],
        rounds: list[reference.Round],
        how: str,
    ) -> None:
        """Value and variance of every round and of all together."""
        if how == "last":
            rounds = [round_ for round_ in rounds if len(round_.items) >= round_.size][-1:]
            if not rounds:
                return  # nothing is written about ACIS-LAST before its first round is complete
            how = "independent"
        if pool.open(labels):
            expected = [reference.estimate_round(pool, round_, labels, self.reuse) for round_ in rounds]
            assert [round_.value for round_ in answer.rounds] == same([value for value, _ in expected])
            assert [round_.variance for round_ in answer.rounds] == same([variance for _, variance in expected])
        variance = math.nan if answer.variance is None else answer.variance
        assert (answer.value, variance) == same(reference.combine(pool, rounds, labels, self.reuse, how))


@pytest.mark.slow
@pytest.mark.parametrize("reuse", ["stratum", "paper"])
@plan
@given(case=cases(largest=400), budget=st.integers(1, 200))
def test_acis(reuse: str, case: Case, budget: int) -> None:
    Comparison(case, ACIS, reuse).run(budget)


@pytest.mark.slow
@plan
@given(case=cases(largest=60))
def test_acis_to_the_end_of_the_pool(case: Case) -> None:
    Comparison(case, ACIS).run(len(case.truth))


@plan
@given(case=cases(largest=400), share=st.floats(0, 0.3))
def test_sawade(case: Case, share: float) -> None:
    Comparison(case, SAWADE).run(1 + int(share * len(case.truth)))
