"""Profile `lowshot bench`: python tools/profile_bench.py [EXPERIMENT] [CLASSES]

Runs some classes of the experiment's first family in one process and prints the share of time of each part.
"""

import cProfile
import pstats
import sys
import tempfile
from pathlib import Path

from lowshot_bench.experiment import find
from lowshot_bench.run import Amount, run_unit, units

PARTS = {  # label: the file and the function whose cumulative time is printed
    "making the task": ("simulated.py", "load"),
    "designing rounds and drawing": ("evaluation.py", "ask"),
    "estimating": ("estimation.py", "estimate"),
    "answers of the annotator": ("task", "answer"),
    "recording answers": ("evaluation.py", "tell"),
    "writing rows": ("rows.py", "write"),
}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "figure4"
    classes = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    experiment = find(name)
    chosen = units(experiment, None, Amount())[: max(1, classes // 8)]
    with tempfile.TemporaryDirectory() as folder, cProfile.Profile() as profile:
        for unit in chosen:
            run_unit(experiment, Path(folder), None, unit)
    stats = pstats.Stats(profile)
    total = stats.total_tt  # type: ignore[attr-defined]
    print(f"{name}: {sum(len(unit.categories) for unit in chosen)} classes, {total:.1f} s under the profiler")
    rest = 1.0
    for label, (file, function) in PARTS.items():
        share = sum(
            entry[3]
            for (path, _, found), entry in stats.stats.items()  # type: ignore[attr-defined]
            if file in path and found == function
        )
        if share == 0:
            sys.exit(f"{label}: the profile has no {function} in {file}; correct PARTS in {__file__}")
        rest -= share / total
        print(f"  {label:32s} {share / total:6.1%}")
    print(f"  {'everything else':32s} {rest:6.1%}")


if __name__ == "__main__":
    main()
