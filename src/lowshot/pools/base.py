"""The contract of a pool: what everything outside `pools/` may use, whatever holds the rows.

    BasePool   all items: ids, fingerprint, display columns. It never changes during an evaluation.
    View       the pool as a model ranks it: what samplers get as `pool`, cells and a few facts about positions.

`Pool` (`memory.py`) holds arrays, `GroupedPool` (`grouped.py`) leaves the rows where they are. A position is a number
that is private to a pool: outside it, items are known by their ids. `lowshot.testing.PoolContract` checks a new kind.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from lowshot.answer import YES_NO, Answers
from lowshot.checks import Id
from lowshot.core.cells import ONE_MODEL, Cells
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.markup import card, html_table, note
from lowshot.pools.models import ONLY
from lowshot.pools.scale import Scale, log_odds, logits, probabilities
from lowshot.pools.slices import NO_SLICES, Slices

Made = TypeVar("Made")
LONGEST_NUMBER = 4300  # digits: Python converts no longer text into a number
CanDraw = Callable[[Integers], Flags]
ROWS = 10  # models, or classes, that a notebook shows of a pool


class Joint(NamedTuple):
    """The rankings by all scores of a pool, which have the same items and patterns; one of the models is judged."""

    rankings: "tuple[View, ...]"  # by several scores with different weights; of one score: one ranking
    models: tuple[str, ...]  # the names of the columns of `patterns`
    weight: tuple[float, ...]  # of the items that each model predicts positive, in units of an average item
    judged: int  # the model, a place in `models`
    # [pattern, model]: the share of such items that the model predicts positive. It is 0 or 1, unless rare patterns of
    # many models were merged.
    patterns: Floats
    scored: Flags  # [model]: whether it has a score, which takes part in the rankings
    start: int = 0  # the ranking that is used before any label is seen


class View(ABC):
    """A ranking of the pool's items by one score, with the predictions that are to be judged.

    >>> import lowshot
    >>> view = lowshot.Pool([0.9, 0.7, 0.2, 0.1], threshold=0.5).view()
    >>> view.total, view.predicted_positives, view.cells().level.tolist()
    (4, 2, [0.9, 0.7, 0.2, 0.1])
    """

    total: int  # items of the pool
    scale: Scale | None  # of the scores, if the user said it
    features: Floats | None = None  # [position, feature]
    weighted: bool = False  # whether items do not all count the same

    def __init__(self) -> None:
        self._made: dict[str, tuple[object, Any]] = {}

    @property
    def joint(self) -> Joint:
        """The rankings that sampler `curve` combines. Of one score and one model: this view alone."""
        return Joint((self,), (ONLY,), (self.predicted_weight,), 0, ONE_MODEL.astype(np.float64), np.array([True]))

    @property
    @abstractmethod
    def predicted_positives(self) -> int:
        """n_pred, known exactly."""

    @property
    @abstractmethod
    def predicted_weight(self) -> float:
        """The weight of the predicted positives in units of an average item; without weights, their number."""

    @property
    @abstractmethod
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest score."""

    @abstractmethod
    def cells(self, depth: int | None = None) -> Cells:
        """The ranking as cells, with at least the `depth` best items and all predicted positives listed."""

    def lowest(self) -> Floats:
        """Of each cell of the whole ranking, the lowest score that belongs to it."""
        return self.cells().level

    @abstractmethod
    def p(self, positions: Integers) -> Floats:
        """p(x) of these items; 1/N without weights."""

    @abstractmethod
    def level(self, positions: Integers) -> Floats:
        """The scores of these items; where items are grouped, the level of their group."""

    @abstractmethod
    def predicted(self, positions: Integers) -> Floats:
        """The predictions of these items, as 0.0 and 1.0."""

    @abstractmethod
    def midrank(self, positions: Integers) -> Floats:
        """Of each of these items: how many items are below it, plus half of those on the same level."""

    @abstractmethod
    def rank(self, positions: Integers) -> Integers:
        """Their places in the ranking: 1 is the best.

        Ties are ordered by prediction (positives first), then by id; in a grouped pool, by the mix of seed and id.
        """

    @abstractmethod
    def examples(self) -> Integers:
        """Items to show along the ranking, best first: all of them; where they are grouped, one per cell."""

    @abstractmethod
    def unreachable(self, can_draw: CanDraw, labelled: Integers) -> tuple[int, float]:
        """How many predicted positives without a label cannot be drawn, and their weight in units of an average item.

        `can_draw` must give the same answer for all items of a cell that have no label.
        """

    def probabilities(self, levels: Floats) -> Floats:
        """These scores as probabilities, by the scale of the pool."""
        return probabilities(levels, self.scale)

    def logits(self, levels: Floats) -> Floats:
        """These scores as finite log-odds, by the scale of the pool."""
        return logits(levels, self.scale)

    def comparable(self, levels: Floats) -> Floats:
        """Scores on a scale where distances are meaningful: log-odds if they are probabilities, else the raw scores.

        Scores between 0 and 1 count as probabilities if the user gave no scale. Probabilities of exactly 0 and 1 are
        not far from the nearest other score of `levels`.
        """
        low, high = self.limits
        scale = self.scale or ("probability" if low >= 0 and high <= 1 else None)
        if scale is None:
            return levels
        return log_odds(levels) if scale == "probability" else logits(levels, scale)

    def cached(self, name: str, make: Callable[[], Made], key: object = None) -> Made:
        """A value that a sampler derives from the pool: made once, and again if it is asked for with another key.

        name  under which it is kept: one value per name
        key   what the value depends on, besides the pool
        """
        entry = self._made.get(name)
        if entry is None or entry[0] != key:
            entry = self._made[name] = (key, make())
        found: Made = entry[1]  # from the local variable: another thread may replace the value at any time
        return found


