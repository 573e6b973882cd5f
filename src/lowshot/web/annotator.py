"""Requests of the annotator's page: take items, answer, undo, label more. No reply contains a score or a prediction.

When the goal is reached, an annotator gets no new items until they say that they want to label more. Those that they
hold stay theirs.
"""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, unquote

from fastapi import APIRouter, Cookie, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lowshot import which
from lowshot.answer import Label
from lowshot.checks import Id
from lowshot.errors import InputError, StoreError
from lowshot.labelling.desk import TooManyNames
from lowshot.labelling.ledger import RESERVED
from lowshot.pools.class_pool import ClassPool
from lowshot.web.access import Access, Level
from lowshot.web.log import log
from lowshot.web.site import CurrentSite, Site

AHEAD = 3  # items that a page holds: the next one is shown without waiting for the server
COOKIE = "lowshot_name"
LONGEST = 20_000  # characters of an answer: several classes, where any number of them apply
YEAR = 365 * 24 * 3600  # seconds that a browser remembers the name
NOT_YOURS = "This item is no longer reserved for you, so your answer was not saved. Here is another one."
TOO_MANY = "No more names can label here. Enter the name that you used before, or ask the owner to allow more."
NOT_SAVED = "The store cannot be written, so your answer was not saved. Tell the owner, then try again."

Reply = TypeVar("Reply")
router = APIRouter(prefix="/api", include_in_schema=False)


class NameBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(max_length=80)]


class AnswerBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    item: Annotated[str, Field(max_length=40)]
    answer: Annotated[str, Field(max_length=LONGEST)]


def name_of(lowshot_name: Annotated[str | None, Cookie()] = None) -> str:
    """The annotator's name from the cookie; empty if there is none, or one that `enter` would refuse."""
    name = unquote(lowshot_name or "").strip()[:80]
    return name if name.isprintable() else ""


def annotator(name: Annotated[str, Depends(name_of)]) -> str:
    if not name:
        raise InputError("annotator must have a name: got none; load the page again and enter yours")
    refuse_reserved(name)
    return name


def refuse_reserved(name: str) -> None:
    """Names that hold the items of commands and of `Evaluation.ask`: whoever took one would get these items."""
    if name in RESERVED:
        raise InputError(f"annotator must not be {' or '.join(map(repr, RESERVED))}: got {name!r}; enter another name")


CurrentAnnotator = Annotated[str, Depends(annotator)]


@router.post("/name")
def enter(body: NameBody, response: Response) -> dict[str, Any]:
    """Remember the annotator's name in a cookie. An empty name forgets it."""
    name = body.name.strip()
    if not name.isprintable():
        raise InputError("name must be one line of text: got characters that cannot be displayed; type it again")
    refuse_reserved(name)
    response.set_cookie(COOKIE, quote(name), max_age=YEAR, httponly=True, samesite="strict")
    return {"name": name}


def owner_page(request: Request, site: CurrentSite) -> str | None:
    """The address of the owner's page for whoever may open it.

    Of a page that only this machine can reach, with one answer per item, whoever labels is taken for the owner, who
    should not have to copy a token to see the result. Anywhere else people may go on labelling, and the estimate
    changes what people answer.
    """
    access: Access = request.app.state.access
    if access.level(request) is Level.OWNER:
        return "/owner"
    alone = access.token is None and site.desk.wanted == 1
    return f"/owner?token={quote(access.owner_token, safe='')}" if alone else None


OwnerPage = Annotated[str | None, Depends(owner_page)]


@router.post("/items")
def items(site: CurrentSite, who: CurrentAnnotator, owner: OwnerPage) -> dict[str, Any]:
    return _plainly(lambda: _reply(site, who, owner))


@router.post("/answer")
def answer(body: AnswerBody, site: CurrentSite, who: CurrentAnnotator, owner: OwnerPage) -> dict[str, Any]:
    label = site.answers.label(body.answer)  # before `_plainly`: the error names classes like the one that came
    return _plainly(lambda: _reply(site, who, owner, (body.item, label)))


