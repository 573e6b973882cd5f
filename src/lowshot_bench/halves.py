"""Which data sets are for choosing settings, and which only for reporting results.

The rule was fixed before any result on the pools was looked at. All experiments on a folder of pools use it.
"""

from collections.abc import Iterable
from typing import Literal

Half = Literal["choosing", "reporting"]

# Data sets whose names begin with these words are near copies of each other, so they are on the same side.
NEAR_COPIES = ("CIFAR10_", "SVHN_", "clef_")
# The benchmark of other methods: never used for choosing.
REPORTED = ("supg_",)

# Image models whose whole files are for choosing, in experiments about all classes at once; others are for reporting.
CHOOSING_MODELS = ("simclr", "byol")


def half_of_model(name: str) -> Half:
    """The half of an image model, of which all classes are used together.

    >>> half_of_model("byol"), half_of_model("swav")
    ('choosing', 'reporting')
    """
    return "choosing" if name in CHOOSING_MODELS else "reporting"


def halves(datasets: Iterable[tuple[str, str]]) -> dict[str, Half]:
    """The half of each data set. `datasets` are pairs of kind and name.

    Within a kind, in alphabetical order, data sets alternate between choosing and reporting; near copies count as one.

    >>> halves([("tabular", "cover"), ("tabular", "skin"), ("embedded", "SVHN_0"), ("embedded", "CIFAR10_1")])
    {'CIFAR10_1': 'choosing', 'SVHN_0': 'reporting', 'cover': 'choosing', 'skin': 'reporting'}
    >>> halves([("proxy", "supg_onto"), ("retrieval", "clef_a"), ("retrieval", "clef_b")])
    {'supg_onto': 'reporting', 'clef_a': 'choosing', 'clef_b': 'choosing'}
    """
    found: dict[str, Half] = {}
    place: dict[str, list[str]] = {}  # by kind: data sets or groups of near copies, in order
    for kind, name in sorted(set(datasets)):
        if name.startswith(REPORTED):
            found[name] = "reporting"
            continue
        group = next((start for start in NEAR_COPIES if name.startswith(start)), name)
        groups = place.setdefault(kind, [])
        if group not in groups:
            groups.append(group)
        found[name] = "reporting" if groups.index(group) % 2 else "choosing"
    return found
