"""Requests of the owner's page: estimates, categories, slices, comparisons, thresholds, annotators, disagreements,
items without an answer, decisions.
"""

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from lowshot.charts.confusion import Confusion, confusions
from lowshot.charts.dot_rows import fragment as fragment_of
from lowshot.charts.estimate_path import Point
from lowshot.charts.model_paths import model_paths
from lowshot.charts.threshold_page import choice_in_words, fragment
from lowshot.checks import Id
from lowshot.core.interval import finite
from lowshot.errors import InputError
from lowshot.goal import Threshold
from lowshot.history import History
from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import GivenAnswer, ItemState, Resolution, resolve
from lowshot.labelling.counts import Counts
from lowshot.labelling.desk import Unanswered
from lowshot.labelling.enough import certifies
from lowshot.pools.class_pool import ClassPool
from lowshot.result import Estimate, percent
from lowshot.web.annotator import LONGEST, name_of
from lowshot.web.kept import version_of
from lowshot.web.site import CurrentSite, Site
from lowshot.web.summary import leader, meaning, measures, progress
from lowshot.words import NO_LABELS

FIRST = 20  # items without an answer, and disputed ones, in a reply; labels wait for the first of them
router = APIRouter(prefix="/api/owner", include_in_schema=False)


class ItemBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    item: Annotated[str, Field(max_length=40)]


class DecisionBody(ItemBody):
    answer: Annotated[str, Field(max_length=LONGEST)]


@router.get("/state")
def state(site: CurrentSite, rows: Annotated[int, Query(ge=1, le=10_000)] = 50) -> dict[str, Any]:
    """Everything on the page except the chart. The table of answers has the last `rows` items."""
    with site.lock:
        said, unanswered = site.desk.said(), site.desk.unanswered()
    history = site.snapshot()
    counts = site.counts(history)
    site.missing.begin(site.evaluation.pool, history)
    found = {item: resolve(answers, site.desk.wanted) for item, answers in said.items()}
    disputed = [item for item in said if found[item].state is ItemState.DISPUTED]
    last = list(said)[: -rows - 1 : -1]
    agreement = Agreement.of({str(item): answers for item, answers in said.items()}, site.answers)
    return {
        "version": version_of(history),
        "estimate": _estimate(site, history),
        "labels": counts.answered,
        "counts": counts.to_dict(),
        "uses": _uses(site, history, counts),
        "plan": progress(site, counts),
        "missing": site.missing.found(site.evaluation.pool, history),
        "annotators": _annotators(said),
        "disputed": [_row(site, item, said[item], found[item], history) for item in disputed[:FIRST]],
        "disputed_items": len(disputed),
        "unanswered": [_waiting(site, one) for one in unanswered[:FIRST]],
        "unanswered_items": len(unanswered),
        "agreement": {"items": agreement.items, "same": finite(agreement.same), "kappa": finite(agreement.kappa)},
        "answers": [_row(site, item, said[item], found[item], history) for item in last],
        "items": len(said),
    }


def _estimate(site: Site, history: History) -> dict[str, Any] | None:
    """Of the model that is judged, or the average over all categories; None if several models are judged."""
    found = site.own(history)
    if found is None:
        return None
    pool = site.evaluation.pool
    plain = {**estimate_of(site, found), "meaning": meaning(found, len(pool))}
    if not found.defined and (waits := site.counts(history).nothing_counts):
        plain["reason"] = waits
    elif found.reason == NO_LABELS:  # the counts above it say so
        plain["reason"] = "no interval yet"
    return {**plain, "stop": site.stop(history)} if pool.categories else plain


def _uses(site: Site, history: History, counts: Counts) -> str:
    """How many labels the estimate rests on, if the sampler uses those of its last round only."""
    found = None if site.evaluation.pool.categories else site.own(history)
    if found is None or not found.defined or found.labels >= counts.counted + counts.known:
        return ""
    return f"sampler {site.evaluation.sampler.name} uses {found.labels:,} of them"


