"""Pictures from under one folder, only those that were shown, and nothing but pictures."""

import struct
from pathlib import Path
from typing import Any

import pytest

from lowshot import Evaluation
from lowshot.web import Shown, make_app

from .people import GREY, browser, take


def picture(evaluation: Evaluation, root: Path, value: str) -> Any:
    """What comes when this is the path of every item's picture."""
    ann = browser(make_app(evaluation, Shown("image", lambda item: [("file", value)], root)), "ann")
    return ann.get(take(ann)[0]["fields"][0]["value"])


def test_pictures_from_under_the_root(evaluation: Evaluation, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "a.png").write_bytes(GREY)
    for good in ("stroller-1.png", "sub/a.png", "sub/../stroller-1.png", str(root / "sub" / "a.png")):
        reply = picture(evaluation, root, good)
        assert (reply.status_code, reply.headers["content-type"], reply.content) == (200, "image/png", GREY)


def test_no_path_leads_out(evaluation: Evaluation, root: Path) -> None:
    (root / "link.png").symlink_to(root.parent / "secret.png")
    (root / "folder").symlink_to(root.parent)
    (root / "loop").symlink_to(root / "loop")
    secret = root.parent / "secret.png"
    assert secret.read_bytes() == GREY, "a picture: only its place is against it"
    away = ["../secret.png", str(secret), "sub/../../secret.png", "link.png", "folder/secret.png", f"file://{secret}"]
    for bad in [*away, "loop", "http://127.0.0.1/a.png", "a\0.png", "\ud83d.png", "x" * 5000, "", ".", "nothing.png"]:
        reply = picture(evaluation, root, bad)
        assert reply.status_code == 404, bad
        assert "picture cannot be shown" in reply.text
        assert reply.headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (GREY, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a rest", "image/gif"),
        (b"RIFF" + struct.pack("<I", 4) + b"WEBPVP8 ", "image/webp"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", None),
        (b"<html><script>alert(1)</script>", None),
        (b"SQLite format 3\0", None),
        (b"RIFF....WAVE", None),
        (b"", None),
    ],
)
def test_only_pictures_by_their_bytes(evaluation: Evaluation, root: Path, content: bytes, kind: str | None) -> None:
    (root / "disguised.png").write_bytes(content)
    reply = picture(evaluation, root, "disguised.png")
    assert (reply.headers["content-type"] if reply.status_code == 200 else None) == kind


def test_only_what_was_shown_can_be_seen(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown), "ann")
    for name in ("stroller-1.png", "..%2Fsecret.png", "%2e%2e/secret.png", "../evaluation.db"):
        assert ann.get(f"/media/{name}").status_code == 404
    for path in ("/static/../__init__.py", "/static/%2e%2e/app.py", "/docs", "/redoc", "/openapi.json"):
        assert ann.get(path).status_code == 404
