"""A Spark of the tests' own, a schema of the PostgreSQL server, and places to put rows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..databases import new_schema
from ..needed import module, program
from .places import Place

INSTALL = "Spark needs Java: apt-get install openjdk-17-jre-headless (or put java on the PATH)"
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    # Queries of a few hundred rows: what costs time is compiling them, so Java compiles quickly and not thoroughly
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two threads on this machine; started by the first test that needs it."""
    program("java", INSTALL)
    builder = module("pyspark.sql").SparkSession.builder.master("local[2]").appName("lowshot")
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("spark")))
    for name, value in QUIET.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


@pytest.fixture
def database(postgres: str) -> str:
    """The URL of an empty schema."""
    return new_schema(postgres)


@pytest.fixture
def at(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Place]:
    """A place of this kind."""
    return lambda kind: Place(kind, tmp_path, request.getfixturevalue)


@pytest.fixture
def place(request: pytest.FixtureRequest, at: Callable[[str], Place]) -> Place:
    """A place of the kind that the test was given: indirect."""
    return at(request.param)
