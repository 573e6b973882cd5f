"""What can go wrong, as a tree.

    LowshotError
    ├── InputError (ValueError)       an argument cannot be used; nothing was changed
    └── MissingExtra (ImportError)    a part that is installed with an extra is not there

>>> from lowshot.errors import InputError
>>> issubclass(InputError, ValueError)
True
"""


class LowshotError(Exception):
    """The base of every error that lowshot raises on purpose."""


class InputError(LowshotError, ValueError):
    """An argument cannot be used: the message names it, what is needed, what came, what to do."""


class MissingExtra(LowshotError, ImportError):
    """An optional part is not installed: the message names the extra to install."""
