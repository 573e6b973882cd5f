"""The report of an evaluation: one HTML file with the estimate, its limits, and the labels to check.

    facts      `gather`: everything that the report shows, as plain data (`ReportFacts`)
    labelled   the table of labelled items, and the labels that would change the estimate most if they were wrong
    class_facts  `gather_classes`: the same for many categories (`ClassFacts`)
    by_hand    sums and averages with which a reader can check the estimate with a calculator
    origin     pool, sampler, settings, seed, versions and times; who labelled, and how often annotators agree
    content    texts and pictures of items, within a limit of bytes
    common     what both kinds of facts share (`Facts`)
    sentences  the headline, the remarks and the limits of the interval, as text
    details    the sentences and table rows of the sections further down
    writing    `write`: facts and figures as one HTML file (Jinja2, page.html; with many categories categories.html)

`lowshot.charts` computes and draws the figures.

>>> import lowshot, tempfile
>>> from lowshot import report
>>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
>>> evaluation = lowshot.Evaluation(pool)
>>> evaluation.tell(evaluation.ask(4), [1, 1, 0, 0])
>>> [path.name for path in report.write(evaluation, f"{tempfile.mkdtemp()}/report.html")]
['report.html']
"""

from lowshot.report.facts import ReportFacts, gather
from lowshot.report.writing import write

__all__ = ["ReportFacts", "gather", "write"]
