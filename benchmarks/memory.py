"""The memory of a process, for the other benchmarks."""

import resource
from pathlib import Path


def peak() -> float:
    """The peak resident memory of this process in MB. On Linux, the peak of its parent is not included."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) / 1e3 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
