"""Definitions of experiments: one small TOML file each, in `experiments/` or from the user."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from lowshot.errors import InputError
from lowshot.sampler.base import Sampler
from lowshot.sampler.registry import make
from lowshot_bench.data_folders import DATA_FOLDERS

GRID = (10, 20, 30, 50, 70, 100, 150, 200, 310, 600)  # numbers of labels; 10, 30, 70, 150, 310 end ACIS's rounds
KINDS = ("evaluation", "subsets", "floor")
SEVERAL = {  # kinds of experiments about several models, each with its methods; lowshot_bench.several runs them
    "pairs": ("pair", "each", "first", "own"),
    "helpers": ("none", "helper", "missing", "random", "constant", "reversed", "noisy", "weak"),
    "transfer": ("with_model", "predictions", "first", "own"),
    "best": ("best", "each", "uniform", "coda"),
    "disagree": ("pair", "each", "alone"),
}
CHOOSING = {"choose": ("posterior", "design", "plain", "supg", "bargain")}  # the same; lowshot_bench.choosing runs it
CLASSES = {"classes": ("classes", "each", "random", "single", "pair")}  # the same; lowshot_bench.classes runs it
SLICING = {"slices": ("slices", "own", "labels")}  # the same; lowshot_bench.slicing runs it
PEERS = {  # the same; lowshot_bench.peers runs it
    "peers": ("curve", "acis", "acis stratum", "random", "oasis", "activeeval", "ppi", "glide", "bargain")
}
BY_GROUP = {**SEVERAL, **CHOOSING, **CLASSES, **SLICING, **PEERS}
DRAWINGS = ("error", "variance", "finite", "transfer", "thresholds", "choice", "cost", "width")


@dataclass(frozen=True)
class Method:
    """A sampler with settings; `name` is what figures and tables show."""

    name: str
    sampler: str
    settings: dict[str, Any] = field(default_factory=dict)

    def make(self) -> Sampler:
        return make(self.sampler, self.settings)


@dataclass(frozen=True)
class FamilyChoice:
    """The tasks of an experiment: a family with its arguments, and a choice of its classes."""

    family: str  # a key of FROM_FOLDER or KINDS of lowshot_bench.families
    arguments: dict[str, Any] = field(default_factory=dict)
    part: str = "all"  # which classes: "odd", "even" or "all"
    most: int | None = None  # the largest number of classes, or of tasks per group of models; they are evenly spaced


@dataclass(frozen=True)
class Experiment:
    """The definition of an experiment: tasks, methods, numbers of labels, repetitions, and the kind of figure.

    >>> experiment = find("figure4")
    >>> experiment.paper, experiment.budgets[:3]
    ('figure 4', (10, 20, 30))
    """

    name: str
    title: str
    paper: str  # where the paper has it, e.g. "figure 4"
    families: tuple[FamilyChoice, ...]
    methods: tuple[Method, ...] = ()
    budgets: tuple[int, ...] = GRID
    repetitions: int = 1
    seed: int = 0
    kind: str = "evaluation"
    drawing: str = "error"
    metric: str = "f1"
    also: tuple[str, ...] = ()  # further metrics that are estimated from the same labels
    runs: int = 0  # with --full, every data set of pools has at least this number of runs per method that draws
    apart: bool = False  # not part of `lowshot bench run all`, because it is long and not from the paper

    @cached_property
    def digest(self) -> str:
        """The whole definition as text, to compare definitions and to read them back with `from_digest`."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def needs_data(self) -> bool:
        return bool(self.data_folders)

    @property
    def data_folders(self) -> list[str]:
        """What must be in the folder given with --data."""
        needed = (DATA_FOLDERS[choice.family] for choice in self.families if choice.family in DATA_FOLDERS)
        return [folder.words for folder in dict.fromkeys(needed)]

    @property
    def of_pools(self) -> bool:
        """Whether its tasks are pools of a folder, which are named and belong to data sets."""
        return any(choice.family == "pools" for choice in self.families)

    @property
    def of_several(self) -> bool:
        """Whether it is about several models and one set of labels."""
        return self.kind in SEVERAL

    @property
    def of_choosing(self) -> bool:
        """Whether it is about thresholds with a guarantee."""
        return self.kind in CHOOSING

    @property
    def of_classes(self) -> bool:
        """Whether it is about all classes of a model at once."""
        return self.kind in CLASSES

    @property
    def of_slicing(self) -> bool:
        """Whether it is about slices of a pool."""
        return self.kind in SLICING

    @property
    def of_peers(self) -> bool:
        """Whether it is about packages of others."""
        return self.kind in PEERS

    @property
    def by_group(self) -> bool:
        """Whether its tasks are in groups that count alike, and its results are tables of them without figures."""
        return self.kind in BY_GROUP


Finished = list[tuple[Experiment, Path]]  # each experiment with the file of its rows


