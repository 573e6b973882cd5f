"""What texts of options mean: --set, --prevalence, --recall and --like."""

import json
import math
from collections.abc import Sequence
from typing import Any

from lowshot.cli.opening import open_evaluation
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.prior import Prior
from lowshot.stored import is_new

PYTHON = {"True": "true", "False": "false", "None": "null"}  # --set accepts these words of Python, too


def settings(given: Sequence[str]) -> dict[str, Any]:
    """Settings of the sampler; values are JSON, or plain words.

    >>> settings(["anytime=true", "insurance=0.1", "reuse=paper"])
    {'anytime': True, 'insurance': 0.1, 'reuse': 'paper'}
    """
    pairs = [text.partition("=") for text in given]
    for name, equals, value in pairs:
        if not name or not equals:
            raise InputError(f"--set must be key=value: got {name + value!r}")
    return {name.strip(): _value(value.strip()) for name, _, value in pairs}


def _value(text: str) -> Any:
    try:
        found = json.loads(PYTHON.get(text, text))
    except ValueError:
        return text
    return tuple(found) if isinstance(found, list) else found


def known_beforehand(prevalence: str | None, recall: str | None, like: str | None) -> Prior | None:
    """What the user knows; None if nothing is given.

    >>> known_beforehand("0.0005:0.002", None, None).prevalence
    (0.0005, 0.002)
    """
    if prevalence is None and recall is None and like is None:
        return None
    ends = {"prevalence": _ends("--prevalence", prevalence), "recall": _ends("--recall", recall)}
    return Prior(**ends, like=None if like is None else _earlier(like))


def _earlier(like: str) -> Evaluation:
    """The evaluation that --like names."""
    where, name = split_name(like)
    try:
        return open_evaluation(where, name, read_only=True).evaluation
    except InputError as error:  # it names other arguments, because it is written for other commands
        raise InputError(f"--like must be a store with one evaluation, or STORE:NAME: got {like!r}; {error}") from error


def split_name(text: str) -> tuple[str, str | None]:
    """The store and the name of an evaluation in it; a path or an address may contain colons.

    >>> split_name("birds.db:august"), split_name("postgresql://host:5432/birds")
    (('birds.db', 'august'), ('postgresql://host:5432/birds', None))
    """
    folder, slash, last = text.rpartition("/")
    where, colon, name = last.rpartition(":")
    if not colon or ("://" not in text and not is_new(text)):
        return text, None
    return folder + slash + where, name


def _ends(option: str, text: str | None) -> tuple[float, float] | None:
    """Two shares, written as LOW:HIGH."""
    if text is None:
        return None
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low, high = math.nan, math.nan  # not two numbers: refused with those that are out of range
    if not 0 <= low < high <= 1:
        example = {"--prevalence": "0.0005:0.002", "--recall": "0.5:0.95"}[option]
        raise InputError(f"{option} must be two shares from 0 to 1, LOW:HIGH: got {text!r}; write {option} {example}")
    return low, high
