"""What the address of a pool means: one answer for whoever opens its files and for whoever asks where they are."""

from glob import escape, glob
from pathlib import Path
from typing import Any

DUCKDB = (".duckdb", ".ddb")


def files_at(where: str) -> list[str]:
    """The file at a path, the Parquet files of a folder, or the files that match a glob, in order; none if it is not
    there.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.parquet", "a.parquet", "a*.parquet"):
    ...     (folder / name).touch()
    >>> [Path(file).name for file in files_at(str(folder))]
    ['a*.parquet', 'a.parquet', 'b.parquet']

    A file whose name looks like a glob is that file.

    >>> [Path(file).name for file in files_at(f"{folder}/a*.parquet")]
    ['a*.parquet']
    """
    if Path(where).is_dir():
        return sorted(glob(f"{escape(where.rstrip('/'))}/**/*.parquet", recursive=True))
    return [where] if Path(where).exists() else sorted(glob(where, recursive=True))


def is_duckdb(source: Any) -> bool:
    """Whether it is the path of a DuckDB file.

    >>> is_duckdb("scores.duckdb"), is_duckdb("scores.sqlite"), is_duckdb("postgresql://host/scores.duckdb")
    (True, False, False)
    """
    where = str(source).lower() if isinstance(source, (str, Path)) else ""
    return "://" not in where and where.endswith(DUCKDB)
