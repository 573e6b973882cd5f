"""Several people label one evaluation: who gets which item, whose answers count, how much they agree.

items      how an item is displayed: a picture, a text or several fields; reads picture files   `Shown`
rows       an item as another tool shows it, and a row with a label that comes back
answers    the answers to an item, and whether they settle its label
ledger     all answers and leases of one evaluation, in memory and in the store
desk       hands items to people for a limited time and takes their answers        `Desk`
export     all labels as a table                                              `exported`
counts     how many items are asked, answered, counted and waiting, and in words   `Counts`
enough     whether the goal is reached, and what was found, in sentences       `Watch`
agreement  how much annotators agree, beyond chance                                `Agreement`
tally      per evaluation of a store: annotators, disputes, and who holds how many items
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowshot.labelling.agreement import Agreement
    from lowshot.labelling.answers import Resolution
    from lowshot.labelling.desk import Desk

__all__ = ["Agreement", "Desk", "Resolution"]

# Loaded at first use: a desk needs the extra of the store, and reports use other modules of this package without it.
_MODULE_OF = {"Agreement": "agreement", "Desk": "desk", "Resolution": "answers"}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'lowshot.labelling' has no attribute {name!r}")
    return getattr(import_module(f"lowshot.labelling.{_MODULE_OF[name]}"), name)
