"""Everything that the charts of a report show."""

from collections.abc import Sequence
from dataclasses import dataclass

from lowshot.charts.along_ranking import Histogram, Line
from lowshot.charts.marks import Marks
from lowshot.charts.progress import Progress
from lowshot.result import Estimate


@dataclass(frozen=True, eq=False)
class Charts:
    """One report's charts as data: `png` and `html` draw it, and look at nothing else."""

    heading: str
    items: int  # of the pool
    progress: Progress
    measures: Sequence[Estimate]  # shares from the same labels; those that are undefined are left out
    calibration: Sequence[Line]
    probabilities: Sequence[Line]  # empty where draws have none
    histogram: Histogram
    marks: Sequence[Marks]
