"""`make release-check`: whether what would be published is complete and works. Publishes nothing.

    texts         the version is in CHANGELOG.md and CITATION.cff; licences are allowed, and docs/licences.md has them
    built         sdist and wheel; `twine check --strict`; no large files; in the wheel the packages and nothing else,
                  in the sdist only what git has
    same wheel    the sdist builds the wheel that the repository builds
    PyPI's page   the README without relative links and pictures, which PyPI does not have
    environments  for every Python from 3.11 on that is here: `pip install lowshot`, then `lowshot[all]`, each tried out
                  by tools/release_smoke.py in a fresh environment

Each check prints a line with its seconds. Exit code 1 if one failed.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
OLDEST = (3, 11)
LARGEST = 5_000_000  # bytes of one file
TOGETHER = 2  # environments at a time
PACKAGES = ("lowshot", "lowshot_bench")
METADATA = ("Name", "Version", "Summary", "Author", "License-Expression", "License-File", "Keywords", "Requires-Python")


class CheckFailed(Exception):
    """What is wrong, in one line or more."""


def require(right: bool, message: str) -> None:
    if not right:
        raise CheckFailed(message)


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """A program that must succeed; what it prints."""
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    line = " ".join(map(str, command))
    try:
        ended = subprocess.run(list(map(str, command)), cwd=cwd, env=own, capture_output=True, text=True, timeout=600)
    except (subprocess.TimeoutExpired, OSError) as error:
        raise CheckFailed(f"{line}\n{error}") from None
    require(ended.returncode == 0, f"{line}\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}")
    return ended.stdout


def version() -> str:
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/lowshot/__init__.py").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def texts() -> None:
    """Version, changelog, citation, licences."""
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    head = rf"{re.escape(version())} \((unreleased|20\d\d-\d\d-\d\d)\)"
    require(re.fullmatch(head, heads[0]) is not None, f"CHANGELOG.md must begin with {version()}: it has {heads[0]}")
    citation = (ROOT / "CITATION.cff").read_text()
    require(f"\nversion: {version()}\n" in citation, f"CITATION.cff must have version {version()}")
    schema = Path(sys.executable).with_name("check-jsonschema")
    run(schema, "--builtin-schema", "vendor.citation-file-format", "CITATION.cff")
    run(sys.executable, "tools/licences.py", "docs/licences.md", "--check")


def built(dist: Path) -> None:
    """Sdist, and the wheel from it."""
    run(sys.executable, "-m", "build", "--installer", "uv", "--outdir", dist, ROOT)
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(dist.iterdir()))
    for name, size in sizes(dist):
        require(size <= LARGEST, f"{name} has {size:,} bytes, more than {LARGEST:,}")
    untracked(dist)
    own = f"lowshot-{version()}.dist-info"
    others = [name for name in contents(wheel_in(dist)) if name.split("/")[0] not in (*PACKAGES, own)]
    require(not others, f"the wheel must have the packages and nothing else: it has {others}")
    tests = [name for name in contents(wheel_in(dist)) if re.search(r"(^|/)(tests?|docs)/|\.pyc$", name)]
    require(not tests, f"the wheel must have no tests or documents: it has {tests}")
    missing = {"lowshot/py.typed", "lowshot/cli/action.py"} - contents(wheel_in(dist)).keys()
    require(not missing, f"the wheel lacks {missing}")
    complete(metadata_of(wheel_in(dist)))


def untracked(dist: Path) -> None:
    """Refuse files that lie in the folder and are not in the repository, such as a store with somebody's labels."""
    known = {*run("git", "ls-files", "-z").split("\0"), "PKG-INFO"}
    (source,) = dist.glob("*.tar.gz")
    with tarfile.open(source) as files:
        names = [one.name.partition("/")[2] for one in files if one.isfile()]
    others = sorted({*names} - known)
    require(not others, f"the sdist must have what git has and nothing else: it has {others}; move them away")


