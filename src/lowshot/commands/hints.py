"""What to do next, in commands."""

from lowshot.commands.output import counted
from lowshot.evaluation import Evaluation

LABEL = "next: `lowshot label`, or `lowshot ask` and `lowshot tell`"


def hint(evaluation: Evaluation) -> str:
    """Nothing where an estimate speaks for itself.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> hint(evaluation)
    'next: `lowshot label`, or `lowshot ask` and `lowshot tell`'
    >>> evaluation.tell(evaluation.ask(3)[1:], [1, 0])
    >>> hint(evaluation)
    '2 labels do not count yet, as items drawn before them have none: `lowshot ask --again` hands those out'
    """
    history = evaluation.snapshot()
    if not history.labels:
        return LABEL
    if not history.waiting:
        return ""
    waiting = counted(history.waiting, "label")
    return f"{waiting} do not count yet, as items drawn before them have none: `lowshot ask --again` hands those out"
