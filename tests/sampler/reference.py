"""The method of method.md, sections 1-5, in plain and slow Python: a second opinion on the package.

Written from the text alone; every default of the text, no settings. Items are positions 0, 1, ... of the pool,
p(x) = 1/N, labels and predictions are 0 or 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, isnan, nan, sqrt

from sklearn.isotonic import IsotonicRegression

from lowshot.core.drawing import uniforms

Cell = tuple[list[int], float]  # items that share score and prediction, and the q of each


@dataclass
class Pool:
    """Scores, predictions, and the alpha of the metric that is asked for."""

    scores: list[float]
    predictions: list[int]
    alpha: float

    def open(self, labels: dict[int, int]) -> list[int]:
        """Unlabelled items that matter: at alpha = 1 a predicted negative has v = 0 whatever its label."""
        items = range(len(self.scores))
        return [j for j in items if j not in labels and (self.alpha < 1 or self.predictions[j])]


@dataclass
class Round:
    """What was labelled before (L), what can be drawn, the labels to buy, and the draws (item, q) that count."""

    known: list[int]
    given: int  # how many of them were known before the first round; they come first
    cells: list[Cell]
    size: int
    draws: list[tuple[int, float]]

    @property
    def items(self) -> set[int]:
        return {item for item, _ in self.draws}


def f_alpha(tp: float, fp: float, fn: float, alpha: float) -> float:
    """G of section 1; NaN where it does not exist."""
    below = alpha * (tp + fp) + (1 - alpha) * (tp + fn)
    return tp / below if below > 0 else nan


def midranks(scores: list[float]) -> list[float]:
    """Items with a lower score plus half of those on the same level, the item itself among them."""
    return [sum(other < score for other in scores) + sum(other == score for other in scores) / 2 for score in scores]


def isotonic(ranks: list[float], values: list[int], at: list[float]) -> list[float]:
    """Isotonic regression of values on ranks, read at other ranks: linear between, constant outside."""
    return list(IsotonicRegression(out_of_bounds="clip").fit(ranks, values).predict(at))


def calibration(pool: Pool, number: int, labels: dict[int, int]) -> list[float]:
    """beta_i c_0 + (1-beta_i) c_{i-1} of every item, each rescaled from [0, 1] to [eps, 1-eps]."""
    ranks, beta, eps = midranks(pool.scores), max(0.0, 1 - (number - 1) / 3), 0.01
    prior = isotonic(ranks, pool.predictions, ranks)
    fitted = isotonic([ranks[j] for j in labels], list(labels.values()), ranks) if labels else prior
    rescaled = [(eps + (1 - 2 * eps) * a, eps + (1 - 2 * eps) * b) for a, b in zip(prior, fitted, strict=True)]
    return [beta * c_0 + (1 - beta) * c_i for c_0, c_i in rescaled]


def importance(pool: Pool, c: list[float], g: float, items: list[int]) -> dict[int, float]:
    """Eq. 3 and 4 over these items, summing to 1."""
    q, g = {}, min(max(g, 0.05), 0.95)
    for j in items:
        if pool.predictions[j]:
            q[j] = sqrt(c[j] * (1 - g) ** 2 + pool.alpha**2 * (1 - c[j]) * g**2)
        else:
            q[j] = (1 - pool.alpha) * sqrt(c[j]) * g
    total = sum(q.values())
    return {j: value / total for j, value in q.items()}


def domain(pool: Pool, number: int, labels: dict[int, int]) -> list[int]:
    """Best 3 (i+1) n_pred items and all predicted positives, extended until 2 B_i items are open; without L."""
    ranking = sorted(pool.scores, reverse=True)
    size, is_open = 3 * (number + 1) * sum(pool.predictions), set(pool.open(labels))
    while True:
        last = ranking[min(size, len(ranking)) - 1]
        items = [j for j, score in enumerate(pool.scores) if score >= last or pool.predictions[j]]
        if size >= len(ranking) or sum(j in is_open for j in items) >= 2 * 10 * 2 ** (number - 1):
            return [j for j in items if j in is_open]
        size += 1


def cells(pool: Pool, q: dict[int, float]) -> list[Cell]:
    """Items grouped by score, best first, predicted positives before negatives, by id inside."""
    groups: dict[tuple[float, int], list[int]] = {}
    for j in sorted(q):
        groups.setdefault((-pool.scores[j], -pool.predictions[j]), []).append(j)
    return [(groups[key], q[groups[key][0]]) for key in sorted(groups)]


def draw(cells: list[Cell], seed: int, number: int, t: int) -> tuple[int, float]:
    """Draw t of a round: one uniform number finds the cell, the other the item in it."""
    first, second = uniforms(seed, number, t, 1)[0]
    reached = 0.0
    for items, q in cells:
        reached += len(items) * q
        if reached > first:
            break
    return items[floor(second * len(items))], q


def sample(cells: list[Cell], labels: dict[int, int], size: int, seed: int, number: int) -> list[tuple[int, float]]:
    """All draws before the first one of an unlabelled item, or of new item number size + 1."""
    draws: list[tuple[int, float]] = []
    seen: set[int] = set()
    while len(seen) < sum(len(items) for items, _ in cells):
        item, q = draw(cells, seed, number, len(draws))
        if item not in seen and (len(seen) == size or item not in labels):
            break
        seen.add(item)
        draws.append((item, q))
    return draws


def exact(pool: Pool, items: Iterable[int], labels: dict[int, int]) -> tuple[float, float]:
    """The metric of these items themselves, without variance."""
    pairs = [(labels[j], pool.predictions[j]) for j in items]
    return f_alpha(pairs.count((1, 1)), pairs.count((0, 1)), pairs.count((1, 0)), pool.alpha), 0.0


def estimate_round(pool: Pool, round_: Round, labels: dict[int, int], reuse: str) -> tuple[float, float]:
    """Value and variance of one round: Eq. 2 and 6, or the known stratum as sections 3 and 4 have it.

    Divided by the number of draws m, the paper's plain sum differs only in the weight of an item of an earlier round.
    """
    n, m = len(pool.scores), len(round_.draws)
    if m == 0:
        return nan, nan
    if len(round_.items) == sum(len(items) for items, _ in round_.cells):  # the next unlabelled item never comes
        return exact(pool, [*round_.known, *round_.items], labels)
    given, earlier = round_.known[: round_.given], round_.known[round_.given :]
    reused = 1 / n if reuse == "stratum" else len(earlier) / n / m
    weights = (
        [(j, 1 / n) for j in given] + [(j, reused) for j in earlier] + [(j, 1 / n / q / m) for j, q in round_.draws]
    )
    terms = []
    for j, weight in weights:
        v = pool.alpha * pool.predictions[j] + (1 - pool.alpha) * labels[j]
        terms.append((weight * v, int(labels[j] == pool.predictions[j])))
    total = sum(w for w, _ in terms)
    if total == 0:
        return nan, nan
    value = sum(w * agree for w, agree in terms) / total
    residuals = [w * (agree - value) for w, agree in terms[len(round_.known) :]]  # u/m
    if round_.known:
        mean = sum(residuals) / m
        return value, sum((u - mean) ** 2 for u in residuals) * m / (m - 1) / total**2 if m > 1 else nan
    if sum(w > 0 for w, _ in terms) < 2:  # C = 0
        return value, nan
    c = 1 - sum(w**2 for w, _ in terms) / total**2
    return value, sum(u**2 for u in residuals) / c / total**2


def combine(pool: Pool, rounds: list[Round], labels: dict[int, int], reuse: str, how: str) -> tuple[float, float]:
    """Eq. 5 over all rounds that have a value, a_i ~ sum of p/q; exact once nothing is open."""
    if not pool.open(labels):
        return exact(pool, labels, labels)
    each = [(*estimate_round(pool, r, labels, reuse), sum(1 / q for _, q in r.draws), len(r.draws)) for r in rounds]
    each = [(value, variance, weight, m) for value, variance, weight, m in each if not isnan(value)]
    total = sum(weight for _, _, weight, _ in each)
    own = [(variance * m, m) for _, variance, _, m in each if variance > 1e-16]
    per_draw = sum(square * m for square, m in own) / sum(m for _, m in own) if own else nan
    shares = [
        (value, variance if variance > 1e-16 or not own else per_draw / m, w / total) for value, variance, w, m in each
    ]
    variances = {
        "independent": sum(a**2 * variance for _, variance, a in shares),
        "worst_case": sum(a * sqrt(variance) for _, variance, a in shares) ** 2,
        "literal": sum(a * variance for _, variance, a in shares),
    }
    return (sum(a * value for value, _, a in shares), variances[how]) if shares else (nan, nan)


def acis(
    pool: Pool, labels: dict[int, int], seed: int, known: list[int], asked: list[int], reuse: str = "paper"
) -> list[Round]:
    """The rounds that these labels belong to.

    `known` was there before; `asked` counts the items handed out in each round that was opened: more than
    the round's own size if it was extended.
    """
    rounds: list[Round] = []
    before, g = {j: labels[j] for j in known}, 0.5
    for number, handed_out in enumerate(asked, start=1):
        items, size = domain(pool, number, before), 10 * 2 ** (number - 1)
        if len(items) < 2 * size:  # the end of the pool: all of them
            size = len(items)
        table = cells(pool, importance(pool, calibration(pool, number, before), g, items))
        draws = sample(table, labels, max(size, handed_out), seed, number)
        rounds.append(Round(list(before), len(known), table, size, draws))
        value, _ = estimate_round(pool, rounds[-1], labels, reuse)
        before, g = before | {j: labels[j] for j in rounds[-1].items}, g if isnan(value) else value
    return rounds


def sawade(pool: Pool, labels: dict[int, int], seed: int, known: list[int]) -> list[Round]:
    """One round over the whole pool, the scores taken for probabilities, G as the model expects it."""
    c = [min(max(score, 1e-6), 1 - 1e-6) for score in pool.scores]
    tp = sum(a for a, prediction in zip(c, pool.predictions, strict=True) if prediction)
    g = f_alpha(tp, sum(pool.predictions) - tp, sum(c) - tp, pool.alpha)
    items = pool.open({j: labels[j] for j in known})
    table = cells(pool, importance(pool, c, g, items))
    return [Round(known, len(known), table, len(items), sample(table, labels, len(items), seed, 1))] if items else []
