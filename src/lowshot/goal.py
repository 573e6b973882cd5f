"""What labels are spent on: a model, each of several, the difference of two, which is the best, or a threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lowshot import checks
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.metric import FBeta, f_metric
from lowshot.pools.models import GOALS

NAMED = 5  # categories of a goal that are written out
EACH, BEST = GOALS
PROMISES = ("posterior", "design")
READINGS = ("set", "bare")


@dataclass(frozen=True)
class Threshold:
    """A goal: find a threshold that reaches a target, and spend the labels where that is decided.

    >>> Threshold(recall=0.9)
    Threshold(recall=0.9)
    >>> Threshold(recall=1.5)
    Traceback (most recent call last):
    lowshot.errors.InputError: recall must be ...

    recall      of what is kept: at least this
    precision   of what is kept: at least this
    maximise    "f1" or another F: the threshold where it is largest, among those that reach the targets
    promise     "posterior": as for every interval, it rests on what is believed about scores; "design": it rests on how
                items are drawn, whatever the scores are, and takes far more labels
    confidence  the probability with which a certified threshold reaches the targets
    reading     what has to reach the targets. "set": the items above the threshold, with labelled positives below and
                without labelled negatives above, which is what somebody gets who has the labels; "bare": the items
                above the threshold, which says more about items to come
    model       which of several models
    """

    recall: float | None = None
    precision: float | None = None
    maximise: str | None = None
    promise: str = "posterior"
    confidence: float = 0.95
    reading: str = "set"
    model: str | None = None

    def __post_init__(self) -> None:
        wanted = {"recall": self.recall, "precision": self.precision}
        for name, target in wanted.items():
            if target is not None:
                object.__setattr__(self, name, _target(name, target))
        if self.maximise is not None:
            object.__setattr__(self, "maximise", _maximised(self.maximise).name)
        if self.recall is None and self.precision is None and self.maximise is None:
            raise InputError("a threshold needs a target: got none; give recall=, precision= or maximise=")
        checks.choice("promise", self.promise, PROMISES)
        checks.choice("reading", self.reading, READINGS)
        checks.number("confidence", self.confidence, 0.5, 0.9999)
        if self.by_design and self.reading != "set":
            raise InputError(
                "reading must be 'set' with promise 'design', which certifies what is kept together with the labels:"
                f" got {self.reading!r}"
            )
        if self.by_design and (self.maximise is not None or None not in wanted.values()):
            raise InputError(
                f"promise 'design' certifies one target, recall= or precision=: got {self!r}; give one of them, or"
                " promise='posterior'"
            )

    def __repr__(self) -> str:
        given = {"recall": self.recall, "precision": self.precision, "maximise": self.maximise}
        given |= {"promise": self.promise} if self.by_design else {}
        given |= {"confidence": self.confidence} if self.confidence != 0.95 else {}
        given |= {"reading": self.reading} if self.reading != "set" else {}
        given |= {"model": self.model}
        return f"Threshold({', '.join(f'{name}={one!r}' for name, one in given.items() if one is not None)})"

    @property
    def by_design(self) -> bool:
        return self.promise == "design"

    @property
    def metric(self) -> FBeta | None:
        """What is maximised."""
        return None if self.maximise is None else f_metric(self.maximise)

    @property
    def targets(self) -> dict[str, float]:
        """What has to be reached, by name.

        >>> Threshold(recall=0.9, maximise="f1").targets
        {'recall': 0.9}
        """
        both = {"recall": self.recall, "precision": self.precision}
        return {name: target for name, target in both.items() if target is not None}

    @property
    def words(self) -> str:
        """For people.

        >>> Threshold(recall=0.9, precision=0.5).words, Threshold(maximise="f1").words
        ('recall of at least 0.9 and precision of at least 0.5', 'the largest f1')
        """
        parts = [f"{name} of at least {target:g}" for name, target in self.targets.items()]
        parts += [] if self.maximise is None else [f"the largest {self.maximise}"]
        return " and ".join(parts)

    @property
    def details(self) -> str:
        """What is not usual about it, for people."""
        promised = ", promised by design" if self.by_design else ""
        return promised + (", of the threshold alone" if self.reading == "bare" else "")

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without what was not given.

        >>> Threshold(recall=0.9).to_dict()
        {'recall': 0.9, 'promise': 'posterior', 'confidence': 0.95, 'reading': 'set'}
        """
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def of(cls, stored: Any) -> Any:
        """The goal of which a store has the fields as plain data; any other goal as it is."""
        return cls(**stored) if isinstance(stored, Mapping) else stored


