"""What is logged of an evaluation, as plain data: the same for MLflow, Weights & Biases, or a tracker of your own.

>>> import lowshot
>>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
>>> evaluation.tell(evaluation.ask(4), [1, 0, 0, 0])
>>> found = gather(evaluation)
>>> found.metrics["f1"], found.metrics["f1_low"], found.metrics["labels"]
(0.666..., 0.666..., 4.0)
>>> found.params["lowshot.sampler"], found.notes["lowshot.reason"]
('curve', None)

Three kinds of facts, as trackers have them:

    metrics  numbers that change with labels; the number of labels is the step
    params   what the evaluation was begun with, which never changes
    notes    texts that change with labels: the verdict, warnings, why a value is undefined
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import lowshot
from lowshot import checks
from lowshot.class_metric import AveragedMetric
from lowshot.core.interval import Interval
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import Threshold, in_words
from lowshot.integrations.run_record import (
    BEGAN,
    LONGEST_NOTE,
    LONGEST_PARAM,
    NAME,
    OWN,
    QUESTION,
    REPORT,
    Logged,
    Param,
    checked_prefix,
    named,
    shortened,
    unique,
)
from lowshot.metric import Metric
from lowshot.prior import without_arguments
from lowshot.report.common import MODELS_WITH_SLICES
from lowshot.result import Comparison, Estimate, Table

Value = TypeVar("Value")
Wanted = str | Metric | Sequence[str | Metric] | None


@dataclass(frozen=True)
class Options:
    """What is to be logged: the keywords that `log` has for every tracker."""

    metric: Wanted = None
    model: str | None = None
    confidence: float = 0.95
    margin: float = 0.0
    prefix: str = ""
    report: bool | str | Path = True


class Asked(NamedTuple):
    """The same, checked."""

    evaluation: Evaluation  # at one moment
    metrics: tuple[Metric | AveragedMetric | str, ...]
    models: tuple[str, ...]  # each has names of its own; empty: there is one, whose names are plain
    model: str | None  # that one; None with many classes
    confidence: float
    margin: float


def gather(
    evaluation: Evaluation,
    *,
    metric: Wanted = None,
    model: str | None = None,
    confidence: float = 0.95,
    margin: float = 0.0,
    prefix: str = "",
) -> Logged:
    """What is logged of an evaluation.

    metric      one, or a list of them; that of the evaluation if not given
    model       which of several models, under plain names such as "f1"; all of them if not given, as "v1/f1"
    confidence  of the intervals
    margin      a difference up to this does not matter, as for `Evaluation.compare`
    prefix      before every name, such as "val_" or "night/"
    """
    return _gather(evaluation, Options(metric, model, confidence, margin, prefix))


def _gather(evaluation: Evaluation, options: Options) -> Logged:
    asked, prefix = _asked(evaluation, options), checked_prefix(options.prefix)
    found, tables, params = _results(asked), _tables(asked), _params(evaluation, options.model)
    return Logged(
        labels=asked.evaluation.labels,
        metrics=_prefixed(prefix, found.metrics),
        params=_prefixed(f"{prefix}{OWN}", {name: _as_param(value) for name, value in params.items()}),
        notes=_prefixed(f"{prefix}{OWN}", _notes(evaluation, found, asked.confidence)),
        tables=tables,
        results={
            "lowshot": lowshot.__version__,
            "evaluation": params,
            "labels": asked.evaluation.labels,
            "estimates": found.estimates,
            "comparisons": found.comparisons,
            "choice": found.choice,
            "tables": {name: table.to_dict() for name, table in tables.items()},
        },
        prefix=prefix,
    )


def _prefixed(prefix: str, values: Mapping[str, Value]) -> dict[str, Value]:
    return {f"{prefix}{name}": value for name, value in values.items()}


def _asked(evaluation: Any, options: Options) -> Asked:
    if not isinstance(evaluation, Evaluation):
        raise InputError(f"evaluation must be a lowshot.Evaluation: got {type(evaluation).__name__}; make one first")
    checks.number("confidence", options.confidence, 0.01, 0.9999)
    checks.number("margin", options.margin, 0.0, 1.0)
    then = evaluation.at(evaluation.snapshot())  # others may label meanwhile: all numbers are of one moment
    metrics = _metrics(then, options.metric)
    if then.pool.categories:
        _refuse_models(then, metrics, options)
        return Asked(then, metrics, (), None, options.confidence, options.margin)
    model = options.model or then.model
    return Asked(then, metrics, () if model else then.pool.models, model, options.confidence, options.margin)


def _metrics(evaluation: Evaluation, metric: Any) -> tuple[Metric | AveragedMetric | str, ...]:
    if not isinstance(metric, (list, tuple)):
        return (evaluation.metric if metric is None else metric,)
    if not metric:
        raise InputError("metric must name at least one metric: got an empty list; leave it out for that of the goal")
    return tuple(metric)


def _refuse_models(evaluation: Evaluation, metrics: Sequence[Any], options: Options) -> None:
    """With many classes there is one model."""
    evaluation.estimate(metrics[0], model=options.model)  # refuses a model
    if options.margin:
        raise InputError(
            f"margin must be left out with many classes: got {options.margin:g}; there are no models to compare"
        )


class _Gathered:
    """Numbers and texts, while they are collected."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.estimates: list[dict[str, Any]] = []
        self.comparisons: list[dict[str, Any]] = []
        self.choice: dict[str, Any] | None = None
        self.verdict: str | None = None
        self.certified: str | None = None
        self.said: list[tuple[str, Any]] = []  # (section, result)

    def add(self, section: str, model: str | None, found: Estimate) -> None:
        self._number(f"{section}{named(found.metric)}", found.value if found.defined else None, found.interval)
        self.estimates.append({"model": model, **found.to_dict()})
        self.said.append((section, found))

    def compare(self, found: Comparison) -> None:
        name = named(found.metric)
        self._number(f"{name}_difference", found.value if found.defined else None, found.interval)
        if found.probability is not None:
            self.metrics[f"{name}_probability_better"] = found.probability
        self.comparisons.append(found.to_dict())
        self.verdict = self.verdict or found.verdict
        self.said.append(("", found))

    def _number(self, name: str, value: float | None, interval: Interval | None) -> None:
        if value is None:
            return
        self.metrics[name] = value
        if interval is not None:
            self.metrics |= {f"{name}_low": interval.low, f"{name}_high": interval.high}

    @property
    def text(self) -> str:
        """All results in words."""
        return "\n".join(f"{section}{one}" for section, one in self.said)

    def remarks(self, kind: str) -> str | None:
        """The reasons or warnings of the results; None if there are none. If all say the same, it is said once."""
        found = [(section, text) for section, one in self.said if (text := getattr(one, kind))]
        same = len({text for _, text in found}) == 1
        lines = dict.fromkeys(text if same or not section else f"{section[:-1]}: {text}" for section, text in found)
        return "\n".join(lines) or None


