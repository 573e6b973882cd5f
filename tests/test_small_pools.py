"""Small pools of every kind, labelled to the last item with answers of every kind: nothing fails on the way."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lowshot import Evaluation, Pool, samplers

QUIET = settings(derandomize=True, deadline=None, max_examples=60)
THIRD = 3


@pytest.mark.parametrize("seed", range(15))
def test_every_third_answer_is_cannot_tell(seed: int) -> None:
    """The default sampler must not count such items as open: near the end of the pool it drew from empty groups."""
    random = np.random.default_rng(seed)
    truth = random.random(80) < 0.2
    pool = Pool(random.normal(size=80) + 2 * truth, threshold=1.5)
    evaluation = Evaluation(pool, seed=seed)
    while items := evaluation.ask():
        skip = evaluation.labels % THIRD == 0
        evaluation.tell(items, [None if skip else truth[item] for item in items])
    assert evaluation.labels == len(pool)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """1 to 10 items: tied or not, weighted, grouped or plain, predicted in any way."""
    size = draw(st.integers(1, 10))
    scores = draw(st.lists(st.sampled_from([0.05, 0.1, 0.35, 0.6, 0.8, 0.99]), min_size=size, max_size=size))
    distinct = np.array(scores) + (np.arange(size) / 1000 if draw(st.booleans()) else 0)
    flags = st.sampled_from([st.just(True), st.just(False), st.booleans()]).flatmap(
        lambda flag: st.lists(flag, min_size=size, max_size=size)
    )
    columns: dict[str, Any] = {"scores": distinct, "predictions": draw(flags), "scale": "probability"}
    kind = draw(st.sampled_from(["plain", "weighted", "grouped"]))
    if kind == "weighted":
        columns["weights"] = draw(st.lists(st.floats(1e-6, 1e6), min_size=size, max_size=size))
    if kind == "grouped":
        columns |= {"levels": draw(st.integers(1, 4)), "head": draw(st.integers(0, 4))}
    return Pool(**columns)


@pytest.mark.filterwarnings("ignore:the pool has no features")
@pytest.mark.parametrize("sampler", [*samplers])
@QUIET
@given(pool=pools(), metric=st.sampled_from(["f1", "precision", "recall"]), data=st.data())
def test_any_answers_to_the_last_item(sampler: str, pool: Pool, metric: str, data: st.DataObject) -> None:
    assume(pool.levels is None or sampler != "herding")  # which is refused: grouped items have no features
    answers = st.sampled_from([0, 1, None])
    known = data.draw(st.dictionaries(st.integers(0, len(pool) - 1), st.sampled_from([0, 1])), label="known")
    evaluation = Evaluation(pool, metric, sampler, data.draw(st.integers(0, 3), label="seed"), known=known)
    while items := evaluation.ask(data.draw(st.integers(1, 4), label="ask")):
        evaluation.tell(items, [data.draw(answers, label=f"answer to {item}") for item in items])
    answered = np.array([*evaluation.history["labels"]], dtype=np.int64)
    matters = pool.predictions if metric == "precision" else np.ones(len(pool), dtype=np.bool_)
    assert pool.predicted_positives == 0 or matters[answered].sum() == matters.sum()
