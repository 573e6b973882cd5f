"""Make the data of `lowshot sample`: src/lowshot/demo/samples/data/birds.csv and messages.csv.

    python3.11 tools/make_samples.py src/lowshot/demo/samples/data

birds     scikit-learn's handwritten digits (`load_digits`: 1,797 pictures of 8 x 8 pixels; CC BY 4.0, from the UCI
          repository). Only positions, scores and labels are written: the pictures come from scikit-learn.
messages  the error messages of Python's standard library (PSF licence): what is raised with a text of at least three
          words. Parts that Python fills in are written as …. The truth is the kind of error that is raised.

Both models are logistic regressions that are trained on items that are not in the pool. Most positives are removed, so
that they are rare. The committed files were made with Python 3.11.7 and scikit-learn 1.9; other versions of
Python have other messages.
"""

import ast
import csv
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

SEED = 0
DIGIT, EIGHTS, TRAINED_DIGITS = 8, 40, 300  # the rare digit, how many of it are in the pool, digits to train on
ERROR, ERRORS, TRAINED_MESSAGES = "TypeError", 50, 700
NOT_OURS = {"test", "tests", "idle_test", "lib2to3", "site-packages", "dist-packages"}  # folders that are left out
WORDS, CHARACTERS = 3, 300  # the shortest and the longest message
FILLED_IN = re.compile(r"%(\(\w+\))?[-#0 +]*\d*(\.\d+)?[sdrfxcia]|\{[^{}]*\}")  # %s and {}
LICENCE = "PSF-LICENSE.txt"


class Split(NamedTuple):
    """Positions of the items to train on, and of those in the pool."""

    trained: NDArray[np.int64]
    pool: NDArray[np.int64]


class Message(NamedTuple):
    """A text and where it is raised, as `argparse.py:1234`."""

    place: str
    text: str
    error: str


def split(positive: NDArray[np.bool_], trained: int, kept: int) -> Split:
    """Random items to train on; the pool is the rest with only so many positives."""
    order = np.random.default_rng(SEED).permutation(len(positive))
    rest = order[trained:]
    return Split(order[:trained], np.setdiff1d(rest, rest[positive[rest]][kept:]))


def birds() -> Iterator[list[object]]:
    digits = load_digits()
    rare, pixels = digits.target == DIGIT, digits.data / 16
    trained, pool = split(rare, TRAINED_DIGITS, EIGHTS)
    model = LogisticRegression(max_iter=1000).fit(pixels[trained], rare[trained])
    yield ["position", "score", "label"]
    for position, score in zip(pool.tolist(), model.predict_proba(pixels[pool])[:, 1].tolist(), strict=True):
        yield [position, f"{score:.5f}", int(rare[position])]


def messages() -> Iterator[list[object]]:
    raised = sorted(unique(every_message(Path(sysconfig.get_path("stdlib")))), key=lambda message: message.text)
    texts, rare = [message.text for message in raised], np.array([message.error == ERROR for message in raised])
    trained, pool = split(rare, TRAINED_MESSAGES, ERRORS)
    words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]")
    model = make_pipeline(words, LogisticRegression(C=10)).fit([texts[i] for i in trained], rare[trained])
    scores = model.predict_proba([texts[i] for i in pool])[:, 1].tolist()
    yield ["place", "text", "score", "label"]
    for position, score in zip(pool.tolist(), scores, strict=True):
        yield [raised[position].place, texts[position], f"{score:.5f}", int(rare[position])]


def unique(raised: Iterator[Message]) -> Iterator[Message]:
    """Without texts that are raised several times, as different kinds of errors perhaps."""
    by_text: dict[str, list[Message]] = {}
    for message in raised:
        by_text.setdefault(message.text, []).append(message)
    return (found[0] for found in by_text.values() if len({message.error for message in found}) == 1)


def every_message(library: Path) -> Iterator[Message]:
    for path in sorted(library.rglob("*.py")):
        inside = path.relative_to(library)
        if NOT_OURS.isdisjoint(inside.parts):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    yield from of_call(node.exc, f"{inside.as_posix()}:{node.lineno}")


def of_call(call: ast.Call, place: str) -> Iterator[Message]:
    """The message of `raise TypeError("...")`: the first argument that is a text."""
    error = getattr(call.func, "id", getattr(call.func, "attr", ""))
    text = next((" ".join(found.split()) for found in map(text_of, call.args) if found), "")
    if error and len(text.split()) >= WORDS and len(text) < CHARACTERS:
        yield Message(place, text, error)


def text_of(node: ast.expr) -> str:
    """A text with … for what Python fills in; empty if the node is not a text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or "…" for part in parts)
        case ast.BinOp(op=ast.Mod(), left=template) | ast.Call(func=ast.Attribute(value=template, attr="format")):
            return FILLED_IN.sub("…", text_of(template))
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            before, after = text_of(left), text_of(right)
            return (before or "…") + (after or "…") if before or after else ""
    return ""


def main(folder: Path) -> None:
    for name, rows in {"birds": birds(), "messages": messages()}.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    shutil.copy(Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", folder / LICENCE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
