"""Files that the owner can download: the report. They are made from the store, so labelling goes on meanwhile."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import APIRouter, Response

from lowshot.errors import MissingExtra
from lowshot.evaluation import Evaluation
from lowshot.web.site import CurrentSite, Site

router = APIRouter(prefix="/api/owner", include_in_schema=False)


@router.get("/report")
def report(site: CurrentSite) -> Response:
    """The report as an HTML file. It takes seconds, so it is kept until labels change."""
    made = site.reports.of(site.snapshot(), "report", lambda: written(site))
    return attached(made, "text/html; charset=utf-8", f"{stem(site)}-report.html")


def written(site: Site) -> bytes:
    """The report of an evaluation that is opened for it: the one that is served is in use by other requests."""
    from lowshot import report as reports

    served = site.evaluation
    assert served.name is not None, "Desk needs a store"
    mine = Evaluation(served.pool, seed=served.seed, store=served.store, name=served.name)
    margin = 0.0 if mine.pool.categories else site.margin
    with TemporaryDirectory() as folder:
        (path,) = reports.write(mine, Path(folder) / "report.html", margin=margin)
        return path.read_bytes()


def missing_for_report() -> str:
    """Why no report can be made, with what to install; empty if it can."""
    try:
        from lowshot.report.writing import refuse_missing_extra

        refuse_missing_extra(pictures=False)
    except MissingExtra as error:
        return str(error)
    return ""


def attached(content: bytes, media_type: str, name: str) -> Response:
    """A reply that browsers save as a file and never display."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def stem(site: Site) -> str:
    """The beginning of file names: the name of the evaluation, without what file systems or headers refuse."""
    return plain_name(site.evaluation.name or "") or "lowshot"


def plain_name(name: str) -> str:
    """
    >>> plain_name('birds: "north"/2026'), plain_name("...")
    ('birds-north-2026', '')
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")[:80]
