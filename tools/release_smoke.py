"""A published lowshot, tried out: run by `tools/release_check.py` with the Python of a fresh environment.

    python tools/release_smoke.py bare README.md     what works without extras
    python tools/release_smoke.py all README.md      the loop on a sample, and every module

Works in the current folder. Ends with a traceback if something fails; prints nothing otherwise.
"""

import doctest
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

BIRDS = ("--pool", "birds/scores.csv", "--id", "path", "--score", "score", "--threshold", "0.5", "--field", "path")
# What [all] leaves out: packages, and the extras that their absence is told by.
OPTIONAL = ("psycopg", "pyspark")
LEFT_OUT = ("datasets", "label-studio", "mlflow", "postgres", "spark", "wandb")


def lowshot(*arguments: str) -> str:
    """A command of the program that the wheel installed."""
    program = Path(sys.executable).with_name("lowshot")
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, f"lowshot {' '.join(arguments)}: {ended.stdout}{ended.stderr}"
    return ended.stdout


def python_of_readme(readme: Path) -> None:
    """The Python blocks, as doctests."""
    text = "".join(re.findall(r"^```python\n(.*?)^```$", readme.read_text(), re.MULTILINE | re.DOTALL))
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    assert test.examples
    found = doctest.DocTestRunner(optionflags=flags).run(test)
    assert not found.failed, found


def every_module() -> None:
    """Each can be imported; one that needs an extra which [all] leaves out says so."""
    from lowshot.errors import MissingExtra

    for package in ("lowshot", "lowshot_bench"):
        folder = import_module(package).__path__
        names = [
            package,
            *(one.name for one in pkgutil.walk_packages(folder, f"{package}.", onerror=lambda name: None)),
        ]
        assert len(names) > 10
        for name in names:
            try:
                import_module(name)
            except MissingExtra as error:
                if not any(f"lowshot[{extra}]" in str(error) for extra in LEFT_OUT):
                    raise
            except ModuleNotFoundError as error:
                if (error.name or "").partition(".")[0] not in OPTIONAL:
                    raise


def the_loop() -> None:
    lowshot("start", "birds.db", *BIRDS)
    subprocess.run([sys.executable, "birds/answer.py", "birds.db", "40"], check=True, capture_output=True, timeout=300)
    lowshot("ask", "birds.db", "-o", "items.csv")
    items = Path("items.csv")
    items.write_text(re.sub(r",$", ",no", items.read_text(), flags=re.MULTILINE))
    lowshot("tell", "birds.db", "items.csv")
    assert lowshot("estimate", "birds.db").startswith("f1 = 0.")
    lowshot("report", "birds.db", "-o", "report.html")
    assert Path("report.html").stat().st_size > 10_000


def main() -> None:
    what, readme = sys.argv[1], Path(sys.argv[2])
    if what == "bare":
        assert re.fullmatch(r"lowshot \d+\.\d+.*\n", lowshot("--version"))
        python_of_readme(readme)
        lowshot("sample", "birds")
    else:
        the_loop()
        every_module()


if __name__ == "__main__":
    main()
