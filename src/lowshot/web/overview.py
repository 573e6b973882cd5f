"""Requests of the overview page: every evaluation of the store, and all answers with corrections. Opens no pool."""

from shlex import quote
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field, TypeAdapter

from lowshot import checks
from lowshot.answer import Answers
from lowshot.class_answer import ANSWERS, answers_of
from lowshot.errors import InputError
from lowshot.goal import in_words
from lowshot.labelling.counts import Counts
from lowshot.labelling.tally import Tally, tally
from lowshot.pools.models import ONLY
from lowshot.store import Header, Store
from lowshot.store.activity import Event, Place, Wanted, record
from lowshot.web.site import CurrentSite, Site

LARGEST = 2**31 - 1  # keys of evaluations are 32-bit integers in PostgreSQL
Whole = Annotated[int, Field(ge=0, le=2**63 - 1)]
PLACE = TypeAdapter(tuple[str, Whole, Whole, Whole, str])

router = APIRouter(prefix="/api/owner", include_in_schema=False)


@router.get("/overview")
def overview(site: CurrentSite) -> dict[str, Any]:
    """Every evaluation, counted by the store without the site's lock, so that annotators do not wait."""
    store, mine = _store(site), site.desk.key
    found = tally(store, {mine: site.desk.wanted})
    history = site.snapshot()
    counts = site.counts(history)
    return {"evaluations": [_plain(one, counts if one.progress.key == mine else None, store.where) for one in found]}


@router.get("/record")
def events(
    site: CurrentSite,
    evaluation: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
    annotator: str | None = None,
    changed: bool = False,
    before: str | None = None,
    rows: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    """Some answers, newest first. To continue, pass `next` of this reply as `before`."""
    if annotator is not None:
        checks.storable("annotator", annotator)
    wanted = Wanted(evaluation, annotator, changed, _place(before), rows)
    found, following = record(_store(site), wanted)
    answers = {header.name: answers_of(header.about) for header in _store(site).headers()}
    return {"events": [_row(site, event, answers[event.name]) for event in found], "next": following}


def _store(site: Site) -> Store:
    store = site.evaluation.store
    assert store is not None, "Desk needs a store"
    return store


def _place(text: str | None) -> Place | None:
    if text is None:
        return None
    try:
        place = Place(*PLACE.validate_json(text))
        checks.storable("before", place.at + place.item)
    except ValueError:
        raise InputError(f"before must be the `next` of another reply: got {text[:80]!r}; leave it out") from None
    return place


def _plain(one: Tally, counts: Counts | None, where: str) -> dict[str, Any]:
    """`counts` are those of the evaluation that is served; which labels wait is known only with the pool."""
    header, served = one.progress.header, counts is not None
    return {
        "key": one.progress.key,
        "name": header.name,
        "question": header.question,
        "metric": header.metric,
        "goal": None if header.goal in (None, ONLY) else in_words(header.goal, ANSWERS in header.about),
        "sampler": header.sampler,
        "items": header.items,
        "labels": one.progress.labels,
        "known": one.progress.known,
        "uniform": one.progress.uniform,
        "pending": one.progress.pending,
        "asked": one.progress.labels + one.progress.pending,
        "counts": "" if counts is None else counts.labels_in_words,
        "disputed": one.disputed,
        "annotators": [vars(annotator) for annotator in one.annotators],
        "began": one.progress.began,
        "first": one.first,
        "last": one.last,
        "served": served,
        "serve": "" if served else how_to_serve(header, where),
    }


def how_to_serve(header: Header, where: str) -> str:
    """How to serve another evaluation: by a command, or in Python if it was begun there with a pool of its own."""
    if "pool" in header.about:
        return f"lowshot label {quote(where)} \\\n  --name {quote(header.name)} --port 0"
    return (
        f"evaluation = lowshot.Evaluation(pool, store={where!r}, name={header.name!r})\n"
        "lowshot.web.serve(lowshot.web.make_app(evaluation, shown), port=0)"
    )


def _row(site: Site, event: Event, answers: Answers) -> dict[str, Any]:
    item = {"evaluation": event.name, "item": event.place.item, "shown": _shown(site, event)}
    replaced = None if event.replaced is None else _said(event.replaced, answers)
    return {**item, **_said(event, answers), "replaced": replaced}


def _said(event: Event, answers: Answers) -> dict[str, Any]:
    return {"kind": event.kind, "annotator": event.annotator, "answer": answers.word(event.label), "at": event.place.at}


def _shown(site: Site, event: Event) -> dict[str, Any] | None:
    """What the item is; None for other evaluations, whose `Shown` is not known here."""
    if event.place.evaluation != site.desk.key:
        return None
    return site.brief(site.evaluation.pool.id_of(event.place.item))
