"""Several image classifiers on the same items: tasks about sets of models, from the score files of `real`."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from lowshot import checks
from lowshot.errors import InputError
from lowshot_bench.families.pools import HALVES
from lowshot_bench.families.real import RealFamily
from lowshot_bench.families.task import IDENTICAL, Model, Task, identical

PARITY = {"choosing": (0,), "reporting": (1,), "both": (0, 1)}  # even classes are for choosing, odd ones for reporting
SET = 100_000  # the number of a task is that of its class plus SET times the number of its set of models
LEAST = 2  # models that a task must have after those without predictions are left out


class ImageModels:
    """Each class of the score files, once per set of models.

        family = ImageModels("scores", sets=[["simclr", "byol"], ["simclr", "swav"]], thinned=False)
        task = family.load(100_006)      # class 6 against all others, by simclr and swav

    sets        lists of files of the folder: the first model is the old one, or the one that is judged
    thinned     as of `RealFamily`: keep about one positive in five, always the same ones
    half        "choosing": even classes, "reporting": odd ones, or "both"
    thresholds  each model also predicts the class where its probability is above these, as a model of its own
    role        what the tasks are for, if they are reported apart from others; a prefix of the task's family

    A task is named after its models and class. All classes of one set of models are one group, as the pools of one data
    set are.
    """

    name = "image models"

    def __init__(
        self,
        folder: str | Path,
        sets: Sequence[Sequence[str]],
        thinned: bool = False,
        half: str = "reporting",
        thresholds: Mapping[str, float] | None = None,
        role: str = "",
    ) -> None:
        if not sets or any(len(models) < LEAST for models in sets):
            raise InputError(f"sets must be lists of at least {LEAST} models each: got {sets!r}")
        self.folder, self.sets = Path(folder), tuple(tuple(models) for models in sets)
        self.thinned, self.half = checks.flag("thinned", thinned), checks.choice("half", half, HALVES)
        self.thresholds, self.role = dict(thresholds or {}), role

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    def categories(self) -> list[int]:
        return [category for category in self._every if category not in self._reasons]

    def excluded(self) -> dict[int, str]:
        return dict(self._reasons)

    def group_of(self, category: int) -> str:
        """The models, and whether the positives are thinned: the first part of the task's name."""
        models = self.sets[category // SET]
        shown = " ".join(models) if len(models) == LEAST else f"{len(models)} models"
        return f"{shown} thinned" if self.thinned else shown

    def task_name(self, category: int) -> str:
        return f"{self.group_of(category)}/class {category % SET}/{'thinned' if self.thinned else 'all'}"

    def load(self, category: int) -> Task:
        """One class and one set of models as a task."""
        if category not in self._every:
            raise InputError(f"category must be a class of the half {self.half!r}: got {category!r}")
        number, number_of_class = divmod(category, SET)
        first = self._models[self.sets[number][0], ""].load(number_of_class)
        models = {
            name: Model(task.pool.scores, task.pool.predictions)
            for name, family in self._named(self.sets[number])
            if (task := family.load(number_of_class)).pool.predicted_positives
        }
        return Task(
            f"{self.role} images".strip(),
            category,
            first.pool,
            first.labels,
            kept=first.kept,
            name=self.task_name(category),
            alike=sum(self.group_of(other) == self.group_of(category) for other in self.categories()),
            models=models,
        )

    def _named(self, models: Sequence[str]) -> list[tuple[str, RealFamily]]:
        """The models of a set with their thresholds, each with a name."""
        points = [(model, point) for model in models for point in ("", *self.thresholds)]
        return [(f"{model} {point}".strip(), self._models[model, point]) for model, point in points]

    @cached_property
    def _models(self) -> dict[tuple[str, str], RealFamily]:
        """By model and name of the threshold; "" predicts the most likely class."""
        points = {"": None, **self.thresholds}
        return {
            (model, point): RealFamily(self.folder, model, self.thinned, threshold=threshold)
            for model in dict.fromkeys(name for models in self.sets for name in models)
            for point, threshold in points.items()
        }

    @cached_property
    def _every(self) -> list[int]:
        """All tasks of the half, also those that cannot be evaluated."""
        some = self._models[self.sets[0][0], ""]
        classes = sorted([*some.categories(), *some.excluded()])
        wanted = [number for number in classes if number % 2 in PARITY[self.half]]
        return [place * SET + number for place in range(len(self.sets)) for number in wanted]

    @cached_property
    def _reasons(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for category in self._every:
            number, number_of_class = divmod(category, SET)
            families = [self._models[model, ""] for model in self.sets[number]]
            words = [family.excluded().get(number_of_class) for family in families]
            if reason := next((reason for reason in words if reason), None):
                found[category] = reason
            elif identical(family.predictions(number_of_class) for family in families):
                found[category] = IDENTICAL
        return found
