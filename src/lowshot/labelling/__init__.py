"""Several people label one evaluation: who gets which item, whose answers count, how much they agree.

items      how an item is displayed: a picture, a text or several fields; reads picture files   `Shown`
answers    the answers to an item, and whether they settle its label
ledger     all answers and leases of one evaluation, in memory and in the store
desk       hands items to people for a limited time and takes their answers        `Desk`
export     all labels as a table                                              `exported`
counts     how many items are asked, answered, counted and waiting, and in words   `Counts`
agreement  how much annotators agree, beyond chance                                `Agreement`
tally      per evaluation of a store: annotators, disputes, and who holds how many items
"""

from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import Resolution
from lowshot.labelling.desk import Desk

__all__ = ["Agreement", "Desk", "Resolution"]
