"""Python programs in a process of their own: what they load, and how they end."""

import subprocess
import sys
from collections.abc import Iterable


def run(code: str, *arguments: str, ends_with: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run a program that must end with this exit code."""
    command = [sys.executable, "-c", code, *arguments]
    found = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert found.returncode == ends_with, found.stdout + found.stderr
    return found


def loaded(code: str, packages: Iterable[str]) -> set[str]:
    """Those of the packages that a program has loaded when it ends."""
    wanted = tuple(packages)
    last = f"print('loaded', *(name for name in {wanted!r} if name in sys.modules))"
    program = f"import atexit, sys\natexit.register(lambda: {last})\n{code}"
    return set(run(program).stdout.splitlines()[-1].split()[1:])
