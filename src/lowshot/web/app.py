"""`make_app`: the FastAPI app of one evaluation, with its pages, requests, access rules and error replies."""

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
from lowshot.labelling.items import Shown
from lowshot.web import annotator as annotate
from lowshot.web import class_rest, downloads, overview, owner, pages, rest
from lowshot.web.access import LOCAL, Access
from lowshot.web.guard import Guard, problem
from lowshot.web.site import Site

NAMES = 50  # different annotators by default
DESCRIPTION = """Ask for items to label, tell their labels, read the estimate.

Errors are `{"message": ...}`: what is needed, what came, what to do. A request with an error changes nothing.
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
    half_width: float | None = None,
    margin: float = 0.0,
    names: int = NAMES,
    hosts: Iterable[str] = LOCAL,
) -> FastAPI:
    """The labelling page of one evaluation, which must be in a store.

    wanted       the number of different people who must answer each item
    solo         the annotator is also the owner and sees the estimate
    blur         items are blurred until they are clicked
    token        token of the annotators; by default one is generated if a host is not this machine's own
    owner_token  token of the owner; by default one is generated
    half_width   half-width of the interval that is wanted: when it is reached, annotators are told that it is enough,
                 and the owner that labelling can stop. If not given, only the owner is told, at 0.05. A goal that
                 ends with a verdict or a certified threshold needs none
    margin       a difference between models that does not matter, for the verdict of a goal about two models
    names        the most names that may label: anybody with the token can enter any name, and each name holds items
    hosts        host names and addresses under which the app is reached, in addition to this machine's own
    """
    site = Site(
        evaluation, shown, wanted=wanted, solo=solo, blur=blur, half_width=half_width, margin=margin, names=names
    )
    app = FastAPI(
        title="lowshot",
        version="1",
        description=DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # FastAPI's own pages load scripts from another server
        redoc_url=None,
    )
    app.state.site = site
    app.state.access = Access.of(token, owner_token, site.solo, hosts)
    by_question = class_rest.router if evaluation.pool.categories else rest.yes_no
    mine = (owner.router, overview.router, downloads.router)
    for part in (pages.router, annotate.router, *mine, rest.router, by_question):
        app.include_router(part)
    app.mount("/static", StaticFiles(directory=pages.FOLDER / "static", packages=[("lowshot.charts", "static")]))
    app.add_middleware(Guard, access=app.state.access)
    for kind in HANDLERS:
        app.add_exception_handler(kind, _error_reply)
    return app


def _error_reply(_: Request, error: Exception) -> JSONResponse:
    """An exception as a reply with a status and a message."""
    status = next(status for kind, status in HANDLERS.items() if isinstance(error, kind))
    if isinstance(error, HTTPException) and error.status_code == 400:  # from FastAPI: Python cannot parse the body
        return problem(
            422, "body must be JSON without deep nesting or very long numbers: got other text; send plain JSON"
        )
    if isinstance(error, HTTPException):
        return problem(error.status_code, str(error.detail))
    if isinstance(error, RequestValidationError):
        return problem(status, "; ".join(map(_in_words, error.errors()[:3])))
    return problem(status, str(error))


HANDLERS: dict[type[Exception], int] = {InputError: 422, RequestValidationError: 422, StoreError: 503, HTTPException: 0}


def _in_words(error: dict[str, Any]) -> str:
    """One error of a request, as text.

    >>> _in_words({"loc": ("body", "count"), "msg": "Input should be a valid integer", "input": "many"})
    "count: input should be a valid integer; got 'many'"
    """
    if error.get("type") == "json_invalid":
        return f"body must be JSON: got other text ({error['ctx']['error']})"
    where = ".".join(map(str, error["loc"][1:])) or "body"
    message = error["msg"][:1].lower() + error["msg"][1:]
    got = reprlib.repr(error.get("input"))  # shortened; plain repr() raises on deeply nested lists
    return f"{where}: {message}; got {got[:80]}"
