"""Labels that exist before an evaluation begins, how they were drawn, and whether they can have been drawn that way.

Known        labels by id, with how their items were drawn; what users pass
GivenLabels  labels by id as an evaluation takes them, after every check
doubts       what speaks against labels that are said to be drawn uniformly
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import bdtr, bdtrc, smirnov

from lowshot import checks
from lowshot.answer import YES_NO, Answers
from lowshot.checks import Id
from lowshot.core.types import Floats, Integers
from lowshot.errors import InputError
from lowshot.history import History
from lowshot.pools.base import BasePool, View

# Labels that are drawn uniformly are doubted in at most one of a thousand draws. Half of that goes to each of the two
# tests, by rank and by prediction.
DOUBTED = 1e-3
ALL_POSITIVE = 10  # labels: if at most half of the pool is positive, so many are all positive in 1 draw of 1024


@dataclass(frozen=True)
class Known:
    """Labels that exist already, and how their items were drawn.

    >>> import lowshot
    >>> scores, truth = [0.9, 0.8, 0.6, 0.3, 0.2, 0.1], [1, 1, 0, 1, 0, 0]
    >>> known = lowshot.Known({1: 1, 4: 0}, drawn="uniform")
    >>> evaluation = lowshot.Evaluation(lowshot.Pool(scores, threshold=0.5), known=known)
    >>> evaluation.labels, len(evaluation.history["labels"])
    (0, 2)

    labels  {id: label}, each label 0 or 1; items that nobody could tell are left out
    drawn   "uniform": each item of the pool had the same chance to be drawn, so sampler "curve" learns from the labels;
            "any" or None: they were chosen in some other way, as in a plain mapping
    """

    labels: Mapping[Id, Any]
    drawn: Literal["uniform", "any"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.labels, Mapping):
            raise InputError(f"known must be a mapping from id to label: got {self.labels!r}; write {{id: label}}")
        if self.drawn is not None:
            checks.choice("drawn", self.drawn, ("uniform", "any"))


KnownLabels: TypeAlias = Mapping[Id, Any] | Known | Sequence[Mapping[Id, Any] | Known]


@dataclass(frozen=True)
class GivenLabels:
    """Known labels by id, each 0 or 1, and how they were drawn.

    >>> GivenLabels.of([Known({7: 1}, drawn="uniform"), {8: True}])
    GivenLabels(labels={7: 1, 8: 1}, uniform=frozenset({7}), doubted=frozenset())
    """

    labels: dict[Id, int] = field(default_factory=dict)
    uniform: frozenset[Id] = frozenset()  # drawn uniformly from the pool
    doubted: frozenset[Id] = frozenset()  # said to be drawn uniformly, but they do not look like it
    # The earlier evaluation that a new one goes on from. Its known labels were examined then, and no labels of other
    # evaluations of the question are added.
    inherits: History | None = field(default=None, repr=False)

    @classmethod
    def inherited(cls, history: History, pool: BasePool) -> "GivenLabels":
        """The known labels of an earlier evaluation, as they are now, with all that happened in it."""
        known = sorted(history.known)
        names = dict(zip(known, pool.names(known), strict=True))
        labels = {name: label for item, name in names.items() if (label := history.labels[item]) is not None}
        uniform, doubted = (frozenset(names[i] for i in items) for items in (history.uniform, history.doubted))
        return cls(labels, uniform, doubted, history)

    @classmethod
    def of(cls, known: "KnownLabels | GivenLabels | None", answers: Answers = YES_NO) -> "GivenLabels":
        """From what users pass. An item may be in several parts with the same label: it was chosen in both ways."""
        if isinstance(known, GivenLabels):
            return known
        labels: dict[Id, int] = {}
        uniform: set[Id] = set()
        for part in _parts(known):
            items = checks.listed("known", [*part.labels])
            for item, label in zip(items, answers.check_all(items, part.labels.values()), strict=True):
                if label is None:
                    raise InputError(
                        f"known labels must be {answers.needed}: got None; leave out items without a label"
                    )
                if labels.setdefault(item, label) != label:
                    raise InputError(
                        f"known must have one label for each item: got {answers.word(labels[item])!r} and"
                        f" {answers.word(label)!r} for {item!r}; leave one of them out"
                    )
            uniform.update(items if part.drawn == "uniform" else ())
        return cls(labels, frozenset(uniform))

    def examined(self, pool: BasePool) -> "GivenLabels":
        """The same labels. If those said to be drawn uniformly do not look like it: a warning, and they are doubted."""
        if self.inherits is not None:
            return self
        items = list(self.uniform)
        # A category is neither positive nor negative: only the places of the items can be looked at.
        labels = np.array([0 if pool.categories else self.labels[item] for item in items], dtype=np.int64)
        found = doubts(pool.view(), np.array(pool.positions(items), dtype=np.int64), labels)
        if not found:
            return self
        warnings.warn(
            f"known labels that are drawn uniformly must look like it: {found}; they are used as labels that were"
            ' chosen in some other way (drawn="any")',
            UserWarning,
            stacklevel=4,  # the caller of Evaluation
        )
        return replace(self, uniform=frozenset(), doubted=self.uniform)

    def refuse_late(self, history: History, pool: BasePool, name: str) -> None:
        """Known labels of an evaluation that is continued are some of those that it began with, drawn as before.

        An item that was corrected since may have the label that it had, or the one that it has now.
        """
        uniform = history.uniform | history.doubted
        corrected = {answer.item for answer in history.answers}
        for item, position in zip(self.labels, pool.positions(list(self.labels)), strict=True):
            if position not in history.known:
                raise InputError(
                    f"known labels are those that evaluation {name!r} began with: {item!r} was not among them;"
                    " leave them out, or begin another evaluation with another name"
                )
            if position not in corrected and history.labels[position] != self.labels[item]:
                raise InputError(
                    f"known labels are those that evaluation {name!r} began with: {item!r} was"
                    f" {history.labels[position]} and is {self.labels[item]} now; leave them out, correct the label"
                    " with correct(), or begin another evaluation with another name"
                )
            if (item in self.uniform) != (position in uniform):
                was, came = ("uniform", "any") if position in uniform else ("any", "uniform")
                raise InputError(
                    f"known labels are drawn as when evaluation {name!r} began: {item!r} was drawn={was!r} and is"
                    f" drawn={came!r} now; leave them out, or begin another evaluation with another name"
                )

    def history(self, pool: BasePool) -> History:
        """The history of an evaluation that begins with these labels."""
        place = dict(zip(self.labels, pool.positions([*self.labels]), strict=True))
        return History(
            labels={place[item]: label for item, label in self.labels.items()},
            known=frozenset(place.values()),
            uniform=frozenset(place[item] for item in self.uniform),
            doubted=frozenset(place[item] for item in self.doubted),
        )


def _parts(known: KnownLabels | None) -> Iterator[Known]:
    if known is None:
        return
    for part in known if isinstance(known, (list, tuple)) else [known]:
        if not isinstance(part, (Mapping, Known)):
            raise InputError(f"known must be a mapping from id to label: got {known!r}; write {{id: label}}")
        yield part if isinstance(part, Known) else Known(part)


def doubts(view: View, items: Integers, labels: Integers) -> str:
    """What speaks against these items being drawn uniformly from the pool; empty if nothing does.

    Three things are looked at: the places of the items in the ranking (Kolmogorov-Smirnov test), the number of
    predicted positives among them (binomial test), and whether all labels are positive.

    >>> import lowshot
    >>> view = lowshot.Pool(np.arange(1000), threshold=990).view()
    >>> doubts(view, np.arange(0, 1000, 10), np.zeros(100, dtype=int))
    ''
    >>> doubts(view, np.arange(900, 1000), np.zeros(100, dtype=int))
    'their ranks are not those of a uniform draw, half of them are among the 5.0 % of the pool with the highest scores'
    """
    if not len(items):
        return ""
    if _rank_test(view, items) < DOUBTED / 2:
        return _where(view, items)
    predicted = int(view.predicted(items).sum())
    share = view.predicted_positives / view.total
    if _count_test(predicted, len(items), share) < DOUBTED / 2:
        return f"{predicted:,} of them are predicted positive, where {len(items) * share:.1f} are expected"
    if len(items) >= ALL_POSITIVE and len(items) < view.total and labels.all():
        return f"all {len(items):,} of them are positive"
    return ""


def _rank_test(view: View, items: Integers) -> float:
    """The p-value of a Kolmogorov-Smirnov test of their places in the ranking against a uniform distribution.

    The distributions are compared only where the score changes, so that ties do not count as evidence. With ties, and
    without replacement, the true p-value is smaller than this one: uniform draws are doubted even less often.
    """
    first, last = _share_above(view, items)
    count = len(items)
    after = np.searchsorted(np.sort(last), last, side="right") / count  # the share of the items up to here
    before = np.searchsorted(np.sort(first), first, side="left") / count
    distance = max(float(np.max(after - last)), float(np.max(first - before)), 0.0)
    return min(1.0, 2 * float(smirnov(count, distance)))  # both directions; for small values the two do not overlap


def _share_above(view: View, items: Integers) -> tuple[Floats, Floats]:
    """For each item: the share of the pool with a higher score, and with a score at least as high."""
    cells = view.cells()
    above = cells.above[cells.find(items)]
    same = 2 * (view.total - above - view.midrank(items))  # midrank counts half of the items with the same score
    return above / view.total, (above + same) / view.total


def _count_test(found: int, drawn: int, share: float) -> float:
    """The two-sided p-value of so many items of a kind that has this share of the pool. Draws without replacement
    deviate less than binomial ones, so that the true p-value is not larger."""
    at_most, at_least = bdtr(found, drawn, share), bdtrc(found - 1, drawn, share) if found else 1.0
    return min(1.0, 2 * float(min(at_most, at_least)))


def _where(view: View, items: Integers) -> str:
    """Where in the ranking these items are, in words."""
    middle = float(np.median(np.mean(_share_above(view, items), axis=0)))
    share, end = (middle, "highest") if middle < 0.5 else (1 - middle, "lowest")
    return (
        "their ranks are not those of a uniform draw, half of them are among the"
        f" {100 * share:.1f} % of the pool with the {end} scores"
    )


def described(known: int, uniform: int, doubted: int = 0) -> str:
    """How many labels were known before and how they were drawn, in words; empty if there are none.

    >>> described(200, 200), described(250, 200), described(40, 0)
    ('200 known before, drawn at random', '250 known before, 200 of them drawn at random', '40 known before')
    >>> described(200, 0, doubted=200)
    '200 known before, said to be drawn at random'
    """
    if not known:
        return ""
    count, how = (doubted, "said to be drawn at random") if doubted else (uniform, "drawn at random")
    among = "" if count == known else f"{count:,} of them "
    return f"{known:,} known before" + (f", {among}{how}" if count else "")


def known_in(history: History) -> str:
    """The same for the known labels of a history."""
    return described(len(history.known), len(history.uniform), len(history.doubted))
