"""`evaluation.thresholds().plot`: what is drawn, and what is marked."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot import Evaluation, InputError, Pool, Threshold
from lowshot.charts import threshold_curve

from .test_several import finish, scores_of
from .test_threshold_goal import labelled


def axes() -> Axes:
    return Figure().subplots()


def test_curves_bands_and_marks() -> None:
    evaluation = labelled(Threshold(recall=0.9), 60)
    found, choice = evaluation.thresholds(), evaluation.choose_threshold()
    ax = axes()
    assert found.plot(ax, choice) is ax
    precision, recall, present, best, chosen = ax.get_lines()
    for line, band in ((precision, found.precision), (recall, found.recall)):
        assert (np.asarray(line.get_xdata()) == found.kept).all()
        assert (np.asarray(line.get_ydata()) == band.value).all()
    for area, band in zip(ax.collections, (found.precision, found.recall), strict=True):
        corners = area.get_paths()[0].vertices.tolist()
        assert all([found.kept[place], end[place]] in corners for place in (0, 5, -1) for end in (band.low, band.high))
    assert choice.bare is not None
    kept = [evaluation.pool.predicted_positives, found.best().kept, choice.bare.kept]
    assert [mark.get_xdata()[0] for mark in (present, best, chosen)] == kept
    assert present.get_label() == f"predicted positive now: {kept[0]} items"
    assert best.get_label() == f"largest F1: threshold {found.best().threshold:.4g}, {kept[1]} items"
    assert chosen.get_label() == (
        f"chosen for recall of at least 0.9: threshold {choice.threshold:.4g}, {kept[2]:,} items, not certified"
    )
    assert len({line.get_color() for line in ax.get_lines()}) == 5
    assert ax.get_xscale() == "log"
    assert len(found.plot(axes()).get_lines()) == 4, "no choice is marked unless it is given"


def test_the_axis_says_which_band() -> None:
    evaluation = labelled(Threshold(recall=0.9), 30)
    once = evaluation.thresholds(band="simultaneous", confidence=0.9).plot(axes())
    assert once.get_ylabel() == "precision and recall, 90\xa0% bands at all thresholds at once"
    assert evaluation.thresholds().plot(axes()).get_ylabel() == "precision and recall, 95\xa0% bands"


def test_predictions_that_are_no_cut_are_not_marked() -> None:
    scores, truth = scores_of(items=1000, share=0.05)
    pool = Pool(scores["v1"], predictions=scores["v2"] > 2)
    found = finish(Evaluation(pool), truth, 30).thresholds()
    assert found.present is None
    assert [line.get_label().split(":")[0] for line in found.plot(axes()).get_lines()[2:]] == ["largest F1"]


def test_a_single_threshold_is_a_point() -> None:
    predictions = np.arange(100) < 10
    evaluation = Evaluation(Pool(np.ones(100), predictions=predictions))
    found = finish(evaluation, predictions, 20).thresholds()
    precision = found.plot(axes()).get_lines()[0]
    assert (precision.get_marker(), np.asarray(precision.get_xdata()).tolist()) == ("o", [100])


def test_a_file(tmp_path: Path) -> None:
    threshold_curve.save(
        labelled(Threshold(recall=0.9), 30).thresholds(), tmp_path / "curve.png", "_Birds for $5 or $6"
    )
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="a plot needs labels: no labels yet; label some items first"):
        labelled(Threshold(recall=0.9), 0).thresholds().plot()
    scores, truth = scores_of(items=1000, share=0.05)
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0)), truth, 30)
    choice = evaluation.choose_threshold(recall=0.9, model="v2")
    with pytest.raises(InputError, match="choice must be of the same model as the curve, 'v1': got one of 'v2'"):
        evaluation.thresholds(model="v1").plot(axes(), choice)
