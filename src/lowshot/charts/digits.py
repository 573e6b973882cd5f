"""Handwritten digits as pictures that people can see: 8 x 8 pixels, enlarged, as PNG files without another library."""

import struct
import zlib
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom

EDGE = 2  # empty pixels added on each side of a digit
POINTS = 8 + 2 * EDGE  # pixels per side of a digit with its edge
LARGER = 16  # the factor by which pictures are enlarged


def picture(image: NDArray[np.float64]) -> bytes:
    """The PNG file of a digit of scikit-learn's `load_digits`, enlarged.

    >>> picture(np.zeros((8, 8)))[:4]
    b'\\x89PNG'
    """
    return png(larger(image))


@cache
def splines() -> NDArray[np.float64]:
    """The matrix that enlarges one row of pixels by cubic splines. It is the same for every row and column."""
    return np.asarray(zoom(np.eye(POINTS), (LARGER, 1), order=3, mode="grid-constant", grid_mode=True))


def larger(image: NDArray[np.float64]) -> NDArray[np.uint8]:
    """An 8 x 8 image with 16 grey levels as a smooth, larger one. Values below 0.08 are ripples of the splines."""
    smooth = splines() @ np.pad(image / 16, EDGE) @ splines().T
    return np.asarray(255 * (1 - np.clip(smooth - 0.08, 0, 1)), dtype=np.uint8)


def png(grey: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file of a greyscale image.

    >>> png(np.zeros((2, 2), np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)  # 0: the row has no PNG filter
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = _part(b"IHDR", header) + _part(b"IDAT", zlib.compress(rows)) + _part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def _part(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
