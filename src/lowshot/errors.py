"""What can go wrong, as a tree.

    LowshotError
    ├── InputError (ValueError)       an argument cannot be used; nothing was changed
    ├── MissingExtra (ImportError)    a part that is installed with an extra is not there
    ├── PoolError (OSError)           the engine that holds a pool failed, or its rows changed; nothing was changed
    └── StoreError (OSError)          a store cannot be read or written; nothing was changed

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


class StoreError(LowshotError, OSError):
    """A store cannot be read or written: the message says where, why, and what to do. Nothing was changed."""


class PoolError(LowshotError, OSError):
    """The engine that holds a pool failed, or its rows are not what they were. The evaluation is as it was."""
