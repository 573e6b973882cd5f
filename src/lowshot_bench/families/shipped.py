"""The six categories that are shipped with lowshot: tasks that need no folder."""

from lowshot.demo import data
from lowshot_bench.families.task import Task


class ShippedFamily:
    """The categories of `lowshot.demo.data`, with one positive in 1,000 items, as one group.

    >>> family = ShippedFamily()
    >>> task = family.load(109)
    >>> task.name, task.pool, int(task.labels.sum())
    ('shipped/109/most likely', Pool(54,861 items, 122 predicted positive), 55)
    """

    name = "shipped images"

    def categories(self) -> list[int]:
        return list(data.CATEGORIES)

    def excluded(self) -> dict[int, str]:
        return {}

    def task_name(self, category: int) -> str:
        return f"shipped/{category}/most likely"

    def load(self, category: int) -> Task:
        """One category as a task."""
        found = data.load(category)
        name = self.task_name(category)
        return Task(self.name, category, found.pool, found.labels, name=name, alike=len(data.CATEGORIES))
