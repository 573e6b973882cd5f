"""The benchmark: rows equal a plain loop, runs can be interrupted, nothing is skipped in silence, figures are drawn."""

import dataclasses
import inspect
import math
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lowshot import Evaluation, InputError
from lowshot.sampler.base import Sampler
from lowshot_bench import claims, comparisons, figures, rows, settings_choice, task_rows
from lowshot_bench import experiment as experiments
from lowshot_bench.families import make_family
from lowshot_bench.method_report import compare_table, stopping_table
from lowshot_bench.run import Amount, choose, run, units
from lowshot_bench.summary import Cells, of_classes, paired, ratio, summarise

from ..helpers import good, invoke

TINY = """
title = "tiny"
paper = "none"
budgets = [5, 10, 20]
repetitions = 2
seed = 1
methods = ["acis", "rand", "topk", {name = "no top-K", sampler = "acis", settings = {top_k = 1e9}}]

[[families]]
family = "real"
model = "one"
thinned = false
others = ["two"]
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of 300 items and 4 classes; class 3 has no positives."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 300).astype(np.uint8)
    for model in ("one", "two"):
        logits = random.normal(size=(300, 4)) + 2 * np.eye(4)[y]
        np.save(folder / f"{model}.npy", (logits - np.logaddexp.reduce(logits, axis=1)[:, None]).astype(np.float16))
    np.savez(folder / "labels.npz", y=y, is_validation=np.zeros(300, dtype=bool))
    return folder


@pytest.fixture(scope="module")
def tiny() -> experiments.Experiment:
    return experiments.parse("tiny", TINY)


def without_seconds(table: pa.Table) -> list[str]:
    """Rows to compare: NaN equals NaN, and how long it took does not matter."""
    return sorted(repr(row) for row in table.drop_columns(["seconds"]).to_pylist())


@pytest.fixture(scope="module")
def finished(tiny: experiments.Experiment, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tiny, tmp_path_factory.mktemp("out"), data, workers=1)


def test_rows_equal_a_plain_loop(tiny: experiments.Experiment, data: Path, finished: Path) -> None:
    found = rows.read([finished])
    task = make_family("real", {"model": "one", "thinned": False, "others": ["two"]}, data).load(1)
    for name, sampler in (("acis", "acis"), ("rand", "rand")):
        for repetition in range(2):
            evaluation = Evaluation(task.pool, "f1", sampler, task_rows.seed_of(tiny, task, repetition))
            for labels in (5, 10, 20):
                while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
                    evaluation.tell(items, task.labels[items])
                for target, predictions in (("own", None), ("two", task.others["two"])):
                    estimate = evaluation.estimate(predictions=predictions)
                    keys = {"category": 1, "method": name, "target": target, "repetition": repetition, "labels": labels}
                    chosen = [row for row in found.to_pylist() if all(row[k] == v for k, v in keys.items())]
                    assert [repr(row["estimate"]) for row in chosen] == [repr(estimate.value)]
                    assert chosen[0]["truth"] == task.truth(predictions=predictions)


def test_a_run_that_was_stopped_goes_on(
    tiny: experiments.Experiment, data: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lowshot_bench.run.CHUNK", 1)
    calls: list[int] = []
    plain = task_rows.rows_of

    def stops(*arguments: object) -> list[rows.Row]:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return plain(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("lowshot_bench.run.rows_of", stops)
    with pytest.raises(KeyboardInterrupt):
        run(tiny, tmp_path, data, workers=1)
    assert not (tmp_path / "tiny.parquet").exists()
    path = run(tiny, tmp_path, data, workers=1)
    assert len(calls) == 4, "two tasks were done before, the third is done again"
    assert without_seconds(rows.read([path])) == without_seconds(rows.read([finished]))


def test_processes_give_the_same_rows(
    tiny: experiments.Experiment, data: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lowshot_bench.run.CHUNK", 2)
    path = run(tiny, tmp_path, data, workers=2)
    assert without_seconds(rows.read([path])) == without_seconds(rows.read([finished]))


def test_a_torn_file_is_made_again(tiny: experiments.Experiment, data: Path, finished: Path, tmp_path: Path) -> None:
    path = run(tiny, tmp_path, data, workers=1)
    part = next((tmp_path / "tiny").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:100])
    path = run(tiny, tmp_path, data, workers=1)
    assert without_seconds(rows.read([path])) == without_seconds(rows.read([finished]))


def test_a_folder_of_something_else_is_refused(tiny: experiments.Experiment, data: Path, tmp_path: Path) -> None:
    run(tiny, tmp_path, data, workers=1)
    other = experiments.parse("tiny", TINY.replace("seed = 1", "seed = 2"))
    with pytest.raises(InputError, match="another experiment"):
        run(other, tmp_path, data, workers=1)
    with pytest.raises(InputError, match="another amount"):
        run(tiny, tmp_path, data, Amount(fraction=0.4), workers=1)


def test_a_class_without_positives_is_named(data: Path) -> None:
    family = make_family("real", {"model": "one", "thinned": False}, data)
    assert family.categories() == [0, 1, 2]
    assert "no positives" in family.excluded()[3]


@pytest.mark.parametrize(
    ("part", "most", "amount", "expected"),
    [
        ("all", None, Amount(), [0, 1, 2]),
        ("odd", None, Amount(), [1]),
        ("even", None, Amount(), [0, 2]),
        ("all", 2, Amount(), [0, 1]),
        ("all", 2, Amount(full=True), [0, 1, 2]),
        ("all", None, Amount(fraction=0.01), [0]),
    ],
)
def test_which_classes(data: Path, part: str, most: int | None, amount: Amount, expected: list[int]) -> None:
    family = make_family("real", {"model": "one", "thinned": False}, data)
    assert choose(family, experiments.FamilyChoice("real", {}, part, most), amount) == expected


def test_no_label_can_be_reached_from_what_a_sampler_gets(data: Path) -> None:
    """A sampler sees (pool, history, metric); neither holds labels that were not told."""
    task = make_family("real", {"model": "one", "thinned": False}, data).load(1)
    assert list(inspect.signature(Sampler.propose).parameters) == ["self", "pool", "history", "metric"]
    held = [value for value in vars(task.pool).values() if isinstance(value, np.ndarray)]
    assert all(len(value) != len(task.labels) or not np.array_equal(value, task.labels) for value in held)


@pytest.mark.parametrize("name", experiments.names())
def test_every_shipped_experiment_is_sound(name: str) -> None:
    experiment = experiments.find(name)
    assert experiment.title
    assert experiment.paper
    for chosen in experiment.families:
        if chosen.family not in experiments.DATA_FOLDERS:
            assert units(experiments.Experiment(name, "", "", (chosen,)), None, Amount(fraction=0.01))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "must be TOML"),
        ("title = 'x'", "must name its families"),
        ("colour = 'x'", "keys must be among"),
        ("[[families]]\nmodel = 'a'", "must have family"),
        ("methods = ['acid']\n[[families]]\nfamily = 'real'", "sampler must be one of"),
        ("kind = 'x'\n[[families]]\nfamily = 'real'", "kind must be one of"),
        ("methods = ['acis', 'acis']\n[[families]]\nfamily = 'real'", "must be distinct"),
    ],
)
def test_a_bad_definition_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        experiments.parse("bad", text)


def test_summary_counts_the_undefined_as_zero_and_averages_over_tasks() -> None:
    values = [(1, 0.5, 0.5), (1, np.nan, 0.5), (2, 0.7, 0.5)]
    found = [rows.Row("f", c, "m", "own", i, 10, e, None, None, None, t, 0.0) for i, (c, e, t) in enumerate(values)]
    cell = summarise(rows.table_of(found))["f", "m", "own", 10]
    assert cell.square == pytest.approx(((0 + 0.25) / 2 + 0.04) / 2)
    assert cell.undefined == 0.25
    assert cell.coverage is None
    assert ratio(*paired(cell, cell)) == (1.0, 0.0)


@pytest.mark.parametrize("drawing", experiments.DRAWINGS)
def test_figures_are_drawn_and_not_empty(
    tiny: experiments.Experiment, finished: Path, tmp_path: Path, drawing: str
) -> None:
    cells = summarise(rows.read([finished]))
    if drawing == "finite":
        cells = {(f, "subset", t, n): cell for (f, m, t, n), cell in cells.items() if m == "acis"}
    shown = experiments.parse("tiny", TINY.replace('title = "tiny"', f'title = "tiny"\ndrawing = "{drawing}"'))
    if drawing == "choice":
        cells |= {(f, "a, b", t, n): cell for (f, _, t, n), cell in cells.items()}
        cells = {key: cell for key, cell in cells.items() if key[1] in ("acis", "a, b")}
        cells |= {(f, m, t, n + 25): cell for (f, m, t, n), cell in cells.items()}
        cells |= {(f, m, t, 70): cells[f, m, t, 30] for f, m, t, _ in cells}
        cells |= {(f, m, t, 150): cells[f, m, t, 30] for f, m, t, _ in cells}
    assert any(axis.lines for axis in figures.draw(shown, cells).axes)
    saved = figures.save(shown, cells, tmp_path)
    assert len(saved) == (2 if drawing == "error" else 1)
    assert all(path.stat().st_size > 10_000 for path in saved)


def errors_of(values: dict[str, list[float]], labels: tuple[int, ...] = experiments.GRID) -> Cells:
    """Cells of methods with these errors of their tasks."""
    found = [
        rows.Row("f", task, method, "own", 0, budget, 0.5 + error, None, None, None, 0.5, 0.0)
        for method, errors in values.items()
        for task, error in enumerate(errors)
        for budget in labels
    ]
    return summarise(rows.table_of(found))


NOISE = [0.10, 0.11, 0.09, 0.10, 0.12]


@pytest.mark.parametrize(
    ("acis", "expected"),
    [
        ([0.5 * error for error in NOISE], "holds"),
        ([2.0 * error for error in NOISE], "does not hold"),
        ([0.10, 0.10, 0.10, 0.11, 0.11], "undecided"),
    ],
)
def test_verdicts_on_claims(acis: list[float], expected: str) -> None:
    cells = errors_of({"acis": acis, "sawade": NOISE, "rand": NOISE, "topk": NOISE, "gmm": NOISE})
    claim = next(c for c in claims.CLAIMS if (c.where, c.says) == ("figure 4", "lowest error below 300 labels"))
    row = claim.row({"figure4": cells})
    assert row.split("|")[-2].strip() == expected
    assert row.split("|")[-4].strip() == "5"


def test_pairing_sees_what_two_separate_errors_hide() -> None:
    """Tasks differ a hundredfold; on each, one method is a tenth better."""
    cells = errors_of({"acis": [0.09, 0.009, 0.9], "gmm": [0.1, 0.01, 1.0]})
    value, error = ratio(*paired(cells["f", "acis", "own", 10], cells["f", "gmm", "own", 10]))
    assert value == pytest.approx(0.81)
    assert error == pytest.approx(0, abs=1e-12)


def test_settings_are_chosen_on_even_classes_and_reported_on_odd_ones() -> None:
    """The first candidate is better on even classes, the second on odd ones."""
    cells = errors_of(
        {"acis": [0.2] * 4, "gmm": [0.3] * 4, "x 1, y 1": [0.1, 0.4, 0.1, 0.4], "x 2, y 2": [0.2, 0.1, 0.2, 0.1]}
    )
    assert settings_choice.choose(cells) == "x 1, y 1"
    assert [check.true for check in settings_choice.chosen_beats("gmm")({"settings": cells})] == [False] * 3
    assert "x 1, y 1 (0.25); on odd classes: 4.00" in " ".join(settings_choice.choice_table(cells))


def test_one_method_against_the_others() -> None:
    cells = errors_of({"curve": [0.1, 0.1], "acis": [0.2, 0.2], "topk": [0.0, 0.0]}, (20, 30, 70, 150, 310, 600))
    shown = compare_table(cells, "curve")
    assert "| f (2) | 0.25 ± 0.00 acis; 0.01 to 0 topk; - |" in shown
    assert shown.endswith("| mean over families | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 |")
    assert "0.25 ± 0.00 acis; 0.25 ± 0.00 acis" in compare_table(
        {k: c for k, c in cells.items() if k[1] != "topk"}, "curve"
    )


def test_a_method_is_compared_with_the_better_acis_which_is_named() -> None:
    budgets = (20, 30, 70, 150, 310, 600)
    cells = errors_of({"curve": [0.1, 0.1], "acis": [0.3, 0.3], "acis stratum": [0.2, 0.2]}, budgets)
    shown = compare_table(cells, "curve")
    assert "| f (2) | 0.25 ± 0.00 acis stratum; " in shown
    assert shown.endswith("| mean over families | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 | 0.25 |")


def test_intervals_when_people_stop_at_the_first_narrow_one() -> None:
    """The first run is narrow at 20 labels and wrong there, the second at 50 and right; the third never is."""
    looks = {
        0: [(10, 0.1, 0.9), (20, 0.6, 0.7), (50, 0.4, 0.6)],
        1: [(20, 0.2, 0.8), (50, 0.45, 0.55)],
        2: [(50, 0, 1)],
    }
    found = [
        rows.Row("f", task, "m", "own", 0, labels, 0.5, 0.01, low, high, 0.5, 0.0)
        for task, entries in looks.items()
        for labels, low, high in entries
    ]
    shown = stopping_table(rows.table_of(found), "m").splitlines()[-1]
    assert (
        shown == "| f | 50% ± 50% at 35 labels, 67% of runs | 50% ± 50% at 35 labels, 67% of runs | 50% ± 50% at 35"
        " labels, 67% of runs | -, -, - |"
    )


def test_the_standard_error_of_a_coverage_of_all_runs_is_not_0() -> None:
    """Two tasks with five intervals that all hold: that of the share (5 + 1) / (5 + 2)."""
    found = [
        rows.Row("f", task, "m", "own", number, 10, 0.5, 0.01, 0.4, 0.6, 0.5, 0.1)
        for task, runs in ((1, 2), (3, 3))
        for number in range(runs)
    ]
    (cell,) = summarise(rows.table_of(found)).values()
    assert (cell.coverage, cell.coverage_error) == (1, pytest.approx(math.sqrt(6 / 7 * 1 / 7 / 5)))
    assert "| f | 100% ± 16% at 10 labels |" in stopping_table(rows.table_of(found), "m")
    (one,) = of_classes({("f", "m", "own", 10): cell}, lambda task: task == 3).values()
    assert math.isnan(one.coverage_error or 0), "one task has no standard error"


def test_labels_that_another_method_needs() -> None:
    line = [cell for key, cell in errors_of({"m": [0.1]}).items() if key[3] in (10, 100)]
    steps = [dataclasses.replace(cell, square=1 / cell.labels) for cell in line]
    assert comparisons.labels_needed(steps, 1 / 20) == pytest.approx(20)
    assert comparisons.labels_needed(steps, 1 / 5000) == pytest.approx(100), "never reached: the most that were tried"


def test_packed_rows_say_the_same(finished: Path, tmp_path: Path) -> None:
    exact = rows.read([finished])
    rows.pack(tmp_path / "tiny.parquet", exact)
    packed = rows.read([tmp_path / "tiny.parquet"])
    assert packed.num_rows == exact.num_rows
    before, after = summarise(exact), summarise(packed)
    assert set(before) == set(after)
    for key, cell in before.items():
        assert after[key].square == pytest.approx(cell.square, abs=1e-3 * max(cell.square, 1e-3) ** 0.5)
        assert (after[key].coverage is None) == (cell.coverage is None)


def test_subsets_say_how_far_a_labelled_pool_is_from_the_population(data: Path, tmp_path: Path) -> None:
    text = TINY.replace("budgets = [5, 10, 20]", "budgets = [100, 200]\nkind = 'subsets'").replace(
        'others = ["two"]', ""
    )
    found = rows.read([run(experiments.parse("subsets", text), tmp_path, data, workers=1)])
    assert pc.unique(found["labels"]).to_pylist() == [100, 200]
    assert pc.all(pc.greater(found["variance"], 0)).as_py()


def test_files_of_your_own(data: Path, tmp_path: Path) -> None:
    y = np.load(data / "labels.npz")["y"]
    np.save(tmp_path / "y.npy", y.astype(np.int64))
    logits = np.load(data / "one.npy").astype(np.float32)
    binary = {"scores": logits[:, 1], "predictions": logits.argmax(axis=1) == 1, "labels": y == 1}
    for name, column in binary.items():
        np.save(tmp_path / f"{name}.npy", column)
    start = ["bench", "run", "supplement2", "--workers", "1", "--out"]
    many = [*start, str(tmp_path / "many"), "--logits", str(data / "one.npy"), "--labels", str(tmp_path / "y.npy")]
    good(*many)
    files = [part for name in binary for part in (f"--{name}", str(tmp_path / f"{name}.npy"))]
    good(*start, str(tmp_path / "one"), *files)
    assert pc.unique(rows.read([tmp_path / "one" / "supplement2.parquet"])["category"]).to_pylist() == [0]
    wrong = invoke(*start, str(tmp_path / "wrong"), "--logits", str(data / "one.npy"))
    assert wrong.exit_code == 2
    assert "give --logits and --labels" in wrong.output
    scaled = invoke(*many, "--scale", "logit")
    assert scaled.exit_code == 2
    assert "--scale must be given with --scores: got 'logit'" in scaled.output


@pytest.mark.parametrize("missing", ["matplotlib", "pyarrow"])
@pytest.mark.parametrize("command", [["run", "hard", "--out"], ["figures"], ["report"], ["pack", "--to", "small"]])
def test_a_missing_extra_is_named(
    missing: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    result = invoke("bench", *command, str(tmp_path))
    assert result.exit_code == 2
    assert f"lowshot bench needs {missing}: pip install 'lowshot[bench]'" in result.output
    assert list(tmp_path.iterdir()) == []


def test_command_line(data: Path, tmp_path: Path) -> None:
    definition = tmp_path / "figure6.toml"
    definition.write_text(TINY)
    out = tmp_path / "out"
    assert "figure3" in invoke("bench", "list").output
    missing = invoke("bench", "run", str(definition), "--out", str(out))
    assert missing.exit_code == 2
    assert "--data must be given" in missing.output
    done = good("bench", "run", str(definition), "--out", str(out), "--data", str(data), "--workers", "1")
    assert "1 classes left out (3): no positives" in " ".join(done.output.split())
    good("bench", "figures", str(out))
    assert (out / "figure6.png").exists()
    told = good("bench", "report", str(out))
    assert "### one all, 3 tasks" in told.output
    assert "| acis, for own |" in told.output
    assert "truth in the 95 % interval" in told.output
    assert "lowest error below 600 labels | not run |" in told.output
    good("bench", "pack", str(out), "--to", str(tmp_path / "packed"))
    everything = good("bench", "report", str(tmp_path / "packed"), "--claims")
    assert "- for: one all at" in everything.output
    assert invoke("bench", "figures", str(tmp_path / "nowhere")).exit_code == 2
    assert invoke("bench", "run", "figure99", "--out", str(out)).exit_code == 2
