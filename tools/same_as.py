"""Whether this working tree asks and answers exactly as another commit does, in the same environment.

    python tools/same_as.py 8bef2cc ["one model" ...]

The cases are those of `tools/net.py`, or those that are named. Floats must be equal to the last bit. Exits with 1 and
names what differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from net import differences

HERE = Path(__file__).resolve().parent.parent
SHOWN = 20  # differences that are printed


def source_of(commit: str, folder: str) -> str:
    """The `src` folder of a commit, unpacked."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=HERE, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return f"{folder}/src"


def start(source: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    """A process that runs the net over the code in this folder."""
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "tools" / "net.py"), *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def result(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    output, _ = process.communicate()
    if process.returncode:
        sys.exit(f"the net failed with exit code {process.returncode}")
    found: dict[str, Any] = json.loads(output)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("commit")
    arguments.add_argument("cases", nargs="*")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        processes = [start(str(HERE / "src"), given.cases), start(source_of(given.commit, folder), given.cases)]
        mine, theirs = map(result, processes)
    found = differences(mine, theirs, within=0.0)
    print(*found[:SHOWN], sep="\n")
    print(f"{len(mine)} cases, {len(found)} differences from {given.commit}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
