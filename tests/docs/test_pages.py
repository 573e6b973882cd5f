"""The commands of every page of docs/ run, in a new folder per page, and print what the page shows."""

import doctest
from pathlib import Path

import pytest

import pages

from .pages_of_docs import Reader, name_of, with_console

pytestmark = pytest.mark.docs

SMALL = """# Small

```{code-block} python
:caption: code/hello.py

print("hello", 1 + 1)
```

```console
$ python code/hello.py &&
> echo done
hello 2
done
$ lowshot --version
lowshot ...
$ lowshot status none.db; echo "exit code $?"
exit code 2
$ make nothing
$ false || echo 'as in bash' | tr a-z A-Z   # a comment
AS IN BASH
```
"""


def test_the_examples_of_the_parser() -> None:
    assert doctest.testmod(pages).failed == 0


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return Reader(tmp_path, monkeypatch)


def follow(text: str, reader: Reader, folder: Path) -> None:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    reader.follow_page(page)


def test_a_page_is_followed(reader: Reader, tmp_path: Path) -> None:
    follow(SMALL, reader, tmp_path)
    assert (tmp_path / "code" / "hello.py").read_text() == 'print("hello", 1 + 1)\n'


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("hello 2", "hello 3", "instead of\nhello 3"),
        ("lowshot ...", "lowshot 0", "instead of\nlowshot 0"),
        ("exit code 2", "exit code 0", "instead of\nexit code 0"),
        ('; echo "exit code $?"\nexit code 2', "", "exit code 2\n"),
        ("python code/hello.py", "python code/hello.py extra; false", "exit code 1"),
        ("lowshot --version", "lowshot --verse", "No such option"),
        ("AS IN BASH\n", "", "prints\nAS IN BASH"),
    ],
)
def test_a_wrong_page_fails(right: str, wrong: str, message: str, reader: Reader, tmp_path: Path) -> None:
    assert right in SMALL
    with pytest.raises(AssertionError) as failed:
        follow(SMALL.replace(right, wrong), reader, tmp_path)
    assert message in str(failed.value)


def test_a_caption_names_a_file_of_the_folder(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="the page's folder"):
        follow(SMALL.replace("code/hello.py", "../hello.py"), reader, tmp_path)


def test_the_page_of_a_store_is_started(reader: Reader, tmp_path: Path) -> None:
    start = "lowshot start a.db --pool messages/scores.csv --id id --score score --threshold 0.5 --field text"
    for command in ("lowshot sample messages", start):
        assert reader.run(command).exit_code == 0
    shown = "annotators  http://127.0.0.1:8484/\n     owner  http://127.0.0.1:8484/owner?token=...\n"
    follow(f"```console\n$ lowshot label a.db\n{shown}```\n", reader, tmp_path)
    with pytest.raises(AssertionError, match="instead of\nannotators\n"):
        follow("```console\n$ lowshot label a.db\nannotators\n```\n", reader, tmp_path)


@pytest.mark.parametrize("page", [pytest.param(page, id=name_of(page)) for page in with_console()])
def test_a_page_of_docs(page: Path, reader: Reader) -> None:
    reader.follow_page(page)
