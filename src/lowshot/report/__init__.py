"""One HTML file that says what an evaluation found, how far to trust it, and which labels to look at again.

    facts      everything that the report shows, as plain data
    labelled   the table of labelled items, and the answers that move the result most
    by_hand    how to check the number by hand
    origin     what the evaluation was, with what versions; how far people agree
    words      facts in sentences; `details` has the smaller print
    writing    `write`: facts and figures as one HTML file (Jinja2)

`lowshot.charts` draws its figures.

>>> import lowshot, tempfile
>>> from lowshot import report
>>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
>>> evaluation = lowshot.Evaluation(pool)
>>> evaluation.tell(evaluation.ask(4), [1, 1, 0, 0])
>>> [path.name for path in report.write(evaluation, f"{tempfile.mkdtemp()}/report.html")]
['report.html']
"""

from lowshot.report.facts import Facts, gather
from lowshot.report.writing import write

__all__ = ["Facts", "gather", "write"]
