"""What the sampler of many categories sees: the items by how sure the classifier is, with all that scores say."""

from functools import cached_property

import numpy as np

from lowshot.class_answer import ClassAnswers
from lowshot.core.classes.scores import ClassScores, MultiScores
from lowshot.core.types import Integers
from lowshot.pools.memory_view import MemoryView, Rows


class ClassView(MemoryView):
    """The items by the score of their prediction; every item counts as predicted."""

    def __init__(self, table: ClassScores | MultiScores, answers: ClassAnswers, rows: Rows) -> None:
        super().__init__(table.sureness, np.ones(len(table), dtype=np.bool_), rows)
        self.table, self.answers = table, answers

    @cached_property
    def predicted_counts(self) -> Integers:
        """How many items are predicted to be of each class."""
        table = self.table
        places = table.predicted if isinstance(table, ClassScores) else table.place[table.predicted]
        return np.bincount(places, minlength=table.categories)

    def of_category(self, place: int) -> MemoryView:
        """The items as one category ranks them, predicted positive where it is predicted."""

        def make() -> MemoryView:
            rows = self._rows._replace(scale="log") if isinstance(self.table, ClassScores) else self._rows
            return MemoryView(self.table.of_class(place), self.table.flags(place), rows)

        return self.cached(f"category {place}", make)
