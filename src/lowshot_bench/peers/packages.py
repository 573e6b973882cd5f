"""Packages of others, which are not needed to use lowshot: imported when a method asks for them.

>>> PACKAGES["ppi"].pip
'ppi-python'
>>> load("no_such_package", "no-such-package")
Traceback (most recent call last):
lowshot.errors.MissingExtra: this comparison needs no_such_package: pip install no-such-package, or make bench-peers
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from lowshot.errors import MissingExtra


class Package(NamedTuple):
    """A package of others: what is imported, and what pip calls it."""

    name: str
    pip: str


PACKAGES = {  # by method; the methods that are not here need lowshot alone
    "oasis": Package("oasis", "--no-deps oasis"),  # it asks for `sklearn`, which cannot be installed any more
    "activeeval": Package("activeeval", "activeeval"),  # pip found nothing in 2026-11; it is in its repository
    "ppi": Package("ppi_py", "ppi-python"),
    "glide": Package("glide.estimators", "glide-py"),
    "bargain": Package("BARGAIN", "bargain"),
}


def missing(method: str) -> Package | None:
    """The package that this method needs and that is not installed.

    >>> missing("curve") is None
    True
    """
    package = PACKAGES.get(method)
    return package if package and not _there(package.name) else None


def _there(name: str) -> bool:
    """Another package than the one that is meant may have its first name, as `glide` on PyPI has."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def load(name: str, pip: str) -> Any:
    """The module of this name."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and not name.startswith(error.name):
            raise  # something that the package itself needs
        raise MissingExtra(f"this comparison needs {name}: pip install {pip}, or make bench-peers") from None


def load_for(method: str, module: str = "") -> Any:
    """The package of this method, or a module of it."""
    package = PACKAGES[method]
    return load(module or package.name, package.pip)
