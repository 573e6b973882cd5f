"""From what a sampler knows about every cut to curves with bands, and to the choice of a threshold."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from lowshot.checks import Id
from lowshot.core.certificate import LOOKS, best_case
from lowshot.core.curve.along import Along, Skips
from lowshot.core.curve.envelope import Envelope, pointwise, simultaneous
from lowshot.core.types import Floats
from lowshot.goal import Threshold
from lowshot.history import History
from lowshot.metric import f_metric
from lowshot.pools.base import BasePool, View
from lowshot.result import percent
from lowshot.sampler.base import AtCuts, Proven, Sampler
from lowshot.sampler.rounds import WAITING
from lowshot.threshold_result import BandKind, Reading, Spread, ThresholdChoice, Thresholds
from lowshot.words import NO_LABELS

FIRST = 10  # items from which a band is simultaneous: the precision of fewer can be almost anything
# A recall is certified only where at most this part of the pool is kept. Where more had to be kept, the ranking is
# weak, and sets of which the posterior said 90 % held in half to two thirds of the runs (docs/thresholds.md).
MOST_KEPT = 0.1
FEWEST = 60  # labels: with fewer, a certificate would rest on beliefs alone
EQUAL_SCORES = "all scores are equal: the only threshold keeps everything"
NOTHING = np.empty(0)
EMPTY = Envelope(NOTHING, NOTHING, NOTHING)
UNKNOWN = Spread(np.nan, np.nan, np.nan)


def thresholds(
    sampler: Sampler, pool: BasePool, history: History, model: str, band: BandKind, confidence: float
) -> Thresholds:
    """The curves of one model."""
    labels, skipped = len(history.labels), history.skipped
    blank = Thresholds(
        model,
        band,
        confidence,
        labels,
        skipped,
        NOTHING,
        np.empty(0, dtype=np.int64),
        EMPTY,
        EMPTY,
        EMPTY,
        UNKNOWN,
        None,
    )
    found = sampler.at_cuts(pool.view(model), history)
    if (reason := no_labels(history, found.labels)) is not None:
        return replace(blank, reason=reason)
    curves, along = Curves(found, confidence), found.along
    precision, recall, f1 = curves.simultaneous() if band == "simultaneous" else curves.pointwise()
    return replace(
        blank,
        labels=found.labels,
        threshold=along.cuts.threshold,
        kept=along.cuts.kept,
        precision=precision,
        recall=recall,
        f1=f1,
        average_precision=curves.average_precision(),
        present=along.cuts.present,
        warning=found.warning,
        along=along,
    )


def no_labels(history: History, used: int) -> str | None:
    """Why there is nothing to say yet. `used`: how many labels can be used."""
    if len(history.labels) > history.skipped:
        return None if used else WAITING
    return "all answers so far are 'cannot tell': label more items" if history.skipped else NO_LABELS


@dataclass(frozen=True)
class Curves:
    """Precision, recall and F1 with their bands."""

    found: AtCuts
    confidence: float

    def pointwise(self) -> tuple[Envelope, Envelope, Envelope]:
        precision, recall, f1 = (self._each(alpha) for alpha in (1.0, 0.0, 0.5))
        # Each draw rises from cut to cut; a quantile of draws with uneven weights does not always.
        return precision, Envelope(*(np.maximum.accumulate(part) for part in recall)), f1

    def _each(self, alpha: float) -> Envelope:
        return self._over_skips(lambda skips: self.found.along.counted("bare", skips).f(alpha))

    def _over_skips(self, draws: Callable[[Skips], Floats]) -> Envelope:
        """Values with skipped items as expected; the band covers whatever they are."""
        value, low, high = self._band(draws("expected"))
        if self.found.along.skipped[-1]:
            low, high = (
                np.minimum(low, self._band(draws("worst")).low),
                np.maximum(high, self._band(draws("best")).high),
            )
        return Envelope(value, low, high)

    def at(self, reading: str, alpha: float, cut: int) -> Spread:
        """Precision (alpha 1) or recall (alpha 0) at one cut."""
        return _one(self._over_skips(lambda skips: self.found.along.counted(reading, skips).f(alpha)[:, [cut]]))

    def _band(self, draws: Floats) -> Envelope:
        return pointwise(draws, self.found.along.weight, self.confidence, self.found.stretch, self.found.times)

    def simultaneous(self) -> tuple[Envelope, Envelope, Envelope]:
        """Bands that hold at all cuts from FIRST items on, for precision and recall at once, and so for F1."""
        precision, recall, f1 = self.pointwise()
        low, high = self._at_once("expected")
        if self.found.along.skipped[-1]:
            low, high = np.minimum(low, self._at_once("worst")[0]), np.maximum(high, self._at_once("best")[1])
        low[1], high[1] = np.maximum.accumulate(low[1]), np.minimum.accumulate(high[1, ::-1])[::-1]  # recall only rises
        precision, recall = (_around(one.value, low[kind], high[kind]) for kind, one in enumerate((precision, recall)))
        ends = (_f1(*both) for both in zip(precision[1:], recall[1:], strict=True))
        return precision, recall, _around(f1.value, *ends)

    def _at_once(self, skips: Skips) -> tuple[Floats, Floats]:
        """Low and high [precision or recall, cut]; 0 to 1 for cuts that keep fewer than FIRST items."""
        along = self.found.along
        counted, use = along.counted("bare", skips), along.cuts.kept >= FIRST
        low, high = np.zeros((2, len(use))), np.ones((2, len(use)))
        if use.any():
            positives = max(float((along.weight @ counted.positives).mean()), 1.0)
            draws = np.concatenate([counted.precision[:, use], counted.recall[:, use]], axis=1)
            size = np.concatenate([along.size[use], np.full(int(use.sum()), positives)])
            found = simultaneous(draws, along.weight, size, self.confidence, self.found.times)
            low[:, use], high[:, use] = (part.reshape(2, -1) for part in found)
        return low, high

    def average_precision(self) -> Spread:
        return _one(self._over_skips(lambda skips: self.found.along.average_precision(skips)[:, None]))


def _around(value: Floats, low: Floats, high: Floats) -> Envelope:
    """A band that holds the value, too, which is not one of its quantiles."""
    return Envelope(value, np.minimum(low, value), np.maximum(high, value))


def _one(envelope: Envelope) -> Spread:
    """Of an envelope at one place."""
    return Spread(*(float(part[0]) for part in envelope))


def _f1(precision: Floats, recall: Floats) -> Floats:
    """F1 rises with both, so that their lower ends give its lower end."""
    found: Floats = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return found


def choose(sampler: Sampler, pool: BasePool, history: History, wanted: Threshold, model: str) -> ThresholdChoice:
    """The threshold that reaches the targets."""
    blank = ThresholdChoice(wanted, None, False, None, None, len(history.labels), history.skipped, model=model)
    view = pool.view(model)
    found = sampler.at_cuts(view, history, cautious=bool(wanted.targets))
    proven = sampler.proven(view, history, wanted) if wanted.by_design else None
    if (reason := no_labels(history, found.labels)) is not None:
        planned = None if proven is None else proven.short
        return replace(blank, reason="; ".join([reason, *budgets(view, wanted)]), more=planned)
    along = found.along
    if proven is not None:
        cut, reason, more = _by_design(proven, found, wanted)
    else:
        probability = along.probability(wanted.targets, wanted.reading)
        cut = chosen(along, wanted, probability)
        reason, more = _why_not(found, wanted, probability, cut)
    added, removed = changed(pool, history, model, float(along.cuts.threshold[cut]))
    readings = [_reading(found, wanted, reading, cut, len(added) - len(removed)) for reading in ("set", "bare")]
    return replace(
        blank,
        threshold=float(along.cuts.threshold[cut]),
        certified=not reason,
        set=readings[0],
        bare=readings[1],
        labels=found.labels,
        added=added,
        removed=removed,
        reason=reason,
        more=more,
        warning=found.warning,
    )


def chosen(along: Along, wanted: Threshold, probability: Floats) -> int:
    """Of the cuts that reach the targets with the wanted probability: the one with the largest F, if that or more than
    one target is wanted; else the smallest set for recall, the largest for precision. If there is none, the cut that
    reaches them most likely.
    """
    enough = probability >= wanted.confidence
    if not enough.any():  # several may never reach them: the one that comes closest
        return int(np.argmax(np.where(probability == probability.max(), along.nearness(wanted.targets), -1.0)))
    if wanted.maximise is None and len(wanted.targets) == 1:
        return int(np.argmax(enough)) if wanted.recall is not None else int(np.flatnonzero(enough)[-1])
    metric = wanted.metric or f_metric("f1")
    mean = along.weight @ along.counted("bare").f(metric.alpha)
    return int(np.argmax(np.where(enough, mean, -1.0)))


def _by_design(proven: Proven, found: AtCuts, wanted: Threshold) -> tuple[int, str, int | None]:
    """The cut that the draws alone certify, why there is none, and about how many labels are missing."""
    along, kept, everything = found.along, found.along.cuts.kept, len(found.along.cuts) - 1
    cut = min(int(np.searchsorted(kept, proven.kept)), everything)
    if wanted.recall is None:
        if proven.kept:  # it stays when all of the set is labelled later
            return cut, "", proven.short or None
        reason = "no set of several items is proven to be precise enough by the draws alone"
        return 0, reason + _looks(proven), proven.short or None
    if not everything:
        return 0, EQUAL_SCORES, None
    if cut == everything:  # which has recall 1, and is no certificate
        reason, more = _at_best(found, wanted)
        return everything, reason + _looks(proven), max(more, proven.short) or None
    if not along.positives[-1]:  # so far the recall is that of nothing
        return everything, "no positive was found so far", None
    return cut, "", proven.short or None


def _looks(proven: Proven) -> str:
    """Why there may be no certificate yet, or never."""
    if proven.missing:
        return f"; the look under way ends after {proven.missing:,} more labels"
    if proven.failed < LOOKS:
        return ""
    return (
        f"; all {LOOKS} looks that the failure probability is shared between have failed, and one more would break the"
        " promise: begin a new evaluation, or ask one with promise 'posterior'"
    )


def budgets(view: View, wanted: Threshold) -> list[str]:
    """Before the first label: what numbers of labels can certify at best, if a recall is promised by design."""
    if not wanted.by_design or wanted.recall is None:
        return []
    positives, labels = view.predicted_positives, (100, 200, 400)
    let_go = [best_case(view.total, positives, number, wanted.recall, 1 - wanted.confidence) for number in labels]
    each = "; ".join(f"with {number:,} labels at most {gone:,}" for number, gone in zip(labels, let_go, strict=True))
    return [
        f"if there are as many positives as predicted ones ({positives:,}), so many of the {view.total:,} items can be"
        f" let go, whatever the scores are: {each}"
    ]


def _at_best(found: AtCuts, wanted: Threshold) -> tuple[str, int]:
    """Why nothing can be let go, and about how many more labels the smallest certificate takes at best."""
    along, target = found.along, wanted.recall or 1.0
    positives = round(float(along.weight @ along.counted("set").positives[:, -1]))
    total = int(along.cuts.kept[-1])

    def let_go(labels: int) -> int:
        return best_case(total, positives, labels, target, 1 - wanted.confidence)

    reason = (
        f"no item is proven to be dispensable by the draws alone: with about {positives:,} positives, {found.labels:,}"
        f" labels let at most {let_go(found.labels):,} of {total:,} items go, whatever the scores are"
    )
    last = total - int(along.cuts.kept[-2])
    labels = next((labels for labels in map(int, np.geomspace(1, total, 60)) if let_go(labels) >= last), total)
    return reason, max(labels - found.labels, 0)


def _why_not(found: AtCuts, wanted: Threshold, probability: Floats, cut: int) -> tuple[str, int | None]:
    """Why the cut is not certified, and about how many labels are missing; an empty text if it is."""
    along, kept = found.along, found.along.cuts.kept
    if not wanted.targets:
        return f"{wanted.maximise} is maximised: there is no target that could be certified", None
    if len(kept) == 1:
        return EQUAL_SCORES, None
    if not along.positives[-1]:
        return "no positive was found so far", None
    if along.certain and probability[cut] == 1:
        return "", None
    if wanted.recall is None and wanted.reading == "set" and not along.left[cut]:
        return "the set would hold nothing but labelled items: no threshold is known to be precise enough", None
    if probability[cut] < wanted.confidence:
        at_best = f"the most likely one does with a probability of {percent(float(probability[cut]))}"
        return f"no threshold is known to reach {wanted.words}: {at_best}", _missing(found, wanted, probability[cut])
    if wanted.recall is not None and kept[cut] > MOST_KEPT * kept[-1]:
        return _too_many(found, wanted, probability, cut)
    if found.labels < FEWEST:
        return f"fewer than {FEWEST} labels say too little", FEWEST - found.labels
    if found.times > 1:
        return "the labels are unlike those of the pools that the beliefs were learned from", None
    return "", None


def _too_many(found: AtCuts, wanted: Threshold, probability: Floats, cut: int) -> tuple[str, int | None]:
    """Why a set that keeps much of the pool is not certified, and about how many labels are missing."""
    kept = found.along.cuts.kept
    part, tied = float(kept[cut]) / float(kept[-1]), int(kept[cut] - (kept[cut - 1] if cut else 0))
    why = (
        f"{tied:,} items have the same score, so that nothing lies between {kept[cut - 1]:,} and {kept[cut]:,} items"
        if cut and tied > kept[-1] / 4
        else "on test data, thresholds that keep more missed the target too often"
    )
    reason = (
        f"it would keep {percent(part)} of the pool, and only thresholds that keep at most 10 % are certified: {why}"
    )
    allowed = np.flatnonzero(kept <= MOST_KEPT * kept[-1])
    if not len(allowed):
        return reason, None
    best = float(probability[allowed[-1]])
    reason += f"; the {kept[allowed[-1]]:,} best items reach the target with a probability of {percent(best)}"
    return reason, _missing(found, wanted, best)


def _missing(found: AtCuts, wanted: Threshold, probability: float) -> int | None:
    """About how many labels are missing if the target is reached with this probability: a standard deviation falls with
    the square root of the number of labels. None if it is more likely not reached.
    """
    now = float(ndtri(min(probability, 1 - 1e-9)))
    if now <= 0:
        return None
    needed = max(found.labels * (float(ndtri(wanted.confidence)) / now) ** 2, FEWEST)
    return int(min(max(np.ceil(needed) - found.labels, 1), found.along.left[-1]))


def changed(pool: BasePool, history: History, model: str, threshold: float) -> tuple[tuple[Id, ...], tuple[Id, ...]]:
    """Labelled positives with a score below the threshold, and labelled negatives with one of at least that."""
    items = np.array([item for item, label in history.labels.items() if label is not None], dtype=np.int64)
    positive = np.array([history.labels[item] == 1 for item in items.tolist()], dtype=np.bool_)
    view = pool.view(model)
    above = view.lowest()[view.cells().find(items)] >= threshold
    added, removed = (np.sort(items[chosen]) for chosen in (positive & ~above, ~positive & above))
    return tuple(pool.names(added)), tuple(pool.names(removed))


def _reading(found: AtCuts, wanted: Threshold, reading: str, cut: int, changed: int) -> Reading:
    curves = Curves(found, wanted.confidence)
    recall, precision = (curves.at(reading, alpha, cut) for alpha in (0.0, 1.0))
    believed = wanted.targets and not wanted.by_design
    probability = float(found.along.probability(wanted.targets, reading)[cut]) if believed else None
    kept = int(found.along.cuts.kept[cut])
    return Reading(kept + changed if reading == "set" else kept, recall, precision, probability)
