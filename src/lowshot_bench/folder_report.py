"""What `lowshot bench report` prints about the experiments of a folder, as Markdown."""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from lowshot.errors import InputError
from lowshot_bench import experiment_report
from lowshot_bench.choosing.report import section as choosing_section
from lowshot_bench.claims import every_comparison, table
from lowshot_bench.classes.report import section as class_section
from lowshot_bench.experiment import CHOOSING, CLASSES, PEERS, SEVERAL, SLICING, Experiment, Finished
from lowshot_bench.peers.report import section as peer_section
from lowshot_bench.rows import read
from lowshot_bench.several.report import section as several_section
from lowshot_bench.slicing.report import section as slicing_section
from lowshot_bench.summary import Cells, summarise

Section = Callable[[Experiment, Any, str], str]  # from an experiment, its rows and its command
# Experiments whose tasks are in groups, by the option that prints only them
GROUPED: Mapping[str, tuple[Collection[str], Section]] = {
    "models": (SEVERAL, several_section),
    "thresholds": (CHOOSING, choosing_section),
    "classes": (CLASSES, class_section),
    "slices": (SLICING, slicing_section),
    "peers": (PEERS, peer_section),
}


def everything(found: Finished, folder: Path) -> Iterator[str]:
    """The paper's claims, then the tables of all experiments."""
    results = _summaries(found)
    yield _claims(results)
    for experiment, cells in results:
        yield experiment_report.section(experiment, cells, _command(experiment, folder))
    yield from grouped(found, folder, [])


def grouped(found: Finished, folder: Path, options: Collection[str]) -> Iterator[str]:
    """The tables of experiments whose tasks are in groups; of all of them without options."""
    for option in options:
        kinds = GROUPED[option][0]
        if not any(experiment.kind in kinds for experiment, _ in found):
            raise InputError(f"--{option} needs rows of {', '.join(kinds)}: {folder} has none; use lowshot bench run")
    for kinds, section in (GROUPED[option] for option in options or GROUPED):
        for experiment, path in (each for each in found if each[0].kind in kinds):
            yield section(experiment, read([path]), _command(experiment, folder))


def claims(found: Finished) -> Iterator[str]:
    """The paper's claims with all comparisons."""
    results = _summaries(found)
    yield _claims(results)
    yield every_comparison({experiment.name: cells for experiment, cells in results})


def coverage(found: Finished) -> str:
    """Coverage and width of the intervals, and bias, of all samplers."""
    drawn = (cells for experiment, cells in _summaries(found) if experiment.drawing == "error")
    return experiment_report.coverage_table(drawn)


def _summaries(found: Finished) -> list[tuple[Experiment, Cells]]:
    return [(experiment, summarise(read([path]))) for experiment, path in found if not experiment.by_group]


def _claims(results: list[tuple[Experiment, Cells]]) -> str:
    return f"## The paper's claims\n\n{table({experiment.name: cells for experiment, cells in results})}\n"


def _command(experiment: Experiment, folder: Path) -> str:
    return f"lowshot bench run {experiment.name} --out {folder}"
