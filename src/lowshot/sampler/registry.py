"""Samplers by name: ours, and those that other packages offer through the entry point group `lowshot.samplers`."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from lowshot.errors import InputError
from lowshot.sampler.base import Sampler

GROUP = "lowshot.samplers"
FOR_CLASSES = EntryPoint("classes", "lowshot.sampler.classes:Classes", GROUP)  # the only one for pools of many classes
OURS = {
    "curve": "lowshot.sampler.curve:Curve",
    "acis": "lowshot.sampler.acis:Acis",
    "acis_last": "lowshot.sampler.acis:AcisLast",
    "acis_platt": "lowshot.sampler.acis:AcisPlatt",
    "sawade": "lowshot.sampler.sawade:Sawade",
    "rand": "lowshot.sampler.rand:Rand",
    "iso": "lowshot.sampler.iso:Iso",
    "platt": "lowshot.sampler.platt:Platt",
    "topk": "lowshot.sampler.topk:TopK",
    "gmm": "lowshot.sampler.gmm:Gmm",
    "herding": "lowshot.sampler.herding:Herding",
}


class Registry(Mapping[str, type[Sampler]]):
    """Samplers by name, each loaded when it is used: most of them need scikit-learn, which takes a second to import.

    >>> samplers
    curve acis acis_last acis_platt sawade rand iso platt topk gmm herding
    >>> samplers["rand"].__name__
    'Rand'
    """

    @cached_property
    def _found(self) -> dict[str, EntryPoint]:
        found = {name: EntryPoint(name, place, GROUP) for name, place in OURS.items()}
        for entry in entry_points(group=GROUP):
            if entry.name in found:
                raise InputError(
                    f"sampler names must be distinct: {entry.value} offers {entry.name!r}, which is taken;"
                    " uninstall its package"
                )
            found[entry.name] = entry
        return found

    def __getitem__(self, name: str) -> type[Sampler]:
        if name not in self._found:
            raise InputError(f"sampler must be one of {', '.join(self._found)}: got {name!r}")
        return _load(self._found[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __repr__(self) -> str:
        return " ".join(self)


def _load(entry: EntryPoint) -> type[Sampler]:
    """Load one sampler. A broken package must not keep others from loading, so each is loaded when it is used."""
    try:
        found = entry.load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"sampler {entry.name!r} cannot be loaded from {entry.value}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Sampler) and found.name == entry.name):
        raise InputError(f"sampler {entry.name!r} must be a Sampler of that name: {entry.value} is {found!r}")
    return found


samplers = Registry()


def make(sampler: str | Sampler, settings: dict[str, Any] | None = None) -> Sampler:
    """A sampler by name and settings, or the one that is given.

    >>> make("acis", {"epsilon": 0.1}).settings["epsilon"]
    0.1
    >>> make("acis", {"epsilom": 0.1})
    Traceback (most recent call last):
    lowshot.errors.InputError: settings of sampler 'acis' must be among first, growth, ...: got 'epsilom'
    """
    if isinstance(sampler, Sampler):
        if settings:
            raise InputError(f"give settings with a sampler's name, or a sampler that has them: got both for {sampler}")
        return sampler
    if not isinstance(sampler, str):
        hint = f"; write {sampler.__name__}()" if isinstance(sampler, type) else ""
        raise InputError(f"sampler must be a name or a Sampler: got {sampler!r}{hint}")
    kind = _load(FOR_CLASSES) if sampler == FOR_CLASSES.name else samplers[sampler.lower()]
    return kind.with_settings({} if settings is None else settings)