def from_digest(text: str) -> Experiment:
    """The experiment that has this digest.

    >>> from_digest(find("figure4").digest) == find("figure4")
    True
    """
    found = json.loads(text)
    found["families"] = tuple(FamilyChoice(**entry) for entry in found["families"])
    found["methods"] = tuple(Method(**entry) for entry in found["methods"])
    return Experiment(**{**found, **{key: tuple(found.get(key, ())) for key in ("budgets", "also")}})


def names() -> list[str]:
    """The names of the experiments in this package.

    >>> "figure3" in names()
    True
    """
    return sorted(path.name.removesuffix(".toml") for path in _folder().iterdir() if path.name.endswith(".toml"))


def find(name: str) -> Experiment:
    """An experiment of this package by name, or the one in a TOML file."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise InputError(f"experiment must be a name or a TOML file: there is no file {name}")
        return parse(path.stem, path.read_text())
    if name not in names():
        raise InputError(f"experiment must be one of {', '.join(names())}, or a .toml file: got {name!r}")
    return parse(name, (_folder() / f"{name}.toml").read_text())


def parse(name: str, text: str) -> Experiment:
    """An experiment from the text of its TOML file.

    >>> parse("mine", "title = 'x'").title
    Traceback (most recent call last):
    lowshot.errors.InputError: experiment mine must name its families: got none; ...
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"experiment {name} must be TOML: {error}") from None
    _known(name, found, [*Experiment.__dataclass_fields__, "methods"], "name")
    families = tuple(_family(name, entry) for entry in found.pop("families", ()))
    if not families:
        raise InputError(f"experiment {name} must name its families: got none; add [[families]]")
    methods = tuple(method for entry in found.pop("methods", ()) for method in _methods(name, entry))
    found["budgets"], found["also"] = tuple(found.get("budgets", GRID)), tuple(found.get("also", ()))
    experiment = Experiment(name=name, families=families, methods=methods, **{"title": name, "paper": "", **found})
    _check(experiment)
    return experiment


def _family(experiment: str, entry: dict[str, Any]) -> FamilyChoice:
    arguments = {key: value for key, value in entry.items() if key not in FamilyChoice.__dataclass_fields__}
    plain = {key: entry[key] for key in ("family", "part", "most") if key in entry}
    if "family" not in plain:
        raise InputError(
            f'experiment {experiment}: every [[families]] must have family = "real", "pools" or "simulated",'
            ' or "image_models" or "pool_models" for several models, "image_rankings" or "pool_rankings" for thresholds'
            ', "image_classes" for all classes of a model at once, "image_slices" or "pool_slices" for slices'
            ', "disagree" for simulated pairs of models, or "shipped" for the categories that are shipped with lowshot'
        )
    return FamilyChoice(arguments=arguments, **plain)


def _methods(experiment: str, entry: str | dict[str, Any]) -> Iterator[Method]:
    """The methods of one entry: a sampler, a sampler with settings, or one method per combination in a grid."""
    if isinstance(entry, str):
        entry = {"sampler": entry}
    _known(experiment, entry, ["name", "sampler", "settings", "grid"])
    sampler, settings = entry["sampler"], entry.get("settings", {})
    if "grid" not in entry:
        yield Method(entry.get("name", sampler), sampler, settings)
        return
    for values in product(*entry["grid"].values()):
        chosen = dict(zip(entry["grid"], values, strict=True))
        name = ", ".join(f"{key} {value:g}" for key, value in chosen.items())
        yield Method(name, sampler, {**settings, **chosen})


def _known(experiment: str, entry: dict[str, Any], allowed: Sequence[str], *hidden: str) -> None:
    for key in entry:
        if key not in allowed or key in hidden:
            listed = ", ".join(sorted(set(allowed) - set(hidden)))
            raise InputError(f"experiment {experiment}: keys must be among {listed}: got {key!r}")


def _check(experiment: Experiment) -> None:
    kinds = (*KINDS, *BY_GROUP)
    for name, value, allowed in (("kind", experiment.kind, kinds), ("drawing", experiment.drawing, DRAWINGS)):
        if value not in allowed:
            raise InputError(f"experiment {experiment.name}: {name} must be one of {', '.join(allowed)}: got {value!r}")
    for method in experiment.methods:
        if experiment.by_group:
            _check_method(experiment, method)
        else:
            method.make()
    if len({method.name for method in experiment.methods}) < len(experiment.methods):
        raise InputError(f"experiment {experiment.name}: the names of its methods must be distinct")


def _check_method(experiment: Experiment, method: Method) -> None:
    allowed = BY_GROUP[experiment.kind]
    if method.sampler not in allowed:
        raise InputError(
            f"experiment {experiment.name}: methods of the kind {experiment.kind} must be among {', '.join(allowed)}:"
            f" got {method.sampler!r}"
        )


def _folder() -> Any:
    return files("lowshot_bench").joinpath("experiments")
