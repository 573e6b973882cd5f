"""One class of a simulated classifier: a score and a prediction for every item.

What the generator is for and what it was fitted to: `lowshot_bench.families.simulated`. Here are its formulas.
n stands for a new standard normal each time, correlated between models (`shared_...`); h(n, k) is a normal of skew k;
mix(r) is a normal that has correlation r with g (classes) or with the n of a (items).

A class, for a model of quality Q; s is the log of how many times the typical number of positives it has:
    g = h(n, class_skew)                             how easy the class is: easy ones are the longer tail
    q = Q + class_spread g + gain s + s/sharpness    mean of the class's logit for its own items
    d = item_spread exp(spread_spread mix)           and its standard deviation
    w = width + width_spread mix                     standard deviation of the class's logit for other items,
    k = skew + skew_offset + skew_spread mix         its skew (at least -1.5/z, or h would not rise up to the edge z),
    m = reach + reach_spread n + H(skew) - w H(k)    and, plus s/sharpness, its mean. H(k) = h(z, k), where z is the
                                                     normal quantile of 1 - 1/(2 classes): training makes all classes
                                                     reach about equally high, to be predicted about equally often
An item, in units of its sharpness a:
    a = sharpness exp(scale_spread n)                standard deviation of the item's logits: over-confidence
    o = mix(own_with_scale)                          how clear the item is, for every class
    t = q + d h(o, own_skew)                         logit of its true class, if that is this class (a positive)
    t = Q + sqrt(class_spread^2 + item_spread^2) o   logit of its true class, if that is another one (a negative)
    x = t or m + w h(n, k)                           logit of this class for a positive, for a negative
    r1 > r2 > ...                                    logits of the other classes, h(., skew) + rival_with_own o of
                                                     `classes - 2` sorted normals. r1, r2 are drawn from the exact
                                                     distribution of the two largest; the rest are represented by
                                                     the mean of their sum of exp(a r), given that they are below r2
    score = a x - log(exp(a x) + sum exp(a r) + (exp(a t) for a negative))
    prediction = x > max(r1, t for a negative)
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from lowshot.core.types import Flags, Integers
from lowshot_bench.families.latents import Latents, Part, Singles, mixed, skewed
from lowshot_bench.families.population import Model, Population

NEVER_ZERO = 1e-9  # added to exponentials: a 0 would be an infinite logit


class Category(NamedTuple):
    """q, d, m, w, k of a class."""

    quality: float
    spread: float
    middle: float
    width: float
    skew: float


class Items(NamedTuple):
    """a and o of the items."""

    scale: Singles
    own: Singles


class Rivals(NamedTuple):
    """The largest logit of the other classes in units of a, and log sum exp of all of them."""

    best: Singles
    total: Singles


class Columns(NamedTuple):
    """One value an item: log-softmax, and whether the class wins."""

    scores: Singles
    predictions: Flags


def category(latents: Latents, population: Population, model: Model, classes: int, log_size: float = 0.0) -> Category:
    """A class as a model sees it; `log_size` is s."""
    p = population
    g = skewed(latents.one(Part.CLASS, p.shared_class), p.class_skew)

    def mix(part: Part, correlation: float) -> float:
        return mixed(g, latents.one(part, p.shared_shape), correlation)

    width = p.width + p.width_spread * mix(Part.WIDTH, p.width_with_class)
    edge = float(-ndtri(0.5 / classes))
    skew = model.skew + p.skew_offset + p.skew_spread * mix(Part.SKEW, p.skew_with_class)
    skew = max(skew, -1.5 / edge)
    prior = log_size / model.sharpness  # a larger class is more likely beforehand, in units of a
    reach = p.reach + p.reach_spread * latents.one(Part.REACH, p.shared_shape) + skewed(edge, model.skew)
    return Category(
        quality=model.quality + model.class_spread * g + p.gain * log_size + prior,
        spread=model.item_spread * float(np.exp(p.spread_spread * mix(Part.SPREAD, p.spread_with_class))),
        middle=reach - width * skewed(edge, skew) + prior,
        width=width,
        skew=skew,
    )


def columns(
    latents: Latents, p: Population, model: Model, classes: int, size: int, positives: Integers, log_size: float = 0.0
) -> Columns:
    """Scores and predictions of all items for one class, whose positives are at these positions."""
    this = category(latents, p, model, classes, log_size)
    items = _items(latents, p, model, size)
    true = items.own * float(np.hypot(model.class_spread, model.item_spread)) + model.quality
    own = this.quality + this.spread * skewed(items.own[positives], p.own_skew)
    logit = this.middle + this.width * skewed(latents.normal(Part.CLOSE, size, p.shared_close), this.skew)
    logit[positives] = own
    true[positives] = -np.inf  # the true class is this one: no rival
    rivals = _with_true(_rivals(latents, p, model, classes, items), items.scale, true)
    odds = items.scale * logit - rivals.total
    return Columns(-np.logaddexp(np.float32(0), -odds), _winning(logit - rivals.best))


def _items(latents: Latents, p: Population, model: Model, size: int) -> Items:
    normal = latents.normal(Part.SCALE, size, p.shared_scale)
    own = mixed(normal, latents.normal(Part.OWN, size, p.shared_own), p.own_with_scale)
    return Items((model.sharpness * np.exp(p.scale_spread * normal)).astype(np.float32), own)


def _rivals(latents: Latents, p: Population, model: Model, classes: int, items: Items) -> Rivals:
    """r1 and log sum exp(a r) over `classes - 2` classes."""
    count, size = classes - 2, len(items.own)
    # if U is the largest of `count` uniforms, -count log U is exponential; and so on below it
    depth = (NEVER_ZERO - log_ndtr(latents.normal(Part.RIVAL, size, p.shared_rival))) / count
    first = -ndtri(-np.expm1(-depth))
    depth += latents.exponential(Part.SECOND, size) / (count - 1)
    second = -ndtri(-np.expm1(-depth))
    slope = items.scale * (1 + model.skew / 3 * second)  # a r rises by this much a unit of normal, at r2
    rest = float(np.log(count - 2)) + slope * slope / 2 + log_ndtr(second - slope) - slope * second
    best = skewed(first, model.skew) + p.rival_with_own * items.own
    below = items.scale * (skewed(second, model.skew) - skewed(first, model.skew))
    total = items.scale * best + np.log1p(np.exp(below) * (1 + np.exp(rest)))
    return Rivals(best, total)


def _with_true(rivals: Rivals, scale: Singles, true: Singles) -> Rivals:
    """The rivals of a negative have its true class among them."""
    return Rivals(np.maximum(rivals.best, true), np.logaddexp(rivals.total, scale * true))


def _winning(margin: Singles) -> Flags:
    """Where this class beats all rivals; a class that never does gets its best item, so that it can be evaluated."""
    found: Flags = margin > 0
    if not found.any():
        found[np.argmax(margin)] = True
    return found