def wheel_in(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


def sizes(dist: Path) -> Iterator[tuple[str, int]]:
    with zipfile.ZipFile(wheel_in(dist)) as wheel:
        yield from ((one.filename, one.file_size) for one in wheel.infolist())
    (source,) = dist.glob("*.tar.gz")
    with tarfile.open(source) as files:
        yield from ((one.name, one.size) for one in files)


def contents(wheel: Path) -> dict[str, str]:
    """The files of a wheel, with their checksums."""
    with zipfile.ZipFile(wheel) as files:
        return {name: hashlib.sha256(files.read(name)).hexdigest() for name in files.namelist()}


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as files:
        return message_from_bytes(files.read(f"lowshot-{version()}.dist-info/METADATA"))


def complete(metadata: Message) -> None:
    """Every field that PyPI shows is there, and no address is a placeholder."""
    lacking = [name for name in METADATA if not metadata.get(name)]
    require(not lacking, f"pyproject.toml must give {', '.join(lacking)}")
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    require(metadata["Requires-Python"] == python == f">={OLDEST[0]}.{OLDEST[1]}", f"Requires-Python is {python}")
    made_up = [url for url in metadata.get_all("Project-URL") or () if re.search(r"example|OWNER|<|TODO", url)]
    require(not made_up, f"addresses must be real: {made_up}")
    classifiers = metadata.get_all("Classifier") or []
    wanted = ["Development Status", "Programming Language :: Python :: 3.11", "Typing :: Typed"]
    lacking = [one for one in wanted if not any(name.startswith(one) for name in classifiers)]
    require(not lacking, f"classifiers must have {lacking}")


def same_wheel(dist: Path, folder: Path) -> None:
    run(sys.executable, "-m", "build", "--installer", "uv", "--wheel", "--outdir", folder, ROOT)
    ours, theirs = contents(wheel_in(dist)), contents(wheel_in(folder))
    different = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    require(not different, f"the sdist builds another wheel than the repository: {different}")


def pypi_page(dist: Path) -> None:
    text = str(metadata_of(wheel_in(dist)).get_payload())
    require(text.startswith("# lowshot"), "the README must be the description")
    relative = re.findall(r"\]\((?!https?://|#)[^)]*\)|<img[^>]*src=\"(?!https?://)[^>]*>", text)
    require(not relative, f"PyPI cannot resolve {relative}")


def pythons() -> list[Path]:
    """The newest of each version from OLDEST on, of those on the PATH and of pyenv."""
    folders = [*map(Path, os.environ.get("PATH", "").split(":")), *Path.home().glob(".pyenv/versions/*/bin")]
    found: dict[tuple[int, ...], Path] = {}
    for path in (one for folder in folders for one in sorted(folder.glob("python3.*")) if "shims" not in one.parts):
        if not re.fullmatch(r"python3\.\d+", path.name) or not os.access(path, os.X_OK):
            continue
        number = tuple(map(int, path.name.removeprefix("python").split(".")))
        if number >= OLDEST and number not in found:
            found[number] = path
    return [found[number] for number in sorted(found)]


def environment(python: Path, wheel: Path, folder: Path) -> None:
    """Install and try out: without extras, then with [all] in the same environment."""
    own, smoke = folder / "environment", ROOT / "tools/release_smoke.py"
    folder.mkdir()
    run(sys.executable, "-m", "uv", "venv", "--quiet", "--no-config", "--python", python, own)
    for extra, what in (("", "bare"), ("[all]", "all")):
        install = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", own / "bin/python")
        run(*install, f"lowshot{extra} @ {wheel.as_uri()}")
        run(own / "bin/python", smoke, what, ROOT / "README.md", cwd=folder)


def checked(name: str, check: Callable[[], None]) -> bool:
    """Run one check and say how it went."""
    began = time.monotonic()
    try:
        check()
    except CheckFailed as error:
        print(f"FAILED  {name}: {error}", flush=True)
        return False
    print(f"ok      {name} ({time.monotonic() - began:.0f} s)", flush=True)
    return True


def main() -> int:
    options = argparse.ArgumentParser(description="Check what would be published.")
    options.add_argument("--no-environments", action="store_true", help="leave out the fresh environments")
    wanted = options.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        dist, again = folder / "dist", folder / "again"
        good = [checked("texts", texts)]
        if not checked("built", lambda: built(dist)):
            return 1
        jobs: list[tuple[str, Callable[[], None]]] = [
            ("same wheel", lambda: same_wheel(dist, again)),
            ("PyPI's page", lambda: pypi_page(dist)),
        ]
        if not wanted.no_environments:
            found = pythons()
            good.append(checked("a Python", lambda: require(bool(found), f"none from {OLDEST} on was found")))
            jobs += [
                (f"environment of {one.name}", lambda one=one: environment(one, wheel_in(dist), folder / one.name))
                for one in found
            ]
        with ThreadPoolExecutor(TOGETHER) as pool:
            good += pool.map(lambda job: checked(*job), jobs)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