@router.get("/measures")
def all_measures(site: CurrentSite) -> dict[str, Any]:
    """The metric, precision and recall, per model if several are judged. Kept until labels change.

    A page asks for them when it shows the rest, so this is also when a plan is made that nobody's answer has led to.
    """
    history = site.snapshot()
    found = measures(site, history)
    if site.planned.due(labels := site.counts(history).answered):
        site.planned.make(history)
    return {"version": version_of(history), "models": found, "labels": labels}


@router.get("/item")
def whole_item(site: CurrentSite, item: Annotated[str, Query(max_length=40)]) -> dict[str, Any]:
    """All that annotators see of an item, and its id."""
    found = site.item(item)
    return {**site.view(found), "id": str(found)}


@router.get("/slices")
def slices(site: CurrentSite, by: str, model: str | None = None) -> dict[str, Any]:
    """The metric of each slice, as HTML. Kept until labels change."""
    history = site.snapshot()
    table = site.table(history, by=by, model=model or None)
    drawn = site.kept.of(history, ("drawn slices", by, model), lambda: fragment_of(table))
    return {"version": version_of(history), "chart": drawn}


@router.get("/categories")
def categories(site: CurrentSite) -> dict[str, Any]:
    """Every category as HTML, and what is confused with what. Kept until labels change."""
    pool, history = site.evaluation.pool, site.snapshot()
    if not isinstance(pool, ClassPool):
        raise InputError("categories must be there: this pool has none")
    table, average = site.table(history), finite(site.category(history).value)
    drawn = site.kept.of(history, "drawn categories", lambda: fragment_of(table, average))
    found = site.kept.of(history, "confusions", lambda: confusions(pool, history))
    return {"version": version_of(history), "chart": drawn, "confusions": [_confusion(site, one) for one in found]}


def _confusion(site: Site, one: Confusion) -> dict[str, Any]:
    examples = [site.brief(item) for item in one.examples]
    return {"predicted": one.predicted, "true": one.true, "items": one.items, "of": one.of, "examples": examples}


@router.get("/models")
def models(site: CurrentSite) -> dict[str, Any]:
    """All models side by side, and whether the goal is reached. Kept until labels change."""
    history = site.snapshot()
    found = site.table(history)
    return {
        "version": version_of(history),
        "stop": site.stop(history),
        "rows": [{**row, "best_text": percent(row["best"])} for row in found.rows],
        "warnings": found.warnings,
        "text": str(found),
        "leader": leader(site, history, found),
    }


@router.get("/comparison")
def comparison(
    site: CurrentSite, baseline: str, candidate: str, margin: Annotated[float, Query(ge=0, le=1)] = 0.0
) -> dict[str, Any]:
    """One model against another. Kept until labels change."""
    found = site.compare(site.snapshot(), baseline, candidate, margin=margin)
    texts = {"sentence": found.sentence, "difference": found.difference, "probability_text": percent(found.probability)}
    return {**found.to_dict(), **texts}


@router.get("/thresholds")
def thresholds(site: CurrentSite) -> dict[str, Any]:
    """Precision and recall at every threshold, and the choice if that is the goal, as HTML. Kept until labels change.

    Texts are empty where there are no thresholds: with other samplers, and on large pools with several scores.
    """
    history = site.snapshot()
    found: dict[str, Any] = {"version": version_of(history), "curve": "", "choice": "", "stop": False}
    try:
        curve = site.thresholds(history)
        choice = site.choice(history) if isinstance(site.evaluation.goal, Threshold) else None
    except InputError:
        return found
    drawn = site.kept.of(history, "drawn thresholds", lambda: fragment(curve, choice))
    if choice is None:
        return {**found, "curve": drawn}
    return {**found, "curve": drawn, "choice": choice_in_words(choice), "stop": choice.enough}


