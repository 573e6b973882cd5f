"""What a simulated family looks like, and the columns of one of its classes."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Flags, Integers
from lowshot_bench.families import generator
from lowshot_bench.families.generator import Columns
from lowshot_bench.families.latents import Latents, Part
from lowshot_bench.families.population import Model, Population

DEPTH = 100  # strewn positives lie in the first 100 n_pred of the ranking


@dataclass(frozen=True)
class Setting:
    """How many items, classes and positives a family has, and its models."""

    seed: int
    items: int
    classes: int
    positives: tuple[int, int]  # least and most of a class
    models: dict[str, Model]
    tasks: int | None = None  # classes that are made: all, unless this says fewer
    tail: float = 0.0  # spread of log(number of positives), which is normal; 0: every number is equally likely
    strewn: float = 0.0  # share of the positives that are strewn down the ranking
    reach: float = 0.0  # added to the fitted one: with more classes, predictions must still add up to the items


class Positives(NamedTuple):
    """Where the positives are, and s: the log of how many times the typical number of positives they are."""

    places: Integers
    log_size: float

    def labels(self, items: int) -> Flags:
        found = np.zeros(items, dtype=np.bool_)
        found[self.places] = True
        return found


def positives(setting: Setting, category: int) -> Positives:
    """The positives of a class: the same for every model."""
    stream = Latents((setting.seed, category), 0).stream(Part.LABELS)
    least, most = setting.positives
    if setting.tail:
        typical = setting.items / setting.classes * float(np.exp(-(setting.tail**2) / 2))  # median of a log-normal
        wanted = typical * float(np.exp(setting.tail * stream.standard_normal()))
        count = min(max(round(wanted), least), most)
    else:
        count = typical = int(stream.integers(least, most, endpoint=True))
    places = np.sort(stream.choice(setting.items, count, replace=False))
    return Positives(places, float(np.log(count / typical)))


def columns(setting: Setting, category: int, model: str, population: Population) -> Columns:
    """Scores and predictions of one model for one class."""
    latents = Latents((setting.seed, category), 1 + list(setting.models).index(model))
    places, log_size = positives(setting, category)
    fitted = replace(population, reach=population.reach + setting.reach)
    sizes = (setting.classes, setting.items)
    found = generator.columns(latents, fitted, setting.models[model], *sizes, places, log_size)
    return strew(found, places, setting.strewn, latents.stream(Part.STREWN)) if setting.strewn else found


def strew(found: Columns, places: Integers, share: float, stream: np.random.Generator) -> Columns:
    """Give a share of the positives scores from all over the first 100 n_pred ranks, and no prediction."""
    scores, predictions = found.scores.copy(), found.predictions.copy()
    moved = stream.choice(places, round(share * len(places)), replace=False)
    predictions[moved] = False
    if not predictions.any():  # only strewn ones were predicted: keep the best of the others
        predictions[np.argmax(np.where(found.predictions, -np.inf, scores))] = True
    ranked = np.sort(np.delete(scores, moved))[::-1]
    n_pred = int(np.count_nonzero(predictions))
    rank = n_pred + stream.random(len(moved)) * (min(DEPTH * n_pred, len(ranked) - 1) - n_pred)
    scores[moved] = (ranked[rank.astype(np.int64)] + ranked[rank.astype(np.int64) + 1]) / 2
    return Columns(scores, predictions)