def _results(asked: Asked) -> _Gathered:
    """Estimates, comparisons, the threshold, and the number of labels behind them."""
    found = _Gathered()
    if asked.models:
        _models(asked, found)
    else:
        for metric in asked.metrics:
            estimate = asked.evaluation.estimate(metric, model=asked.model, confidence=asked.confidence)
            found.add("", asked.model, estimate)
    _choice(asked, found)
    found.metrics["labels"] = float(asked.evaluation.labels)
    return found


def _models(asked: Asked, found: _Gathered) -> None:
    """Every model in a section of its own, and what the goal says about them."""
    evaluation, goal = asked.evaluation, asked.evaluation.goal
    sections = unique(asked.models)
    for metric in asked.metrics:
        for model in asked.models:
            estimate = evaluation.estimate(metric, model=model, confidence=asked.confidence)
            found.add(f"{sections[model]}/", model, estimate)
        if isinstance(goal, tuple):
            pair = str(goal[0]), str(goal[1])
            compared = evaluation.compare(*pair, metric=metric, margin=asked.margin, confidence=asked.confidence)
            found.compare(compared)
        elif evaluation.labels:
            found.metrics |= _probabilities(evaluation, metric, sections)


def _probabilities(evaluation: Evaluation, metric: Any, sections: Mapping[str, str]) -> dict[str, float]:
    """That of each model being the best one."""
    try:
        table = evaluation.table(metric=metric)
    except InputError:  # a metric that is not of the F family, or a sampler that cannot say it
        return {}
    return {
        f"{sections[row['model']]}/{named(table.metric)}_probability_best": row["best"]
        for row in table.rows
        if row.get("best") is not None
    }


