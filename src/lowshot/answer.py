"""What people answer, and how an answer is written: as a label in Python and JSON, as a word on pages and in files.

    label   word           files may also have
    1       yes            1, y, true
    0       no             0, n, false
    None    cannot tell    ?, null

An empty cell of a file is none of these: nobody has answered yet (`EMPTY`). A pool says which answers its items take
(`BasePool.answers`).

>>> YES_NO.check("bird.jpg", True), YES_NO.word(None), YES_NO.label("no"), YES_NO.read("bird.jpg", " Yes ")
(1, 'cannot tell', 0, 1)
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from lowshot import checks
from lowshot.errors import InputError

Label: TypeAlias = int | None


class Empty(Enum):
    """Not answered, which is something else than "cannot tell"."""

    EMPTY = ""


EMPTY = Empty.EMPTY


class Answers(ABC):
    """The answers to a question. Labels are whole numbers, so that every store and history can keep them."""

    needed: str  # what a label must be, in messages
    words: tuple[str, ...]  # every word that people can answer
    keys: Mapping[str, Label]  # on a keyboard, in the order of the words; empty if there are too many of them

    @property
    def several(self) -> bool:
        """Whether several categories can apply to an item."""
        return False

    @abstractmethod
    def check(self, item: Hashable, value: Any) -> Label:
        """The label that somebody passes in Python or JSON for an item."""

    def check_all(self, items: Sequence[Hashable], values: Any) -> list[Label]:
        """The labels of several items, in their order."""
        if values is None:
            raise InputError("labels must be one for each item: got None; does the oracle return them?")
        answers = checks.listed("labels", values)
        if len(answers) != len(items):
            raise InputError(f"labels must be one for each item: got {len(answers)} labels for {len(items)} items")
        return [self.check(item, answer) for item, answer in zip(items, answers, strict=True)]

    def value(self, label: Label) -> Any:
        """The label as somebody passes it in Python."""
        return label

    @abstractmethod
    def word(self, label: Label) -> str:
        """The label as people read it."""

    @abstractmethod
    def label(self, word: str) -> Label:
        """The label that a word stands for."""

    @abstractmethod
    def read(self, item: Hashable, value: Any) -> Label | Empty:
        """What somebody wrote into a file for an item. A JSON null is "cannot tell"; an empty text is no answer."""

    def described(self) -> dict[str, Any]:
        """As plain data, kept with an evaluation: labels of one question must all mean the same. Empty for yes and no.

        >>> YES_NO.described()
        {}
        """
        return {}

    def possible(self, label: Any) -> bool:
        """Whether a stored value is a label: others are a sign of a damaged store."""
        return label in (0, 1, None)

    def refuse_unstorable(self) -> None:
        """Raise an error if a store cannot keep all labels: they must fit into 64 bits."""
        return

    def refines(self, old: Label, new: Label) -> bool:
        """Whether a new label says more than an old one and agrees with it, so that it is no correction."""
        return False


class YesNo(Answers):
    """The answers to a question such as "Is this a stroller?"."""

    needed = "0 or 1"
    words: tuple[str, ...] = ("yes", "no", "cannot tell")
    keys: Mapping[str, Label] = {"y": 1, "n": 0, "s": None}

    _labels: Mapping[str, Label] = dict(zip(words, keys.values(), strict=True))
    _words: Mapping[Label, str] = {label: word for word, label in _labels.items()}
    _in_files: Mapping[str, Label] = {
        **_labels,
        **dict.fromkeys(("1", "y", "true", "1.0"), 1),
        **dict.fromkeys(("0", "n", "false", "0.0"), 0),
        **dict.fromkeys(("?", "null")),
    }

    def check(self, item: Hashable, value: Any) -> Label:
        """The label that somebody passes in Python or JSON for an item: 0, 1, True, False or None, or its word.

        >>> YES_NO.check("bird.jpg", "yes"), YES_NO.check("bird.jpg", "No")
        (1, 0)
        """
        value = checks.plain(value)
        if value is None:
            return None
        if isinstance(value, (bool, int, float)) and value in (0, 1):
            return int(value)
        if isinstance(value, str) and (word := value.strip().lower()) in self._labels:
            return self._labels[word]
        raise InputError(
            "labels must be 0, 1 or None (cannot tell), or 'yes' or 'no': got"
            f" {checks.shortened(value)} for item {item!r}"
        )

    def word(self, label: Label) -> str:
        """The label as people read it."""
        return self._words[label]

    def label(self, word: str) -> Label:
        """The label that a word stands for."""
        if word not in self._labels:
            raise InputError(f"answer must be one of {', '.join(self.words)}: got {word!r}")
        return self._labels[word]

    def read(self, item: Hashable, value: Any) -> Label | Empty:
        """What somebody wrote into a file for an item. A JSON null is "cannot tell"; an empty text is no answer.

        >>> YES_NO.read("bird.jpg", None), YES_NO.read("bird.jpg", "")
        (None, <Empty.EMPTY: ''>)
        """
        text = "null" if value is None else str(value).strip().lower()
        if not text:
            return EMPTY
        if text not in self._in_files:
            raise InputError(
                "labels must be 1, 0, yes, no, y, n, true, false, ? or 'cannot tell', or empty: got"
                f" {checks.shortened(value)} for item {item!r}; correct the file"
            )
        return self._in_files[text]


YES_NO = YesNo()