# A model, "each" or "best"; (baseline, candidate), or the names of categories; or a threshold
Goal = str | tuple[Any, ...] | Threshold


def _target(name: str, target: Any) -> float:
    found = checks.number(name, target, 0.0, 1.0)
    if found == 0:
        raise InputError(f"{name} must be above 0 and at most 1: got {target!r}; every threshold reaches 0")
    return found


def _maximised(name: Any) -> FBeta:
    try:
        found = f_metric(name)
    except InputError:
        found = None
    if found is None or found.alpha in (0.0, 1.0):
        raise InputError(
            f"maximise must be f1, f2, f0.5 or another f followed by beta: got {name!r}; recall is largest where"
            " everything is kept"
        )
    return found


def goal_of(given: Any, models: Sequence[str]) -> Goal:
    """The goal, checked; without one, the only model, or each of several.

    >>> goal_of(None, ["v1", "v2"]), goal_of(["v1", "v2"], ["v1", "v2"]), goal_of(None, ["v1"])
    ('each', ('v1', 'v2'), 'v1')
    """
    if given is None:
        return models[0] if len(models) == 1 else EACH
    if isinstance(given, Threshold):
        return _threshold(given, models)
    if isinstance(given, (tuple, list)):
        return _pair(given, models)
    if not isinstance(given, str) or given not in (*models, *GOALS):
        raise InputError(
            f"goal must be a model ({', '.join(models)}), 'each', 'best', a pair (baseline, candidate) or a"
            f" lowshot.Threshold: got {given!r}"
        )
    if given == BEST and len(models) < 2:
        raise InputError("goal 'best' needs at least two models: the pool has one")
    return models[0] if given == EACH and len(models) == 1 else given


def class_goal(given: Any, categories: Sequence[Id]) -> Goal | None:
    """The goal of an evaluation with many categories, checked; None: the average over all of them.

    >>> class_goal("each", ["heron", "crow"]), class_goal(["crow"], ["heron", "crow"])
    ('each', ('crow',))
    """
    if given is None or (isinstance(given, str) and given == EACH):
        return given
    plain = given.tolist() if hasattr(given, "tolist") else given
    wanted = [checks.plain(name) for name in plain] if isinstance(plain, (list, tuple)) else [plain]
    if not wanted:
        raise InputError("goal must name at least one category: got none; leave it out for the average over all")
    for name in wanted:
        if isinstance(name, bool) or not isinstance(name, (str, int)) or name not in categories:
            raise InputError(
                f"goal must be 'each', or a list of categories of the pool: got {name!r};"
                f" {checks.nearest(name, [*map(str, categories)])}"
            )
    if len({*wanted}) < len(wanted):
        raise InputError(f"goal must name every category once: got {wanted!r}")
    return tuple(wanted)


def _threshold(given: Threshold, models: Sequence[str]) -> Threshold:
    if given.model is not None:
        one_model("model of the threshold", given.model, models)
    elif len(models) > 1:
        raise InputError(
            f"goal needs model= where a pool has several models: got {given!r}; name one of {', '.join(models)}"
        )
    return given


def _pair(given: Sequence[Any], models: Sequence[str]) -> tuple[str, str]:
    if len(given) != 2:
        raise InputError(f"goal must name two models, the baseline and the candidate: got {len(given)}, {given!r}")
    baseline, candidate = (one_model("goal", name, models) for name in given)
    if baseline == candidate:
        raise InputError(f"goal must name two different models: got {baseline!r} twice")
    return baseline, candidate


def one_model(what: str, name: Any, models: Sequence[str]) -> str:
    """The name of a model of the pool, checked."""
    if not isinstance(name, str) or name not in models:
        raise InputError(f"{what} must be a model of the pool, one of {', '.join(models)}: got {name!r}")
    return name


