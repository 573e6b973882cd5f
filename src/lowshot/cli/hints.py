"""What looks wrong with a pool before labels are spent on it: notes of `lowshot start`.

The functions look at the cells of a ranking, which every kind of pool has and of which a large pool has few, and at a
sample of the items.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lowshot.checks import Id
from lowshot.cli.columns import MODEL, FileColumns
from lowshot.cli.opening import Texts
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.pools.base import BasePool, View
from lowshot.result import percent

SAMPLE = 1000  # items whose fields are looked at, along the ranking
PICTURES = 200  # files that are looked for: a folder on a network is slow
BEST = 5000  # cells of a large pool that the sample is taken from
MANY = 0.8  # share of predicted positives; the methods are made for something rare
FEW = 10  # different scores: a ranking with fewer says little about where positives are
LARGEST = 10**6  # of scores that may be shares of a round number, such as 100 or 255; larger ones are something else
ALIKE = 0.999  # correlation of a field with the score, from which on people can read the score from it


def about_scores(
    level: Floats, count: Integers, predicted: Flags, threshold: float | None, option: str = "--threshold"
) -> list[str]:
    """What looks wrong with scores and predictions, by cell: its score, its items, and whether they are predicted.

    >>> level, count = np.linspace(100, 0, 101), np.full(101, 20)
    >>> about_scores(level, count, level >= 0.5, 0.5)
    ['--threshold 0.5 may be on another scale: the scores go from 0 to 100; did you mean --threshold 50?',
     '99 % of the items are predicted positive: is --threshold right? ...']
    """
    found = [wrong_scale(float(level.min()), float(level.max()), threshold, option)]
    share = float(count[predicted].sum() / count.sum())
    if share >= MANY:
        found.append(
            f"{percent(share)} of the items are predicted positive: is {option} right? lowshot is made for positives"
            " that are rare"
        )
    found += [inverted(level, count, predicted), few_scores(level, int(count.sum()))]
    return [text for text in found if text]


def wrong_scale(low: float, high: float, threshold: float | None, option: str = "--threshold") -> str:
    """A threshold as for probabilities, and scores as for per cent.

    >>> wrong_scale(0, 1, 0.5), wrong_scale(-8, 12, 0.5), wrong_scale(0, 1.5e308, 0.5)
    ('', '', '')
    """
    if threshold is None or not (0 < threshold <= 1 and low >= 0 and 10 < high <= LARGEST):
        return ""
    top = 10 ** int(np.ceil(np.log10(high)))
    meant = f"{option} {threshold * top:g}" if option == "--threshold" else f"a threshold of {threshold * top:g}"
    return (
        f"{option} {threshold:g} may be on another scale: the scores go from {low:g} to {high:g}; did you mean {meant}?"
    )


def inverted(level: Floats, count: Integers, predicted: Flags) -> str:
    """The predicted positives have lower scores than the others.

    >>> level, count = np.array([0.9, 0.5, 0.1]), np.array([80, 10, 10])
    >>> inverted(level, count, np.array([False, False, True]))
    'the items that are predicted positive have lower scores than the others: if low scores mean positive, ...'
    >>> inverted(level, count, np.array([True, False, False]))
    ''
    """
    positive, negative = count * predicted, count * ~predicted
    if not positive.any() or not negative.any():
        return ""
    if np.average(level, weights=positive) >= np.average(level, weights=negative):  # which needs no sorting
        return ""
    order = np.argsort(level, kind="stable")
    _, same = np.unique(level[order], return_inverse=True)
    below = np.bincount(same, negative[order]).astype(np.float64)
    above = below.cumsum() - below / 2  # negatives below each level, and half of those on it
    pairs = float((np.bincount(same, positive[order]) * above).sum())
    if pairs >= 0.5 * float(positive.sum()) * float(negative.sum()):
        return ""
    return (
        "the items that are predicted positive have lower scores than the others: if low scores mean positive, give a"
        " column with the scores turned round, such as 1 - score"
    )


def few_scores(level: Floats, items: int) -> str:
    """Scores that hardly rank the items.

    >>> few_scores(np.array([0.3]), 500), few_scores(np.array([1.0, 0.0]), 500)
    ('all 500 items have the score 0.3: ...', 'only 2 different scores: ...')
    """
    if len(np.unique(level[:: max(len(level) // 1000, 1)])) >= FEW:  # a thousand of them tell enough
        return ""
    distinct = len(np.unique(level))
    why = "the scores do not say where missed positives may be; take the raw scores"
    if distinct == 1 and items > 1:
        return f"all {items:,} items have the score {float(level[0]):g}: {why}"
    return f"only {distinct} different scores: {why}" if distinct < min(FEW, items) else ""


def gives_away(values: Sequence[str], flags: Flags) -> bool:
    """Whether few different values say exactly which items are flagged.

    >>> flags = np.array([True, False] * 30)
    >>> gives_away(["crow", "other"] * 30, flags), gives_away(["north", "south", "south"] * 20, flags)
    (True, False)

    Of a few items with a text each, the texts say nothing.

    >>> gives_away(["a crow", "a cat", "a dog"], np.array([True, False, False]))
    False
    """
    _, code = np.unique(np.array(values, dtype=np.str_), return_inverse=True)
    size = np.bincount(code)
    flagged = np.bincount(code, flags)
    mixed = bool(flags.any() and not flags.all())
    few = len(size) <= min(FEW, len(values) / 2)
    return mixed and few and bool(np.all((flagged == 0) | (flagged == size)))


def follows(values: Sequence[str], scores: Floats) -> bool:
    """Whether the values are numbers that rise or fall with the scores.

    >>> scores = np.linspace(0, 1, 50)
    >>> follows([f"{100 * score:.1f}" for score in scores], scores), follows(["a bird"] * 50, scores)
    (True, False)
    """
    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:
        return False
    if len(np.unique(numbers)) <= FEW or not np.isfinite(numbers).all() or np.ptp(scores) == 0:
        return False
    return bool(abs(np.corrcoef(numbers, scores)[0, 1]) >= ALIKE)


def about_fields(shown: Mapping[str, Sequence[str]], scores: Floats, predicted: Flags) -> list[str]:
    """Columns that people would see and that tell them what the model says. All are of the same sample of items.

    >>> predicted = np.array([True, False] * 30)
    >>> about_fields({"title": ["Caw", "Tweet"] * 30}, np.linspace(0, 1, 60), predicted)
    ["--field 'title' tells people what the model predicts: ..."]
    """
    found = []
    for name, values in shown.items():
        says = "what the model predicts" if gives_away(values, predicted) else ""
        if follows(values, scores):
            says = "the score"
        if says:
            found.append(f"--field {name!r} tells people {says}: it influences their answers; leave it out")
    return found


def about_known(shown: Mapping[str, Sequence[str]], labels: Flags) -> list[str]:
    """Columns that people would see and that equal the known labels of the same items."""
    return [
        f"--field {name!r} equals the labels of --known: people would see the answer; leave it out"
        for name, values in shown.items()
        if gives_away(values, labels)
    ]


def missing_pictures(paths: Iterable[str], root: str | Path | None) -> list[str]:
    """The paths that are no picture in the folder. Addresses are left out: another program may show them."""
    from lowshot.labelling.items import Pictures

    pictures = Pictures(root)
    return [path for path in paths if not is_address(path) and not pictures.readable(path)]


def is_address(path: str) -> bool:
    """Whether it is one that a labelling tool can open, such as /data/local-files/?d=a.jpg of Label Studio.

    >>> is_address("https://example.org/a.jpg"), is_address("/data/local-files/?d=a.jpg"), is_address("a.jpg")
    (True, True, False)
    """
    return "://" in path or "?" in path


def about_pictures(paths: Sequence[str], missing: Sequence[str], root: str | Path | None) -> list[str]:
    """How many pictures of a sample are missing.

    >>> about_pictures(["a.jpg", "b.jpg"], ["b.jpg"], "/birds")
    ['1 of 2 pictures that were looked for cannot be read in /birds, such as b.jpg: ...']
    """
    if not missing:
        return []
    return [
        f"{len(missing):,} of {len(paths):,} pictures that were looked for cannot be read in {root}, such as"
        f" {missing[0]}: --media-root names the folder that the paths of --field are relative to; PNG, JPEG, GIF and"
        " WebP are shown"
    ]


def about_options(fields: Sequence[str], question: str | None, name: str) -> list[str]:
    """What people would miss.

    >>> about_options([], "A crow?", "evaluation")
    ['no --field: people would judge items by their ids alone; name the columns that they are to see']
    """
    found = []
    if not fields:
        found.append("no --field: people would judge items by their ids alone; name the columns that they are to see")
    if question is None:
        found.append(f'no --question: people would read {name!r} as the question; write --question "Is this a ...?"')
    return found


def spread(places: Integers, most: int = SAMPLE // 2) -> Integers:
    """At most so many of these, evenly.

    >>> spread(np.arange(100), 4).tolist()
    [0, 33, 66, 99]
    """
    if len(places) <= most:
        return places
    found: Integers = places[np.linspace(0, len(places) - 1, most).astype(np.int64)]
    return found


def cells_of(view: View) -> tuple[Floats, Integers, Flags]:
    """Score, number of items and prediction of each cell."""
    cells = view.cells()
    predicted: Flags = np.any(cells.patterns, axis=1)
    return cells.level, cells.count, predicted[cells.pattern]


def sample_of(pool: BasePool, view: View) -> Integers:
    """Positions of some items along the ranking, of which as many are predicted positive as not. Of a large pool they
    are among the best items, which were read when it was opened."""
    positions = view.examples()[: BEST if pool.grouped else None]
    flags = view.predicted(positions) > 0
    chosen = np.concatenate([spread(np.flatnonzero(flags)), spread(np.flatnonzero(~flags))])
    found: Integers = positions[chosen]
    return found


def of_models(pool: BasePool, columns: FileColumns, threshold: float | None) -> list[str]:
    """What looks wrong with the scores of each model."""
    if not columns.models:
        option = "--threshold" if columns.prediction is None else "--prediction"
        return about_scores(*cells_of(pool.view()), threshold, option)
    found = []
    for one in columns.models:
        texts = about_scores(*cells_of(pool.view(one.name)), one.threshold, f"{MODEL} {one.name}")
        found += [f"{one.name}: {text}" for text in texts]
    return found + alike(pool)


def alike(pool: BasePool) -> list[str]:
    """Models that predict the same items positive as one before them.

    >>> import lowshot
    >>> alike(lowshot.Pool({"v1": [0.9, 0.2], "v2": [0.8, 0.1], "v3": [0.9, 0.8]}, threshold=0.5))
    ['v1 and v2 predict the same items positive: no label can tell them apart; ...']
    """
    joint = pool.view(pool.models[0]).joint
    _, first, same = np.unique(joint.patterns, axis=1, return_index=True, return_inverse=True)
    return [
        f"{joint.models[before]} and {name} predict the same items positive: no label can tell them apart; is a column"
        " or a threshold given twice?"
        for place, (name, before) in enumerate(zip(joint.models, first[same.ravel()].tolist(), strict=True))
        if before != place
    ]


def hints_about(texts: Texts, known: Mapping[Id, Any]) -> list[str]:
    """What looks wrong with scores, with the columns that people would see, and with pictures.

    known  the labels of --known
    """
    about, pool = texts.about, texts.pool
    if pool.categories:  # their scores are of many kinds, and people choose among categories
        return about_pictures(*_pictures(texts), about.media_root)
    found = of_models(pool, about.columns, about.threshold)
    if about.shown:
        view = pool.view()
        positions = sample_of(pool, view)
        shown = texts.by_field(pool.names(positions))
        judged = {name: shown[name] for name in about.shown}
        found += about_fields(judged, view.level(positions), view.predicted(positions) > 0)
        found += of_known(texts, known)
    return [*found, *about_pictures(*_pictures(texts), about.media_root)]


def of_known(texts: Texts, labels: Mapping[Id, Any]) -> list[str]:
    """Columns that people would see and that equal known labels, which are yes and no."""
    items = list(labels)[:SAMPLE]
    shown = texts.by_field(items)
    judged = {name: shown[name] for name in texts.about.shown}
    return about_known(judged, np.array([labels[item] == 1 for item in items], dtype=np.bool_))


def _pictures(texts: Texts) -> tuple[list[str], list[str]]:
    """The paths of some pictures, and those of them that are missing; none if items are no pictures."""
    about, pool = texts.about, texts.pool
    if about.show != "image":
        return [], []
    positions = spread(np.arange(len(pool)), PICTURES) if not pool.grouped else np.arange(min(len(pool), PICTURES))
    paths = texts.by_field(pool.names(positions))[about.fields[0]]
    return paths, missing_pictures(paths, about.media_root)


def refuse_no_pictures(texts: Texts) -> None:
    """Without --media-root the pictures must be beside the pool's file, or be addresses for another program."""
    paths, missing = _pictures(texts)
    if paths and len(missing) == len(paths):
        raise InputError(
            f"--show image must come with --media-root: got none, and none of {len(paths):,} pictures that were looked"
            f" for can be read in {texts.about.media_root}, the folder of --pool (first: {missing[0]}); name the folder"
            " that the paths of the pictures are relative to"
        )
