"""What `lowshot bench report` can show of one method, from the rows of every experiment in a folder."""

from collections.abc import Callable
from pathlib import Path

from lowshot.errors import InputError
from lowshot_bench.against import against_table
from lowshot_bench.experiment import Experiment
from lowshot_bench.floor import floor_table
from lowshot_bench.held import held_table
from lowshot_bench.rows import read
from lowshot_bench.stopping import stopping_table
from lowshot_bench.summary import Cells, summarise

Finished = list[tuple[Experiment, Path]]


def compare(found: Finished, method: str) -> list[str]:
    """Its error over ACIS's and over the best other one's, in every experiment that has other methods."""
    chosen = [(e, path) for e, path in found if method in _methods(e) and len(e.methods) > 1 and "acis" in _methods(e)]
    return [table for e, path in chosen for table in _by_target(e, _cells(path), method)]


def held(found: Finished, method: str) -> list[str]:
    """How often its intervals hold the truth, where it was run alone and often."""
    return [held_table(_cells(path), method) for e, path in found if _methods(e) == [method]]


def stopping(found: Finished, method: str) -> list[str]:
    """The same for people who stop at the first look that is narrow enough, where there are many looks."""
    return [stopping_table(read([path]), method) for e, path in found if method in _methods(e) and len(e.budgets) > 20]


def floor(found: Finished, method: str) -> list[str]:
    """Its error over the floor."""
    alone = [path for e, path in found if _methods(e) == [method]]
    known = [path for e, path in found if e.kind == "floor"]
    return [floor_table(_cells(alone[0]), _cells(known[0]), method)] if alone and known else []


VIEWS: dict[str, Callable[[Finished, str], list[str]]] = {
    "compare": compare,
    "held": held,
    "stopping": stopping,
    "floor": floor,
}


def view(name: str, found: Finished, method: str) -> str:
    """A view by name."""
    tables = VIEWS[name](found, method)
    if not tables:
        raise InputError(
            f"--{name} must name a method that was run for it: there are no such rows of {method!r}; see docs/bench.md"
        )
    return "\n\n".join(tables)


def _methods(experiment: Experiment) -> list[str]:
    return [method.name for method in experiment.methods]


def _cells(path: Path) -> Cells:
    return summarise(read([path]))


def _by_target(experiment: Experiment, cells: Cells, method: str) -> list[str]:
    """A table for each model whose predictions were judged, with what it is for."""
    found = []
    for target in dict.fromkeys(key[2] for key in cells):
        whose = "" if target == "own" else f" of {target}, from labels that were chosen for another model"
        title = "" if experiment.metric == "f1" and not whose else f"For {experiment.metric}{whose}:\n\n"
        found.append(f"{title}{against_table(cells, method, target)}")
    return found
