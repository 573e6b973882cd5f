"""Every example of every `--help` runs, in a folder with files that have the columns which it names."""

import re
import shlex
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from lowshot.cli import label_studio
from lowshot.cli.app import COMMANDS, EXAMPLES, load
from lowshot.integrations.label_studio.client import Client

from ..examples import GATES, JUNE, SLOW, STORES, as_kinds, asked_files, begin, options_exist, use, write_files
from ..helpers import good, invoke
from ..integrations.fake_studio import FakeStudio
from ..trackers import quiet

pytestmark = pytest.mark.docs

DATABASE = "postgresql://me@host/db"
MLFLOW = "http://127.0.0.1:5000"


def lines_of(epilog: str) -> list[str]:
    return [line.strip() for line in epilog.split("\n") if line.strip().startswith("lowshot ")]


def examples() -> list[str]:
    """What is typed, of all commands."""
    found = lines_of(EXAMPLES)
    for name in COMMANDS:
        command = load(name)
        inner = getattr(command, "commands", {name: command})
        found += [line for one in inner.values() for line in lines_of(one.epilog or "")]
    return list(dict.fromkeys(found))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files, and a store per kind of evaluation."""
    folder = tmp_path_factory.mktemp("examples")
    with chdir(folder):
        write_files()
        for kind in (*STORES, JUNE):
            begin(kind)
    return folder


@pytest.fixture
def here(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lowshot.web.serve", lambda *_, **__: None)
    quiet(monkeypatch, MLFLOW_TRACKING_URI=(tmp_path / "runs").as_uri(), WANDB_DIR=str(tmp_path))
    monkeypatch.setattr(label_studio, "client_of", lambda url: Client(url, "0123", FakeStudio().transport))
    monkeypatch.setattr(label_studio.Work, "go_on", label_studio.Work.once)  # nobody answers
    return tmp_path


def arguments_of(line: str) -> list[str]:
    """Without what a shell does with the result; with a database and a folder that need no server."""
    typed = (
        re.split("&&|>", line)[0].replace(DATABASE, "birds.duckdb").replace(MLFLOW, Path("runs").absolute().as_uri())
    )
    program, *arguments = shlex.split(typed)
    assert program == "lowshot"
    return arguments


def stores_for(line: str) -> list[str | None]:
    """`start` begins in a new store; other examples must run with one of the prepared ones."""
    if line.startswith(("lowshot start", "lowshot check")):
        return [JUNE if "--like" in line else None]
    return list(STORES)


def runs(line: str, store: str | None) -> tuple[bool, str]:
    use(store)
    if store is not None and "--like" not in line:
        asked_files(line)
    arguments = arguments_of(line)
    for name in ("items.csv", "ann.csv", "tasks.json") if arguments[0] == "ask" else ():
        Path(name).unlink(missing_ok=True)
    result = invoke(*arguments, input="yn" + "q" * 5)
    return result.exit_code in GATES, result.output


@pytest.mark.parametrize("line", [line for line in examples() if line.split()[1] not in SLOW])
def test_an_example_runs(line: str, here: Path) -> None:
    if DATABASE in line:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect("birds.duckdb") as connection:
            connection.execute("create table scores as select * from 'scores.parquet'")
    if "birds/" in line:
        good("sample", "birds")
    as_kinds(line)
    outputs = []
    for store in stores_for(line):
        good_, output = runs(line, store)
        if good_:
            return
        outputs.append(f"{store}: {output}")
    pytest.fail("\n".join([line, *outputs]))


@pytest.mark.parametrize("line", [line for line in examples() if line.split()[1] in SLOW])
def test_the_options_of_an_example_exist(line: str) -> None:
    options_exist(arguments_of(line))
