"""Several people label one evaluation: who gets which item, whose answers count, how much they agree.

answers    what each annotator said of an item, and what follows from it
ledger     who said what and who has what, in memory as it is in the store
desk       hands items to people for a limited time and takes their answers; nobody gets what others have
holders    who has how many items of an evaluation, from the store's rows alone
agreement  how much annotators agree, beyond chance
tally      every evaluation of a store at a glance
"""

from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import Resolution
from lowshot.labelling.desk import Desk

__all__ = ["Agreement", "Desk", "Resolution"]
