"""Does an interval still hold if people stop as soon as it is narrow enough? From rows: a look at each label count."""

import math
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

WANTED = (0.15, 0.1, 0.05)  # half-widths
SHOWN = (70, 150, 300)  # labels at which the mean width is shown: two methods, two prices


Look = tuple[int, float, float, float]  # labels, low, high, truth
Runs = dict[tuple[int, int], list[Look]]  # by task and repetition


def stopping_table(table: pa.Table, method: str) -> str:
    """A row a family: coverage at the first look that is narrow enough, labels at that look, runs that never were."""
    head = [
        "family",
        *(f"stop at ± {wanted:g}" for wanted in WANTED),
        f"mean width at {SHOWN[0]}, {SHOWN[1]}, {SHOWN[2]}",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for family, runs in _runs(table, method).items():
        lines.append(f"| {family} | {' | '.join(_stopped(runs, wanted) for wanted in WANTED)} | {_widths(runs)} |")
    return "\n".join(lines)


def _widths(runs: Runs) -> str:
    """Mean widths at some numbers of labels."""
    looks = [look for each in runs.values() for look in each]
    widths = [[high - low for labels, low, high, _ in looks if labels == shown] for shown in SHOWN]
    return ", ".join(f"{np.mean(found):.2f}" if found else "-" for found in widths)


def _runs(table: pa.Table, method: str) -> dict[str, Runs]:
    mine = table.filter(pc.and_(pc.equal(table["method"], method), pc.equal(table["target"], "own")))
    found: dict[str, Runs] = defaultdict(lambda: defaultdict(list))
    for row in mine.to_pylist():
        look = (row["labels"], row["low"], row["high"], row["truth"])
        found[row["family"]][row["category"], row["repetition"]].append(look)
    return found


def _stopped(runs: Runs, wanted: float) -> str:
    """Coverage with its standard error over tasks, mean labels, and the share of runs that stopped."""
    inside: dict[int, list[bool]] = defaultdict(list)
    labels = []
    for (category, _), looks in runs.items():
        narrow = [look for look in sorted(looks) if (look[2] - look[1]) / 2 <= wanted + 1e-9]
        if narrow:
            count, low, high, truth = narrow[0]
            inside[category].append(low <= truth <= high)
            labels.append(count)
    if not labels:
        return "never"
    share = np.array([np.mean(values) for values in inside.values()])
    error = share.std(ddof=1) / math.sqrt(len(share)) if len(share) > 1 else math.nan
    stopped = "" if len(labels) == len(runs) else f", {len(labels) / len(runs):.0%} of runs"
    spread = "" if math.isnan(error) else f" ± {error:.0%}"
    return f"{share.mean():.0%}{spread} at {np.mean(labels):.0f} labels{stopped}"
