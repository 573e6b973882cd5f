"""Which items are handed out: a round is opened when one is due, and its draws are handed out in pieces.

The functions write to a journal and are called in one of its transactions. Items are positions in the pool.
"""

from collections.abc import Sequence

from lowshot.history import History, Round, open_round
from lowshot.journal import Journal
from lowshot.method import Method
from lowshot.pools.base import BasePool, View

DONE = "every item that matters and can be drawn is labelled: nothing is left to ask"
NO_PREDICTIONS = "no item is predicted positive: no label can change the answer"


def ask(
    journal: Journal, pool: BasePool, models: Sequence[str], view: View, method: Method, n: int
) -> tuple[list[int], str]:
    """Up to `n` items to label next; if there are none, the reason as well.

    models  those that labels are spent on
    view    the pool as the sampler is to see it
    """
    if not any(pool.view(model).predicted_positives for model in models):
        return [], NO_PREDICTIONS
    reason = ""
    while not reason:
        if _round_is_due(journal):
            round_ = _opened(journal.history, view, method)
            if round_.limit == 0:
                return [], _all_handed_out(journal.history) or DONE
            journal.opened(round_)
        items = _hand_out(journal, pool, method.seed, n)
        if items:
            return items, ""
        if not _round_is_due(journal):
            reason = _all_handed_out(journal.history)
    return [], reason


def pending(history: History) -> list[int]:
    """Items that were asked and not answered yet."""
    return [item for item in history.asked if item not in history.labels]


def _all_handed_out(history: History) -> str:
    count = len(pending(history))
    return f"every item that can be drawn is handed out: {count} are pending" if count else ""


def _round_is_due(journal: Journal) -> bool:
    """Whether the next round is due: this one has all labels that its size asks for, or does not need them."""
    history = journal.history
    if not history.rounds:
        return True
    last = history.rounds[-1]
    if not journal.can_extend and not pending(history):
        return True  # what was asked is all of it: every draw has its probability, so the round counts as it is
    if last.design.size is None:
        return last.asked >= last.limit and not pending(history)
    if not last.design.adaptive:
        return last.asked >= last.limit
    return history.complete(last)


def _opened(history: History, view: View, method: Method) -> Round:
    design = method.sampler.propose(view, history, method.metric)
    return open_round(len(history.rounds) + 1, design, history.labelled)


def _hand_out(journal: Journal, pool: BasePool, seed: int, n: int) -> list[int]:
    """Up to `n` items of the current round that were not handed out before; first the rest of its size."""
    history = journal.history
    round_ = history.rounds[-1]
    size, before = round_.design.size, len(round_.draws.items)
    items: list[int] = []
    while len(items) < n:
        left = n - len(items) if size is None or round_.asked >= size else min(n - len(items), size - round_.asked)
        extended = round_.extended(round_.asked + left, seed)
        fresh = extended.new_items(round_.asked, round_.asked + left)
        round_ = extended.handed_out(len(fresh))
        items += [item for item in fresh if item not in history.asked and item not in history.labels]
        if not fresh or (items and round_.asked == size):
            break
    pool.names(round_.draws.items[before:])  # an engine may fail here, before anything is written
    journal.handed_out(round_, items)
    return items
