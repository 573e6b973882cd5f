"""What tests need and a machine may lack: a server, a browser."""

import os
from typing import NoReturn

import pytest


def missing(message: str) -> NoReturn:
    """Skips the test, but CI must have everything."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
