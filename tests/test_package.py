"""The package `lowshot`: its public names, and what it loads."""

import doctest
import inspect
import pydoc
import re
from collections.abc import Iterator
from typing import Any

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


def public() -> Iterator[tuple[str, Any]]:
    """Every public function and class that people call, and the public methods of these classes."""
    for name in lowshot.__all__:
        found = getattr(lowshot, name)
        if not inspect.isroutine(found) and not inspect.isclass(found):
            continue
        if inspect.isclass(found) and issubclass(found, Exception):
            continue
        yield name, found
        methods = inspect.getmembers(found, callable) if inspect.isclass(found) else []
        yield from ((f"{name}.{method}", each) for method, each in methods if not method.startswith("_"))


@pytest.mark.parametrize(("name", "found"), [pytest.param(*each, id=each[0]) for each in public()])
def test_help_shows_the_arguments_and_their_defaults(name: str, found: Any) -> None:
    """What `help(name)` and `name?` in a notebook print; both ask `inspect`."""
    arguments = inspect.signature(found).parameters.values()
    kinds = {each.kind for each in arguments if each.name != "self"}
    assert not kinds or kinds - {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    for each in arguments:
        shown = "" if each.default is each.empty else repr(each.default)
        assert not re.search(r"<|NOT_GIVEN", shown), f"{name}({each.name}={shown})"


def test_help_of_an_evaluation() -> None:
    shown = pydoc.plain(pydoc.render_doc(lowshot.Evaluation))
    head = " ".join(shown.splitlines()[2:4])
    assert re.search(r"Evaluation\(pool: .*, metric: .* = None, sampler: .* = None, seed: .* = None, \*, alpha", head)
    arguments = inspect.signature(lowshot.Evaluation).parameters
    assert [*arguments][:4] == ["pool", "metric", "sampler", "seed"]
    assert "NotGiven" not in shown


@pytest.mark.parametrize(("name", "found"), [pytest.param(*each, id=each[0]) for each in public()])
def test_the_first_example_has_the_default_sampler(name: str, found: Any) -> None:
    """Unless it is about samplers."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(found) or "")
    first = next((each.source for each in examples if "Evaluation(" in each.source), "")
    assert name == "Sampler" or "sampler=" not in first, first
