"""What some tests need and a machine may lack: a server, a browser, a package. All other tests run without it."""

import os
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest


def missing(message: str) -> NoReturn:
    """Skip the test and say what to install. With CI=1 the test fails instead: CI must have everything."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def module(name: str) -> Any:
    """A module that is imported by the tests that need it, and not when all tests are collected."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        missing(f"{package} is not installed: pip install --editable '.[test]'")


def program(name: str, install: str, *folders: str) -> str:
    """The path of a program: from the PATH, or the last one that a pattern such as `/usr/lib/*/bin` finds."""
    found = shutil.which(name)
    others = (str(path) for folder in folders for path in sorted(Path("/").glob(f"{folder.lstrip('/')}/{name}"))[::-1])
    path = found or next(others, None)
    if path is None:
        missing(install)
    return path