@router.get("/history")
def history(site: CurrentSite) -> dict[str, Any]:
    """The estimate against the number of labels. `more` says that points are missing: ask again."""
    steps, more = site.paths.estimate.of(site.snapshot())
    return {
        "more": more,
        "metric": site.evaluation.metric.name,
        "half_width": None if certifies(site.evaluation.goal) else site.half_width,
        "points": [Point(*step).to_dict() for step in steps],
    }


@router.get("/history/models")
def models_history(site: CurrentSite) -> dict[str, Any]:
    """The estimate of each model against the number of labels. `more` says that points are missing: ask again."""
    steps, more = site.paths.models.of(site.snapshot())
    paths = model_paths(site.evaluation.metric.name, 0.95, steps)
    lines = [{"model": one.name, "points": [point.to_dict() for point in one.path.points]} for one in paths]
    return {"lines": lines, "models": len(site.evaluation.pool.models), "more": more}


@router.get("/history/comparison")
def comparison_history(site: CurrentSite, baseline: str, candidate: str) -> dict[str, Any]:
    """A difference against the number of labels. `more` says that points are missing: ask again."""
    steps, more = site.paths.pair(baseline, candidate).of(site.snapshot())
    return {"points": [Point(*step).to_dict() for step in steps], "more": more}


@router.post("/decide")
def decide(body: DecisionBody, site: CurrentSite, name: Annotated[str, Depends(name_of)]) -> dict[str, Any]:
    """Settle a disagreement or change a label. Earlier answers are kept."""
    value = site.answers.value(site.answers.label(body.answer))
    with site.lock:
        found = site.desk.decide(name or "owner", site.item(body.item), value)
    return {"label": site.answers.word(found.label)}


@router.post("/take-back")
def take_back(body: ItemBody, site: CurrentSite) -> dict[str, Any]:
    """Take the item from the people who hold it; the next person who asks gets it."""
    with site.lock:
        site.desk.take_back(site.item(body.item))
    return {}


@router.post("/set-aside")
def set_aside(body: ItemBody, site: CurrentSite, name: Annotated[str, Depends(name_of)]) -> dict[str, Any]:
    """Answer "cannot tell" as the owner, so that the labels that wait for this item count."""
    with site.lock:
        found = site.desk.set_aside(name or "owner", site.item(body.item))
    return {"label": site.answers.word(found.label)}


def estimate_of(site: Site, estimate: Estimate) -> dict[str, Any]:
    """The estimate as plain data, and whether the interval is narrow enough to stop."""
    return {**estimate.to_dict(), "wanted_half_width": site.half_width, "stop": site.narrow(estimate)}


def _annotators(said: dict[Id, list[GivenAnswer]]) -> list[dict[str, Any]]:
    """The number of items that each annotator has answered, most first. The owner's decisions are not counted."""
    items = Counter(name for answers in said.values() for name in {one.annotator for one in answers if not one.final})
    return [{"name": name, "items": items[name]} for name in sorted(items, key=lambda name: (-items[name], name))]


def _waiting(site: Site, one: Unanswered) -> dict[str, Any]:
    """An item without a label, and the people who hold it; nobody if their time is up."""
    holding = [{"annotator": name, "until": until} for name, until in one.holding.items()]
    return {**site.brief(one.item), "holding": holding}


def _row(site: Site, item: Id, said: list[GivenAnswer], found: Resolution, history: History) -> dict[str, Any]:
    """An item with all its answers, the oldest first."""
    told = [
        {"annotator": one.annotator, "answer": site.answers.word(one.label), "final": one.final, "at": one.at}
        for one in said
    ]
    now = history.labels.get(
        site.evaluation.pool.position(item), found.label
    )  # the label may have been corrected in Python
    label = site.answers.word(now) if found.state is ItemState.SETTLED else None
    return {**site.brief(item), "said": told, "state": found.state.value, "label": label}
