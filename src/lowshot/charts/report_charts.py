"""Everything that the charts of one report show, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lowshot.charts.along_ranking import LabelHistogram, Line, Marks
from lowshot.charts.estimate_path import EstimatePath
from lowshot.charts.model_paths import DifferencePath, ModelPath
from lowshot.result import Estimate


@dataclass(frozen=True, eq=False)
class ReportCharts:
    """The data of the charts of one report. `png` and `html` draw it and read nothing else."""

    heading: str
    items: int  # in the pool
    path: EstimatePath | None  # of the model that is judged; None if the goal is about several
    difference: DifferencePath | None  # of two models
    models: Sequence[ModelPath]  # one path per model, if the goal is about several
    measures: Mapping[str, Estimate]  # by name: metrics from the same labels, or the metric of each model
    calibration: Sequence[Line]
    probabilities: Sequence[Line]  # empty for samplers whose draws have no probabilities
    histogram: LabelHistogram
    marks: Sequence[Marks]