class BasePool(ABC):
    """All items that are evaluated."""

    grouped: ClassVar[bool]  # whether items of about the same score are one group, ordered by a mix of seed and id
    slices: Slices = NO_SLICES  # parts of the pool that estimates can be about; of a pool in memory only
    answers: Answers = YES_NO  # what people can answer about an item: checks, reads and writes labels
    _index: Any = None

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def index(self) -> Any:
        """The index of pandas that the columns of the pool had; None if they had none."""
        return self._index

    def __repr__(self) -> str:
        return f"Pool({len(self):,} items, {self.predicted_positives:,} predicted positive)"

    def _repr_html_(self) -> str:
        """How many items there are, how many of them each model predicts positive, and what else the pool has."""
        notes = {name: f" (missing for {count:,} items)" for name, count in self.missing.items()}
        notes.update(dict.fromkeys(self.left_out, " (left out: no clear agreement with the models)"))
        slices = (f"{name} ({len(self.slices.by(name).names):,} values)" for name in self.slices.names)
        return card(
            f"{len(self):,}",
            "items",
            html_table(self._predicted_header, self._predicted_rows(), ROWS),
            note(f"helpers: {', '.join(name + notes.get(name, '') for name in self.helpers)}" if self.helpers else ""),
            note(f"slices: {', '.join(slices)}" if self.slices else ""),
            note("below the best items, items of about the same score are one group" if self.grouped else ""),
        )

    _predicted_header: ClassVar[tuple[str, ...]] = ("model", "predicted positive", "share", "scores from", "to")

    def _predicted_rows(self) -> list[list[str]]:
        """A row per model, as texts."""
        return [[name, *self._predicted_cells(self.view(name))] for name in self.models]

    def _predicted_cells(self, view: View) -> list[str]:
        count, (low, high) = view.predicted_positives, view.limits
        return [f"{count:,}", f"{100 * count / len(self):.3g} %", f"{low:.4g}", f"{high:.4g}"]

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies the pool, whatever the order of its rows."""

    @property
    @abstractmethod
    def predicted_positives(self) -> int:
        """n_pred, known exactly."""

    @abstractmethod
    def bind(self, seed: int) -> "BasePool":
        """The pool as an evaluation with this seed sees it: the order inside groups depends on the seed."""

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that are judged."""
        return (ONLY,)

    @property
    def categories(self) -> tuple[Id, ...]:
        """The names of the categories, if items have one of several; empty if the question is yes or no."""
        return ()

    @property
    def helpers(self) -> tuple[str, ...]:
        """The names of the scores that only help."""
        return ()

    @property
    def left_out(self) -> tuple[str, ...]:
        """Helpers that are not used: they hardly put the items that models predict positive above others."""
        return ()

    @property
    def missing(self) -> dict[str, int]:
        """How many values each helper lacks; without those that lack none."""
        return {}

    @abstractmethod
    def view(self, model: str | None = None) -> View:
        """What samplers see if this model is judged; None: the first one. The same object every time."""

    @abstractmethod
    def with_predictions(self, predictions: Any) -> Self:
        """The same pool as another model or threshold sees it: N values in pool order, or {id: prediction}."""

    @abstractmethod
    def with_model(
        self, name: str, scores: Any = None, *, threshold: float | None = None, predictions: Any = None
    ) -> Self:
        """The same items with another model: a score with a threshold or predictions, or predictions alone."""

    @abstractmethod
    def refuse_other_predictions(self) -> None:
        """Raise an error that says what to do instead, if `with_predictions` is not supported."""

    @abstractmethod
    def find(self, items: Sequence[Any]) -> list[int | None]:
        """The positions of these ids; None for an id that is not in the pool. All at once, as it may take a query."""

    @abstractmethod
    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        """The ids at these positions."""

    @abstractmethod
    def id_of(self, text: str) -> Id:
        """The id that is written as this text: an integer if the ids of the pool are integers and the text is one."""

    def both_predict(self, one: str, two: str) -> int:
        """How many items two models both predict positive."""
        return self.view(one).predicted_positives if one == two else 0

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]] | None:
        """The columns that people are shown of these items, as text; None if the pool has no such columns."""
        return None

    def positions(self, items: Sequence[Any]) -> list[int]:
        """The positions of these ids; an error if one is not in the pool."""
        found = self.find(items)
        for item, place in zip(items, found, strict=True):
            if place is None:
                raise InputError(f"items must be ids of the pool: got {item!r}, which is not in it")
        return [place for place in found if place is not None]

    def position(self, item: Any) -> int:
        """The position of this id; an error if it is not in the pool."""
        return self.positions([item])[0]

    def __contains__(self, item: Any) -> bool:
        return self.find([item])[0] is not None


def number_or_text(text: str, numbered: bool) -> Id:
    """An id as it was before it was written as text.

    >>> number_or_text("-17", True), number_or_text("17", False)
    (-17, '17')
    """
    if not (numbered and text.removeprefix("-").isdecimal() and len(text) < LONGEST_NUMBER):
        return text
    return int(text)


def digest_of(parts: Iterable[bytes]) -> str:
    """A fingerprint of these parts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:32]


def plain_id(item: Any) -> Id | None:
    """The id as a plain string or integer; None if it cannot be one."""
    plain = item.item() if isinstance(item, np.generic) else item
    return plain if isinstance(plain, (str, int)) and not isinstance(plain, bool) else None