def asked_of(goal: Goal, targets: dict[str, Any], options: dict[str, Any]) -> Threshold:
    """The threshold that somebody asks for, of an evaluation with this goal; without a target, that of the goal.

    >>> asked_of(Threshold(recall=0.9, confidence=0.8), {"recall": None}, {"reading": "bare", "confidence": None})
    Threshold(recall=0.9, confidence=0.8, reading='bare')
    """
    own = goal if isinstance(goal, Threshold) else None
    given = {name: value for name, value in options.items() if value is not None}
    if all(target is None for target in targets.values()):
        if own is None:
            raise InputError("choose_threshold needs a target: got none; give recall=, precision= or maximise=")
        return replace(own, **given)
    kept = {} if own is None else {"confidence": own.confidence, "reading": own.reading}
    asked = Threshold(**targets, **{**kept, **given})
    if own is None or not own.by_design:
        return asked
    if (asked.targets, asked.maximise) != (own.targets, own.maximise):
        raise InputError(
            f"the labels of this evaluation are drawn to certify {own.words} by design: got {asked!r}; begin an"
            " evaluation with that goal, or ask without a target"
        )
    return replace(own, **given)


def refuse_another_model(asked: str, drawn_for: str | None) -> None:
    """Items that are drawn inside groups of one ranking prove nothing about groups of another one."""
    if asked != drawn_for:
        raise InputError(
            f"model must be {drawn_for!r}, along whose ranking the labels are drawn to certify a threshold by design:"
            f" got {asked!r}; begin an evaluation with that model, or see its thresholds()"
        )


def judged_by(goal: Goal | None, models: Sequence[str]) -> str | None:
    """The model that the goal is about; None if it is about several.

    >>> judged_by("v2", ["v1", "v2"]), judged_by("each", ["v1", "v2"]), judged_by(Threshold(recall=0.9), ["v1"])
    ('v2', None, 'v1')
    """
    if isinstance(goal, Threshold):
        return goal.model or models[0]
    return goal if isinstance(goal, str) and goal in models else None


def models_of(goal: Goal, models: Sequence[str]) -> tuple[str, ...]:
    """The models that the goal is about.

    >>> models_of("best", ["v1", "v2", "v3"]), models_of(("v3", "v1"), ["v1", "v2", "v3"])
    (('v1', 'v2', 'v3'), ('v3', 'v1'))
    """
    if isinstance(goal, tuple):
        return goal
    one = judged_by(goal, models)
    return tuple(models) if one is None else (one,)


def plain_goal(goal: Goal | None) -> Any:
    """The goal as plain data.

    >>> plain_goal(("v1", "v2")), plain_goal("each"), plain_goal(Threshold(maximise="f1"))["maximise"]
    (['v1', 'v2'], 'each', 'f1')
    """
    if isinstance(goal, Threshold):
        return goal.to_dict()
    return list(goal) if isinstance(goal, tuple) else goal


def in_words(goal: Goal, of_classes: bool = False) -> str:
    """The goal for people.

    >>> in_words(("v1", "v2")), in_words("each")
    ('v2 against v1', 'each model')

    of_classes  the goal is about categories, and not about models

    >>> in_words(("heron", "crow"), of_classes=True), in_words("each", of_classes=True)
    ('heron, crow', 'each class')
    """
    if of_classes:
        return _classes_in_words(goal)
    if isinstance(goal, Threshold):
        return f"a threshold{f' of {goal.model}' if goal.model else ''} with {goal.words}{goal.details}"
    if isinstance(goal, tuple):
        return f"{goal[1]} against {goal[0]}"
    return {EACH: "each model", BEST: "the best model"}.get(goal, goal)


def _classes_in_words(goal: Goal) -> str:
    """A goal about categories. A string that is not "each" is the name of an average."""
    if not isinstance(goal, tuple):
        return "each class" if goal == EACH else "the average over all classes"
    more = f" and {len(goal) - NAMED} more" if len(goal) > NAMED else ""
    return ", ".join(map(str, goal[:NAMED])) + more
