"""The parameters of the generator of simulated tasks. What each does: the formulas in `generator.py`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """What differs from model to model."""

    quality: float  # Q: mean logit of the true class, in standard deviations of an item's logits
    class_spread: float  # standard deviation of that mean over classes
    item_spread: float  # standard deviation over the items of a class
    sharpness: float  # standard deviation of an item's logits: how over-confident the model is
    skew: float  # of the logits of wrong classes: negative means that they end sooner at the top


@dataclass(frozen=True)
class Population:
    """What all models have in common; `..._with_...` and `shared_...` are correlations."""

    class_skew: float  # of the quality of classes
    spread_spread: float  # of log d
    spread_with_class: float
    width: float  # mean of w
    width_spread: float
    width_with_class: float
    skew_offset: float  # mean of k, less the model's skew
    skew_spread: float
    skew_with_class: float
    reach: float  # how high a class reaches for wrong items, against its rivals
    reach_spread: float
    scale_spread: float  # of log a
    own_with_scale: float
    own_skew: float  # of the logit of the true class within a class: negative means a tail of hard items
    rival_with_own: float  # how much the rivals rise with o
    gain: float  # of quality with the log of the number of labels
    shared_class: float  # between models: of g
    shared_shape: float  # of d, w, k and reach
    shared_scale: float  # of a
    shared_own: float  # of o
    shared_close: float  # of x of negatives
    shared_rival: float  # of r1
