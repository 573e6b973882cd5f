"""Samplers by name, and from other packages."""

from importlib.metadata import EntryPoint

import pytest

import lowshot
from lowshot import InputError
from lowshot.sampler import Rand, registry


class Mine(Rand):
    name = "mine"


def offer(monkeypatch: pytest.MonkeyPatch, name: str) -> registry.Registry:
    entry = EntryPoint(name, f"{__name__}:Mine", registry.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: Mine)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    return registry.Registry()


def test_the_names_of_the_paper_are_there() -> None:
    assert list(lowshot.samplers) == [
        "curve",
        "acis",
        "acis_last",
        "acis_platt",
        "sawade",
        "rand",
        "iso",
        "platt",
        "topk",
        "gmm",
        "herding",
    ]


def test_another_package_can_offer_a_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    found = offer(monkeypatch, "mine")
    assert found["mine"] is Mine
    assert "mine" in found


def test_a_name_that_is_taken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"sampler names must be distinct.*'rand'"):
        offer(monkeypatch, "rand")["acis"]


def test_a_broken_package_breaks_only_its_own_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("broken", "no_such_package:Sampler", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    found = registry.Registry()
    assert "broken" in repr(found)
    assert found["acis"].name == "acis"
    with pytest.raises(InputError, match="'broken' cannot be loaded"):
        found["broken"]


@pytest.mark.parametrize("value", ["numpy:ndarray", "lowshot.sampler:Rand", "numpy:pi"])
def test_an_entry_point_must_be_a_sampler_of_its_name(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: [EntryPoint("mine", value, registry.GROUP)])
    with pytest.raises(InputError, match="'mine' must be a Sampler of that name"):
        registry.Registry()["mine"]
