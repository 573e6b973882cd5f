"""What beliefs decided is kept with its round: whoever opens the store later continues it, whatever they believe."""

import json
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from lowshot import Evaluation, StoreError
from lowshot.sampler import Acis, Curve
from lowshot.store import Store, schema, sql_journal
from lowshot.tasks import finish, simulated

TASK = simulated()


def begun(store: Path, sampler: str) -> Evaluation:
    """In the middle of a round: three items of it are answered, and more of it are to come."""
    evaluation = finish(Evaluation(TASK.pool, sampler=sampler, seed=5, store=store), TASK.labels, 20)
    items = evaluation.ask(3)
    evaluation.tell(items, TASK.answer(items))
    return evaluation


def believe_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both samplers propose something else from now on."""
    order, calibrated = Curve._order, Acis._calibrated
    monkeypatch.setattr(Curve, "_order", lambda *arguments: order(*arguments)[::-1])
    monkeypatch.setattr(Acis, "_calibrated", lambda *arguments: np.sqrt(calibrated(*arguments)))


@pytest.mark.parametrize("sampler", ["curve", "acis"])
def test_a_round_goes_on_as_it_was_decided(sampler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = begun(tmp_path / "one.db", sampler).ask(4)
    begun(tmp_path / "two.db", sampler)
    believe_otherwise(monkeypatch)
    assert Evaluation(TASK.pool, store=tmp_path / "two.db").ask(4) == expected


@pytest.mark.parametrize("sampler", ["curve", "acis"])
def test_a_design_that_is_too_large_is_proposed_again(
    sampler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_journal, "LARGEST_DESIGN", 10)
    expected = begun(tmp_path / "one.db", sampler).ask(4)
    begun(tmp_path / "two.db", sampler)
    assert rows(tmp_path / "two.db") == {}
    assert Evaluation(TASK.pool, store=tmp_path / "two.db").ask(4) == expected


@pytest.mark.parametrize("sampler", ["curve", "acis"])
def test_a_round_that_cannot_be_continued_ends_with_what_was_asked(
    sampler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its design was not kept, and another version makes other draws: the next round begins, nothing is stuck."""
    monkeypatch.setattr(sql_journal, "LARGEST_DESIGN", 10)
    before = begun(tmp_path / "birds.db", sampler)
    value, pending = before.estimate().value, before.ask(2)
    believe_otherwise(monkeypatch)
    again = Evaluation(TASK.pool, store=tmp_path / "birds.db")
    assert again.estimate().value == value
    with pytest.raises(StoreError, match="answer the pending items, then the next round begins"):
        again.ask(1)
    again.tell(pending, TASK.answer(pending))
    with pytest.raises(RuntimeError, match="after a round was opened"):
        fail_after_asking(again)
    assert not again.journal.can_extend, "so the round that was there is still the last one"
    rounds, labels = len(again.history["rounds"]), again.labels
    assert len(finish(again, TASK.labels, labels + 30).history["rounds"]) > rounds
    reopened = Evaluation(TASK.pool, store=tmp_path / "birds.db")
    assert repr(reopened.estimate()) == repr(again.estimate())
    everything = finish(reopened, TASK.labels, len(TASK.pool))
    assert everything.estimate().value == pytest.approx(TASK.truth())


def fail_after_asking(evaluation: Evaluation) -> None:
    with evaluation.transaction():
        assert evaluation.ask(1)
        raise RuntimeError("after a round was opened")


def rows(store: Path) -> dict[int, dict[str, list[float]]]:
    with Store(store).engine.connect() as connection:
        found = connection.execute(select(schema.designs.c.round, schema.designs.c.decided)).all()
    return {row.round: json.loads(row.decided) for row in found}


def test_what_is_kept(tmp_path: Path) -> None:
    evaluation = begun(tmp_path / "birds.db", "curve")
    found = rows(tmp_path / "birds.db")
    rounds = evaluation.snapshot().rounds
    assert list(found) == [round_.number for round_ in rounds]
    for round_ in rounds:
        assert {name: values.tolist() for name, values in round_.design.decided.items()} == found[round_.number]
