"""ACIS: active calibration and importance sampling (Algorithm 1), every refinement a setting."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.core.calibration import isotonic, prior, rescale
from lowshot.core.cells import Cells
from lowshot.core.combine import Combination
from lowshot.core.optimal import density
from lowshot.core.types import Floats, Integers
from lowshot.design import CellDesign, Design
from lowshot.history import History, Round
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.platt import platt_curve
from lowshot.sampler.rounds import Reuse, from_rounds, of_round

AHEAD = 4  # rankings are made this many times deeper than the one before, so that few of them are made


class Domain(NamedTuple):
    """The part of the pool that a round draws from."""

    ranking: Cells
    chosen: Integers  # cells of the ranking
    cells: Cells  # the same cells without the known items
    known: Integers  # labelled items that enter the estimate as a stratum
    open: int  # items without a label that can change the metric

    @property
    def prior(self) -> Floats:
        """c_0 of each of its cells."""
        return prior(self.ranking)[self.chosen]


@dataclass(frozen=True)
class Acis(Sampler):
    """Each round calibrates on the labels so far, draws from the distribution that is best under that
    calibration (Eq. 4), and adds its own estimate to the average (Eq. 5).

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5)
    >>> evaluation = lowshot.Evaluation(pool, sampler=Acis(first=2))
    >>> evaluation.ask(2)
    [2, 1]

    first         labels of the first round, B_1
    growth        B_(i+1) / B_i
    top_k         round i draws from the top_k (i+1) n_pred best items; None: from the whole pool
    epsilon       calibrated probabilities are rescaled to [epsilon, 1-epsilon]
    prior_rounds  the weight of the prior c_0 falls from 1 to 0 over this many rounds; 0: never used after round 1
    calibration   "isotonic" or "platt"
    reuse         labels of earlier rounds with the weights the paper prints ("paper"), as a known
                  stratum ("stratum"), or not at all ("none")
    average       how many of the last rounds are averaged; None: all
    partial       whether the unfinished round counts
    combine       how the variances of the rounds combine: "independent", "worst_case" or "literal"
    clip          bounds for G in Eq. 4: with G = 0, after one unlucky round, no negative could be drawn
    defensive     share of the probability that is spread evenly over the domain
    """

    name: ClassVar[str] = "acis"

    first: int = 10
    growth: float = 2.0
    top_k: float | None = 3.0
    epsilon: float = 0.01
    prior_rounds: int = 3
    calibration: Literal["isotonic", "platt"] = "isotonic"
    reuse: Reuse = "paper"
    average: int | None = None
    partial: bool = True
    combine: Combination = "independent"
    clip: tuple[float, float] = (0.05, 0.95)
    defensive: float = 0.0

    def __post_init__(self) -> None:
        checks.whole_number("first", self.first, 1)
        checks.number("growth", self.growth, 1, 100)
        if self.top_k is not None:
            checks.number("top_k", self.top_k, 0.1, 1e9)
        checks.number("epsilon", self.epsilon, 0, 0.5)
        checks.whole_number("prior_rounds", self.prior_rounds, 0)
        checks.choice("calibration", self.calibration, ("isotonic", "platt"))
        checks.choice("reuse", self.reuse, ("stratum", "paper", "none"))
        if self.average is not None:
            checks.whole_number("average", self.average, 1)
        checks.flag("partial", self.partial)
        checks.choice("combine", self.combine, ("independent", "worst_case", "literal"))
        checks.bounds("clip", self.clip)
        checks.number("defensive", self.defensive, 0, 1)

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        number = len(history.rounds) + 1
        size = round(self.first * self.growth ** (number - 1))
        negatives = metric.alpha < 1 or self.defensive > 0
        domain = self._domain(pool, history, number, size, negatives)
        c = rescale(self._calibrated(pool, history, domain, number), self.epsilon)
        value = float(np.clip(self._last_value(pool, history, metric), *self.clip))
        cells = domain.cells
        return CellDesign(
            cells=cells,
            probability=self._mix(cells, density(c, cells.prediction, value, metric.alpha)),
            calibration=c,
            known=domain.known,
            size=size if domain.open >= 2 * size else max(1, domain.open),  # at the end of the pool: all of them
            negatives=negatives,
        )

    def _domain(self, pool: View, history: History, number: int, size: int, negatives: bool) -> Domain:
        """The best items and all predicted positives; deeper if they hold fewer than 2 B_i open items."""
        labelled = history.labelled
        known = labelled if self.reuse != "none" else labelled[:0]
        factor = pool.total if self.top_k is None else self.top_k * (number + 1)
        depth = min(pool.total, math.ceil(factor * pool.predicted_positives))
        while True:
            ranking = pool.cells(self._horizon(pool, depth))
            chosen = ranking.top(depth)
            cells = ranking.open(chosen, known, history.seen)
            left = _unlabelled(cells, labelled, negatives)
            if left >= 2 * size or depth >= pool.total or not negatives:
                return Domain(ranking, chosen, cells, known, left)
            depth = min(pool.total, depth + 2 * size - left)

    def _horizon(self, pool: View, depth: int) -> int:
        """How deep to rank: a power of AHEAD times the first domain, so that later rounds can use the same ranking."""
        first = max(1, math.ceil(2 * (self.top_k or pool.total) * pool.predicted_positives))
        steps = max(1, math.ceil(math.log(max(depth, 1) / first, AHEAD) - 1e-9))
        return min(pool.total, int(first * AHEAD**steps))

    def _calibrated(self, pool: View, history: History, domain: Domain, number: int) -> Floats:
        """beta c_0 + (1-beta) c_(i-1); beta falls linearly over the first rounds."""
        beta = max(0.0, 1 - (number - 1) / self.prior_rounds) if self.prior_rounds else float(number == 1)
        told, labels = history.told()
        if beta >= 1 or not len(told):
            return domain.prior
        if self.calibration == "isotonic":
            learned = isotonic(pool.midrank(told), labels, domain.cells.midrank)
        else:
            learned = platt_curve(pool, told, labels, domain.cells.level)
        return beta * domain.prior + (1 - beta) * learned if beta > 0 else learned

    def _last_value(self, pool: View, history: History, metric: FBeta) -> float:
        """G of the last round that has an estimate; 0.5 if none has."""
        for round_ in reversed(history.rounds):
            value = of_round(pool, history, round_, metric, self.reuse == "paper").value
            if np.isfinite(value):
                return value
        return 0.5

    def _mix(self, cells: Cells, best: Floats) -> Floats:
        """The probability of each cell: p(x) times the density, mixed with p(x) over the domain (`defensive`)."""
        weight = cells.mass * best
        total, mass = weight.sum(), cells.mass.sum()
        if total <= 0:
            return weight
        mixed: Floats = (1 - self.defensive) * weight / total + self.defensive * cells.mass / mass
        return mixed

    def counting(self, history: History) -> list[Round]:
        complete = [r for r in history.rounds if history.complete(r)]
        rounds = history.rounds if self.partial or not complete else complete
        if self.average is None:
            return rounds
        return [r for r in rounds if history.prefix(r)][-self.average :]  # a round without usable draws has no estimate

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        rounds = self.counting(history)
        return from_rounds(pool, history, metric, confidence, rounds, self.combine, self.reuse == "paper")


def _unlabelled(cells: Cells, labelled: Integers, negatives: bool) -> int:
    """How many items of these cells have no label; predicted negatives only if they can be drawn."""
    counted = cells.prediction | negatives
    found = cells.find(labelled)
    return int(cells.count[counted].sum()) - int(np.count_nonzero(counted[found[found >= 0]]))


@dataclass(frozen=True)
class AcisLast(Acis):
    """The paper's ablation of Eq. 5: only the last complete round counts.

    >>> AcisLast().average, AcisLast().partial
    (1, False)
    """

    name: ClassVar[str] = "acis_last"

    average: int | None = 1
    partial: bool = False


@dataclass(frozen=True)
class AcisPlatt(Acis):
    """The paper's ablation of the calibration: Platt scaling instead of isotonic regression.

    >>> AcisPlatt().calibration
    'platt'
    """

    name: ClassVar[str] = "acis_platt"

    calibration: Literal["isotonic", "platt"] = "platt"
