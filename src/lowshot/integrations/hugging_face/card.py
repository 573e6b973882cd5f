"""Estimates for the model card of a model on the Hugging Face Hub: `model-index`, and a section in Markdown."""

from collections.abc import Sequence
from typing import Any

from lowshot import __version__, checks
from lowshot.errors import InputError, required_by
from lowshot.evaluation import Evaluation
from lowshot.integrations.label_rows import estimates
from lowshot.result import Estimate, short

AVERAGES = ("macro", "weighted")
NAMES = {"f1": "F1", "precision": "Precision", "recall": "Recall", "accuracy": "Accuracy"}


def eval_results(
    evaluation: Evaluation,
    *,
    task: str,
    dataset: str,
    dataset_name: str | None = None,
    config: str | None = None,
    split: str | None = None,
    revision: str | None = None,
    metrics: Sequence[str] | None = None,
    model: str | None = None,
) -> list[Any]:
    """The estimates as `huggingface_hub.EvalResult`, for the `eval_results` of a model card's data.

    >>> import lowshot
    >>> from lowshot.integrations import hugging_face
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(3), [1, 1, 0])
    >>> found = hugging_face.eval_results(evaluation, task="text-classification", dataset="ann/messages")
    >>> found[0].metric_type, found[0].metric_value, found[0].metric_args["labels"]
    ('f1', 1.0, 3)

    task          the identifier of the task on the Hub, such as "text-classification"
    dataset       the identifier of the dataset; dataset_name is how people call it
    config        of the dataset, as split and revision
    metrics       which ones; that of the evaluation, precision and recall if not given
    model         which of several models

    The value is a number, as leaderboards need it. The interval is in the name, which people see, and in the arguments
    of the metric, for programs.
    """
    with required_by("a model card", extra="datasets"):
        from huggingface_hub import EvalResult
    checks.text("task", task)
    checks.text("dataset", dataset)
    return [
        EvalResult(
            task_type=task, dataset_type=dataset, dataset_name=dataset_name or dataset, dataset_config=config,
            dataset_split=split, dataset_revision=revision, metric_type=_type(one.metric)[0],
            metric_value=one.value, metric_name=_name(one), metric_args=_arguments(one),
        )
        for one in _defined(estimates(evaluation, metrics, model))
    ]  # fmt: skip


def estimate_card(evaluation: Evaluation, *, name: str, **where: Any) -> str:
    """A model card with the estimates: a `model-index` at the top, and a section in Markdown.

    >>> import lowshot
    >>> from lowshot.integrations import hugging_face
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(3), [1, 1, 0])
    >>> card = hugging_face.estimate_card(evaluation, name="spam", task="text-classification", dataset="ann/messages")
    >>> print(card[card.index("## "):])
    ## Evaluation
    <BLANKLINE>
    Estimated from 3 labels of 3 items ...
    <BLANKLINE>
    | metric | estimate | 95 % interval | labels |
    | --- | --- | --- | --- |
    | F1 | 1.000 | 1.000 to 1.000 | 3 |
    | Precision | 1.000 | 1.000 to 1.000 | 3 |
    | Recall | 1.000 | 1.000 to 1.000 | 3 |
    <BLANKLINE>

    name   of the model
    where  the keywords of `eval_results`

    Into a card that exists, put both with `huggingface_hub`: card.data.model_name, card.data.eval_results, card.text.
    """
    results = eval_results(evaluation, **where)
    from huggingface_hub import ModelCardData

    data = ModelCardData(model_name=checks.text("name", name), eval_results=results)
    found = _defined(estimates(evaluation, where.get("metrics"), where.get("model")))
    return f"---\n{data.to_yaml()}\n---\n\n{_section(evaluation, found)}"


def _section(evaluation: Evaluation, found: list[Estimate]) -> str:
    how = f"with the sampler {evaluation.sampler.name} of lowshot {__version__} (seed {evaluation.seed})"
    head = f"Estimated from {evaluation.labels:,} labels of {len(evaluation.pool):,} items {how}."
    confidence = next((one.interval.confidence for one in found if one.interval is not None), 0.95)
    rows = [f"| metric | estimate | {100 * confidence:g} % interval | labels |", "| --- | --- | --- | --- |"]
    rows += [f"| {_type(one.metric)[1]} | {short(one.value)} | {_range(one)} | {one.labels:,} |" for one in found]
    warnings = [f"Careful: {text}." for text in dict.fromkeys(one.warning for one in found) if text]
    return "\n\n".join(["## Evaluation", head, "\n".join(rows), *warnings]) + "\n"


def _defined(found: list[Estimate]) -> list[Estimate]:
    """Only estimates that have a value can be on a card."""
    for one in found:
        if not one.defined:
            raise InputError(f"evaluation must have an estimate of {one.metric}: it is undefined ({one.reason})")
    return found


def _type(metric: str) -> tuple[str, str, dict[str, str]]:
    """The identifier of a metric on the Hub, its name for people, and its arguments.

    >>> _type("f1_macro"), _type("recall")
    (('f1', 'F1 (macro)', {'average': 'macro'}), ('recall', 'Recall', {}))
    """
    kind, _, average = metric.rpartition("_")
    if kind in NAMES and average in AVERAGES:
        return kind, f"{NAMES[kind]} ({average})", {"average": average}
    return metric, NAMES.get(metric, metric), {}


def _range(one: Estimate) -> str:
    return "" if one.interval is None else f"{short(one.interval.low)} to {short(one.interval.high)}"


def _name(one: Estimate) -> str:
    interval = "" if one.interval is None else f", {100 * one.interval.confidence:g} % interval {_range(one)}"
    return f"{_type(one.metric)[1]}, estimated from {one.labels:,} labels{interval}"


def _arguments(one: Estimate) -> dict[str, Any]:
    interval = {} if one.interval is None else one.interval.to_dict()
    return {**_type(one.metric)[2], "labels": one.labels, **interval, "estimated_with": f"lowshot {__version__}"}
