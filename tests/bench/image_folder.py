"""A small folder of score files of image models, as `lowshot bench run figure9 --data` takes it."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np


def image_folder(folder: Path, models: Iterable[str], items: int, classes: int, apart: float) -> Path:
    """Log-probabilities of each model, and the class of each item.

    apart  by how much the logit of the right class is higher, in standard deviations of a logit
    """
    random = np.random.default_rng(0)
    y = random.integers(0, classes, items)
    for model in models:
        logits = random.normal(size=(items, classes)) + apart * np.eye(classes)[y]
        np.save(folder / f"{model}.npy", (logits - np.logaddexp.reduce(logits, axis=1)[:, None]).astype(np.float16))
    np.savez(folder / "labels.npz", y=y.astype(np.uint8))
    return folder
