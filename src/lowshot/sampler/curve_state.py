"""Labels by group: what a curve learns from, and what is left to estimate."""

from typing import NamedTuple

import numpy as np
from scipy.special import pdtrc

from lowshot.core.curve.bands import Bands
from lowshot.core.types import Flags, Floats, Integers
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.group_design import ANY, groups_of


class State(NamedTuple):
    """Labels and unlabelled items by group [pattern, band]. Weights are in units of an average item."""

    told: Floats  # labels that a curve learns from
    positive: Floats  # how many of them are positive
    open: Integers  # items that can still be asked about
    skipped: Integers  # items answered with "cannot tell": without a label, but not asked about again
    weight: Floats  # sum of the weights of all items without a label, open and skipped
    squares: Floats  # sum of their squares
    positives: Floats  # [pattern]: sum of the weights of the labelled positives
    labels: int  # how many items have a label
    hits: int  # how many of these labels are true positives
    mistakes: int  # how many of them contradict the prediction

    def told_of(self, groups: Integers) -> Integers:
        """How many labels of each group [pattern, band] these are, one per group in the list, as far as items are left.
        A label from the whole pool (ANY) counts as one of the largest group."""
        listed = np.where(groups == ANY, self.open.argmax(), groups)
        return np.minimum(np.bincount(listed, minlength=self.open.size).reshape(self.open.shape), self.open)

    def expecting(self, groups: Integers, chance: Floats, is_predicted: Flags) -> "State":
        """The state with further labels of these groups, of which the share `chance` [group] is positive."""
        told = self.told_of(groups)
        return self.after(told, told * chance.reshape(told.shape), is_predicted)

    def after(self, told: Integers, positive: Integers | Floats, is_predicted: Flags) -> "State":
        """The state with further labels, of items with the average weight of their group."""
        unlabelled = np.maximum(self.open + self.skipped, 1)
        share, each = told / unlabelled, self.weight / unlabelled
        hits = int(positive[is_predicted].sum())
        return State(
            told=self.told + told,
            positive=self.positive + positive,
            open=self.open - told,
            skipped=self.skipped,
            weight=self.weight * (1 - share),
            squares=self.squares * (1 - share),
            positives=self.positives + (positive * each).sum(axis=1),
            labels=self.labels + int(told.sum()),
            hits=self.hits + hits,
            mistakes=self.mistakes + int(told[is_predicted].sum() + positive.sum()) - 2 * hits,
        )


class Taught(NamedTuple):
    """The answered items that have a label."""

    items: Integers
    labels: Floats
    learned: Flags  # whether curves learn from this label
    labelled: Flags  # [answered item]: whether it is among them

    @classmethod
    def of(cls, pool: View, history: History, answered: Integers) -> "Taught":
        """An item answered with "cannot tell" has no label, unless the history assumes one for it."""
        has_label = [history.labels[item] is not None or history.assume != "expected" for item in answered.tolist()]
        labelled = np.array(has_label, dtype=np.bool_)
        items, chosen = answered[labelled], history.known - history.uniform
        learned = np.array([item not in chosen for item in items.tolist()], dtype=np.bool_)
        return cls(items, history.values(items, pool.predicted(items)), learned, labelled)


def state_of(pool: View, ranking: View, bands: Bands, history: History, answered: Integers) -> State:
    """The state after these answers, by the groups of a ranking; `pool` is the view of the model that is judged.

    An item answered with "cannot tell" has no label, unless the history assumes one for it; it is not open either,
    because nobody is asked about it again. A curve assumes that the labels of a group are a uniform draw from it. So it
    learns from known labels that were drawn uniformly from the pool. Other known labels enter the totals only: how they
    were chosen is not known, so they may not be typical of their group.
    """
    taught, group_of_answered = Taught.of(pool, history, answered), groups_of(ranking.cells(), bands, answered)
    items, labels, learned, labelled = taught
    predicted = pool.predicted(items)
    group, shape = group_of_answered[labelled], bands.count.shape

    def sums(values: Floats) -> Floats:
        return np.bincount(group, values, bands.count.size).reshape(shape).astype(np.float64)

    def counts(groups: Integers) -> Integers:
        return np.bincount(groups, minlength=bands.count.size).reshape(shape)

    weight = pool.p(items) * pool.total
    whole, squares = _weights(ranking, bands)
    return State(
        told=sums(learned.astype(np.float64)),
        positive=sums(learned * labels),
        open=bands.count - counts(group_of_answered),
        skipped=counts(group_of_answered[~labelled]),
        weight=np.maximum(whole - sums(weight), 0),
        squares=np.maximum(squares - sums(weight**2), 0),
        positives=np.array([weight @ (labels * (group // len(bands) == kind)) for kind in range(len(bands.count))]),
        labels=len(items),
        hits=int(np.sum(labels * predicted)),
        mistakes=int(np.sum(labels != predicted)),
    )


def _weights(ranking: View, bands: Bands) -> tuple[Floats, Floats]:
    """The sum of the weights of each group's items, and the sum of their squares."""
    if not ranking.weighted:
        return bands.count.astype(np.float64), bands.count.astype(np.float64)

    def make() -> tuple[Floats, Floats]:
        everything = np.arange(ranking.total)
        group, weight = groups_of(ranking.cells(), bands, everything), ranking.p(everything) * ranking.total
        one, two = (np.bincount(group, weight**power, bands.count.size).reshape(bands.count.shape) for power in (1, 2))
        return one.astype(np.float64), two.astype(np.float64)

    return ranking.cached("curve weights", make)


RARE = 1e-3  # a warning is given if so many missed positives have a probability below this under the curve


def warning(pool: View, history: History, model: int) -> str:
    """A warning if labels of what a model predicts negative had far more positives than the curve expected then.

    model  its place among the models of the pool

    The number of positives is compared with a Poisson distribution. The first round is left out: it is designed without
    any labels.
    """
    found, expected = 0.0, 0.0
    for each in history.rounds[1:]:
        items = each.draws.items
        told = np.array([history.labels.get(item) is not None for item in items.tolist()], dtype=np.bool_)
        counted = told & ~_predicted_by(pool, model, items)
        found += sum(history.labels[item] or 0 for item in items[counted].tolist())
        expected += float(each.draws.calibration[counted].sum())
    if found == 0 or pdtrc(found - 1, expected) >= RARE:
        return ""
    return (
        f"{found:.0f} missed positives were found where {expected:.1f} were expected: the scores mislead,"
        " and the interval may be too narrow; label more"
        + (", or use sampler 'sawade'" if len(pool.joint.models) == len(pool.joint.rankings) == 1 else "")
    )


def _predicted_by(pool: View, model: int, items: Integers) -> Flags:
    """Which items a model predicts positive. Where patterns were merged, most of those with the pattern of the item."""
    joint = pool.joint
    if model == joint.judged:
        return pool.predicted(items) > 0
    cells = joint.rankings[0].cells()
    found: Flags = joint.patterns[cells.pattern[cells.find(items)], model] > 0.5
    return found
