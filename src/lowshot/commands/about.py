"""What a store keeps so that later commands find the pool again, and know how items are shown."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lowshot import checks
from lowshot.commands.large import large_pool
from lowshot.commands.reading import Columns, pool_of, refuse_unknown
from lowshot.errors import InputError
from lowshot.pools.base import BasePool

TAKEN = ("id", "label")  # columns that every file of labels has


@dataclass(frozen=True)
class About:
    """Where the pool is, which column is what, and what annotators see.

    >>> about = About("/data/birds.parquet", Columns(score="p"), threshold=0.5, fields=("title",))
    >>> About.of("birds", about.plain()) == about
    True
    """

    pool: str
    columns: Columns
    threshold: float | None = None
    scale: str | None = None
    show: str = "text"
    fields: tuple[str, ...] = ()
    media_root: str | None = None
    instructions: str = ""
    annotators_per_item: int = 1
    engine: bool = False  # whether the rows stay where they are
    table: str | None = None

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, name: str, plain: Mapping[str, Any]) -> "About":
        """From the store. An evaluation that began in Python has its pool in Python."""
        if "pool" not in plain or "columns" not in plain:
            raise InputError(
                f"evaluation {name!r} must have begun with `lowshot start`: it began in Python, and its pool is known"
                " only there; go on in Python"
            )
        known = {key: value for key, value in plain.items() if key in cls.__dataclass_fields__}
        columns = Columns(**known["columns"])
        return cls(**{**known, "columns": columns, "fields": tuple(known.get("fields", ()))})

    def check(self) -> None:
        """What annotators see must be there, and must not tell what the model believes."""
        checks.choice("--show", self.show, ("text", "image"))
        if self.media_root is not None and not Path(self.media_root).is_dir():
            raise InputError(f"--media-root must be a folder that exists: got {self.media_root}")
        told = {self.columns.score: "score", self.columns.prediction: "prediction"}
        for field in self.fields:
            if field in told:
                raise InputError(
                    f"--field must not show what the model believes, people follow it: {field!r} is the {told[field]}"
                )
            if field in TAKEN and field != self.columns.id:
                raise InputError(f"--field must not be called {' or '.join(TAKEN)}: got {field!r}; rename the column")
        if not self.engine:
            refuse_unknown(self.pool, [("--field", field) for field in self.fields])

    def open_pool(self) -> BasePool:
        if self.engine:
            return large_pool(self.pool, self.table, self.columns, self.threshold, self.scale, self.shown)
        return pool_of(self.pool, self.columns, self.threshold, self.scale)

    @property
    def shown(self) -> list[str]:
        """The columns beside the id."""
        return [field for field in self.fields if field != self.columns.id]
