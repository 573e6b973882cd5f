"""The columns of a Dataset as Arrow arrays, in the order of its rows, whatever was selected, filtered or shuffled."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lowshot import checks
from lowshot.errors import InputError, required_by
from lowshot.pools.frame import Frame

CALLED = "dataset"


def library() -> Any:
    """The package `datasets`."""
    with required_by("a Dataset of Hugging Face", extra="datasets"):
        import datasets
    return datasets


class Source(NamedTuple):
    """A Dataset whose columns are read when they are asked for.

    >>> from datasets import Dataset
    >>> rows = Dataset.from_dict({"path": ["a.jpg", "b.jpg", "c.jpg"], "p": [0.9, 0.8, 0.1]})
    >>> Source.of(rows.select([2, 0])).column("path").to_pylist()
    ['c.jpg', 'a.jpg']
    """

    dataset: Any

    @classmethod
    def of(cls, dataset: Any) -> "Source":
        """The dataset, if it is one whose rows can be read in any order."""
        datasets = library()
        if isinstance(dataset, datasets.Dataset):
            return cls(dataset)
        if isinstance(dataset, Mapping) and dataset:  # a DatasetDict, an IterableDatasetDict, or a plain one of splits
            splits = ", ".join(map(repr, dataset))
            raise InputError(
                f"dataset must be one split: got a {type(dataset).__name__} with {splits}; give"
                f" dataset[{next(iter(dataset))!r}], or join splits with datasets.concatenate_datasets"
            )
        if isinstance(dataset, datasets.IterableDataset):
            raise InputError(
                "dataset must be a datasets.Dataset, whose rows can be read in any order: got an IterableDataset; load"
                " it without streaming=True, or give datasets.Dataset.from_generator(lambda: iter(dataset))"
            )
        raise InputError(
            f"dataset must be a datasets.Dataset: got {type(dataset).__name__}; for data frames there is"
            " lowshot.Pool.from_frame"
        )

    @property
    def names(self) -> list[str]:
        return list(self.dataset.column_names)

    def column(self, name: str) -> Any:
        """A column as Arrow has it: a ClassLabel is a whole number, a picture is not decoded."""
        table = self.dataset.data.table.select([name])
        places = self.dataset._indices  # of the rows that were selected; to ask for them row by row is 80 times slower
        return (table if places is None else table.take(places.column(0))).column(0)

    def feature(self, name: str) -> Any:
        return self.dataset.features.get(name)

    def class_names(self, name: str) -> list[str] | None:
        """The names of a ClassLabel; None for another kind of column."""
        feature = self.feature(name)
        return list(feature.names) if isinstance(feature, library().ClassLabel) else None

    def words(self, name: str) -> Any:
        """A column with names instead of the numbers of a ClassLabel. -1, which means no label, is missing."""
        names, column = self.class_names(name), self.column(name)
        return column if names is None else named(column, names)

    def frame(self, computed: Mapping[str, Any] | None = None, worded: bool = False) -> Frame:
        """The columns by name, with an error that names the nearest one for a wrong name.

        computed  columns that stand in for those of the dataset, or are there besides them
        worded    ClassLabels are names
        """
        own: Mapping[str, Any] = computed or {}

        def get(name: str) -> Any:
            if name in own:
                return own[name]
            return self.words(name) if worded else self.column(name)

        return Frame([*self.names, *(name for name in own if name not in self.names)], get, (), CALLED)

    def require(self, keyword: str, name: Any) -> str:
        """The name of a column that the dataset has."""
        Frame(self.names, lambda one: one, (), CALLED).column(keyword, name)
        return checks.text(keyword, name)


def named(column: Any, names: list[str]) -> Any:
    """Numbers of a ClassLabel as names; missing where there is no label."""
    import pyarrow as arrow
    import pyarrow.compute as compute

    there = compute.if_else(compute.less(column, 0), arrow.scalar(None, column.type), column)
    return arrow.chunked_array([arrow.array(names, arrow.string())]).take(there)
