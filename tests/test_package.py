"""The package `lowshot`: its public names, and what it loads."""

import pytest

import lowshot

from .programs import loaded

CURVE = """
from lowshot import Evaluation, Pool

scores = [number / 200 for number in range(200)]
evaluation = Evaluation(Pool(scores, threshold=0.9), sampler="curve")
while evaluation.labels < 30 and (items := evaluation.ask(30 - evaluation.labels)):
    evaluation.tell(items, [int(item > 185) for item in items])
assert evaluation.estimate().interval is not None
assert evaluation.plan(0.2).likely
"""


def test_public_names_occur_once() -> None:  # ruff sorts them
    assert len(lowshot.__all__) == len(set(lowshot.__all__))


@pytest.mark.parametrize("name", lowshot.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(lowshot, name) is not None
    assert name in dir(lowshot)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'lowshot' has no attribute 'Evaluator'"):
        lowshot.Evaluator  # noqa: B018


def test_the_package_alone_loads_nothing_heavy() -> None:
    assert loaded("import lowshot", ("numpy", "scipy", "sklearn", "pandas", "sqlalchemy", "typer")) == set()


def test_an_evaluation_in_memory_loads_numpy_and_scipy_only() -> None:
    """With the default sampler, from the first import to estimate and plan."""
    others = ("sklearn", "pandas", "pyarrow", "sqlalchemy", "matplotlib", "typer", "rich")
    assert loaded(CURVE, ("numpy", *others)) == {"numpy"}


def test_dir_has_public_names_only() -> None:
    assert dir(lowshot) == sorted([*lowshot.__all__, "__version__"])
