"""What was drawn: a picture that is not blank, and text on a terminal that shows nothing but ASCII."""

import io
from pathlib import Path

import numpy as np
from rich.console import Console

from ..needed import module


def assert_not_blank(path: Path) -> None:
    pixels = module("matplotlib.image").imread(path)[..., :3]
    assert pixels.shape[0] >= 600
    assert pixels.std() > 0.05
    assert len(np.unique((pixels * 255).astype(int).reshape(-1, 3), axis=0)) > 50


def ascii_console() -> Console:
    class Ascii(Console):
        encoding = "ascii"

    return Ascii(file=io.StringIO(), record=True, width=80)
