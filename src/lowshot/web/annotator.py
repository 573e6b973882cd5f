"""The annotator's requests: take items, answer, see the last one again. Nothing of the model is in any reply."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote, unquote

from fastapi import APIRouter, Cookie, Depends, Response
from pydantic import BaseModel, ConfigDict, Field

from lowshot.errors import InputError, StoreError
from lowshot.labelling.desk import TooManyNames
from lowshot.web.site import CurrentSite, Site, log

AHEAD = 3  # items that a page holds, so that the next one is there at once
COOKIE = "lowshot_name"
YEAR = 365 * 24 * 3600
NOT_YOURS = "This item is not with you any more, so your answer was not taken. Here is another one."
TOO_MANY = "As many names label here as the owner allows. Enter the name that you used before, or ask the owner."
NOT_SAVED = "The store cannot be written: your answer was not saved. Tell the owner, then try again."

Reply = TypeVar("Reply")
router = APIRouter(prefix="/api", include_in_schema=False)


class Name(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(max_length=80)]


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    item: Annotated[str, Field(max_length=40)]
    answer: Literal["yes", "no", "cannot tell"]


def name_of(lowshot_name: Annotated[str | None, Cookie()] = None) -> str:
    """Who is at the page; empty if they have not said, or if the cookie has a name that `enter` refuses."""
    name = unquote(lowshot_name or "").strip()[:80]
    return name if name.isprintable() else ""


def annotator(name: Annotated[str, Depends(name_of)]) -> str:
    if not name:
        raise InputError("annotator must have a name: there is none; load the page again and enter yours")
    return name


CurrentAnnotator = Annotated[str, Depends(annotator)]


@router.post("/name")
def enter(body: Name, response: Response) -> dict[str, Any]:
    """Remember who is at this browser; nobody, if the name is empty."""
    name = body.name.strip()
    if not name.isprintable():
        raise InputError("name must be one line of text: got characters that cannot be shown; type it again")
    response.set_cookie(COOKIE, quote(name), max_age=YEAR, httponly=True, samesite="strict")
    return {"name": name}


@router.post("/items")
def items(site: CurrentSite, who: CurrentAnnotator) -> dict[str, Any]:
    return _plainly(lambda: _reply(site, who))


@router.post("/answer")
def answer(body: Answer, site: CurrentSite, who: CurrentAnnotator) -> dict[str, Any]:
    return _plainly(lambda: _reply(site, who, body))


@router.post("/undo")
def undo(site: CurrentSite, who: CurrentAnnotator) -> dict[str, Any]:
    """The item that somebody answered last, to answer it again."""

    def last() -> dict[str, Any]:
        with site.lock:
            item = site.desk.last(who)
            return {"items": [] if item is None else [site.view(item)]}

    return _plainly(last)


def _reply(site: Site, who: str, body: Answer | None = None) -> dict[str, Any]:
    """Save the answer, if there is one; then the items that somebody has now, and how far everybody is.

    One turn for all of it: the disk is waited for once.
    """
    with site.lock, site.desk.transaction():
        if body is not None:
            site.desk.answer(who, site.item(body.item), site.answers.label(body.answer))
        taken = site.desk.take(who, AHEAD)
        labels = site.evaluation.labels
        mine = site.desk.answered(who)
        views = [site.view(item) for item in taken]
    if site.planned.due(labels):
        site.planned.make(site.snapshot())
    if site.desk.wanted > 1:  # a count that moves with an answer would tell whether the others said the same
        labels = labels // 10 * 10
    return {"items": views, "mine": mine, "labels": labels, "to_go": site.planned.to_go(labels)}


def _plainly(work: Callable[[], Reply]) -> Reply:
    """Errors name ids and paths, which are not for annotators: they are told what it means for them."""
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
