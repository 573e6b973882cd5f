"""All of it together."""

import reprlib
from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from lowshot.errors import InputError, StoreError
from lowshot.evaluation import Evaluation
from lowshot.web import annotator as annotate
from lowshot.web import overview, owner, pages, rest
from lowshot.web.access import LOCAL, Access
from lowshot.web.guard import Guard, problem
from lowshot.web.items import Shown
from lowshot.web.site import Site

NAMES = 50
DESCRIPTION = """Ask for items to label, tell their labels, read the estimate.

Refusals are `{"message": ...}`: what is needed, what came, what to do. Nothing was changed then.
"""


def make_app(
    evaluation: Evaluation,
    shown: Shown,
    *,
    wanted: int = 1,
    solo: bool = False,
    blur: bool = False,
    token: str | None = None,
    owner_token: str | None = None,
    half_width: float = 0.05,
    names: int = NAMES,
    hosts: Iterable[str] = LOCAL,
) -> FastAPI:
    """The labelling page of one evaluation, which must be in a store.

    wanted       answers that an item needs, of different people
    solo         the annotator is the owner: they see the estimate, too
    blur         items are blurred until somebody presses them
    token        of annotators; without it one is made if any host is not this machine's own
    owner_token  of the owner; one is made
    half_width   of the interval that is wanted
    names        different names that may label: whoever has the token can enter any name, and each holds a few items
    hosts        names and addresses under which it is reached, beside this machine's own
    """
    site = Site(evaluation, shown, wanted=wanted, solo=solo, blur=blur, half_width=half_width, names=names)
    app = FastAPI(
        title="lowshot",
        version="1",
        description=DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
    )
    app.state.site = site
    app.state.access = Access.of(token, owner_token, site.solo, hosts)
    for part in (pages, annotate, owner, overview, rest):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=pages.FOLDER / "static"))
    app.add_middleware(Guard, access=app.state.access)
    for kind in HANDLERS:
        app.add_exception_handler(kind, _told)
    return app


def _told(_: Request, error: Exception) -> JSONResponse:
    """What goes wrong, in words."""
    status = next(status for kind, status in HANDLERS.items() if isinstance(error, kind))
    if isinstance(error, HTTPException) and error.status_code == 400:  # FastAPI's, of a body that Python cannot read
        return problem(
            422, "body must be JSON, nested little, with numbers of usual length: got other JSON; send it plainly"
        )
    if isinstance(error, HTTPException):
        return problem(error.status_code, str(error.detail))
    if isinstance(error, RequestValidationError):
        return problem(status, "; ".join(map(_in_words, error.errors()[:3])))
    return problem(status, str(error))


HANDLERS: dict[type[Exception], int] = {InputError: 422, RequestValidationError: 422, StoreError: 503, HTTPException: 0}


def _in_words(error: dict[str, Any]) -> str:
    """One thing that is wrong with a request.

    >>> _in_words({"loc": ("body", "count"), "msg": "Input should be a valid integer", "input": "many"})
    "count: input should be a valid integer; got 'many'"
    """
    if error.get("type") == "json_invalid":
        return f"body must be JSON: got other text ({error['ctx']['error']})"
    where = ".".join(map(str, error["loc"][1:])) or "body"
    message = error["msg"][:1].lower() + error["msg"][1:]
    got = reprlib.repr(error.get("input"))  # not all of it: repr itself fails where lists are nested deeply
    return f"{where}: {message}; got {got[:80]}"
