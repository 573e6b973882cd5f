"""What `make_app` and `Shown` refuse, and what they need."""

import sys
from pathlib import Path

import pytest

from lowshot import Evaluation, InputError, MissingExtra
from lowshot.testing import Task
from lowshot.web import Shown, make_app


def test_threads_do_not_get_what_others_made(task: Task) -> None:
    """The plan is made beside the answers, from the same pool: keys are compared, and another thread is faster."""

    class Key:
        def __ne__(self, _: object) -> bool:
            task.pool.view()._made["number"] = ("another key", 2)
            return False

    key = Key()
    assert task.pool.view().cached("number", lambda: 1, key) == 1
    assert task.pool.view().cached("number", lambda: 1, key) == 1


def test_bad_arguments(evaluation: Evaluation, shown: Shown, task: Task, root: Path) -> None:
    for bad, message in (
        ({"wanted": 0}, "wanted must be"),
        ({"half_width": 2}, "half_width must be"),
        ({"margin": -0.1}, "margin must be a number from 0 to 1"),
        ({"token": "short"}, "token must have at least 16"),
        ({"token": "пароль" * 3}, "token must be printable ASCII without spaces"),
        ({"owner_token": "with a space 0123"}, "owner_token must be printable ASCII without spaces"),
        ({"token": 10**20}, "token must have at least 16"),
        ({"token": "a" * 16, "owner_token": "a" * 16}, "owner_token must differ from token"),
        ({"token": "a" * 16, "owner_token": "a" * 16, "solo": True}, "owner_token must differ from token"),
        (
            {"hosts": ["http://label.example.org"]},
            "hosts must be names or addresses .*: got 'http://label.example.org'",
        ),
        ({"hosts": ["label.example.org:80"]}, "without http:// and port: got 'label.example.org:80'"),
        ({"hosts": [5]}, "hosts must be names or addresses"),
        ({"hosts": "label.example.org"}, r"write \['label.example.org'\]"),
        ({"solo": 1}, "solo must be True or False"),
    ):
        with pytest.raises(InputError, match=message):
            make_app(evaluation, shown, **bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="open it with store="):
        make_app(Evaluation(task.pool), shown)
    with pytest.raises(InputError, match="shown must be a lowshot"):
        make_app(evaluation, {})  # type: ignore[arg-type]
    for arguments, message in (
        (("video", {}), "kind must be one of image, text, fields"),
        (("image", {}), "media_root must be the folder"),
        (("image", {}, root / "nothing"), "media_root must be a folder that exists"),
        (("text", 5), "fields must be a mapping or a function"),
        (("text", {}, None, ""), "question must be a text"),
    ):
        with pytest.raises(InputError, match=message):
            Shown(*arguments)
    with pytest.raises(InputError, match=r"fields must be \[\(name, value\), ...\]"):
        Shown("text", {"a": "plain"}).parts("a")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("lowshot.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(MissingExtra, match=r"pip install 'lowshot\[web\]'"):
        __import__("lowshot.web")
