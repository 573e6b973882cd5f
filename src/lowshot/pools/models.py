"""Several scores of the same items: those of the models that are judged, and those that only help."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Scores
from lowshot.errors import InputError
from lowshot.pools import columns

ONLY = "model"  # the name of the model of a pool that has one score and one set of predictions
SHARED = "score"  # the name of a score that several models share
MOST_MODELS = 30
MOST_HELPERS = 10
GOALS = ("each", "best")  # words that name a goal, so that no model can have them as its name
ADVICE = "use threshold= to make them from scores"


def with_threshold(models: Iterable[str], threshold: Any) -> set[str]:
    """The models whose predictions a threshold makes; those of the others are given, or their own.

    >>> with_threshold(["v1", "v2"], None), sorted(with_threshold(["v1", "v2"], 0.5)), with_threshold(["a"], {"b": 0.5})
    (set(), ['v1', 'v2'], {'b'})
    """
    if isinstance(threshold, Mapping):
        return {*threshold}
    return set() if threshold is None else {*models}


class Judged(NamedTuple):
    """A model that is judged."""

    name: str
    score: str | None  # the name of its score; None: it has predictions only
    predictions: Flags


class Words(NamedTuple):
    """How errors call the arguments."""

    scores: str = "scores"
    predictions: str = "predictions"


class Roles(NamedTuple):
    """Which scores belong to models that are judged, which only help, and what users gave for each of them.

    >>> Roles.of({"v1": "a", "v2": "b", "clip": "c"}, None, {"v1": 0.5, "v2": 0.5})[:3]
    ({'v1': 'a', 'v2': 'b', 'clip': 'c'}, {'v1': 'v1', 'v2': 'v2'}, ('clip',))
    >>> Roles.of("a", None, {"strict": 0.7, "lax": 0.4})[:3]
    ({'score': 'a'}, {'strict': 'score', 'lax': 'score'}, ())
    """

    scores: dict[str, Any]  # by name, those of helpers too; arrays or names of columns
    judged: dict[str, str]  # the name of each model's score
    helpers: tuple[str, ...]
    threshold: dict[str, Any]  # by model
    predictions: dict[str, Any]
    said: dict[str, str]  # how errors call each score

    @classmethod
    def of(
        cls,
        scores: Any,
        predictions: Any,
        threshold: Any,
        helpers: Any = None,
        words: Words | None = None,
        both: bool = False,
    ) -> "Roles":
        """From what users pass; `both` allows predictions and a threshold for the same model."""
        words = words or Words()
        several = isinstance(scores, Mapping)
        extra = _named("helpers", {} if helpers is None else helpers)
        shared = SHARED
        while shared in extra:  # the score of models that share one has no name of its own
            shared += "_"
        given = _named(words.scores, scores) if several else {shared: scores}
        cut, flags = _rules("threshold", threshold), _rules(words.predictions, predictions)
        names = _names(given, several, cut, flags, words)
        _refuse_both(cut, flags, names, words, both)
        judged = [name for name in names if name in cut or name in flags]
        helping = [*(name for name in given if several and name not in judged), *extra]
        _refuse_numbers(judged, helping, [*names, *extra], words)
        said = {name: _of(words.scores, name, several) for name in given}
        said.update((name, _of("helpers", name, True)) for name in extra)
        own = {name: name if several else shared for name in judged}
        return cls({**given, **extra}, own, tuple(helping), cut, flags, said)

    @property
    def plain(self) -> bool:
        """Whether there is one score and one model, so that nothing has to be combined."""
        return len(self.judged) == 1 and len(self.scores) == 1


@dataclass(frozen=True, eq=False)
class Models:
    """The scores of a pool by name, the models that are judged, and the scores that help.

    >>> models = Models.of({"v1": [0.9, 0.2], "v2": [0.7, 0.6], "clip": [3.0, np.nan]}, None, {"v1": 0.5, "v2": 0.5})
    >>> models.names, models.helpers, models.judged[1].predictions.tolist(), models.missing
    (('v1', 'v2'), ('clip',), [True, True], {'clip': 1})
    """

    scores: dict[str, Scores]
    judged: tuple[Judged, ...]
    helpers: tuple[str, ...]  # names of scores; a value may be NaN, which means unknown

    @classmethod
    def of(cls, scores: Any, predictions: Any, threshold: Any, helpers: Any = None) -> "Models":
        """From what users pass: each argument is one value, or a mapping from names."""
        roles = Roles.of(scores, predictions, threshold, helpers)
        columns.aligned(**{roles.said[name]: values for name, values in roles.scores.items()})
        found = {
            name: columns.scores(values, roles.said[name])
            for name, values in roles.scores.items()
            if name not in roles.helpers
        }
        length = len(next(iter(found.values())))
        for name, values in roles.scores.items():
            if name in roles.helpers:
                found[name] = columns.helper(roles.said[name], values, length)
            columns.same_length(roles.said[name], len(found[name]), length)
        cut, flags = roles.threshold, roles.predictions
        models = [
            Judged(name, own, _predictions(name, found[own], cut.get(name), flags.get(name)))
            for name, own in roles.judged.items()
        ]
        return cls(found, tuple(models), roles.helpers)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models that are judged."""
        return tuple(model.name for model in self.judged)

    @property
    def missing(self) -> dict[str, int]:
        """How many values each helper lacks; without those that lack none."""
        counts = {name: int(np.isnan(self.scores[name]).sum()) for name in self.helpers}
        return {name: count for name, count in counts.items() if count}

    @property
    def plain(self) -> bool:
        """Whether there is one score and one model, so that nothing has to be combined."""
        return len(self.judged) == 1 and len(self.scores) == 1

    def find(self, name: Any) -> int:
        """The place of a model among those that are judged; an error if it is not among them."""
        return known_model(name, self.names, self.helpers)

    def with_model(self, model: Judged, score: Scores | None) -> "Models":
        """The same scores, with another model."""
        if model.name in (*self.names, *self.helpers):
            raise InputError(f"name must be that of a new model: the pool has {model.name!r} already; choose another")
        _refuse_numbers([*self.names, model.name], self.helpers, [model.name], Words())
        scores = self.scores if score is None else {**self.scores, model.name: score}
        return replace(self, scores=scores, judged=(*self.judged, model))

    def with_other(self, model: Judged) -> "Models":
        """The same with predictions that are judged now: their name does not matter, nor how many models there are."""
        return replace(self, judged=(*self.judged, model))

    def parts(self) -> list[bytes]:
        """All names and columns but those of the first model, for a fingerprint; nothing if there are no others."""
        if self.plain:
            return []
        found = [repr(self.names).encode(), repr([model.score for model in self.judged]).encode()]
        found += [np.packbits(model.predictions).tobytes() for model in self.judged[1:]]
        first = self.judged[0].score
        for name, values in self.scores.items():
            if name != first:
                found += [name.encode(), (values.astype(np.float64) + 0.0).tobytes()]
        return found

    def take(self, order: Any) -> "Models":
        """The same with the rows in another order."""
        scores = {name: values[order] for name, values in self.scores.items()}
        judged = tuple(model._replace(predictions=model.predictions[order]) for model in self.judged)
        return replace(self, scores=scores, judged=judged)


