"""`evaluation.plot` of several models, and the data behind charts."""

from typing import Any

import pytest
from matplotlib.figure import Figure

import lowshot
from lowshot import Evaluation, Pool
from lowshot.charts.estimate_path import LivePath, coarse_to_fine
from lowshot.charts.model_paths import most_likely
from lowshot.history import Answer, History
from lowshot.result import Estimate, Reach, Table
from lowshot.tasks import finish

from .test_several import scores_of


def labelled(goal: Any, models: int = 2, **more: Any) -> Evaluation:
    scores, truth = scores_of(items=1000, share=0.05, lifts=(2.0, 3.0, 1.0, 2.5)[:models])
    return finish(Evaluation(Pool(scores, threshold=2.0), goal=goal, **more), truth, 40)


def test_a_pair_is_drawn_as_a_difference() -> None:
    evaluation = labelled(("v1", "v2"))
    ax = Figure().subplots()
    assert evaluation.plot(ax) is ax
    line, zero = ax.get_lines()
    now = evaluation.compare("v1", "v2")
    assert now.interval is not None
    assert line.get_xydata()[-1].tolist() == [40, now.value]
    assert zero.get_ydata() == [0, 0]
    assert ax.get_ylabel() == "F1: v2 minus v1"
    corners = ax.collections[0].get_paths()[0].vertices.tolist()
    assert [40, now.interval.low] in corners
    assert [40, now.interval.high] in corners


@pytest.mark.slow
@pytest.mark.parametrize(("models", "shapes"), [(2, 2), (4, 4)])
def test_one_line_per_model(models: int, shapes: int) -> None:
    """With their intervals: as bands, or beside the last points where bands would hide each other."""
    evaluation = labelled("best", models)
    ax = evaluation.plot(Figure().subplots())
    lines = ax.get_lines()
    assert [line.get_label() for line in lines] == list(evaluation.pool.models)
    for line, model in zip(lines, evaluation.pool.models, strict=True):
        assert line.get_xydata()[-1].tolist() == [40, evaluation.estimate(model=model).value]
    assert len({line.get_color() for line in lines}) == models
    assert len(ax.collections) == shapes


def test_one_of_several_is_drawn_alone() -> None:
    evaluation = labelled("v2", 3)
    (line,) = evaluation.plot(Figure().subplots()).get_lines()
    assert line.get_xydata()[-1].tolist() == [40, evaluation.estimate(model="v2").value]


def test_a_plot_changes_nothing_and_needs_labels() -> None:
    evaluation = labelled(("v1", "v2"))
    before = evaluation.history
    evaluation.plot(Figure().subplots())
    assert evaluation.history == before
    for goal in (("v1", "v2"), "each"):
        with pytest.raises(lowshot.InputError, match=r"a plot needs labels: .* label some items first"):
            Evaluation(evaluation.pool, goal=goal).plot()


def test_an_earlier_evaluation_is_what_it_was(tmp_path: Any) -> None:
    """`at` answers from another history; what happens to it does not reach the store."""
    scores, truth = scores_of(items=1000, share=0.05)
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0), store=tmp_path / "birds.db"), truth, 40)
    early = finish(Evaluation(Pool(scores, threshold=2.0)), truth, 20)
    then = evaluation.at(evaluation.snapshot().until(20))
    assert (then.labels, evaluation.labels) == (20, 40)
    assert then.compare("v1", "v2") == early.compare("v1", "v2")
    assert then.table() == early.table()
    later = evaluation.at(evaluation.snapshot())
    finish(later, truth, 50)
    assert (later.labels, evaluation.labels) == (50, 40)
    assert Evaluation(evaluation.pool, store=tmp_path / "birds.db").labels == 40


def test_a_live_path_is_filled_in_small_steps() -> None:
    computed: list[int] = []

    def labels(history: History) -> int:
        computed.append(len(history.labels))
        return len(history.labels)

    history = History()
    history.add_answers([Answer(item, 0) for item in range(10)])
    path = LivePath(labels, most=5, new=2)
    assert path.of(history) == ([(0, 0), (10, 10)], True)
    while path.of(history)[1]:
        pass
    assert path.of(history) == ([(place, place) for place in range(0, 11, 2)], False)
    assert sorted(computed) == [*range(0, 11, 2)], "each of them once"
    history.add_answers([Answer(10, 1)])
    path.of(history)
    assert computed[-2:] == [11, 5], "the last one first"


def test_the_first_points_are_spread() -> None:
    assert coarse_to_fine([0]) == [0]
    assert sorted(coarse_to_fine([*range(0, 41, 2)])) == [*range(0, 41, 2)]
    assert coarse_to_fine([*range(0, 34, 2)])[:4] == [32, 0, 16, 8]


def test_a_chart_shows_the_models_with_the_highest_values() -> None:
    def estimate(value: float) -> Estimate:
        return Estimate("f1", value, None, None, 1, Reach(1, 1))

    found = {f"v{place}": estimate(place / 20) for place in range(12)}
    assert most_likely(found) == [f"v{place}" for place in range(4, 12)]
    assert most_likely({"v1": estimate(float("nan")), "v2": estimate(0.1)}, 1) == ["v2"]


def test_a_table_repeats_warnings_once() -> None:
    row = {"model": "v1", "value": 0.5, "low": 0.4, "high": 0.6, "best": 0.5, "warning": "the <scores> mislead"}
    table = Table("f1", 0.95, 70, (row, {**row, "model": "v2"}))
    assert str(table).endswith("\ncareful: the <scores> mislead")
    assert str(table).count("careful") == 1
    assert "careful:</strong> the &lt;scores&gt; mislead" in table._repr_html_()
    assert {row["warning"] for row in labelled("each").table().rows} == {""}
