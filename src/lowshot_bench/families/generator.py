"""One class of a simulated classifier: a score and a prediction for every item.

This module has the parameters and the formulas; what the generator is for, and where the values of the parameters come
from, is described in `simulated.py`. In the formulas
    n        is a new standard normal each time, correlated between models (the parameters `shared_...`)
    h(n, k)  is a normal with skew k
    mix(r)   is a standard normal that has the correlation r with g (for classes) or with the n of a (for items)
    s        is log(positives of the class / positives of a typical class)
    Q        is the quality of the model

Class:
    g = h(n, class_skew)                             how easy the class is
    q = Q + class_spread g + gain s + s/sharpness    mean of the class's logit for its own items
    d = item_spread exp(spread_spread mix)           standard deviation of that logit
    w = width + width_spread mix                     standard deviation of the class's logit for other items
    k = skew + skew_offset + skew_spread mix         skew of that logit; at least -1.5/z, so that h increases up to z
    m = reach + reach_spread n + H(skew) - w H(k)    mean of that logit, before s/sharpness is added. H(k) = h(z, k),
                                                     where z is the normal quantile of 1 - 1/(2 classes): training
                                                     makes the upper tails of all classes end at about the same logit,
                                                     so that all classes are predicted about equally often
Item, with logits in units of its sharpness a:
    a = sharpness exp(scale_spread n)                standard deviation of the item's logits (over-confidence)
    o = mix(own_with_scale)                          how clear the item is, for every class
    t = q + d h(o, own_skew)                         logit of its true class, if that is this class (a positive)
    t = Q + sqrt(class_spread^2 + item_spread^2) o   logit of its true class, if that is another one (a negative)
    x = t or m + w h(n, k)                           logit of this class, for a positive or for a negative
    r1 > r2 > ...                                    logits of the other classes: h(., skew) + rival_with_own o of
                                                     `classes - 2` sorted normals. r1 and r2 are drawn from the exact
                                                     distribution of the two largest; the others are represented by
                                                     the mean of their sum of exp(a r), given that they are below r2
    score = a x - log(exp(a x) + sum exp(a r) + (exp(a t) for a negative))
    prediction = x > max(r1, t for a negative)
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from lowshot.core.types import Flags, Integers
from lowshot_bench.families.random_streams import Singles, Streams, Use, mixed, skewed

TINY = 1e-9  # added to an exponential random number, because 0 would give an infinite logit


@dataclass(frozen=True)
class Model:
    """The parameters that differ between models."""

    quality: float  # Q: mean logit of the true class, in standard deviations of an item's logits
    class_spread: float  # standard deviation of that mean over classes
    item_spread: float  # standard deviation over the items of a class
    sharpness: float  # standard deviation of an item's logits: a large one makes the model over-confident
    skew: float  # of the logits of wrong classes: negative means a short upper tail


@dataclass(frozen=True)
class Population:
    """The parameters that all models share. `..._with_...` and `shared_...` are correlations."""

    class_skew: float  # skew of g
    spread_spread: float  # standard deviation of log d
    spread_with_class: float  # of d with g
    width: float  # mean of w
    width_spread: float  # standard deviation of w
    width_with_class: float  # of w with g
    skew_offset: float  # mean of k minus the skew of the model
    skew_spread: float  # standard deviation of k
    skew_with_class: float  # of k with g
    reach: float  # mean upper end of a class's logits for wrong items, relative to its rivals
    reach_spread: float  # standard deviation of that end over classes
    scale_spread: float  # standard deviation of log a
    own_with_scale: float  # of o with the n of a
    own_skew: float  # skew of the logit of the true class within a class: negative means a tail of hard items
    rival_with_own: float  # slope of the rivals' logits in o
    gain: float  # slope of the quality in s: a larger class had more labels in training
    shared_class: float  # between models, of g
    shared_shape: float  # between models, of d, w, k and reach
    shared_scale: float  # between models, of a
    shared_own: float  # between models, of o
    shared_close: float  # between models, of x of negatives
    shared_rival: float  # between models, of r1


class ClassShape(NamedTuple):
    """q, d, m, w, k of a class."""

    quality: float
    spread: float
    middle: float
    width: float
    skew: float


class Items(NamedTuple):
    """a and o, one value per item."""

    scale: Singles
    own: Singles


class Rivals(NamedTuple):
    """One value per item: the largest logit of the other classes in units of a, and log(sum(exp)) of all of them."""

    best: Singles
    total: Singles


class Columns(NamedTuple):
    """One value per item: the log-softmax of the class, and whether the class is the predicted one."""

    scores: Singles
    predictions: Flags


def class_shape(streams: Streams, population: Population, model: Model, classes: int, log_size: float) -> ClassShape:
    """A class as one model sees it; `log_size` is s."""
    p = population
    g = skewed(streams.one_normal(Use.CLASS, p.shared_class), p.class_skew)

    def mix(use: Use, correlation: float) -> float:
        return mixed(g, streams.one_normal(use, p.shared_shape), correlation)

    width = p.width + p.width_spread * mix(Use.WIDTH, p.width_with_class)
    edge = float(-ndtri(0.5 / classes))  # z
    skew = model.skew + p.skew_offset + p.skew_spread * mix(Use.SKEW, p.skew_with_class)
    skew = max(skew, -1.5 / edge)
    prior = log_size / model.sharpness  # a larger class has a larger prior probability: its logit, in units of a, rises
    reach = p.reach + p.reach_spread * streams.one_normal(Use.REACH, p.shared_shape) + skewed(edge, model.skew)
    return ClassShape(
        quality=model.quality + model.class_spread * g + p.gain * log_size + prior,
        spread=model.item_spread * float(np.exp(p.spread_spread * mix(Use.SPREAD, p.spread_with_class))),
        middle=reach - width * skewed(edge, skew) + prior,
        width=width,
        skew=skew,
    )


def columns(
    streams: Streams, p: Population, model: Model, classes: int, size: int, positives: Integers, log_size: float = 0.0
) -> Columns:
    """Scores and predictions of `size` items for one class; `positives` are the positions of its own items."""
    shape = class_shape(streams, p, model, classes, log_size)
    items = _items(streams, p, model, size)
    true = items.own * float(np.hypot(model.class_spread, model.item_spread)) + model.quality
    own = shape.quality + shape.spread * skewed(items.own[positives], p.own_skew)
    logit = shape.middle + shape.width * skewed(streams.normal(Use.CLOSE, size, p.shared_close), shape.skew)
    logit[positives] = own
    true[positives] = -np.inf  # the true class of a positive is this class, which is not its own rival
    rivals = _with_true_class(_rivals(streams, p, model, classes, items), items.scale, true)
    odds = items.scale * logit - rivals.total
    return Columns(-np.logaddexp(np.float32(0), -odds), _predictions(logit - rivals.best))


def _items(streams: Streams, p: Population, model: Model, size: int) -> Items:
    normal = streams.normal(Use.SCALE, size, p.shared_scale)
    own = mixed(normal, streams.normal(Use.OWN, size, p.shared_own), p.own_with_scale)
    return Items((model.sharpness * np.exp(p.scale_spread * normal)).astype(np.float32), own)


def _rivals(streams: Streams, p: Population, model: Model, classes: int, items: Items) -> Rivals:
    """r1 and log(sum(exp(a r))) over `classes - 2` classes."""
    count, size = classes - 2, len(items.own)
    # If U is the largest of `count` uniforms, -count log U is exponential. The second largest, divided by U, is the
    # largest of `count - 1` uniforms.
    depth = (TINY - log_ndtr(streams.normal(Use.RIVAL, size, p.shared_rival))) / count
    first = -ndtri(-np.expm1(-depth))
    depth += streams.exponential(Use.SECOND, size) / (count - 1)
    second = -ndtri(-np.expm1(-depth))
    slope = items.scale * (1 + model.skew / 3 * second)  # derivative at r2 of a r with respect to the normal
    rest = float(np.log(count - 2)) + slope * slope / 2 + log_ndtr(second - slope) - slope * second
    best = skewed(first, model.skew) + p.rival_with_own * items.own
    below = items.scale * (skewed(second, model.skew) - skewed(first, model.skew))
    total = items.scale * best + np.log1p(np.exp(below) * (1 + np.exp(rest)))
    return Rivals(best, total)


def _with_true_class(rivals: Rivals, scale: Singles, true: Singles) -> Rivals:
    """The rivals, with the true class of each negative added to them."""
    return Rivals(np.maximum(rivals.best, true), np.logaddexp(rivals.total, scale * true))


def _predictions(margin: Singles) -> Flags:
    """Where this class beats all rivals. If it never does, its best item is predicted, so that it can be evaluated."""
    found: Flags = margin > 0
    if not found.any():
        found[np.argmax(margin)] = True
    return found
