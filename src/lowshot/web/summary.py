"""What the top of the owner's page says: the number, what it means, how many labels there are and how many to go."""

from typing import Any

from lowshot.charts.style import title
from lowshot.errors import InputError
from lowshot.history import History
from lowshot.labelling.counts import Counts
from lowshot.labelling.enough import best_of
from lowshot.result import Estimate, Table
from lowshot.web.site import Site

SHARES = ("f1", "precision", "recall")
MEANINGS = {
    "precision": "Of 100 items that are predicted positive, {about} really are.",
    "recall": "Of 100 positives in the pool, {about} are found.",
    "accuracy": "Of 100 predictions, {about} are right.",
}


def meaning(found: Estimate, items: int) -> str:
    """An estimate in a sentence, for people who do not know the metric; empty if there is none yet.

    items  of the pool, which the estimate is about
    """
    if found.interval is None or not found.defined:
        return ""
    low, high = found.interval.low, found.interval.high
    if found.metric in MEANINGS:
        return MEANINGS[found.metric].format(about=_of_hundred(low, high))
    exact = " Nothing is left to estimate." if low == high else ""
    return f"This is the value for all {items:,} items, not only for the labelled ones. {_perfect(found.metric)}{exact}"


def _perfect(metric: str) -> str:
    """
    >>> _perfect("f1"), _perfect("f1_macro")
    ('1 means: none missed, no false alarm.', 'The mean over all categories; 1 is perfect.')
    """
    if metric.endswith(("_macro", "_weighted")):
        weighted = " by their size" if metric.endswith("_weighted") else ""
        return f"The mean over all categories{weighted and f', weighted{weighted}'}; 1 is perfect."
    return "1 is perfect." if metric == "balanced_accuracy" else "1 means: none missed, no false alarm."


def _of_hundred(low: float, high: float) -> str:
    """
    >>> _of_hundred(0.644, 0.771), _of_hundred(0.9, 0.903)
    ('64 to 77', 'about 90')
    """
    ends = round(100 * low), round(100 * high)
    return f"about {ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def leader(site: Site, history: History, table: Table) -> str:
    """The answer to a goal about several models, in a sentence; empty without labels that count."""
    goal = site.evaluation.goal
    if isinstance(goal, tuple):
        baseline, candidate = goal
        found = site.compare(history, baseline, candidate, margin=site.margin)
        verdict = found.sentence if found.decided else f"Undecided between {found.candidate} and {found.baseline}"
        return f"{verdict}: {found.difference}." if found.defined else ""
    return best_of(table) if any(row["value"] is not None for row in table.rows) else ""


def progress(site: Site, counts: Counts) -> dict[str, Any]:
    """Labels so far and about how many to go; `text` is empty where no plan can be made yet."""
    return {"to_go": site.planned.to_go(counts.answered), "text": site.planned.in_words(counts.answered)}


def beside(site: Site) -> list[str]:
    """The metric of the evaluation, then precision and recall, or F1."""
    chosen = site.evaluation.metric.name
    if not site.evaluation.pool.categories:
        return list(dict.fromkeys([chosen, *SHARES]))
    average = chosen.rpartition("_")[2]
    kind = average if average in ("macro", "weighted") else "macro"
    found = list(dict.fromkeys([chosen, *(f"{name}_{kind}" for name in SHARES)]))
    return [name for name in found if not (chosen == "balanced_accuracy" and name == "recall_macro")]


def measures(site: Site, history: History) -> list[dict[str, Any]]:
    """Several metrics from the same labels, each with its interval; per model if the goal is about several."""
    judged = site.evaluation.model if len(site.evaluation.pool.models) > 1 else None
    if site.evaluation.pool.categories or site.evaluation.model is not None:
        return [{"model": judged, "measures": [_measure(site, history, name, judged) for name in beside(site)]}]
    found = [(name, _by_model(site, history, name)) for name in beside(site)]
    return [
        {"model": model, "measures": [{"name": name, "title": title(name), **rows[model]} for name, rows in found]}
        for model in site.evaluation.pool.models
    ]


def _measure(site: Site, history: History, name: str, model: str | None) -> dict[str, Any]:
    blank = {"name": name, "title": title(name), "value": None, "low": None, "high": None, "meaning": ""}
    try:
        found = _estimate(site, history, name, model)
    except InputError as error:  # for example recall from draws for precision, which are predicted positives only
        return {**blank, "reason": str(error)}
    plain = found.to_dict()
    ends = {key: plain[key] for key in ("value", "low", "high", "reason")}
    return {**blank, **ends, "meaning": meaning(found, len(site.evaluation.pool)) if name in MEANINGS else ""}


def _estimate(site: Site, history: History, name: str, model: str | None) -> Estimate:
    own = name == site.evaluation.metric.name  # any F-beta: its name alone may not say which
    wanted = None if own else name
    if site.evaluation.pool.categories:
        return site.category(history, metric=wanted)
    return site.kept.of(history, ("measure", wanted, model), lambda: site.estimate(history, wanted, model=model))


def _by_model(site: Site, history: History, name: str) -> dict[str, dict[str, Any]]:
    metric = None if name == site.evaluation.metric.name else name
    keys = ("value", "low", "high", "reason")
    try:
        rows = site.table(history, metric).rows
    except InputError as error:
        blank = {"value": None, "low": None, "high": None, "reason": str(error)}
        return dict.fromkeys(site.evaluation.pool.models, blank)
    return {row["model"]: {key: row[key] for key in keys} for row in rows}
