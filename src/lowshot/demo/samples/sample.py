"""A sample as data: its rows, what they mean, and the files that it consists of."""

import csv
import io
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath
from string import Template
from typing import Any

SCORES, LABELS, ANSWER = "scores.csv", "labels.csv", "answer.py"
PROGRAM = Template('''"""Answer from the known labels what lowshot asks: python $file STORE LABELS"""

import csv
import sys
from pathlib import Path

import lowshot

folder = Path(__file__).parent
store, labels = sys.argv[1], int(sys.argv[2])
if not Path(store).exists():
    sys.exit(f"{store} does not exist: begin with `lowshot start`")

with open(folder / "scores.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
with open(folder / "labels.csv", newline="", encoding="utf-8") as file:
    truth = {row["$id"]: int(row["label"]) for row in csv.DictReader(file)}

pool = lowshot.Pool([float(row["score"]) for row in rows], threshold=$threshold, ids=[row["$id"] for row in rows])
evaluation = lowshot.Evaluation(pool, store=store)  # continues what `lowshot start` began
while (left := labels - evaluation.labels) > 0:
    items = evaluation.pending[:left] or evaluation.ask(left)  # first what the page has handed out already
    if not items:
        break
    evaluation.tell(items, [truth[item] for item in items])

print(evaluation.estimate())
print(f"The truth, from all {len(truth):,} labels: f1 = $truth")
''')


@dataclass(frozen=True)
class Sample:
    """A pool with scores and the true labels, and how to begin an evaluation of it.

    >>> sample = Sample("two", "two things", "a one", "text", {"text": ["a", "b"]}, (0.9, 0.2), (1, 0), "Is it one?")
    >>> sample.items, sample.positives, sample.predicted, sample.truth
    (2, 1, 1, 1.0)
    >>> print(sample.texts(PurePath("two"))["labels.csv"], end="")
    text,label
    a,1
    b,0
    """

    name: str
    what: str  # the items, in words
    rare: str  # a positive item, in words
    id: str  # the column of ids
    columns: Mapping[str, Sequence[str]]  # columns of texts by name, among them the ids
    scores: Sequence[float]
    labels: Sequence[int]
    question: str
    source: str = ""  # where the items come from, and under which licence
    threshold: float = 0.5
    options: Sequence[str] = ()  # of `lowshot start`: how items are displayed; {folder} is the folder
    pictures: Callable[[], Iterable[tuple[str, bytes]]] | None = None  # name and content of each file in pictures/

    @property
    def items(self) -> int:
        return len(self.labels)

    @property
    def positives(self) -> int:
        return sum(self.labels)

    @property
    def predicted(self) -> int:
        return sum(score >= self.threshold for score in self.scores)

    @property
    def truth(self) -> float:
        """F1 from all labels."""
        found = sum(label for score, label in zip(self.scores, self.labels, strict=True) if score >= self.threshold)
        return 2 * found / (self.predicted + self.positives)

    def texts(self, folder: PurePath) -> dict[str, str]:
        """The content of each text file of the sample in this folder, by its name."""
        ids = self.columns[self.id]
        return {
            SCORES: csv_of({**self.columns, "score": self.scores}),
            LABELS: csv_of({self.id: ids, "label": self.labels}),
            ANSWER: PROGRAM.substitute(
                file=(folder / ANSWER).as_posix(), id=self.id, threshold=self.threshold, truth=f"{self.truth:.3f}"
            ),
        }

    def start(self, folder: PurePath) -> str:
        """The command that begins an evaluation of the sample in this folder."""
        options = [option.format(folder=folder.as_posix()) for option in self.options]
        pool = f"--pool {shlex.quote((folder / SCORES).as_posix())} --id {self.id} --score score"
        shown = " ".join(map(shlex.quote, options))
        return f'lowshot start {self.name}.db {pool} --threshold {self.threshold} {shown} --question "{self.question}"'


def csv_of(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns of the same length as CSV, with line feeds.

    >>> csv_of({"id": ["a", "b, c"], "label": [1, 0]})
    'id,label\\na,1\\n"b, c",0\\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return buffer.getvalue()


def shipped(file: str) -> dict[str, list[str]]:
    """The columns of a CSV file that is part of the package."""
    text = files("lowshot.demo.samples").joinpath("data", file).read_text(encoding="utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
