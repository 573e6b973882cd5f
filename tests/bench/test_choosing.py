"""Thresholds with a guarantee: the algorithms of others, the truth they are judged by, and the rows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest

import lowshot
from lowshot.core.types import Flags, Floats, Integers
from lowshot.pools.memory import Pool
from lowshot.sampler.curve import ENDS
from lowshot.tasks import finish
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.choosing import bargain, methods, supg
from lowshot_bench.choosing.chosen import Choose
from lowshot_bench.choosing.ranking import Ranking
from lowshot_bench.families import ImageRankings, PoolRankings
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer
from lowshot_bench.task_rows import rows_of

from ..helpers import good, refused
from .image_folder import image_folder
from .pool_folder import entry, pool_folder, write_index

TARGET, DELTA, RUNS = 0.9, 0.1, 200
CHOOSE: dict[tuple[str, str], Choose] = {
    ("supg", "recall"): supg.choose_recall,
    ("supg", "precision"): supg.choose_precision,
    ("bargain", "recall"): bargain.choose_recall,
    ("bargain", "precision"): bargain.choose_precision,
}


def pool(items: int = 3_000, share: float = 0.3, noise: float = 1.5, seed: int = 0) -> tuple[Floats, Flags]:
    """Probabilities and labels; positives are 4 above negatives in log-odds."""
    random = np.random.default_rng(seed)
    labels = random.random(items) < share
    return 1 / (1 + np.exp(2 - 4 * labels + noise * random.normal(size=items))), labels


# ---- the algorithms of others ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("peer", "wanted"), CHOOSE)
def test_a_peer_meets_its_target(peer: str, wanted: str) -> None:
    """In a share of 1 - DELTA of the runs, up to 3 standard errors; where labels abound, with less than everything."""
    scores, labels = pool()
    ranking, random = Ranking(scores, labels), np.random.default_rng(1)
    found = [CHOOSE[peer, wanted](scores, labels.__getitem__, 800, TARGET, DELTA, random) for _ in range(RUNS)]
    reached = [(ranking.recall_of if wanted == "recall" else ranking.precision_of)(each.kept) for each in found]
    assert np.mean(np.array(reached) >= TARGET) >= 1 - DELTA - 3 * math.sqrt(DELTA * (1 - DELTA) / RUNS)
    assert all(each.certified for each in found)
    oracle = ranking.smallest(TARGET) if wanted == "recall" else ranking.largest(TARGET)
    assert 0.75 * oracle < np.median([each.kept.sum() for each in found]) < 1.25 * oracle


@pytest.mark.parametrize(("peer", "wanted"), CHOOSE)
def test_a_peer_keeps_to_its_budget_and_returns_the_positives_that_it_saw(peer: str, wanted: str) -> None:
    scores, labels = pool(seed=2)
    seen: set[int] = set()

    def oracle(items: Integers) -> Flags:
        seen.update(items.tolist())
        return labels[items]

    first = CHOOSE[peer, wanted](scores, oracle, 300, TARGET, DELTA, np.random.default_rng(3))
    assert 0 < len(seen) <= 300
    assert first.kept[[item for item in seen if labels[item]]].all()
    again = CHOOSE[peer, wanted](scores, oracle, 300, TARGET, DELTA, np.random.default_rng(3))
    assert (first.kept == again.kept).all()
    bare = scores >= first.threshold
    assert (first.kept[bare]).all()
    assert labels[first.kept & ~bare].all()


@pytest.mark.parametrize(("peer", "wanted"), CHOOSE)
def test_a_peer_certifies_nothing_without_positives(peer: str, wanted: str) -> None:
    scores, labels = pool()[0], np.zeros(3_000, dtype=np.bool_)
    found = CHOOSE[peer, wanted](scores, labels.__getitem__, 100, TARGET, DELTA, np.random.default_rng(4))
    assert not found.certified
    assert found.kept.sum() == (3_000 if wanted == "recall" else 0)


def test_bargain_keeps_a_rare_category_whole() -> None:
    """29 positives in a row are needed: 1.0833^28 < 10 < 1.0833^29. Uniform draws do not find as many."""
    scores, labels = pool(20_000, share=0.005, noise=1.0)
    found = bargain.choose_recall(scores, labels.__getitem__, 400, TARGET, DELTA, np.random.default_rng(5))
    assert found.kept.all()
    assert not found.certified


def plain_stakes(labels: list[int], mean: float, items: int, delta: float) -> Iterator[float]:
    """The stake after each label, drawn without replacement, as Waudby-Smith and Ramdas write it."""
    stake = 1.0
    for number, label in enumerate(labels, start=1):
        before = labels[: number - 1]
        centre = (0.5 + sum(before)) / number
        variance = (0.25 + sum((x - centre) ** 2 for x in before)) / number
        left = (items * mean - sum(before)) / (items - number + 1)
        bet = math.sqrt(2 * math.log(2 / delta) / (number * math.log(number + 1) * variance))
        stake *= 1 + min(bet, 0.75 / left) * (label - left)
        yield stake


def test_bets_equal_a_plain_loop() -> None:
    labels = (np.random.default_rng(6).random(60) < 0.97).astype(int).tolist()
    stakes = list(plain_stakes(labels, 0.7, 500, DELTA))
    expected = (np.maximum.accumulate(stakes) >= 1 / DELTA).tolist()
    assert len(set(expected)) == 2
    found = [bargain._decided(np.array(labels[:n]) == 1, True, 500, 0.7, DELTA) for n in range(1, 61)]
    assert found == expected


def test_bets_against_the_true_mean_are_rarely_won() -> None:
    random = np.random.default_rng(7)
    labels = random.random((2_000, 200)) < TARGET
    won = bargain.surely_above(labels, np.full(labels.shape, TARGET), DELTA, np.full(200, 200.0))[:, -1]
    assert won.mean() <= DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / 2_000)


# ---- the truth -------------------------------------------------------------------------------------------------------


def test_a_ranking_equals_a_plain_loop() -> None:
    random = np.random.default_rng(8)
    scores, labels = random.integers(0, 20, 200) / 20, random.random(200) < 0.3
    ranking, sizes = Ranking(scores, labels), []
    for threshold, size, recall, precision in zip(
        sorted(set(scores), reverse=True), ranking.kept, ranking.recall, ranking.precision, strict=True
    ):
        above = scores >= threshold
        assert size == above.sum()
        assert recall == pytest.approx((above & labels).sum() / labels.sum())
        assert precision == pytest.approx(labels[above].mean())
        assert ranking.hits[size] == (above & labels).sum()
        sizes.append((int(size), float(recall), float(precision)))
    assert ranking.smallest(0.5) == min(size for size, recall, _ in sizes if recall >= 0.5)
    assert ranking.largest(0.3) == max(size for size, _, precision in sizes if precision >= 0.3)
    assert ranking.largest(1.0) == 0
    assert ranking.precision_of(np.zeros(200, dtype=np.bool_)) == 1


# ---- families --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pool_folder(tmp_path_factory.mktemp("pools"))


def test_every_ranking_is_taken_once(pools: Path, tmp_path: Path) -> None:
    family = PoolRankings(pools, half="both")
    names = [family.task_name(category) for category in family.categories()]
    assert sorted(names) == sorted(f"{d}/{m}/half" for d in ("cover", "skin", "wine", "onto") for m in ("good", "weak"))
    assert {family.load(category).alike for category in family.categories()} == {2}
    points = [("weak", "screen", 0.1), ("weak", "even", 0.4), ("good", "few", 0.9), ("good", "many", 0.1)]
    (tmp_path / "onto.parquet").write_bytes((pools / "onto.parquet").read_bytes())
    write_index(tmp_path, [entry("onto", *point) for point in points])
    few = PoolRankings(tmp_path, half="both")
    assert [few.task_name(category) for category in few.categories()] == ["onto/weak/even", "onto/good/few"]


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return image_folder(tmp_path_factory.mktemp("scores"), ["simclr"], items=3_000, classes=6, apart=3)


def test_classes_of_images_are_one_group(images: Path) -> None:
    family = ImageRankings(images, "simclr", thinned=False)
    assert family.categories() == [1, 3, 5]
    task = family.load(3)
    assert (task.family, task.name, task.alike) == ("images", "simclr/class 3/all", 3)
    assert ImageRankings(images, "simclr", half="choosing").group_of(2) == "simclr thinned"


# ---- rows ------------------------------------------------------------------------------------------------------------

BUDGETS = (100, 200, 400)


def experiment(*names: str) -> experiments.Experiment:
    family = "families = [{ family = 'pool_rankings', half = 'both', kinds = ['text'] }]"
    return experiments.parse("mine", f"kind = 'choose'\nbudgets = {list(BUDGETS)}\nmethods = {list(names)}\n{family}")


def test_rows_of_peers(pools: Path) -> None:
    family = PoolRankings(pools, half="both", kinds=["text"])
    category = family.categories()[0]
    task = family.load(category)
    found = {(r.method, r.target, r.labels): r for r in rows_of(experiment("supg", "bargain"), family, category)}
    ranking = Ranking(task.pool.scores.astype(float), task.labels)
    assert {labels for _, _, labels in found} == set(BUDGETS)
    assert {target for _, target, _ in found} == {
        f"{wanted} {what}" for wanted in ("recall", "precision") for what in ("set", "bare", "other", "kept")
    }
    for method in ("supg", "bargain"):
        for wanted, oracle in (("recall", ranking.smallest(0.9)), ("precision", ranking.largest(0.9))):
            kept, reached, other = (found[method, f"{wanted} {what}", 400] for what in ("kept", "set", "other"))
            assert (kept.truth, kept.low, kept.high) == (oracle, ranking.positives, 1500)
            recall, precision = (reached, other) if wanted == "recall" else (other, reached)
            hits = round(recall.estimate * ranking.positives)
            assert precision.estimate == pytest.approx(hits / kept.estimate, abs=2e-3)
            assert reached.truth == 0.9


@dataclass
class FakeEvaluation:
    """Keeps as many of the best items as it has labels, certified from 165 on; bands are 0.1 wide."""

    pool: Pool
    metric: str = "f1"
    sampler: str = "curve"
    seed: int = 0
    goal: Any = None
    labels: int = 0
    looks: list[int] = field(default_factory=list)

    def ask(self, most: int) -> list[int]:
        return list(range(self.labels, self.labels + most))

    def tell(self, items: list[int], answers: list[int]) -> None:
        self.labels += len(items)

    def choose_threshold(self, **wanted: float) -> SimpleNamespace:
        self.looks.append(self.labels)
        best = np.sort(self.pool.scores)[::-1]
        below, above = int(np.argmin(self.pool.scores)), int(np.argmax(self.pool.scores))
        return SimpleNamespace(
            threshold=float(best[self.labels - 1]),
            added=[below],
            removed=[above],
            certified=self.labels >= 165,
            probability=0.95,
        )

    def thresholds(self, **options: Any) -> SimpleNamespace:
        assert options == {"band": "simultaneous", "confidence": 0.95}
        kept = np.array([5, 10, 50, 500])
        order = np.argsort(-self.pool.scores, kind="stable")
        hits = np.cumsum(FAKE_LABELS[order])[kept - 1]
        shift = np.where(kept < 10, 1.0, 0.0) + (0.2 if self.labels == 310 else 0.0)  # below 10 items nothing counts
        curves = {"precision": hits / kept + shift, "recall": hits / FAKE_LABELS.sum()}
        bands = {name: SimpleNamespace(low=value - 0.05, high=value + 0.05) for name, value in curves.items()}
        return SimpleNamespace(kept=kept, **bands)


FAKE_SCORES, FAKE_LABELS = pool(1_000)
FAKE = Task("text", 0, Pool(FAKE_SCORES, threshold=0.5, scale="probability"), FAKE_LABELS, name="onto/good/half")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FakeEvaluation]:
    found: list[FakeEvaluation] = []

    def make(*arguments: Any, **options: Any) -> FakeEvaluation:
        found.append(FakeEvaluation(*arguments, **options))
        return found[-1]

    monkeypatch.setattr(methods, "Evaluation", make)
    monkeypatch.setattr(methods.lowshot, "Threshold", SimpleNamespace, raising=False)
    return found


def answered(method: str) -> dict[tuple[str, int], Answer]:
    found = methods.answers(experiment(method), FAKE, method, 7)
    return {(answer.target, answer.labels): answer for answer in found}


def test_a_goal_is_looked_at_after_every_round_until_it_is_certified(made: list[FakeEvaluation]) -> None:
    found = answered("posterior")
    assert [vars(evaluation.goal) for evaluation in made] == [
        {wanted: 0.9, "promise": "posterior", "confidence": 0.9} for wanted in ("recall", "precision")
    ]
    assert made[0].looks == [*(end for end in ENDS if end <= 165), 200, 400]
    assert {labels for target, labels in found if target == "recall first"} == {165}
    assert {labels for target, labels in found if target == "recall set"} == set(BUDGETS)
    assert {labels for target, labels in found if target == "recall band"} == {150, 310}
    assert [found["recall set", labels].warned for labels in BUDGETS] == [True, False, False]


def test_the_set_has_labelled_positives_and_lacks_labelled_negatives(made: list[FakeEvaluation]) -> None:
    found, ranking = answered("posterior"), Ranking(FAKE_SCORES, FAKE_LABELS)
    order = np.argsort(-FAKE_SCORES)
    kept = np.isin(np.arange(1_000), [*order[1:200], order[-1]])
    assert found["recall kept", 200].value == 200
    assert found["recall kept", 200].truth == ranking.smallest(0.9)
    assert found["recall set", 200].value == methods.down(ranking.recall_of(kept))
    assert found["recall other", 200].value == methods.down(ranking.precision_of(kept))
    assert found["recall bare", 200].value == methods.down(ranking.hits[200] / ranking.positives)
    assert found["precision set", 200].value == methods.down(ranking.precision_of(kept))
    assert found["recall first kept", 165].value == 165


def test_a_band_must_hold_both_curves_from_10_items_on(made: list[FakeEvaluation]) -> None:
    found = answered("plain")
    assert [found["f1 band", labels].value for labels in (150, 310)] == [1, 0]
    assert found["f1 band width", 150].value == pytest.approx(0.1)
    assert {target for target, _ in found if "first" in target} == set()
    assert {labels for target, labels in found if target == "precision kept"} == set(BUDGETS)


def test_without_a_threshold_recall_keeps_everything_and_precision_what_was_seen(
    made: list[FakeEvaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = SimpleNamespace(threshold=None, added=[3], removed=[], certified=False, probability=None)
    monkeypatch.setattr(FakeEvaluation, "choose_threshold", lambda self, **wanted: nothing)
    found = answered("design")
    assert found["recall kept", 100].value == 1_000
    assert found["precision kept", 100].value == 1
    assert {target for target, _ in found if "band" in target or "first" in target} == set()


@pytest.mark.slow
def test_answers_equal_a_plain_loop() -> None:
    found = answered("posterior"), answered("plain")
    ranking, goal = Ranking(FAKE_SCORES, FAKE_LABELS), lowshot.Threshold(recall=0.9, confidence=0.9)
    evaluation = finish(lowshot.Evaluation(FAKE.pool, seed=7, goal=goal), FAKE_LABELS, 200)
    plain = finish(lowshot.Evaluation(FAKE.pool, seed=7), FAKE_LABELS, 200)
    for answers, choice in (
        (found[0], evaluation.choose_threshold()),
        (found[1], plain.choose_threshold(recall=0.9, confidence=0.9)),
    ):
        kept, reached = (answers[f"recall {what}", 200] for what in ("kept", "set"))
        assert kept.value == choice.kept
        assert reached.probability == choice.probability
        assert reached.warned == (not choice.certified)
        members = set(np.flatnonzero(choice.threshold <= FAKE_SCORES).tolist())
        members = (members | set(choice.added)) - set(choice.removed)
        assert reached.value == methods.down(ranking.recall_of(np.isin(np.arange(1_000), list(members))))
    curve = finish(plain, FAKE_LABELS, 310).thresholds(band="simultaneous")
    many = curve.kept >= 10
    width = [(band.high - band.low)[many].mean() for band in (curve.precision, curve.recall)]
    assert found[1]["f1 band width", 310].value == pytest.approx(np.mean(width))


# ---- from the command line -------------------------------------------------------------------------------------------


def test_from_the_command_line(pools: Path, images: Path, tmp_path: Path) -> None:
    definition = tmp_path / "peers.toml"
    definition.write_text(
        "title = 'peers'\nkind = 'choose'\nruns = 4\nbudgets = [100, 200, 400]\nmethods = ['supg', 'bargain']\n"
        "families = [{ family = 'pool_rankings' }, { family = 'image_rankings', model = 'simclr', thinned = false }]"
    )
    out, packed = tmp_path / "results", tmp_path / "packed"
    both = ("--data", str(pools), "--data", str(images), "--half", "both", "--workers", "1", "--full")
    good("bench", "run", str(definition), "--out", str(out), *both)
    table = rows.read([out / "peers.parquet"])
    assert set(pc.unique(pc.cast(table["family"], "string")).to_pylist()) == {"images", "tabular", "text"}
    of_onto = table.filter(pc.equal(pc.cast(table["task"], "string"), "onto/good/half"))
    assert set(of_onto["repetition"].to_pylist()) == {0, 1}, "4 runs of 2 rankings"
    shown = good("bench", "report", str(out), "--thresholds").output
    assert "| simclr (6, 6) |" in shown
    assert shown in good("bench", "report", str(out)).output
    good("bench", "pack", str(out), "--to", str(packed))
    kept = [rows.read([folder / "peers.parquet"]).num_rows for folder in (out, packed)]
    assert kept[0] == kept[1]
    good("bench", "figures", str(out))


def test_what_is_refused_on_the_command_line(tmp_path: Path) -> None:
    files = ("--logits", str(tmp_path / "x.npy"), "--labels", str(tmp_path / "y.npy"))
    refused("not for choose, which needs --data", "bench", "run", "choose", "--out", str(tmp_path), *files)
    refused("--data must be given for choose", "bench", "run", "choose", "--out", str(tmp_path))
    with pytest.raises(Exception, match="methods of the kind choose must be among posterior, design, plain, supg"):
        experiment("acis")


def test_the_experiment(tmp_path: Path) -> None:
    choose = experiments.find("choose")
    assert (choose.kind, choose.apart, choose.runs, choose.budgets) == ("choose", True, 200, BUDGETS)
    assert [method.sampler for method in choose.methods] == ["posterior", "design", "plain", "supg", "bargain"]
    assert len(choose.data_folders) == 2
