"""Make the data that `lowshot demo` shows: six one-vs-all tasks of one real classifier.

    python tools/make_demo_data.py FOLDER

FOLDER holds `simclr_250.npy`, the log-softmax of 55,084 images over 200 classes (float16), and `labels.npz`,
whose `y` is the class of each image. What is written, and by which rule: src/lowshot/demo/data/README.md.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TARGET = Path(__file__).parents[1] / "src" / "lowshot" / "demo" / "data" / "tinyimagenet.npz"
QUANTILES = (5, 25, 50, 75, 90, 97)  # per cent of the odd classes that are worse


def f1(predictions: NDArray[np.bool_], labels: NDArray[np.bool_]) -> float:
    return float(2 * (predictions & labels).sum() / (predictions.sum() + labels.sum()))


def chosen(predicted: NDArray[np.intp], y: NDArray[np.uint8], classes: int) -> list[int]:
    """Odd classes at the quantiles of their F1: numbers 0, 1, ... from the worst, rounded half up."""
    odd = sorted(range(1, classes, 2), key=lambda c: (f1(predicted == c, y == c), c))
    return [odd[int(q / 100 * (len(odd) - 1) + 0.5)] for q in QUANTILES]


def main(folder: Path) -> None:
    """Read the scores of all classes, write those of the six."""
    scores = np.load(folder / "simclr_250.npy")
    y = np.load(folder / "labels.npz")["y"]
    predicted = scores.argmax(axis=1)
    categories = np.array(chosen(predicted, y, scores.shape[1]))
    np.savez_compressed(
        TARGET,
        quantile=np.array(QUANTILES, dtype=np.uint8),
        category=categories.astype(np.uint8),
        scores=scores[:, categories].T,
        predictions=np.packbits(predicted == categories[:, None], axis=1),
        labels=np.packbits(y == categories[:, None], axis=1),
    )
    print(f"{TARGET.name}: categories {categories.tolist()}, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
