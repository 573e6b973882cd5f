"""The HTML pages, and the pictures on them."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.templating import Jinja2Templates

from lowshot.charts.style import title
from lowshot.class_metric import AveragedMetric
from lowshot.evaluation import Evaluation
from lowshot.goal import EACH, Threshold, in_words
from lowshot.labelling.enough import certifies
from lowshot.pools.base import BasePool
from lowshot.pools.class_pool import ClassPool
from lowshot.web.access import Level
from lowshot.web.annotator import name_of
from lowshot.web.downloads import missing_for_report
from lowshot.web.site import CurrentSite, Site
from lowshot.web.summary import beside
from lowshot.which import searched

FOLDER = Path(str(files("lowshot.web")))
TEMPLATES = Jinja2Templates(FOLDER / "templates")
MOST_SLICES = 500  # rows of a table on the owner's page; `lowshot table --by` has no limit
MONTH = 30 * 24 * 3600  # seconds that a browser keeps the cookie with the token
NO_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200"><rect width="320" height="200" fill="#8884"/>'
    '<text x="160" y="106" text-anchor="middle" font-family="sans-serif" font-size="18" fill="#888">'
    "picture cannot be shown</text></svg>"
)

router = APIRouter(include_in_schema=False)


@router.get("/")
def label(request: Request, site: CurrentSite, name: Annotated[str, Depends(name_of)]) -> Response:
    """The annotator's page."""
    with site.lock:
        reference = [site.view(item) for item in site.shown.reference] if name else []
    owner = request.app.state.access.level(request) is Level.OWNER
    context = {"shown": site.shown, "name": name, "blur": site.blur, "reference": reference, "owner": owner}
    context |= {"ends": site.watch is not None, "instructions": site.instructions, **asked_for(site.evaluation.pool)}
    return TEMPLATES.TemplateResponse(request, "label.html", context)


def asked_for(pool: BasePool) -> dict[str, bool]:
    """What an annotator's page asks for: yes or no, or the class of an item."""
    if not isinstance(pool, ClassPool):
        return {"which": False}
    return {"which": True, "several": pool.answers.several, "searched": searched(pool)}


@router.get("/owner")
def owner(request: Request, site: CurrentSite) -> Response:
    """The owner's page."""
    evaluation = site.evaluation
    shared = {"no_report": missing_for_report(), "slices": slices_of(evaluation.pool)}
    if evaluation.pool.categories:
        return TEMPLATES.TemplateResponse(request, "categories.html", shared | about_categories(site))
    context = shared | {
        "shown": site.shown,
        "metric": evaluation.metric.name,
        "prior": evaluation.prior,
        "blur": site.blur,
        "models": evaluation.pool.models,
        "goal": in_words(evaluation.goal),
        "pair": first_pair(evaluation),
        "judged": evaluation.model,
        "beside": [title(name) for name in beside(site)[1:]],
        "margin": site.margin,
        "half_width": site.half_width,
        "chooses": isinstance(evaluation.goal, Threshold),
        "certifies": certifies(evaluation.goal),
    }
    return TEMPLATES.TemplateResponse(request, "owner.html", context)


def slices_of(pool: BasePool) -> list[str]:
    """The columns whose slices a table can list."""
    return [name for name in pool.slices.names if pool.slices.by(name).slices <= MOST_SLICES]


def about_categories(site: Site) -> dict[str, Any]:
    """What the owner's page says about an evaluation of many categories before anything is computed."""
    evaluation = site.evaluation
    every = isinstance(evaluation.goal, tuple) or evaluation.goal == EACH
    return {
        "shown": site.shown,
        "blur": site.blur,
        "name": title(evaluation.metric.name),
        "each": title(evaluation.metric.each.name) if isinstance(evaluation.metric, AveragedMetric) else "",
        "goal": in_words(evaluation.goal, of_classes=True),
        "wanted_for": " for each of them" if every else "",
        "categories": len(evaluation.pool.categories),
        "models": evaluation.pool.models,
        "judged": evaluation.model,
    }


def first_pair(evaluation: Evaluation) -> tuple[str, str] | None:
    """What is compared if the address does not say it: the goal, or the only two models."""
    if isinstance(evaluation.goal, tuple):
        return evaluation.goal
    models = evaluation.pool.models
    return (models[0], models[1]) if len(models) == 2 else None


@router.get("/overview")
def overview(request: Request, site: CurrentSite) -> Response:
    """The overview page: every evaluation of the store, and all answers."""
    return TEMPLATES.TemplateResponse(request, "overview.html", {"shown": site.shown, "blur": site.blur})


@router.get("/media/{name}")
def media(name: str, site: CurrentSite) -> Response:
    """A picture by its random name; a placeholder if it cannot be shown."""
    picture = site.pictures.read(name)
    if picture is None:
        return Response(NO_PICTURE, 404, media_type="image/svg+xml")
    return Response(picture.content, media_type=picture.media_type)


def closed(request: Request) -> Response:
    """The page for a browser without a token."""
    return TEMPLATES.TemplateResponse(request, "closed.html", status_code=401)


def entered(request: Request, path: str, cookie: str, token: str) -> Response:
    """Move the token from the URL into a cookie, and continue at the same page without it.

    This is a page and not a redirect, because browsers do not send a SameSite=strict cookie with a redirect that
    follows a click in another site, such as a mail.
    """
    response = TEMPLATES.TemplateResponse(request, "entered.html", {"path": path})
    secure = request.scope["scheme"] == "https"
    response.set_cookie(cookie, token, max_age=MONTH, httponly=True, samesite="strict", secure=secure)
    return response
