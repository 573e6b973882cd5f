"""The strategy of CODA, for the benchmark only.

Kay, Van Horn, Maji, Sheldon, Beery: Consensus-driven active model selection, ICCV 2025, arXiv 2507.23771. Written from
the paper's description, with the default constants of the authors' program. For two classes:

- Each model has a confusion matrix with a Dirichlet distribution per true class. Its parameters begin as
  TEMPERATURE * (1 + TRUST * share of the model's predictions where the consensus has that class). The consensus is what
  most models predict.
- The chance of a class for an item is proportional to the sum, over models, of the parameter of that class and of what
  the model predicts.
- A model is the best one for a class if its chance to be right there is the largest. The chances to be right have Beta
  distributions, so the probability to be the best one is an integral. It is averaged over classes by their frequency.
- The next item is the one with the largest expected drop of the entropy of that distribution, if its label counted
  once. Only items on which models disagree are asked about. Ties are broken at random.
- A label adds RATE to the parameter of what each model predicted.

CODA chooses the model that is most probably the best one, which is about accuracy (`most_probable`). The benchmark is
about F1, so that its main choice is the model with the highest F1 by the means of the posterior (`highest_f1`).

All items of the pool are used, and all items with the same pattern of predictions are alike, so everything is computed
once per pattern. With probabilities instead of predictions, as in the paper, it chose no better on the data sets for
choosing, and the scores of many models are not probabilities.
"""

import numpy as np
from scipy.special import betainc, betaln

from lowshot.core.types import Flags, Floats

TRUST = 0.1  # weight of the consensus in the first parameters: 1 - alpha of the paper, with alpha = 0.9
TEMPERATURE = 2.0
RATE = 0.01  # learning rate: what a label adds to the parameters
GRID = np.linspace(1e-6, 1 - 1e-6, 256)  # where the densities of the chances to be right are evaluated
SMALLEST = 1e-30
EQUAL = 1e-8  # relative: expected entropies that are closer count as ties


class Coda:
    """Choose items and, at any time, the best model.

    >>> predictions = np.array([[1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], dtype=bool)
    >>> coda = Coda(predictions, np.random.default_rng(0))
    >>> coda.ask() in (1, 2)      # the models agree on the others
    True

    predictions   of each model, [model, item]
    """

    def __init__(self, predictions: Flags, random: np.random.Generator) -> None:
        self.random = random
        found, place, count = np.unique(predictions.T, axis=0, return_inverse=True, return_counts=True)
        self.patterns: Flags = found  # [pattern, model]
        self.pattern = place.reshape(-1)  # of each item
        self.share = count / count.sum()  # of the items, per pattern
        self.said = np.stack([~found.T, found.T]).astype(np.float64)  # [class, model, pattern]
        self.parameters = TEMPERATURE * (1 + TRUST * confusion(self.said, self.share))  # [model, true class, said]
        self.open = np.ones(predictions.shape[1], dtype=np.bool_)
        votes = np.count_nonzero(found, axis=1)
        self.disputed: Flags = (votes > 0) & (votes < found.shape[1])  # per pattern

    def ask(self) -> int:
        """The next item."""
        there = self.open & self.disputed[self.pattern]
        items = np.flatnonzero(there if there.any() else self.open)
        chances = self.chances()
        expected = (chances * self._entropies_after(chances @ self.share)).sum(axis=0)[self.pattern[items]]
        least = expected.min()
        return int(self.random.choice(items[expected <= least + EQUAL * abs(least)]))

    def tell(self, item: int, label: int) -> None:
        """Learn the label of an item."""
        predicted = self.patterns[self.pattern[item]].astype(np.int64)
        self.parameters[np.arange(len(predicted)), label, predicted] += RATE
        self.open[item] = False

    def highest_f1(self) -> int:
        """The number of the model with the highest F1 by the means of the posterior; the first of equal ones."""
        rate = self.parameters[:, :, 1] / self.parameters.sum(axis=2)  # [model, class]: share predicted positive
        prevalence = (self.chances() @ self.share)[1]
        found, wrong = prevalence * rate[:, 1], (1 - prevalence) * rate[:, 0]
        return int(np.argmax(2 * found / (found + wrong + prevalence)))

    def most_probable(self) -> int:
        """The number of the model that is most probably the best one, by accuracy."""
        frequency = self.chances() @ self.share
        return int(np.argmax(frequency @ largest(*densities(*self._right_and_wrong()))))

    def chances(self) -> Floats:
        """The chance of each class, [class, pattern]."""
        votes = np.einsum("mcs,smp->cp", self.parameters, self.said)
        chance: Floats = votes / votes.sum(axis=0)
        return chance

    def _right_and_wrong(self) -> tuple[Floats, Floats]:
        """The parameters of the chance to be right, each [class, model]."""
        right = np.stack([self.parameters[:, 0, 0], self.parameters[:, 1, 1]])
        return right, self.parameters.sum(axis=2).T - right

    def _entropies_after(self, frequency: Floats) -> Floats:
        """The entropy of which model is the best one, after one label, [class of the label, pattern of the item]."""
        right, wrong = self._right_and_wrong()
        before = largest(*densities(right, wrong))  # [class, model]
        now = frequency @ before
        after = np.empty((2, len(self.patterns)))
        for c in (0, 1):
            hit = (self.patterns == bool(c))[:, :, None]  # [pattern, model, 1]
            if_hit, if_not = densities(right[c] + 1, wrong[c]), densities(right[c], wrong[c] + 1)
            then = largest(*(np.where(hit, one, other) for one, other in zip(if_hit, if_not, strict=True)))
            after[c] = entropy(now + frequency[c] * (then - before[c]))
        return after


