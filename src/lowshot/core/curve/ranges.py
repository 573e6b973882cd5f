"""What somebody knows beforehand about the prevalence or the recall, as ranges, applied to curves.

A range holds the true share with a probability of 95 %: the logarithm of the prevalence, or the log-odds of the recall,
is normal with its quantiles of 2.5 % and 97.5 % at the ends. It replaces what the curves themselves believe about that
quantity: each curve is weighed by the density of the range, divided by the density among curves without labels. All
other beliefs stay. The second density is smoothed by a factor of 2 (`SMOOTH`): where curves are more certain than that
without labels, they are because of the scores of this pool, such as a clean gap, and that is kept. On 230 real pools of
tables, pictures and texts a range of a factor of 4 left 0.71, 0.74 and 0.86 of the squared error at 30, 70 and 150
labels, without smoothing 0.74, 0.91 and 1.00, when the numbers of the prior were still chosen by hand; repeated runs
differ by about 0.05.

Curves rarely have as many positives as a high prevalence needs, because the scores do not see all of them. So there
are two families of curves: the curves as they are drawn, and the same curves with a background rate of positives, which
lifts them into the range (`scattered`). Before anything is known, a curve has a background that leads into the range
with a probability of 0.03 (`SCATTERED`), and lies in the range without one with a probability a, which is counted. So
in the range the second family has a share of 0.03 / (0.03 + a) before labels are seen: 10 % if the range is an ordinary
one for this pool, and more than one half if curves hardly ever reach it. A constant share was worse: on ordinary pools
if it was large, and on pools whose scores do not see the positives if it was small.

A range that the labels contradict is not obeyed. Before labels are seen it is right with a probability of 0.95
(`TRUST`); otherwise curves are as they would be without it. Labels change that probability by their evidence, and a
range whose probability falls below 0.05 (`DOUBTED`) is left out. An open range, such as a recall of at least 0.9,
leaves 5 % to all other values, wherever they are, so that no labels are much evidence against it as a whole. Therefore
only the curves inside of an open range count for its probability.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp, ndtri

from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.summary import quantiles
from lowshot.core.types import Flags, Floats, Integers

TRUST = 0.95  # the probability that a range is right, before labels are seen
DOUBTED = 0.05  # a range is left out if its probability given the labels is below this
SCATTERED = 0.03  # the probability that a curve has a background that leads into the range
MORE = 3  # times as many curves are drawn as are needed, because most of them may lie outside of the range
CENTRES = 300  # kernels of a density; more change the weights by a few per cent only
SMOOTH = 0.7  # the least standard deviation of a kernel, on the scale of the quantity: about a factor of 2
FLOOR = 0.1  # the share of a wide density that is mixed into each estimated one, so that weights stay finite
NARROWEST = 0.05  # of a range, on its scale: a curve gives the expected number of positives, not the true one
EDGE = 1e-12  # shares are clipped to [EDGE, 1 - EDGE] before a logarithm is taken
RAREST = 1e-3  # the smallest share of unlabelled curves in a range that is believed; fewer cannot be estimated
HIGHEST_RATE = 0.5  # of the background


class Seen(NamedTuple):
    """Labels and unlabelled items by group [pattern, band]. Weights are in units of an average item."""

    told: Floats  # labels that curves learn from
    positive: Floats  # how many of them are positive
    weight: Floats  # of the items without a label
    found: Floats  # [pattern]: the weight of the labelled positives


class Quantities(NamedTuple):
    """The positives of each curve: those that are predicted and those that are missed."""

    hit: Floats
    missed: Floats

    @classmethod
    def of(cls, chance: Floats, seen: Seen, is_predicted: Flags) -> "Quantities":
        """The expected numbers, given the labels."""
        each = seen.found[:, None] + np.stack([chance[:, kind] @ row for kind, row in enumerate(seen.weight)])
        return cls(each[is_predicted].sum(axis=0), each[~is_predicted].sum(axis=0))


@dataclass(frozen=True)
class Range:
    """A range that holds the prevalence, or the recall, with a probability of 95 %.

    >>> Range("recall", 0.5, 0.9).is_open, Range("recall", 0.5, 1.0).is_open
    (False, True)
    """

    name: str  # "prevalence" or "recall"
    low: float
    high: float

    @property
    def is_open(self) -> bool:
        """Whether only one end is known: a recall of at least `low`, or of at most `high`."""
        return self.name == "recall" and (self.low <= 0 or self.high >= 1)

    def scaled(self, share: Floats) -> Floats:
        """The quantity on the scale on which its belief is normal."""
        inside = np.clip(share, EDGE, 1 - EDGE)
        found: Floats = np.log(inside) if self.name == "prevalence" else logit(inside)
        return found

    def shares(self, scaled: Floats) -> Floats:
        """The inverse of `scaled`."""
        found: Floats = np.exp(scaled) if self.name == "prevalence" else expit(scaled)
        return found

    @property
    def normal(self) -> tuple[float, float]:
        """Mean and standard deviation on that scale."""
        low, high = self.scaled(np.array([self.low, self.high])).tolist()
        return (low + high) / 2, max((high - low) / 2 / float(ndtri(0.975)), NARROWEST)

    def of(self, positives: Quantities, total: float) -> Floats:
        """The quantity of each curve, on the scale of the range."""
        together = positives.hit + positives.missed
        below = total if self.name == "prevalence" else np.maximum(together, EDGE)
        return self.scaled((together if self.name == "prevalence" else positives.hit) / below)

    def draw(self, count: int, random: np.random.Generator) -> Floats:
        """Shares as the range believes in them; uniform in an open range."""
        if self.is_open:
            return random.uniform(self.low, self.high, count)
        mean, spread = self.normal
        return self.shares(random.normal(mean, spread, count))


class Density(NamedTuple):
    """A density estimated with normal kernels, from values [quantity, curve] with weights."""

    centre: Floats  # [quantity, kernel]
    width: Floats  # [quantity]: standard deviations of the kernels
    middle: Floats  # [quantity]: median
    spread: Floats  # [quantity]: half of the range between the quantiles of 16 % and 84 %

    @classmethod
    def of(cls, values: Floats, weight: Floats) -> "Density":
        cuts = np.stack([quantiles(row, weight, (0.16, 0.5, 0.84)) for row in values])
        spread = np.maximum((cuts[:, 2] - cuts[:, 0]) / 2, SMOOTH)
        effective = 1 / float(weight @ weight)
        scott = spread * effective ** (-1 / (len(values) + 4))  # Scott's rule for the width of a kernel
        width = np.maximum(scott, SMOOTH)
        return cls(values[:, systematic(weight, CENTRES)], width, cuts[:, 1], spread)

    def log(self, values: Floats) -> Floats:
        """The log density of values [quantity, curve]. A wide Cauchy density has a share of FLOOR."""
        exponent, wide = np.zeros((values.shape[1], self.centre.shape[1])), np.full(values.shape[1], FLOOR)
        for row, centre, width, middle, spread in zip(values, *self, strict=True):
            exponent -= np.square((row[:, None] - centre) * (np.sqrt(0.5) / width))
            wide /= (1 + ((row - middle) / (2 * spread)) ** 2) * 2 * np.pi * spread
        height = (1 - FLOOR) / np.prod(self.width * np.sqrt(2 * np.pi))
        found: Floats = np.log(height * np.exp(exponent, out=exponent).mean(axis=1) + wide)
        return found


def systematic(weight: Floats, count: int) -> Integers:
    """`count` places, each as often as its weight says, up to rounding; without random numbers.

    >>> systematic(np.array([0.5, 0.25, 0.25]), 4).tolist()
    [0, 0, 1, 2]
    """
    evenly = (np.arange(count) + 0.5) / count
    return np.searchsorted(weight.cumsum()[:-1] / weight.sum(), evenly, side="right")


class Replacement(NamedTuple):
    """By which factors a range, or two, change the weights of one family of curves."""

    ranges: tuple[Range, ...]
    density: Density | None  # of the quantities of the closed ranges, among curves without labels; None if all are open
    inside: tuple[float, ...]  # for each range: the share of curves without labels that lie in it
    constant: float  # subtracted, so that the mean factor among curves without labels is 1

    @classmethod
    def of(cls, ranges: tuple[Range, ...], values: dict[str, Floats], weight: Floats) -> "Replacement":
        """`values` are the quantities of curves without labels, by the name of the range."""
        closed = [values[one.name] for one in ranges if not one.is_open]
        density = Density.of(np.stack(closed), weight) if closed else None
        inside = tuple(float(np.clip(weight @ within(one, values[one.name]), RAREST, 1 - RAREST)) for one in ranges)
        rough = cls(ranges, density, inside, 0.0)
        mean = float(logsumexp(rough.log_factor(values), b=weight))
        return rough._replace(constant=max(mean, float(np.log(RAREST))))

    def log_factor(self, values: dict[str, Floats]) -> Floats:
        """The log factor of each curve."""
        found = np.full(len(next(iter(values.values()))), -self.constant)
        for one, share in zip(self.ranges, self.inside, strict=True):
            value = values[one.name]
            if one.is_open:
                is_inside = within(one, value)
                found += np.where(is_inside, np.log(TRUST / share), np.log((1 - TRUST) / (1 - share)))
            else:
                mean, spread = one.normal
                found -= 0.5 * ((value - mean) / spread) ** 2 + np.log(spread * np.sqrt(2 * np.pi))
        if self.density is not None:
            found -= self.density.log(np.stack([values[one.name] for one in self.ranges if not one.is_open]))
        return found


def within(one: Range, scaled: Floats) -> Flags:
    """Whether the quantity of each curve is in the range."""
    share = one.shares(scaled)
    found: Flags = (one.low <= share) & (share <= one.high)
    return found


class Contradiction(NamedTuple):
    """A range that the labels contradict, and the share that they suggest."""

    range: Range
    suggested: float


Source = Callable[[Seen, int, np.random.Generator], Curves]  # curves from the posterior, without the ranges


class Use(NamedTuple):
    """How ranges are used together: what they do with each family of curves, and the share of each before labels."""

    replacements: tuple[Replacement, ...]
    shares: tuple[float, float]

    @classmethod
    def of(cls, used: tuple[Range, ...], families: Sequence[Curves], values: Sequence[dict[str, Floats]]) -> "Use":
        """From curves without labels."""
        each = zip(families, values, strict=True)
        replacements = tuple(Replacement.of(used, value, curves.weight) for curves, value in each)
        inside = np.all([within(one, values[0][one.name]) for one in used], axis=0)
        reached = float(families[0].weight @ inside)
        return cls(replacements, (reached / (reached + SCATTERED), SCATTERED / (reached + SCATTERED)))


@dataclass(frozen=True, eq=False)
class Ranges:
    """Ranges for one pool."""

    ranges: tuple[Range, ...]
    is_predicted: Flags  # [pattern]
    total: float  # the weight of all items
    uses: dict[tuple[Range, ...], "Use"]  # by the ranges that are used: all of them, or one

    @classmethod
    def of(cls, ranges: Sequence[Range], source: Source, nothing: Seen, is_predicted: Flags, count: int) -> "Ranges":
        """`nothing` has no labels."""
        random = np.random.default_rng(0)
        every, total = tuple(ranges), float(nothing.weight.sum())
        drawn = source(nothing, count * MORE, random)
        rough = cls(every, is_predicted, total, {})
        families = rough._families(drawn, nothing, random)
        values = [rough._values(curves, nothing) for curves in families]
        together = {every, *((one,) for one in every)}
        return cls(every, is_predicted, total, {used: Use.of(used, families, values) for used in together})

    def apply(
        self, source: Source, seen: Seen, count: int, random: np.random.Generator
    ) -> tuple[Curves, tuple[Contradiction, ...]]:
        """Curves from the posterior with the ranges that the labels do not contradict, and those that they do."""
        drawn = source(seen, count * MORE, random)
        families = self._families(drawn, seen, random)
        values = [self._values(curves, seen) for curves in families]
        alone = {one: self._weights((one,), families, values) for one in self.ranges}
        used = tuple(one for one, weights in alone.items() if trust((one,), weights, values) >= DOUBTED)
        weights = alone[used[0]] if len(used) == 1 else self._weights(used, families, values)
        if trust(used, weights, values) < DOUBTED:  # each is possible, but not both
            used = ()
        doubted = tuple(
            Contradiction(one, float(one.shares(quantiles(values[0][one.name], drawn.weight, (0.5,)))[0]))
            for one in self.ranges
            if one not in used
        )
        if not used:
            return resampled(drawn.chance, drawn.weight, count), doubted
        chance = np.concatenate([curves.chance for curves in (*families, drawn)])
        weight = np.concatenate([TRUST * np.concatenate(weights), (1 - TRUST) * drawn.weight])
        return resampled(chance, weight, count), doubted

    def _families(self, drawn: Curves, seen: Seen, random: np.random.Generator) -> tuple[Curves, ...]:
        return drawn, scattered(drawn, self.ranges[0], seen, self.is_predicted, self.total, random)

    def _values(self, curves: Curves, seen: Seen) -> dict[str, Floats]:
        positives = Quantities.of(curves.chance, seen, self.is_predicted)
        return {one.name: one.of(positives, self.total) for one in self.ranges}

    def _weights(
        self, used: tuple[Range, ...], families: Sequence[Curves], values: Sequence[dict[str, Floats]]
    ) -> list[Floats]:
        """The weights of the curves of each family. Their sum is the evidence of these ranges relative to none."""
        if not used:
            return [curves.weight for curves in families]
        use = self.uses[used]
        each = zip(families, values, use.replacements, use.shares, strict=True)
        return [share * curves.weight * np.exp(found.log_factor(value)) for curves, value, found, share in each]


def trust(used: tuple[Range, ...], weights: list[Floats], values: Sequence[dict[str, Floats]]) -> float:
    """The probability that the ranges are right, given the labels, from the weights that they give to curves."""
    evidence = TRUST * float(sum(weight.sum() for weight in weights))
    right = evidence
    if opened := [one for one in used if one.is_open]:
        inside = [np.all([within(one, value[one.name]) for one in opened], axis=0) for value in values]
        right = TRUST * float(sum(weight @ each for weight, each in zip(weights, inside, strict=True)))
    return right / (evidence + 1 - TRUST)


def resampled(chance: Floats, weight: Floats, count: int) -> Curves:
    """`count` of the curves, with equal weights."""
    return Curves(chance[systematic(weight, count)], np.full(count, 1 / count))


def scattered(
    curves: Curves, one: Range, seen: Seen, is_predicted: Flags, total: float, random: np.random.Generator
) -> Curves:
    """The curves with a background rate, the same for all items that no model predicts.

    A share is drawn from the range for each curve, and the rate is the one with which the curve has that share; it is 0
    if the curve has enough positives without it. A curve is weighed by how much more probable its labels are with the
    rate than without. So the weights do not sum to 1: their sum is the evidence of this family relative to the curves.
    """
    positives = Quantities.of(curves.chance, seen, is_predicted)
    share = one.draw(len(curves.weight), random)
    if one.name == "prevalence":
        wanted = share * total - positives.hit - positives.missed
    else:
        wanted = positives.hit * (1 / np.maximum(share, EDGE) - 1) - positives.missed
    before = curves.chance[:, ~is_predicted]
    room = np.tensordot(1 - before, seen.weight[~is_predicted], 2)
    rate = np.clip(wanted / np.maximum(room, EDGE), 0, HIGHEST_RATE)
    after = 1 - (1 - before) * (1 - rate)[:, None, None]
    chance = curves.chance.copy()
    chance[:, ~is_predicted] = after
    positive, told = seen.positive[~is_predicted], seen.told[~is_predicted]
    log_ratio = np.log1p(-rate) * (told - positive).sum()
    log_ratio += np.tensordot(np.log(np.maximum(after, 1e-300) / np.maximum(before, 1e-300)), positive, 2)
    return Curves(chance, truncated(curves.weight * np.exp(log_ratio)))


def truncated(weight: Floats) -> Floats:
    """The weights, none larger than their mean times the square root of their number.

    Curves are drawn from the posterior without a background. A curve that hardly allows for a positive that was found
    gets a huge weight with one, and would count alone. This truncation keeps the error of sums small (Ionides 2008,
    Truncated importance sampling).

    >>> truncated(np.array([1.0, 1.0, 1.0, 97.0])).tolist()
    [1.0, 1.0, 1.0, 50.0]
    """
    found: Floats = np.minimum(weight, weight.mean() * np.sqrt(len(weight)))
    return found
