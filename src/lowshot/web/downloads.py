"""Files that the owner can download: the labels and the report. They are made from the store, so labelling goes on."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import APIRouter, Response

from lowshot.checks import Id
from lowshot.errors import MissingExtra
from lowshot.evaluation import Evaluation
from lowshot.labelling.desk import Desk
from lowshot.labelling.export import LabelTable, exported
from lowshot.labelling.items import Part, Shown
from lowshot.web.log import log
from lowshot.web.site import CurrentSite, Site

router = APIRouter(prefix="/api/owner", include_in_schema=False)


@router.get("/labels")
def labels(site: CurrentSite) -> Response:
    """All labels as CSV, with the columns of `lowshot export`."""
    found = table(opened_again(site), site.shown).csv()
    return attached(found.encode("utf-8", "replace"), "text/csv; charset=utf-8", f"{stem(site)}-labels.csv")


def table(evaluation: Evaluation, shown: Shown) -> LabelTable:
    """The labels with the texts that annotators see. A field that repeats the id is left out; a picture is its path."""
    labelled = list(evaluation.history["labels"])
    seen = {item: {part.name: part.value for part in _parts(shown, item)} for item in labelled}
    names = dict.fromkeys(name for texts in seen.values() for name in texts)
    fields = [name for name in names if any(texts.get(name) != str(item) for item, texts in seen.items())]
    texts = {item: {name: found.get(name, "") for name in fields} for item, found in seen.items()}
    return exported(Desk(evaluation), fields, lambda items: [texts[item] for item in items])


def _parts(shown: Shown, item: Id) -> list[Part]:
    try:
        return shown.parts(item)
    except Exception:  # the owner's `fields` function may raise anything; the labels are there all the same
        log.exception("item %r cannot be shown", item)
        return []


@router.get("/report")
def report(site: CurrentSite) -> Response:
    """The report as an HTML file. It takes seconds, so it is kept until labels change."""
    made = site.reports.of(site.snapshot(), "report", lambda: written(site))
    return attached(made, "text/html; charset=utf-8", f"{stem(site)}-report.html")


def opened_again(site: Site) -> Evaluation:
    """The same evaluation, opened once more: the one that is served is in use by other requests."""
    served = site.evaluation
    assert served.name is not None, "Desk needs a store"
    return Evaluation(served.pool, seed=served.seed, store=served.store, name=served.name)


def written(site: Site) -> bytes:
    from lowshot import report as reports

    mine = opened_again(site)
    margin = 0.0 if mine.pool.categories else site.margin
    with TemporaryDirectory() as folder:
        (path,) = reports.write(mine, Path(folder) / "report.html", margin=margin, shown=site.shown)
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
