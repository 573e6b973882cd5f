"""Everything that the charts of one report show, as data."""

from collections.abc import Sequence
from dataclasses import dataclass

from lowshot.charts.along_ranking import LabelHistogram, Line, Marks
from lowshot.charts.estimate_path import EstimatePath
from lowshot.result import Estimate


@dataclass(frozen=True, eq=False)
class ReportCharts:
    """The data of the charts of one report. `png` and `html` draw it and read nothing else."""

    heading: str
    items: int  # in the pool
    path: EstimatePath
    measures: Sequence[Estimate]  # F1, precision and recall from the same labels, where they are defined
    calibration: Sequence[Line]
    probabilities: Sequence[Line]  # empty for samplers whose draws have no probabilities
    histogram: LabelHistogram
    marks: Sequence[Marks]
