"""The pages themselves, and the pictures on them."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.templating import Jinja2Templates

from lowshot.web.access import Level
from lowshot.web.annotator import name_of
from lowshot.web.site import CurrentSite

FOLDER = Path(str(files("lowshot.web")))
TEMPLATES = Jinja2Templates(FOLDER / "templates")
MONTH = 30 * 24 * 3600
NO_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200"><rect width="320" height="200" fill="#8884"/>'
    '<text x="160" y="106" text-anchor="middle" font-family="sans-serif" font-size="18" fill="#888">'
    "no picture that can be shown</text></svg>"
)

router = APIRouter(include_in_schema=False)


@router.get("/")
def label(request: Request, site: CurrentSite, name: Annotated[str, Depends(name_of)]) -> Response:
    """The annotator's page."""
    with site.lock:
        reference = [site.view(item) for item in site.shown.reference] if name else []
    owner = request.app.state.access.level(request) is Level.OWNER
    context = {"shown": site.shown, "name": name, "blur": site.blur, "reference": reference, "owner": owner}
    return TEMPLATES.TemplateResponse(request, "label.html", context)


@router.get("/owner")
def owner(request: Request, site: CurrentSite) -> Response:
    """The owner's page."""
    context = {"shown": site.shown, "metric": site.evaluation.metric.name, "blur": site.blur}
    return TEMPLATES.TemplateResponse(request, "owner.html", context)


@router.get("/overview")
def overview(request: Request, site: CurrentSite) -> Response:
    """Every evaluation of the store, and who said what."""
    return TEMPLATES.TemplateResponse(request, "overview.html", {"shown": site.shown, "blur": site.blur})


@router.get("/media/{name}")
def media(name: str, site: CurrentSite) -> Response:
    """A picture that was shown; whatever else is asked for, a placeholder."""
    picture = site.pictures.read(name)
    if picture is None:
        return Response(NO_PICTURE, 404, media_type="image/svg+xml")
    return Response(picture.content, media_type=picture.media_type)


def closed(request: Request) -> Response:
    """For whoever has no token."""
    return TEMPLATES.TemplateResponse(request, "closed.html", status_code=401)


def entered(request: Request, path: str, cookie: str, token: str) -> Response:
    """The token moves from the address of a page into a cookie, and the browser goes on to the same page without it.

    A page, not a redirect: after a click in a mail a strict cookie is not sent along with a redirect.
    """
    response = TEMPLATES.TemplateResponse(request, "entered.html", {"path": path})
    secure = request.scope["scheme"] == "https"
    response.set_cookie(cookie, token, max_age=MONTH, httponly=True, samesite="strict", secure=secure)
    return response
