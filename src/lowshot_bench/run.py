"""Running an experiment: parallel over tasks and resumable. An interruption does not change the rows."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

import lowshot
from lowshot.errors import InputError
from lowshot_bench import rows
from lowshot_bench.data_folders import Folders
from lowshot_bench.experiment import Experiment, FamilyChoice
from lowshot_bench.families import Family, ImageClasses, PoolModels, PoolRankings, PoolsFamily, make_family
from lowshot_bench.processes import in_processes
from lowshot_bench.task_rows import rows_of

CHUNK = 8  # tasks per file of rows: an interruption loses at most this many tasks per process
CHUNK_OF_CLASSES = 1  # the same for experiments about all classes at once, whose tasks take minutes
OF_POOLS = (PoolsFamily, PoolModels, PoolRankings)  # families that read a folder of pools
IN_HALVES = (*OF_POOLS, ImageClasses)  # families whose data sets or models are for choosing or for reporting
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Amount:
    """Which share of an experiment is run."""

    full: bool = False  # all classes, also where the experiment limits their number; of pools, enough repetitions
    fraction: float = 1.0  # of the classes, at least one per family, and of the repetitions, at least two

    def repetitions(self, wanted: int) -> int:
        """The number of repetitions; two at least, if two are wanted, because one has no empirical variance.

        >>> Amount(fraction=0.1).repetitions(50), Amount(fraction=0.1).repetitions(2)
        (5, 2)
        """
        return max(min(wanted, 2), round(wanted * self.fraction))

    def of(self, experiment: Experiment) -> Experiment:
        """The experiment with the repetitions to run."""
        runs = round(experiment.runs * self.fraction) if self.full else 0
        return replace(experiment, repetitions=self.repetitions(experiment.repetitions), runs=runs)


@dataclass(frozen=True)
class Unit:
    """Some classes of one family: the work of one process at a time. `name` is that of its file."""

    choice: FamilyChoice
    categories: tuple[int, ...]
    name: str


def units(experiment: Experiment, data: Folders, amount: Amount) -> list[Unit]:
    """The work of an experiment, in a fixed order."""
    chunk = CHUNK_OF_CLASSES if experiment.of_classes else CHUNK
    families = enumerate(experiment.families)
    return [unit for number, choice in families for unit in _units(number, choice, data, amount, chunk)]


def _units(number: int, choice: FamilyChoice, data: Folders, amount: Amount, chunk: int) -> Iterator[Unit]:
    chosen = choose(make_family(choice.family, choice.arguments, data), choice, amount)
    for start in range(0, len(chosen), chunk):
        categories = tuple(chosen[start : start + chunk])
        yield Unit(choice, categories, f"{number:02d}-{categories[0]:05d}-{categories[-1]:05d}-{len(categories)}")


def choose(family: Family, choice: FamilyChoice, amount: Amount) -> list[int]:
    """The classes to run: all, even or odd ones; evenly spaced if the experiment limits their number.

    Families of several models have groups, such as the pairs of one data set: the limit is then for each group.
    """
    parity = {"all": (0, 1), "even": (0,), "odd": (1,)}.get(choice.part)
    if parity is None:
        raise InputError(f"part must be one of all, even, odd: got {choice.part!r}")
    found = [category for category in family.categories() if category % 2 in parity]
    group_of = getattr(family, "group_of", lambda category: "")
    groups = [[c for c in found if group_of(c) == group] for group in dict.fromkeys(map(group_of, found))]
    most = len(found) if amount.full or choice.most is None else choice.most
    limited = [category for group in groups for category in _spaced(group, min(most, len(group)))]
    return _spaced(limited, max(1, round(len(limited) * amount.fraction)) if limited else 0)


def _spaced(values: list[int], wanted: int) -> list[int]:
    """So many of the values, evenly spaced."""
    return [values[i * len(values) // wanted] for i in range(wanted)]


def left_out(experiment: Experiment, data: Folders) -> list[str]:
    """One line per family and reason: the classes or pools that cannot be evaluated."""
    notes = []
    for choice in experiment.families:
        family = make_family(choice.family, choice.arguments, data)
        for reason in dict.fromkeys(family.excluded().values()):
            numbers = [category for category, why in family.excluded().items() if why == reason]
            shown = ", ".join(map(getattr(family, "task_name", str), numbers[:10]))
            what = "tasks" if experiment.by_group else "pools" if experiment.of_pools else "classes"
            notes.append(f"{family.name}: {len(numbers)} {what} left out ({shown}): {reason}")
    return notes


def not_run(experiment: Experiment, data: Folders) -> list[str]:
    """One line per folder of pools: how many data sets are not run, because they are in the other half; models too."""
    families = (make_family(choice.family, choice.arguments, data) for choice in experiment.families)
    return [note for family in families if isinstance(family, IN_HALVES) and (note := family.not_run())]


def run(
    experiment: Experiment,
    out: Path,
    data: Folders = None,
    amount: Amount | None = None,
    workers: int | None = None,
    started: Progress = lambda total: None,
    advance: Progress = lambda tasks: None,
) -> Path:
    """Run what is missing, then write all rows to `out`/NAME.parquet.

    `started` is called with the number of tasks, `advance` with the number of tasks that were finished.
    """
    amount = amount or Amount()
    todo = units(experiment, data, amount)
    folder = out / experiment.name
    reserve(folder, experiment, amount, _fingerprints(experiment, data))
    work = amount.of(experiment)
    started(sum(len(unit.categories) for unit in todo))
    missing = [unit for unit in todo if not _done(folder, unit)]
    advance(sum(len(unit.categories) for unit in todo) - sum(len(unit.categories) for unit in missing))
    calls = [(work, folder, data, unit) for unit in missing]
    for unit in in_processes(run_unit, calls, workers or os.cpu_count() or 1):
        advance(len(unit.categories))
    target = out / f"{experiment.name}.parquet"
    rows.save(target, rows.read([folder / f"{unit.name}.parquet" for unit in todo]))
    return target


def _fingerprints(experiment: Experiment, data: Folders) -> list[str]:
    """Of the folders of pools that are run; other families have data that does not change."""
    families = (make_family(choice.family, choice.arguments, data) for choice in experiment.families)
    return [family.fingerprint for family in families if isinstance(family, OF_POOLS)]


def reserve(folder: Path, experiment: Experiment, amount: Amount, data: list[str]) -> None:
    """Record in the folder what is run there; refuse a folder that has rows of something else."""
    mine = {"experiment": experiment.digest, "version": lowshot.__version__, "amount": asdict(amount), "data": data}
    header = folder / "experiment.json"
    if header.exists():
        theirs = json.loads(header.read_text())
        different = [key for key in mine if theirs.get(key) != mine[key]]
        if different:
            raise InputError(
                f"out must be empty or hold the same experiment: {folder} has another {' and '.join(different)};"
                " choose another folder, or delete it"
            )
    folder.mkdir(parents=True, exist_ok=True)
    header.write_text(json.dumps(mine, indent=1))


def _done(folder: Path, unit: Unit) -> bool:
    path = folder / f"{unit.name}.parquet"
    return path.exists() and rows.intact(path)


def run_unit(experiment: Experiment, folder: Path, data: Folders, unit: Unit) -> Unit:
    """Write the rows of one unit to its file."""
    family = _family(unit.choice.family, json.dumps(unit.choice.arguments, sort_keys=True), data)
    found = [row for category in unit.categories for row in rows_of(experiment, family, category)]
    rows.write(folder / f"{unit.name}.parquet", found)
    return unit


@lru_cache(maxsize=4)
def _family(kind: str, arguments: str, data: Folders) -> Family:
    return make_family(kind, json.loads(arguments), data)