def _choice(asked: Asked, found: _Gathered) -> None:
    """The threshold, if one is the goal."""
    if not isinstance(asked.evaluation.goal, Threshold) or not asked.evaluation.labels:
        return
    choice = asked.evaluation.choose_threshold()
    found.choice, found.certified = choice.to_dict(), "yes" if choice.certified else "no"
    found.said.append(("", choice))
    if choice.threshold is not None:
        found.metrics["threshold"] = choice.threshold


def _tables(asked: Asked) -> dict[str, Table]:
    """Categories and slices, by the names of their files; none before the first label."""
    evaluation, found = asked.evaluation, dict[str, Table]()
    if not evaluation.labels:
        return found
    if evaluation.pool.categories:
        found["categories"] = evaluation.table(confidence=asked.confidence)
    sections, models = unique(asked.models), asked.models[:MODELS_WITH_SLICES] or (asked.model,)
    for column, name in unique(evaluation.pool.slices.names).items():
        for model in models:
            of = f"{sections[model]}-" if model in sections else ""
            try:
                found[f"slices-{of}{name}"] = evaluation.table(column, model=model, confidence=asked.confidence)
            except InputError:  # samplers other than curve
                continue
    return found


def _params(evaluation: Evaluation, model: str | None) -> dict[str, Param]:
    """What the evaluation was begun with, and which of its models plain names such as "f1" are about: it never changes,
    as trackers demand of params."""
    pool, sampler = evaluation.pool, evaluation.sampler
    settings = without_arguments(sampler.settings)
    found: dict[str, Param | None] = {
        "metric": evaluation.metric.name,
        "goal": None if sampler.goal is None else in_words(evaluation.goal, bool(pool.categories)),
        "sampler": sampler.name,
        "settings": json.dumps(settings, default=str, ensure_ascii=False) if settings else None,
        "prior": None if evaluation.prior is None else str(evaluation.prior),
        "seed": evaluation.seed,
        "pool": pool.fingerprint,
        "items": len(pool),
        "models": None if len(pool.models) == 1 else ", ".join(pool.models),
        "model": None if len(pool.models) == 1 else model,
        "classes": len(pool.categories) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _notes(evaluation: Evaluation, found: _Gathered, confidence: float) -> dict[str, str | None]:
    texts: dict[str, str | None] = {
        NAME: evaluation.name,
        BEGAN: _began(evaluation),
        QUESTION: evaluation.question if evaluation.question != evaluation.name else None,
        "version": lowshot.__version__,
        "confidence": f"{confidence:g}",
        "text": found.text,
        "verdict": found.verdict,
        "certified": found.certified,
        "reason": found.remarks("reason"),
        "warning": found.remarks("warning"),
    }
    return {name: None if text is None else shortened(text, LONGEST_NOTE) for name, text in texts.items()}


def identity(evaluation: Evaluation, prefix: str = "") -> dict[str, str]:
    """The notes by which a run of the same evaluation is recognised; empty for an evaluation in memory."""
    if evaluation.name is None:
        return {}
    return {f"{prefix}{OWN}{BEGAN}": _began(evaluation) or "", f"{prefix}{OWN}{NAME}": evaluation.name}


def _began(evaluation: Evaluation) -> str | None:
    """When the evaluation began, by which it can be recognised; None in memory."""
    if evaluation.store is None:
        return None
    from lowshot.store.progress import progress  # imported late: needs the extra of the store

    return next(one.began for one in progress(evaluation.store) if one.header.name == evaluation.name)


def _as_param(value: Param) -> Param:
    return shortened(value, LONGEST_PARAM) if isinstance(value, str) else value


def _write_report(evaluation: Evaluation, options: Options, path: Path) -> None:
    """The report that is logged: a new one, a copy of a file that exists, or none."""
    report = options.report
    if isinstance(report, (str, Path)):
        if not Path(report).is_file():
            raise InputError(f"report must be True, False or a file that exists: got {str(report)!r}")
        copyfile(report, path)
    elif checks.flag("report", report) and evaluation.labels:
        from lowshot.report import write

        write(evaluation, path, confidence=options.confidence, margin=options.margin)


@contextmanager
def gathered(evaluation: Evaluation, options: Options) -> Iterator[tuple[Logged, Path]]:
    """What is logged, and a temporary folder with its files. Everything is computed before anything is sent."""
    found = _gather(evaluation, options)
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_report(evaluation, options, folder / REPORT)
        found.write(folder)
        yield found, folder
