"""All classes of a model at once: the family, what each method answers, and the rows."""

import math
from pathlib import Path

import numpy as np
import pytest

import lowshot
from lowshot.api import run as label
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.result import Table
from lowshot.tasks import finish
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.classes import counting, methods
from lowshot_bench.cli import some_pools
from lowshot_bench.families import ImageClasses
from lowshot_bench.families.image_classes import LARGEST, SEED, SMALLEST, thinned
from lowshot_bench.families.task import Classes
from lowshot_bench.run import Amount, not_run, run, units
from lowshot_bench.several.answers import Answer
from lowshot_bench.task_rows import rows_of

from ..helpers import good, refused
from .image_folder import image_folder

MODELS = ("simclr", "byol", "simclr_250", "swav")
HALVES = ("choosing", "reporting", "both")
ITEMS, CLASSES = 1_200, 6
TIMES = ("slowest round", "all rounds", "look")  # the only targets whose values are not the same in every run
ABOUT_CLASSES = {"class mean", "class square", "class held", "class width"}
ABOUT_TENTHS = {"fewest held", "worst named"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return image_folder(tmp_path_factory.mktemp("scores"), MODELS, ITEMS, CLASSES, apart=2)


def experiment(*names: str, model: str = "swav", runs: int = 2) -> experiments.Experiment:
    family = f"families = [{{ family = 'image_classes', model = '{model}', runs = {runs} }}]"
    return experiments.parse("mine", f"kind = 'classes'\nbudgets = [30, 60]\nmethods = {list(names)}\n{family}")


# ---- the family ------------------------------------------------------------------------------------------------------


def test_a_run_thins_every_class_alike_for_all_models(data: Path) -> None:
    tasks = [ImageClasses(data, model, half="both").load(3) for model in MODELS]
    with np.load(data / "labels.npz") as stored:
        y = stored["y"].astype(int)
    for model, task in zip(MODELS, tasks, strict=True):
        assert task.kept is not None
        assert task.classes is not None
        assert (task.kept == tasks[0].kept).all()
        assert (task.classes.labels == y[task.kept]).all()
        assert (task.classes.scores == np.load(data / f"{model}.npy")[task.kept]).all()
        assert (task.classes.pool.predicted_counts == task.classes.predicted).all()
        assert (task.family, task.name) == ("images", f"{model}/run 3/thinned")
    other = ImageClasses(data, "swav").load(4).kept
    assert other is not None
    assert tasks[0].kept is not None
    assert other.tolist() != tasks[0].kept.tolist()


def test_the_kept_shares_are_uniform_between_a_tenth_and_all() -> None:
    """10 runs of 200 classes with 1,000 items: the mean of n uniform numbers has the standard error w / sqrt(12 n)."""
    labels = np.repeat(np.arange(200), 1_000)
    shares = [np.bincount(labels[thinned(labels, 200, (SEED, run))]) / 1_000 for run in range(10)]
    found = np.concatenate(shares)
    assert SMALLEST - 1e-3 <= found.min() < 0.12
    assert 0.98 < found.max() <= LARGEST
    error = (LARGEST - SMALLEST) / math.sqrt(12 * len(found))
    assert abs(found.mean() - (SMALLEST + LARGEST) / 2) < 4 * error


def test_a_class_keeps_an_item_at_least() -> None:
    labels = np.arange(50)
    assert thinned(labels, 51, (SEED, 0)).all(), "classes with one item, and one without items"


def test_models_are_in_halves(data: Path) -> None:
    found = {model: {h: len(ImageClasses(data, model, 5, h).categories()) for h in HALVES} for model in MODELS}
    choosing, reporting = {"choosing": 5, "reporting": 0, "both": 5}, {"choosing": 0, "reporting": 5, "both": 5}
    assert found == {"simclr": choosing, "byol": choosing, "simclr_250": reporting, "swav": reporting}
    shipped = experiments.find("classes")
    assert [unit.choice.arguments["model"] for unit in units(shipped, data, Amount(fraction=0.01))] == [*MODELS[2:]]
    other = some_pools(shipped, "choosing", None, None)
    assert [unit.choice.arguments["model"] for unit in units(other, data, Amount(fraction=0.01))] == [*MODELS[:2]]
    assert [note.split(":")[0] for note in not_run(other, data)] == ["simclr_250 classes", "swav classes"]
    with pytest.raises(InputError, match="category must be a run of the half 'reporting': got 0"):
        ImageClasses(data, "byol").load(0)


def test_one_class_against_the_rest(data: Path) -> None:
    """In run 4 the fifth class; predicted from a probability of 0.5 on."""
    task = ImageClasses(data, "swav").load(4)
    assert task.classes is not None
    assert (task.labels == (task.classes.labels == 4)).all()
    likely = np.exp(task.classes.scores[:, 4].astype(float)) >= 0.5
    assert (task.pool.predictions == likely).all()
    pool = methods.two_classes(task)
    assert pool.categories == ("rare", "rest")
    assert pool.predicted_counts.tolist() == [likely.sum(), (~likely).sum()]


# ---- counts and summaries --------------------------------------------------------------------------------------------


def small(labels: list[int], predictions: list[int], classes: int) -> Classes:
    return Classes(np.zeros((len(labels), classes)), np.array(labels), np.array(predictions))


def plain_f1(labels: Integers, predictions: Integers, place: int) -> float:
    right = sum(one == two == place for one, two in zip(labels, predictions, strict=True))
    below = sum(one == place for one in labels) + sum(one == place for one in predictions)
    return float(2 * right / below) if below else math.nan


def test_counts_equal_a_plain_loop() -> None:
    random = np.random.default_rng(1)
    labels, predictions = random.integers(0, 9, 40), random.integers(0, 9, 40)
    each = [plain_f1(labels, predictions, place) for place in range(12)]
    assert math.isnan(each[-1])
    assert counting.macro_f1(labels, predictions, 12) == pytest.approx(np.nanmean(each))
    found = small(labels.tolist(), predictions.tolist(), 12).truth
    assert found == pytest.approx(np.nan_to_num(each))


def test_the_bootstrap_interval_equals_a_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    labels = random.integers(0, 4, 60)
    predictions = np.where(random.random(60) < 0.6, labels, random.integers(0, 4, 60))
    whole = counting.interval(labels, predictions, 5, np.random.default_rng(3))
    drawn = np.random.default_rng(3).integers(60, size=(counting.AGAIN, 60))
    plain = [counting.macro_f1(labels[each], predictions[each], 5) for each in drawn]
    assert whole == pytest.approx(np.quantile(plain, [0.025, 0.975]))
    monkeypatch.setattr(counting, "BLOCK", 60 * 7)
    assert counting.interval(labels, predictions, 5, np.random.default_rng(3)) == pytest.approx(whole)


def test_a_summary_of_classes() -> None:
    """20 classes: tenths have two. Classes 0 and 1 have the fewest positives, 18 and 19 the lowest truth."""
    truth, positives = np.linspace(0.9, 0.1, 20), np.arange(20)
    value = truth + 0.1
    value[[0, 19]] = [0.0, 0.5]  # the best class seems to be the worst one
    low, high = value - 0.15, value + 0.05
    found = {answer.target: answer for answer in methods._summary(60, value, low, high, truth, positives)}
    assert {*found} == ABOUT_CLASSES | ABOUT_TENTHS
    assert found["class square"].value == pytest.approx((18 * 0.01 + 0.81 + 0.16) / 20)
    assert found["class held"].value == pytest.approx(18 / 20)
    assert found["class width"].value == pytest.approx(0.2)
    assert found["fewest held"].value == pytest.approx(1 / 2)
    assert found["worst named"].value == pytest.approx(1 / 2)
    assert (found["class mean"].value, found["class mean"].truth) == pytest.approx((value.mean(), truth.mean()))


def test_what_is_missing_in_a_table_counts_as_unknown() -> None:
    missing = {"category": "a", "value": None, "low": None, "high": None}
    known = {"category": "b", "value": 0.5, "low": 0.25, "high": 0.75}
    table = Table("f1", 0.95, 10, (missing, known), "category", None)
    assert [column.tolist() for column in methods.columns(table)] == [[0.0, 0.5], [0.0, 0.25], [1.0, 0.75]]


def test_single_evaluations_are_spread_over_class_sizes() -> None:
    """200 classes of 1 to 200 items, of which the last is never predicted: one of each ten, in the order of sizes."""
    labels = np.repeat(np.arange(200), np.arange(1, 201))
    predictions = np.where(labels == 199, 0, labels)
    classes = small(labels.tolist(), predictions.tolist(), 200)
    found = [methods.spread(classes, np.random.default_rng(seed)) for seed in range(50)]
    assert {tuple(place // 10 for place in each) for each in found} == {tuple(range(20))}
    assert len({tuple(each) for each in found}) == 50
    assert 199 not in {place for each in found for place in each}


# ---- methods and rows ------------------------------------------------------------------------------------------------


def answered(data: Path, method: str) -> dict[tuple[str, int], Answer]:
    task = ImageClasses(data, "swav").load(1)
    found = methods.answers(experiment(method), task, method, 7)
    return {(answer.target, answer.labels): answer for answer in found}


@pytest.mark.parametrize("method", ["classes", "each"])
def test_one_evaluation_is_looked_at_twice(data: Path, method: str) -> None:
    found = answered(data, method)
    assert {*found} == {(t, n) for t in {"macro", *ABOUT_CLASSES, *ABOUT_TENTHS, *TIMES} for n in (30, 60)}
    classes = ImageClasses(data, "swav").load(1).classes
    assert classes is not None
    evaluation = lowshot.Evaluation(classes.pool, "f1_macro", seed=7, goal="each" if method == "each" else None)
    for labels in (30, 60):
        label(evaluation, classes.answer, labels)
        macro = evaluation.estimate()
        assert macro.interval is not None
        answer = found["macro", labels]
        assert (answer.value, answer.low, answer.high) == (macro.value, macro.interval.low, macro.interval.high)
        assert answer.truth == classes.truth.mean()
        values = np.array([row["value"] for row in evaluation.table().rows])
        assert found["class square", labels].value == pytest.approx(((values - classes.truth) ** 2).mean())
    assert found["all rounds", 60].value > found["all rounds", 30].value >= found["slowest round", 30].value > 0


def test_random_labels_estimate_macro_f1(data: Path) -> None:
    found = answered(data, "random")
    assert {*found} == {("macro", 30), ("macro", 60)}
    for answer in found.values():
        assert answer.low is not None
        assert answer.high is not None
        assert 0 < answer.low < answer.high < 1
    task = ImageClasses(data, "swav").load(1)
    assert task.classes is not None
    everything = experiments.parse(
        "mine",
        f"kind = 'classes'\nbudgets = [{len(task.classes.labels)}, 5000]\nmethods = ['random']\n"
        "families = [{ family = 'image_classes', model = 'swav' }]",
    )
    whole = list(methods.answers(everything, task, "random", 7))
    assert [answer.labels for answer in whole] == [len(task.classes.labels)], "a pool has no more labels than items"
    assert whole[0].value == pytest.approx(whole[0].truth)


def test_single_evaluations_have_their_share_of_the_labels(data: Path) -> None:
    found = answered(data, "single")
    assert {*found} == {(target, 60 // CLASSES) for target in ABOUT_CLASSES}
    assert 0 < found["class width", 10].value <= 1


def test_two_classes_beside_a_pool(data: Path) -> None:
    found, task = answered(data, "pair"), ImageClasses(data, "swav").load(1)
    assert {*found} == {("pair classes", 100), ("pair pool", 100)}
    assert {answer.truth for answer in found.values()} == {task.truth()}
    plain = finish(lowshot.Evaluation(task.pool, sampler="curve", seed=7), task.labels, 100)
    assert found["pair pool", 100].value == plain.estimate().value


def test_the_same_seed_gives_the_same_rows(data: Path) -> None:
    family, mine = ImageClasses(data, "swav"), experiment("classes", "each", "random", "single", "pair")

    def comparable(category: int) -> list[rows.Row]:
        found = rows_of(mine, family, category)
        assert {row.task for row in found} == {f"swav/run {category}/thinned"}
        return [row._replace(seconds=0.0, truth=_same(row.truth)) for row in found if row.target not in TIMES]

    assert comparable(0) == comparable(0)
    assert [row.estimate for row in comparable(0)] != [row.estimate for row in comparable(1)]


def _same(truth: float) -> float | None:
    """NaN is not equal to itself."""
    return None if math.isnan(truth) else truth


def test_a_run_continues_after_an_interruption(data: Path, tmp_path: Path) -> None:
    """One file per run, since runs are slow; an interruption loses one of them at most."""
    mine = experiment("random")
    run(mine, tmp_path, data, workers=1)
    parts = sorted((tmp_path / "mine").glob("*.parquet"))
    assert len(parts) == 2
    kept, written = parts[0].read_bytes(), rows.read([tmp_path / "mine.parquet"]).drop_columns("seconds")
    parts[1].unlink()
    run(mine, tmp_path, data, workers=1)
    assert parts[0].read_bytes() == kept
    assert rows.read([tmp_path / "mine.parquet"]).drop_columns("seconds").equals(written)


# ---- the command line ------------------------------------------------------------------------------------------------


def test_the_commands(data: Path, tmp_path: Path) -> None:
    definition = tmp_path / "tiny.toml"
    definition.write_text(
        "kind = 'classes'\ntitle = 'tiny'\nbudgets = [30, 60]\nmethods = ['classes', 'random', 'single', 'pair']\n"
        "families = [{ family = 'image_classes', model = 'swav', runs = 2 },"
        " { family = 'image_classes', model = 'byol', runs = 2 }]"
    )
    out = tmp_path / "out"
    told = good("bench", "run", str(definition), "--out", str(out), "--data", str(data), "--workers", "1").output
    assert "byol is for choosing" in told
    shown = good("bench", "report", str(out), "--classes").output
    assert "| swav | macro F1, 60 labels: root mean squared error |" in shown
    assert "byol" not in shown
    good("bench", "pack", str(out), "--to", str(tmp_path / "small"))
    refused("--classes needs rows of classes", "bench", "report", str(_other(tmp_path, data)), "--classes")
    own = ("--logits", "a.npy", "--labels", "b.npy")
    refused("not for classes, which needs --data", "bench", "run", "classes", "--out", str(out), *own)


def _other(folder: Path, data: Path) -> Path:
    """Rows of another experiment."""
    definition = folder / "other.toml"
    definition.write_text(
        "kind = 'floor'\nbudgets = [20]\nfamilies = [{ family = 'real', model = 'swav', thinned = false, most = 1 }]"
    )
    good("bench", "run", str(definition), "--out", str(folder / "rest"), "--data", str(data), "--workers", "1")
    return folder / "rest"
