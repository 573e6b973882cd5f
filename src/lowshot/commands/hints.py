"""What to do next, in commands."""

from lowshot.evaluation import Evaluation

LABEL = "next: `lowshot label`, or `lowshot ask` and `lowshot tell`"
WAITING = (
    "labels wait for items without an answer: `lowshot status` shows who has them, `lowshot ask --again` repeats yours"
)


def hint(evaluation: Evaluation) -> str:
    """Nothing where an estimate speaks for itself.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> hint(evaluation)
    'next: `lowshot label`, or `lowshot ask` and `lowshot tell`'
    >>> evaluation.tell(evaluation.ask(3)[1:], [1, 0])
    >>> hint(evaluation)
    'labels wait for items without an answer: `lowshot status` shows who has them, `lowshot ask --again` repeats yours'
    """
    history = evaluation.snapshot()
    if not history.labels:
        return LABEL
    return WAITING if history.waiting_for else ""