@router.post("/more")
def more(site: CurrentSite, who: CurrentAnnotator, owner: OwnerPage) -> dict[str, Any]:
    """Go on although it is enough; remembered for this name until the server ends."""

    def onward() -> dict[str, Any]:
        with site.lock:
            site.desk.take(who, 1)  # refuses a name too many, which would be remembered without end
            site.going_on.add(who)
        return _reply(site, who, owner)

    return _plainly(onward)


@router.get("/classes")
def classes(site: CurrentSite) -> dict[str, Any]:
    """The names of all classes, for the search field; none for a yes/no question."""
    return {"classes": [str(name) for name in site.evaluation.pool.categories]}


@router.post("/undo")
def undo(site: CurrentSite, who: CurrentAnnotator) -> dict[str, Any]:
    """The item that this annotator answered last, so that they can change the answer."""

    def last() -> dict[str, Any]:
        with site.lock:
            item = site.desk.last(who)
            return {"items": [] if item is None else [view(site, item)]}

    return _plainly(last)


def view(site: Site, item: Id) -> dict[str, Any]:
    """What an annotator gets of an item; with it some classes for buttons, if the question is "which one?"."""
    pool, shown = site.evaluation.pool, site.view(item)
    if not isinstance(pool, ClassPool):
        return shown
    return {**shown, "candidates": which.candidates(pool, item, site.evaluation.seed)}


def _reply(site: Site, who: str, owner: str | None, answer: tuple[str, Label] | None = None) -> dict[str, Any]:
    """Save the answer, if there is one, and return the annotator's items, the progress, and whether it is enough.

    One transaction for all of it, so that the disk is flushed once.
    """
    with site.lock, site.desk.transaction():
        if answer is not None:
            name, label = answer
            site.desk.answer(who, site.item(name), site.answers.value(label))
        enough = _enough(site, who, owner)
        rests = enough is not None and not enough["more"]
        taken = site.desk.held_by(who)[:AHEAD] if rests else site.desk.take(who, AHEAD)
        labels = site.evaluation.labels
        mine = site.desk.answered(who)
        views = [view(site, item) for item in taken]
        remaining = "some" if taken or rests else remaining_for(site, who)
    site.look()
    if site.planned.due(labels):
        site.planned.make(site.snapshot())
    if site.desk.wanted > 1:  # an exact count would tell an annotator whether the others gave the same answer
        labels = labels // 10 * 10
    to_go = site.planned.to_go(labels)
    counts = {"mine": mine, "labels": labels, "to_go": to_go, "why": site.planned.why(labels)}
    return {"items": views, **counts, "remaining": remaining, "enough": enough}


def _enough(site: Site, who: str, owner: str | None) -> dict[str, Any] | None:
    """None while the goal is not reached. Otherwise whether this annotator labels more all the same, and the result
    with the address of the owner's page for whoever may see them.
    """
    found = None if site.watch is None else site.watch.found
    if found is None:
        return None
    return {"more": who in site.going_on, "found": found if owner else (), "owner": owner}


def remaining_for(site: Site, who: str) -> str:
    """Why an annotator gets no item.

    others    others hold items that this annotator has not answered, or these rest after a lease of this annotator
    none      every item that matters has a label
    answered  no item needs an answer of this annotator. With several answers per item, it is not said whether the
              items have a label: that would tell whether the others gave the same answers.
    """
    said = site.desk.said()
    waiting = (said.get(one.item, []) for one in site.desk.unanswered())
    if any(who not in {given.annotator for given in each} for each in waiting):
        return "others"
    return "none" if site.desk.wanted == 1 and not site.evaluation.pending else "answered"


def _plainly(work: Callable[[], Reply]) -> Reply:
    """Replace messages by ones for annotators: the originals contain ids and paths, and go to the log."""
    try:
        return work()
    except TooManyNames as error:
        log.info("refused: %s", error)
        raise InputError(TOO_MANY) from None
    except InputError as error:
        log.info("refused: %s", error)
        raise InputError(NOT_YOURS) from None
    except StoreError as error:
        log.error("%s", error)
        raise StoreError(NOT_SAVED) from None
