"""Make the data that `lowshot demo` shows: six one-vs-all tasks, each scored by two real classifiers; and the scores of
one of them for 34 classes.

    python tools/make_demo_data.py FOLDER

FOLDER holds `simclr_250.npy` and `simclr.npy`, the log-softmax of 55,084 images over 200 classes (float16), and
`labels.npz`, whose `y` is the class of each image. What is written, and by which rule: src/lowshot/demo/data/README.md.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TARGET = Path(__file__).parents[1] / "src" / "lowshot" / "demo" / "data"
CHOOSER = "simclr_250"  # the model whose F1 chooses the classes
FILES = {CHOOSER: "tinyimagenet.npz", "simclr": "tinyimagenet_50.npz"}  # by model
CLASSES, STEP = "tinyimagenet_classes.npz", 6  # every sixth class: all of them even
SEED = 2021  # chooses how many images of each of these classes stay, and which
QUANTILES = (5, 25, 50, 75, 90, 97)  # per cent of the odd classes that are worse


def f1(predictions: NDArray[np.bool_], labels: NDArray[np.bool_]) -> float:
    return float(2 * (predictions & labels).sum() / (predictions.sum() + labels.sum()))


def chosen(predicted: NDArray[np.intp], y: NDArray[np.uint8], classes: int) -> list[int]:
    """Odd classes at the quantiles of their F1: numbers 0, 1, ... from the worst, rounded half up."""
    odd = sorted(range(1, classes, 2), key=lambda c: (f1(predicted == c, y == c), c))
    return [odd[int(q / 100 * (len(odd) - 1) + 0.5)] for q in QUANTILES]


def write(path: Path, scores: NDArray[np.float16], y: NDArray[np.uint8], categories: NDArray[np.intp]) -> None:
    """Write the columns of the six classes from the scores of all classes."""
    np.savez_compressed(
        path,
        quantile=np.array(QUANTILES, dtype=np.uint8),
        category=categories.astype(np.uint8),
        scores=scores[:, categories].T,
        predictions=np.packbits(scores.argmax(axis=1) == categories[:, None], axis=1),
        labels=np.packbits(y == categories[:, None], axis=1),
    )
    print(f"{path.name}: categories {categories.tolist()}, {path.stat().st_size:,} bytes")


def write_classes(path: Path, scores: NDArray[np.float16], y: NDArray[np.uint8]) -> None:
    """Write the scores of every sixth class for images of these classes. Of each class a share between 0.1 and 1 of its
    images stays, so that some classes are rare."""
    categories = np.arange(0, scores.shape[1], STEP)
    random = np.random.default_rng(SEED)
    shares = random.uniform(0.1, 1.0, len(categories))
    kept = []
    for category, share in zip(categories, shares, strict=True):
        mine = np.flatnonzero(y == category)
        kept.append(random.choice(mine, round(share * len(mine)), replace=False))
    items = random.permutation(np.concatenate(kept))  # the images come sorted by class
    np.savez_compressed(
        path, category=categories.astype(np.uint8), scores=scores[np.ix_(items, categories)], labels=y[items]
    )
    print(f"{path.name}: {len(categories)} categories, {len(items):,} images, {path.stat().st_size:,} bytes")


def main(folder: Path) -> None:
    """Read the scores of all classes, write those of the six, one file per model, and those of many classes."""
    y = np.load(folder / "labels.npz")["y"]
    chooser = np.load(folder / f"{CHOOSER}.npy")
    categories = np.array(chosen(chooser.argmax(axis=1), y, chooser.shape[1]))
    for model, name in FILES.items():
        write(TARGET / name, np.load(folder / f"{model}.npy"), y, categories)
    write_classes(TARGET / CLASSES, np.load(folder / "simclr.npy"), y)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