def confusion(said: Floats, share: Floats) -> Floats:
    """How often each model predicts what, where most models predict a class: [model, class of the consensus, said].

    >>> said = np.array([[[0, 1.0], [0, 1.0], [1.0, 1.0]], [[1.0, 0], [1.0, 0], [0, 0]]])  # two patterns: 110, 000
    >>> confusion(said, np.array([0.25, 0.75]))[2].tolist()  # the third model never predicts positive
    [[1.0, 0.0], [1.0, 0.0]]
    """
    consensus = said.mean(axis=1).argmax(axis=0)
    weight = np.stack([consensus == 0, consensus == 1]) * share  # [class, pattern]
    counts = np.einsum("cp,smp->mcs", weight, said)
    found: Floats = counts / np.maximum(counts.sum(axis=2, keepdims=True), SMALLEST)
    return found


def densities(right: Floats, wrong: Floats) -> tuple[Floats, Floats]:
    """The density and the logarithm of the distribution function of Beta(right, wrong) at GRID, each [..., grid]."""
    a, b = right[..., None], wrong[..., None]
    density = np.exp((a - 1) * np.log(GRID) + (b - 1) * np.log1p(-GRID) - betaln(a, b))
    return density, np.log(np.maximum(betainc(a, b, GRID), SMALLEST))


def largest(density: Floats, below: Floats) -> Floats:
    """The probability of each of several distributions to have the largest value, [..., distribution].

    >>> largest(*densities(np.array([2.0, 2.0]), np.array([2.0, 2.0]))).round(3).tolist()
    [0.5, 0.5]
    >>> bool(largest(*densities(np.array([30.0, 10.0]), np.array([10.0, 30.0])))[0] > 0.999)
    True
    """
    others = np.exp(below.sum(axis=-2, keepdims=True) - below)  # that all other values are smaller
    chance = np.trapezoid(density * others, GRID, axis=-1)
    share: Floats = chance / chance.sum(axis=-1, keepdims=True)
    return share


def entropy(chance: Floats) -> Floats:
    """In bits, over the last axis.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(6).tolist()
    [1.0, 0.0]
    """
    inside = np.maximum(chance, 1e-12)
    bits: Floats = -(inside * np.log2(inside)).sum(axis=-1)
    return bits