def known_model(name: Any, models: Sequence[str], helpers: Sequence[str]) -> int:
    """The place of a model among those that are judged; an error if it is not among them."""
    if name not in models:
        helps = "; it only helps: give it a threshold or predictions" if name in helpers else ""
        raise InputError(f"model must be one of {', '.join(models)}: got {name!r}{helps}")
    return models.index(name)


def described(
    items: int,
    predicted: Mapping[str, int],
    helpers: Sequence[str],
    missing: Mapping[str, int],
    left_out: Sequence[str],
) -> str:
    """A pool with several models or helpers in one line.

    >>> described(40, {"v1": 3}, ["clip", "luck"], {"clip": 2}, ["luck"])
    'Pool(40 items; predicted positive: v1 3; helpers: clip (missing for 2 items), luck (left out: ...))'
    """
    counts = ", ".join(f"{name} {count:,}" for name, count in predicted.items())
    notes = {name: f"missing for {count:,} items" for name, count in missing.items()}
    notes.update(dict.fromkeys(left_out, "left out: no clear agreement with the models"))
    words = [f"{name} ({notes[name]})" if name in notes else name for name in helpers]
    return f"Pool({items:,} items; predicted positive: {counts}{'; helpers: ' if words else ''}{', '.join(words)})"


def model_name(name: Any, what: str = "model") -> str:
    """The name of a model, checked."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"names of {what} must be texts that are not empty: got {name!r}")
    if name in GOALS:
        raise InputError(f"names of {what} must not be {' or '.join(map(repr, GOALS))}, which are goals: got {name!r}")
    return checks.storable(f"names of {what}", name)


def named_helpers(given: Any) -> dict[str, str]:
    """Columns of helpers by name: from a mapping, or from a list of columns, whose names are then those of the helpers.

    >>> named_helpers(["clip"]), named_helpers({"clip": "column_7"})
    ({'clip': 'clip'}, {'clip': 'column_7'})
    """
    return dict(given) if isinstance(given, Mapping) else {name: name for name in checks.listed("helpers", given)}


def _named(what: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must be a mapping from name to scores: got {type(given).__name__}")
    if what != "helpers" and not given:
        raise InputError(f"{what} must hold at least one model: got an empty mapping")
    return {model_name(name, what): values for name, values in given.items()}


def _rules(what: str, given: Any) -> dict[Any, Any]:
    """By the name of the model; under None, for every model."""
    if given is None:
        return {}
    return (
        {model_name(name, what): value for name, value in given.items()}
        if isinstance(given, Mapping)
        else {None: given}
    )


def _names(given: dict[str, Any], several: bool, cut: dict[Any, Any], flags: dict[Any, Any], words: Words) -> list[str]:
    """The names of what could be judged: of the scores, or, for one score, of its thresholds and predictions.

    A rule for every model is given to each of them.
    """
    ruled = [name for name in (*cut, *flags) if name is not None]
    names = list(given) if several else list(dict.fromkeys(ruled)) or [ONLY]
    for what, rules in (("threshold", cut), (words.predictions, flags)):
        if None in rules:
            if what == words.predictions and len(names) > 1:
                raise InputError(f"{what} must be a mapping from model to predictions where there are several scores")
            rules.update(dict.fromkeys(names, rules.pop(None)))
        for name in rules:
            if name not in names:
                raise InputError(f"{what} must be for one of the scores {', '.join(names)}: got one for {name!r}")
    return names


def _refuse_both(cut: dict[str, Any], flags: dict[str, Any], names: Sequence[str], words: Words, allowed: bool) -> None:
    both = [name for name in names if name in cut and name in flags]
    if both and not allowed:
        of = "" if both == [ONLY] else f" for {both[0]!r}"
        raise InputError(f"give either {words.predictions} or threshold{of}: got both")
    if not cut and not flags:
        raise InputError(
            f"give either {words.predictions} or threshold: got neither"
            + ("; scores without them only help, and at least one must be judged" if names != [ONLY] else "")
        )


def _refuse_numbers(judged: Sequence[str], helping: Sequence[str], every: Sequence[str], words: Words) -> None:
    if len(set(every)) < len(every):
        twice = next(name for name in every if list(every).count(name) > 1)
        raise InputError(f"helpers must have names of their own: {twice!r} is in {words.scores}, too")
    if len(judged) > MOST_MODELS:
        raise InputError(f"models must be at most {MOST_MODELS}: got {len(judged)}; judge fewer of them together")
    if len(helping) > MOST_HELPERS:
        raise InputError(f"helpers must be at most {MOST_HELPERS}: got {len(helping)}; leave out the weakest")


def _of(what: str, name: str, several: bool) -> str:
    return f"{what}[{name!r}]" if several else what


def _predictions(name: str, scores: Scores, threshold: Any, predictions: Any) -> Flags:
    if threshold is None:
        return columns.binary(
            "predictions" if name == ONLY else f"predictions[{name!r}]", predictions, len(scores), ADVICE
        )
    return predicted("threshold" if name == ONLY else f"threshold[{name!r}]", scores, threshold)


def predicted(what: str, scores: Scores, threshold: Any) -> Flags:
    """Which items have a score of at least the threshold; errors call it `what`."""
    return columns.frozen(columns.reaching(scores, checks.finite(what, threshold)))
