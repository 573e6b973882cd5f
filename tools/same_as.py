"""Whether this working tree draws and estimates exactly as another commit does, in the same environment.

    python tools/same_as.py 8bef2cc [--data FOLDER] [--labels 150]

Every sampler runs on the demo's pools (`tools/trace.py`), and on twenty pools of the folder if one is given. Floats
must be equal to the last bit. Exits with 1 and names what differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
SHOWN = 20  # differences that are printed


def source_of(commit: str, folder: str) -> str:
    """The `src` folder of a commit, unpacked."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=HERE, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return f"{folder}/src"


def start(source: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    """A process that traces the code in this folder."""
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "tools" / "trace.py"), *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def result(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    output, _ = process.communicate()
    if process.returncode:
        sys.exit(f"the trace failed with exit code {process.returncode}")
    found: dict[str, Any] = json.loads(output)
    return found


def differences(mine: Any, theirs: Any, path: str) -> Iterator[str]:
    """Where two traces differ."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in {**theirs, **mine}:
            if key not in mine or key not in theirs:
                yield f"{path}{key}: only {'here' if key in mine else 'there'}"
            else:
                yield from differences(mine[key], theirs[key], f"{path}{key} / ")
    elif mine != theirs:
        yield f"{path}here {str(mine)[:150]}, there {str(theirs)[:150]}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("commit")
    arguments.add_argument("--data", help="a folder with index.json and npz files")
    arguments.add_argument("--labels", type=int, default=150)
    given = arguments.parse_args()
    passed = ["--labels", str(given.labels), *(["--data", given.data] if given.data else [])]
    with tempfile.TemporaryDirectory() as folder:
        processes = [start(str(HERE / "src"), passed), start(source_of(given.commit, folder), passed)]
        mine, theirs = map(result, processes)
    found = list(differences(mine, theirs, ""))
    print(*found[:SHOWN], sep="\n")
    print(f"{len(mine)} traces, {len(found)} differences from {given.commit}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
