"""Where tasks come from: real score files, a documented generator, and the user's own files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lowshot.errors import InputError
from lowshot_bench.families.own import BinaryFamily, LogitsFamily
from lowshot_bench.families.real import RealFamily
from lowshot_bench.families.simulated import SimulatedFamily
from lowshot_bench.families.task import Family, Task

__all__ = ["BinaryFamily", "Family", "LogitsFamily", "RealFamily", "SimulatedFamily", "Task", "make_family"]

KINDS = {"simulated": SimulatedFamily, "logits": LogitsFamily, "binary": BinaryFamily}


def make_family(kind: str, arguments: Mapping[str, Any], data: str | Path | None = None) -> Family:
    """A family from plain arguments; `data` is the folder of the real score files.

    >>> make_family("simulated", {"name": "easy", "model": "b"}).name
    'easy b'
    >>> make_family("real", {"model": "simclr"})
    Traceback (most recent call last):
    lowshot.errors.InputError: data must be the folder of the real score files: got None; ...
    """
    if kind == "real":
        if data is None:
            raise InputError("data must be the folder of the real score files: got None; give its path")
        return _made(kind, RealFamily, {"folder": data, **arguments})
    if kind not in KINDS:
        raise InputError(f"family must be one of real, {', '.join(KINDS)}: got {kind!r}")
    return _made(kind, KINDS[kind], arguments)


def _made(kind: str, family: Any, arguments: Mapping[str, Any]) -> Family:
    try:
        made: Family = family(**arguments)
    except TypeError as error:
        raise InputError(
            f"family {kind} cannot be made with {', '.join(arguments) or 'no arguments'}: {error}"
        ) from None
    return made
