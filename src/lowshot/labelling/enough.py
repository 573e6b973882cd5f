"""Whether labelling has reached its goal, and what was found: what a page or a terminal says when it is enough."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from lowshot import checks
from lowshot.charts.style import title
from lowshot.evaluation import Evaluation
from lowshot.goal import BEST, EACH, Goal, Threshold
from lowshot.history import History
from lowshot.result import Table, percent, short
from lowshot.words import counted

RESTS = 20  # a look takes 1 ms for one model and seconds for a dozen; so long, times this, it is before the next one
SHOWN = 8  # models or categories whose estimates are said
ENOUGH = "Enough: the goal is reached."
Lines = tuple[str, ...]


def certifies(goal: Goal) -> bool:
    """Whether labels are spent until a threshold reaches its targets."""
    return isinstance(goal, Threshold) and bool(goal.targets)


def decides(evaluation: Evaluation) -> bool:
    """Whether labels are spent until there is a verdict about models."""
    of_models = not evaluation.pool.categories  # a goal that names categories is about the width of their intervals
    return of_models and (isinstance(evaluation.goal, tuple) or evaluation.goal == BEST)


def until(evaluation: Evaluation, half_width: float | None, margin: float) -> dict[str, Any]:
    """What labelling goes on for, as arguments of `Evaluation.plan` and `stop_when`."""
    return {"verdict": True, "margin": margin} if decides(evaluation) else {"half_width": half_width}


class Watch:
    """Looks whether the goal is reached whenever answers have changed, but so rarely that labelling stays fast.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> watch = watched(evaluation, half_width=0.4)
    >>> evaluation.tell(evaluation.ask(4), [1, 0, 0, 0])
    >>> watch.due(4), watch.look(evaluation.snapshot()), watch.due(4)
    (True, ('F1 is 0.667, from 4 labels.', '± 0.000 is reached, ± 0.4 was wanted.'), False)

    reached  whether the goal is reached by these labels
    found    what was found, in sentences
    clock    seconds that pass
    """

    def __init__(
        self,
        reached: Callable[[History], bool],
        found: Callable[[History], Lines],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reached, self._found, self._clock = reached, found, clock
        self._seen, self._rests = 0, 0.0  # answers at the last look, and the time until which there is no other
        self.found: Lines | None = None  # None: the goal is not reached, as far as the last look saw

    def due(self, answers: int) -> bool:
        """Whether to look; `answers` are those of the history, corrections included."""
        return answers != self._seen and self._clock() >= self._rests

    def look(self, history: History) -> Lines | None:
        began, self._seen = self._clock(), len(history.answers)
        self.found = self._found(history) if self._reached(history) else None
        self._rests = self._clock() + RESTS * (self._clock() - began)
        return self.found


def watched(
    evaluation: Evaluation,
    half_width: float | None = None,
    margin: float = 0.0,
    reached: Callable[[History], bool] | None = None,
) -> Watch | None:
    """A watch over the goal; None if there is none: no width is wanted, and no verdict or threshold is looked for.

    reached  finds out whether the goal is reached, if somebody keeps the answer
    """
    if half_width is not None:
        checks.number("half_width", half_width, 0.001, 0.5)
    elif not certifies(evaluation.goal) and not decides(evaluation):
        return None

    def enough(history: History) -> bool:
        then = evaluation.at(history)
        if certifies(then.goal):
            return then.choose_threshold().enough
        return then.stop_when(**until(then, half_width, margin))

    return Watch(reached or enough, lambda history: found(evaluation.at(history), half_width, margin))


def found(evaluation: Evaluation, half_width: float | None = None, margin: float = 0.0) -> Lines:
    """What the labels say about the goal, in sentences.

    half_width  that was wanted; None: none was
    margin      a difference that does not matter, for a verdict about two models
    """
    goal = evaluation.goal
    if certifies(goal):
        return tuple(str(evaluation.choose_threshold()).split("\n"))
    if decides(evaluation) and isinstance(goal, tuple):
        return tuple(f"{line}." for line in str(evaluation.compare(*goal, margin=margin)).split("\n"))
    if isinstance(goal, tuple) or goal in (BEST, EACH):
        table = evaluation.table()
        return (best_of(table), *_careful(table.warnings)) if decides(evaluation) else _each(table, goal)
    one = evaluation.estimate()
    narrow = () if one.interval is None or half_width is None else (_reached(one.interval.width / 2, half_width),)
    ends = (None, None) if one.interval is None else (one.interval.low, one.interval.high)
    said = f"{_value(title(one.metric), one.value, *ends)}, from {counted(one.labels, 'label')}."
    return (said, *narrow, *_careful([one.warning] if one.warning else []))


def best_of(table: Table) -> str:
    """Which model is the best one, and how sure that is.

    >>> rows = ({"model": "v1", "value": 0.5, "best": 0.03}, {"model": "v2", "value": 0.61, "best": 0.97})
    >>> best_of(Table("f1", 0.95, 70, rows))
    'v2 is the best of 2 models with probability 97 %; F1 0.610.'
    """
    best = max((row for row in table.rows if row["value"] is not None), key=lambda row: row["best"])
    sure = f"with probability {percent(best['best'])}"
    return (
        f"{best['model']} is the best of {len(table.rows)} models {sure}; {title(table.metric)} {short(best['value'])}."
    )


def _each(table: Table, goal: Goal) -> Lines:
    """The rows that the goal is about, and how many of them are left out."""
    rows = [row for row in table.rows if not isinstance(goal, tuple) or row[table.by] in goal]
    lines = [f"{row[table.by]}: {_value(title(table.metric), row['value'], row['low'], row['high'])}." for row in rows]
    left = [f"And {len(rows) - SHOWN:,} more."] if len(rows) > SHOWN else []
    return (*lines[:SHOWN], *left, *_careful(table.warnings))


def _value(name: str, value: float | None, low: float | None, high: float | None) -> str:
    """
    >>> _value("F1", 0.682, 0.579, 0.788), _value("F1", 0.5, 0.5, 0.5)
    ('F1 is 0.682, 95 % interval 0.579 to 0.788', 'F1 is 0.500')
    """
    between = "" if low is None or high is None or low == high else f", 95 % interval {short(low)} to {short(high)}"
    return f"{name} is {'undefined' if value is None else short(value)}{between}"


def _reached(half_width: float, wanted: float) -> str:
    return f"± {half_width:.3f} is reached, ± {wanted:g} was wanted."


def _careful(warnings: Iterable[str]) -> Lines:
    return tuple(f"Careful: {text}." for text in warnings)
