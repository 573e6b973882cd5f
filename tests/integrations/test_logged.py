"""What is logged of an evaluation, as plain data: it is what the evaluation says."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import ClassPool, Evaluation, InputError, Pool, Threshold
from lowshot.integrations.logged import gather
from lowshot.integrations.run_record import LONGEST_PARAM, Logged
from lowshot.tasks import finish

from ..small_evaluations import SCORES, TRUTH, pool_of, under_way

CAMERAS = ["north", "south", "east"] * 4
V2 = [0.9, 0.6, 0.3, 0.8, 0.55, 0.7, 0.2, 0.4, 0.1, 0.35, 0.15, 0.05]


def labelled(budget: int = 12, pool: Pool | None = None, **options: Any) -> Evaluation:
    return finish(Evaluation(pool or pool_of(), **options), TRUTH, budget)


def two_models(**options: Any) -> Evaluation:
    return labelled(10, Pool({"v1": SCORES, "v2": V2}, threshold=0.5), **options)


def test_value_interval_and_labels() -> None:
    evaluation = under_way(seed=3)
    found, estimate = gather(evaluation, confidence=0.9), evaluation.estimate(confidence=0.9)
    assert estimate.interval is not None
    low, high = estimate.interval.low, estimate.interval.high
    assert found.metrics == {"f1": estimate.value, "f1_low": low, "f1_high": high, "labels": 4.0}
    assert found.labels == 4
    assert found.results["estimates"] == [{"model": "model", **estimate.to_dict()}]
    assert found.notes["lowshot.text"] == str(estimate)
    assert found.notes["lowshot.confidence"] == "0.9"


def test_params_are_what_the_evaluation_began_with() -> None:
    evaluation = under_way(metric="f2", seed=3, sampler="acis")
    assert gather(evaluation).params == {
        "lowshot.metric": "f2",
        "lowshot.sampler": "acis",
        "lowshot.settings": json.dumps(evaluation.sampler.settings),
        "lowshot.seed": 3,
        "lowshot.pool": evaluation.pool.fingerprint,
        "lowshot.items": 12,
    }
    before = gather(evaluation, metric="recall").params
    finish(evaluation, TRUTH, 12)
    assert gather(evaluation, confidence=0.5).params == before, "they never change, as MLflow demands"


def test_long_params_are_cut_short() -> None:
    names = [f"a model with a long name, number {number}" for number in range(20)]
    pool = Pool(dict.fromkeys(names, SCORES), threshold=0.5)
    found = gather(Evaluation(pool, goal=names[0]))
    assert str(found.params["lowshot.models"]).endswith("...")
    assert len(str(found.params["lowshot.models"])) == LONGEST_PARAM
    assert found.results["evaluation"]["models"] == ", ".join(names), "the file has all of it"


@pytest.mark.parametrize("prefix", ["", "night/"])
def test_what_never_changes_tells_evaluations_apart(prefix: str) -> None:
    own = f"{prefix}lowshot."
    notes = {
        f"{own}evaluation": "birds",
        f"{own}began": "2026-11-18",
        f"{own}question": "Is it a crow?",
        f"{own}text": "f1",
    }
    found = Logged(4, {}, {f"{own}seed": 0}, {**notes, f"{own}verdict": None}, {}, {}, prefix)
    there = {**found.params, **notes, "lowshot.other": "x"}
    for same in (there, {}, {**there, f"{own}text": "another"}, {**there, f"{own}question": ""}):
        found.refuse_another(same, "run 1")
    for name, other in (("evaluation", "x"), ("began", "x"), ("question", "x" * 5000), ("seed", 7)):
        with pytest.raises(
            InputError, match=rf"run 1 must be a run without .*: it has {own}{name} = {str(other)[:9]}"
        ) as raised:
            found.refuse_another({**there, f"{own}{name}": other}, "run 1")
        assert len(str(raised.value)) < LONGEST_PARAM + 200


def test_several_metrics() -> None:
    evaluation = labelled(6)
    found = gather(evaluation, metric=["precision", lowshot.FBeta(alpha=0.25), "prevalence"])
    assert {name.removesuffix("_low").removesuffix("_high") for name in found.metrics} == {
        "precision", "f_alpha_0.25", "prevalence", "labels",
    }  # fmt: skip
    assert found.metrics["prevalence"] == evaluation.estimate("prevalence").value


def test_nothing_undefined_is_logged() -> None:
    found = gather(Evaluation(pool_of()))
    assert found.metrics == {"labels": 0.0}
    assert found.notes["lowshot.reason"] == Evaluation(pool_of()).estimate().reason
    pair = gather(Evaluation(two_models().pool, goal=("v1", "v2")))
    assert pair.metrics == {"labels": 0.0}
    assert "no labels yet" in (pair.notes["lowshot.reason"] or "")
    assert pair.notes["lowshot.verdict"] == "undecided"
    json.dumps([found.results, pair.results], allow_nan=False)


def test_a_sampler_without_an_interval() -> None:
    found = gather(labelled(5, sampler="topk"))
    assert set(found.metrics) == {"f1", "labels"}


def test_a_pair_of_models() -> None:
    evaluation = two_models(goal=("v1", "v2"))
    found, compared = gather(evaluation, margin=0.01), evaluation.compare("v1", "v2", margin=0.01)
    assert compared.interval is not None
    for name in ("v1", "v2"):
        assert found.metrics[f"{name}/f1"] == evaluation.estimate(model=name).value
    assert found.metrics["f1_difference"] == compared.value
    assert found.metrics["f1_difference_low"] == compared.interval.low
    assert found.metrics["f1_difference_high"] == compared.interval.high
    assert found.metrics["f1_probability_better"] == compared.probability
    assert found.notes["lowshot.verdict"] == compared.verdict
    assert found.results["comparisons"] == [compared.to_dict()]


def test_each_model_with_the_probability_of_being_the_best() -> None:
    evaluation = two_models(goal="best")
    shares = {row["model"]: row["best"] for row in evaluation.table().rows}
    found = gather(evaluation)
    assert {name: found.metrics[f"{name}/f1_probability_best"] for name in ("v1", "v2")} == shares
    assert found.notes["lowshot.verdict"] is None
    counts = gather(evaluation, metric="tp")
    assert set(counts.metrics) >= {"v1/tp", "v2/tp"}
    assert not [name for name in counts.metrics if "probability" in name]


def test_one_of_several_models_has_plain_names() -> None:
    evaluation = two_models()
    found = gather(evaluation, model="v2")
    assert found.metrics["f1"] == evaluation.estimate(model="v2").value
    assert not [name for name in found.metrics if "/" in name]
    with pytest.raises(InputError, match=r"it has lowshot.model = v2, and this one has v1"):
        gather(evaluation, model="v1").refuse_another(found.params, "run 1")


def test_names_of_models_that_trackers_refuse() -> None:
    pool = Pool({"a/b": SCORES, "a@b": V2, "..": V2}, threshold=0.5)
    found = gather(labelled(8, pool))
    assert {name.split("/")[0] for name in found.metrics} == {"a_b", "a_b_2", "_", "labels"}


def test_many_classes(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, size=300)
    pool = ClassPool(random.normal(size=(300, 3)) + 2 * np.eye(3)[truth], classes=["=heron", "crow", "wren"])
    evaluation = finish(Evaluation(pool), [pool.categories[place] for place in truth], 60)
    found = gather(evaluation)
    assert found.metrics["f1_macro"] == evaluation.estimate().value
    assert found.params["lowshot.classes"] == 3
    assert found.tables["categories"] == evaluation.table()
    found.write(tmp_path)
    header, first, *_ = (tmp_path / "categories.csv").read_text().splitlines()
    assert header.startswith("category,value,low,high")
    assert first.startswith(f"=heron,{evaluation.table().rows[0]['value']}")
    for options, message in (
        ({"model": "model"}, "model must be left out with many classes"),
        ({"margin": 0.1}, "margin must be left out with many classes: got 0.1"),
        ({"metric": "f1"}, "metric must be"),
    ):
        with pytest.raises(InputError, match=message):
            gather(evaluation, **options)  # type: ignore[arg-type]


def test_slices_are_tables(tmp_path: Path) -> None:
    evaluation = labelled(8, pool_of(slices={"camera no. 1": CAMERAS}))
    found = gather(evaluation)
    assert found.tables == {"slices-camera no. 1": evaluation.table("camera no. 1")}
    found.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["estimate.json", "slices-camera no. 1.csv"]
    both = labelled(8, Pool({"v1": SCORES, "v2": V2}, threshold=0.5, slices={"camera": CAMERAS}))
    assert set(gather(both).tables) == {"slices-v1-camera", "slices-v2-camera"}
    assert not gather(labelled(8, pool_of(slices={"camera": CAMERAS}), sampler="rand")).tables


def test_a_threshold_that_is_the_goal() -> None:
    evaluation = labelled(12, goal=Threshold(recall=0.6))
    found, choice = gather(evaluation), evaluation.choose_threshold()
    assert found.metrics["threshold"] == choice.threshold
    assert found.notes["lowshot.certified"] == ("yes" if choice.certified else "no")
    assert found.results["choice"] == choice.to_dict()
    assert gather(Evaluation(pool_of(), goal=Threshold(recall=0.6))).metrics == {"labels": 0.0}


def test_a_prefix_is_before_every_name() -> None:
    plain, found = gather(under_way()), gather(under_way(), prefix="night/val_")
    for kind in ("metrics", "params", "notes"):
        assert set(getattr(found, kind)) == {f"night/val_{name}" for name in getattr(plain, kind)}
    assert found.folder == "night/val_lowshot"


def test_warnings_are_notes() -> None:
    pool = Pool(np.linspace(1, 0, 400), threshold=0.9)
    truth = np.arange(400) % 2  # positives everywhere: the labels contradict the scores
    evaluation = finish(Evaluation(pool), truth, 60)
    warning = evaluation.estimate().warning
    assert warning
    assert gather(evaluation).notes["lowshot.warning"] == warning


def test_all_numbers_are_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody labels between two metrics."""
    evaluation = under_way()
    original = Evaluation.estimate

    def estimate(then: Evaluation, *arguments: Any, **named: Any) -> Any:
        answer = original(then, *arguments, **named)
        for item in evaluation.pending[:1]:
            evaluation.tell([item], [1])
        return answer

    monkeypatch.setattr(Evaluation, "estimate", estimate)
    found = gather(evaluation, metric=["f1", "recall"])
    assert [one["labels"] for one in found.results["estimates"]] == [4, 4]
    assert found.metrics["labels"] == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 2}, "confidence must be a number from 0.01 to 0.9999: got 2"),
        ({"margin": -1}, "margin must be a number from 0 to 1: got -1"),
        ({"metric": "accuracy"}, "metric must be one of f1"),
        ({"metric": []}, "metric must name at least one metric: got an empty list"),
        ({"model": "v3"}, "model must be"),
        *(({"prefix": bad}, "prefix must be letters") for bad in ("/x", "a//b", "../", "a b\n", "é!", 3)),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    evaluation = under_way()
    with pytest.raises(InputError, match=message):
        gather(evaluation, **options)
    assert not math.isnan(gather(evaluation).metrics["f1"])


def test_what_is_no_evaluation() -> None:
    with pytest.raises(InputError, match=r"evaluation must be a lowshot.Evaluation: got Pool"):
        gather(pool_of())  # type: ignore[arg-type]
