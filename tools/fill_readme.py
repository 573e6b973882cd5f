"""Write what the commands of README.md print now below each of them: `make readme`. `make new-user` checks the result.

    python tools/fill_readme.py README.md

The commands run in a temporary folder, with the `lowshot` beside this Python. Those that need a clone or a network are
left as they are. A random token and the folder of a path are written as dots.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_ALONE = ("pip ", "make ")
SERVER = "lowshot label "  # runs until Ctrl-C
SECONDS = 60  # the longest time until a server has printed its addresses
LAST_ADDRESS = "owner"


def environment() -> dict[str, str]:
    programs = Path(sys.executable).parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "TERM": "dumb", "COLUMNS": "100", "BROWSER": "true", "PYTHONUNBUFFERED": "1"}


def printed(command: str, folder: Path) -> str:
    """The output of a command that must end well."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}")
    return done.stdout


def printed_by_server(command: str, folder: Path) -> str:
    """What a server prints before anybody uses it."""
    server = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    first = ""
    for line in server.stdout:
        first += line
        if LAST_ADDRESS in line:
            break
    server.send_signal(signal.SIGINT)
    rest, _ = server.communicate(timeout=SECONDS)
    return first + rest


def filled(block: str, folder: Path) -> str:
    """The block with the output of each command."""
    parts = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, before = part.partition("\n")
        if command.startswith(LEFT_ALONE):
            output = before
        else:
            output = (printed_by_server if command.startswith(SERVER) else printed)(command, folder)
        output = re.sub(r"token=[\w-]+", "token=...", output.replace(f"{folder}/", ".../"))
        parts.append(f"$ {command}\n{output}")
    return "".join(parts)


def main(readme: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder).resolve()
        text = BLOCK.sub(lambda found: f"```console\n{filled(found[1], here)}```", readme.read_text(encoding="utf-8"))
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
