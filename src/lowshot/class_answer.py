"""What people answer where there are several categories: "Which bird is this?".

A label is a whole number, as for every other question:

    kind "single"                            kind "multilabel"
    c >= 0       the category at place c     m >= 0            category c applies if bit c of m is set
    -1           none of the categories      -(1 + 2 c + y)    only known about category c: it applies if y is 1
    -(2 + c)     not the category at place c
    None         cannot tell                 None              cannot tell

>>> birds = ClassAnswers(("heron", "crow", "wren"))
>>> birds.check("a.jpg", "crow"), birds.check("b.jpg", OTHER), birds.about("crow", "c.jpg", 0), birds.word(-3)
(1, -1, -3, 'not crow')
>>> birds.check("a.jpg", "herron")
Traceback (most recent call last):
lowshot.errors.InputError: labels must be categories of the pool: got 'herron' for item 'a.jpg'; the nearest is ...
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, get_args

from lowshot import checks
from lowshot.answer import EMPTY, YES_NO, Answers, Empty, Label
from lowshot.checks import Id
from lowshot.errors import InputError

Kind = Literal["single", "multilabel"]
SEPARATOR = " | "  # between the categories of an item, where several can apply
CANNOT_TELL = "cannot tell"
NO_CATEGORY = -1
MOST_STORED = 62  # categories of which any number apply: a store has 64 bits per label
ANSWERS = "answers"  # where a stored evaluation says which categories it has


class Other(StrEnum):
    """The answer that an item belongs to none of the categories: `lowshot.OTHER`, or its words in files and JSON."""

    OTHER = "none of these"

    def __repr__(self) -> str:
        return "lowshot.OTHER"


OTHER = Other.OTHER


class ClassAnswers(Answers):
    """One category of an item, or with kind "multilabel" any number of them; or yes or no about one category.

    names  of the categories: strings or whole numbers
    """

    needed = "categories"

    def __init__(self, names: Sequence[Id], kind: Kind = "single") -> None:
        self.names, self.kind = tuple(names), kind
        self._place = {name: place for place, name in enumerate(self.names)}
        self._by_text = {str(name): place for name, place in self._place.items()}
        self.words = (*map(str, self.names), OTHER.value, CANNOT_TELL)
        self.keys = {}

    @property
    def several(self) -> bool:
        """Whether several categories can apply to an item."""
        return self.kind == "multilabel"

    def named(self, text: str, argument: str = "category") -> Id:
        """The name of a category, from its text: names that are whole numbers are texts on pages and in addresses."""
        return self.names[self._by_text[text]] if text in self._by_text else self.names[self.place(text, argument)]

    def place(self, name: Any, argument: str = "category") -> int:
        """The place of a category, by its name; an error with the nearest names if there is none."""
        plain = checks.plain(name)
        if isinstance(plain, (str, int)) and not isinstance(plain, bool) and plain in self._place:
            return self._place[plain]
        raise InputError(
            f"{argument} must be a category of the pool: got {checks.shortened(plain)}; {self._nearest(plain)}"
        )

    def check(self, item: Hashable, value: Any) -> Label:
        value = checks.plain(value)
        if value is None:
            return None
        if isinstance(value, str) and (about := self._about_one(value)) is not None:
            return about
        if self.several:
            return self._mask(item, value)
        return NO_CATEGORY if value == OTHER else self._category(item, value)

    def about(self, category: Any, item: Hashable, value: Any) -> Label:
        """The label if somebody answers yes or no to a question about one category."""
        answer = YES_NO.check(item, value)
        return None if answer is None else self._one(self.place(category), answer)

    def _one(self, place: int, answer: int) -> int:
        if self.several:
            return -(1 + 2 * place + answer)
        return place if answer else -(2 + place)

    def truth(self, label: Label, place: int) -> Label:
        """Whether the category at this place applies, if an item has this label; None if the label does not say.

        >>> ClassAnswers(("heron", "crow")).truth(-2, 0), ClassAnswers(("heron", "crow")).truth(-2, 1)
        (0, None)
        """
        if label is None:
            return None
        if label >= 0:
            return (label >> place) & 1 if self.several else int(label == place)
        if self.several:
            about, answer = divmod(-1 - label, 2)
            return answer if about == place else None
        return 0 if label in (NO_CATEGORY, -(2 + place)) else None

    def complete(self, label: Label) -> bool:
        """Whether the label says everything about the item, and not only something about one category.

        >>> [ClassAnswers(("heron", "crow")).complete(label) for label in (1, -1, -2, None)]
        [True, True, False, False]
        """
        return label is not None and (label >= 0 or (label == NO_CATEGORY and not self.several))

    def refines(self, old: Label, new: Label) -> bool:
        if old is None or self.complete(old) or not self.complete(new):
            return False
        place = (-1 - old) // 2 if self.several else -2 - old
        return self.truth(old, place) == self.truth(new, place)

    def value(self, label: Label) -> Any:
        """As it can be told again: a name, a list of names, `OTHER`; a text for what is known about one category.

        >>> [ClassAnswers(("heron", "crow")).value(label) for label in (1, -1, -2, None)]
        ['crow', lowshot.OTHER, 'not heron', None]
        """
        if not self.complete(label):
            return None if label is None else self.word(label)
        if self.several:
            return [name for place, name in enumerate(self.names) if self.truth(label, place)]
        return OTHER if label == NO_CATEGORY else self.names[label or 0]

    def word(self, label: Label) -> str:
        if label is None:
            return CANNOT_TELL
        if self.several:
            return self._words_of_several(label)
        if label == NO_CATEGORY:
            return OTHER.value
        return f"{'' if label >= 0 else 'not '}{self.names[label if label >= 0 else -2 - label]}"

    def _words_of_several(self, label: int) -> str:
        if label < 0:
            place, answer = divmod(-1 - label, 2)
            return f"{'at least' if answer else 'not'} {self.names[place]}"
        found = [str(name) for place, name in enumerate(self.names) if label >> place & 1]
        return SEPARATOR.join(found) or OTHER.value

    def label(self, word: str) -> Label:
        """The label that a word stands for: a category, several, "not heron", "none of these" or "cannot tell".

        >>> ClassAnswers(("heron", "crow")).label("herron")
        Traceback (most recent call last):
        lowshot.errors.InputError: answer must be a category of the pool: got 'herron'; the nearest is 'heron'
        """
        found = self.read(None, word)
        if found is EMPTY:
            raise InputError(f"answer must be a category, {OTHER.value!r} or {CANNOT_TELL!r}: got {word!r}")
        return found

    def read(self, item: Hashable, value: Any) -> Label | Empty:
        text = CANNOT_TELL if value is None else str(value).strip()
        if not text:
            return EMPTY
        if text.lower() in (CANNOT_TELL, "?", "null"):
            return None
        if text.lower() == OTHER.value and text not in self._by_text:  # the page writes "None of these"
            return 0 if self.several else NO_CATEGORY
        return self._read_several(item, text) if self.several else self._read_one(item, text)

    def _read_several(self, item: Hashable, text: str) -> int:
        found = self._about_one(text)
        if found is not None:
            return found
        return self._sum(self._found(item, part.strip()) for part in text.split(SEPARATOR.strip()))

    def _read_one(self, item: Hashable, text: str) -> int:
        """A category, or words about one: "not heron"."""
        found = self._about_one(text)
        return self._found(item, text) if found is None else found

    @property
    def starts(self) -> dict[str, int]:
        """How words about one category begin, and whether it applies then."""
        return {"not ": 0, "at least ": 1} if self.several else {"not ": 0}

    def _about_one(self, text: str) -> int | None:
        """What words about one category mean, as `word` writes them; None for other texts.

        >>> ClassAnswers(("heron", "crow"))._about_one("not heron"), ClassAnswers(("heron",))._about_one("heron")
        (-2, None)
        """
        for start, answer in self.starts.items():
            name = text.removeprefix(start)
            if text not in self._by_text and name != text and name in self._by_text:
                return self._one(self._by_text[name], answer)
        return None

    def _found(self, item: Hashable, text: str) -> int:
        if text not in self._by_text:
            raise self._unknown(item, text)
        return self._by_text[text]

    def possible(self, label: Any) -> bool:
        if label is None:
            return True
        if not isinstance(label, int):
            return False
        count = len(self.names)
        return -2 * count <= label < 1 << count if self.several else -2 - count < label < count

    def refuse_unstorable(self) -> None:
        if self.several and len(self.names) > MOST_STORED:
            raise InputError(
                f"classes must be at most {MOST_STORED} for kind 'multilabel' in a store: got {len(self.names)};"
                " evaluate in memory, or fewer classes at a time"
            )

    def described(self) -> dict[str, Any]:
        return {"categories": list(self.names), "kind": self.kind}

    def _mask(self, item: Hashable, value: Any) -> int:
        if value == OTHER:
            return 0
        if isinstance(value, (str, int)) or not isinstance(value, Iterable):
            came = checks.shortened(value)
            raise InputError(f"labels must be sets of categories: got {came} for item {item!r}; write {{{came}}}")
        return self._sum(self._category(item, one) for one in value)

    def _sum(self, places: Iterable[int]) -> int:
        return sum(1 << place for place in {*places})

    def _category(self, item: Hashable, value: Any) -> int:
        """The place of a category by its name; or its place itself, where names are not numbers."""
        plain = checks.plain(value)
        if isinstance(plain, str | int) and not isinstance(plain, bool):
            if plain in self._place:
                return self._place[plain]
            if isinstance(plain, int) and isinstance(self.names[0], str) and 0 <= plain < len(self.names):
                return plain
        raise self._unknown(item, plain)

    def _unknown(self, item: Hashable, value: Any) -> InputError:
        """The error about a category that does not exist. `item` is None for an answer on a page, which names none."""
        if item is None:
            return InputError(
                f"answer must be a category of the pool: got {checks.shortened(value)}; {self._nearest(value)}"
            )
        return InputError(
            f"labels must be categories of the pool: got {checks.shortened(value)} for item {item!r};"
            f" {self._nearest(value)}; {OTHER.value!r}, in Python lowshot.OTHER, is for items of no category"
        )

    def _nearest(self, value: Any) -> str:
        return checks.nearest(value, [*self._by_text])


def answers_of(about: Mapping[str, Any]) -> Answers:
    """The answers of a stored evaluation, from what was stored about it.

    >>> answers_of({"answers": {"categories": ["heron", "crow"], "kind": "single"}}).word(1), answers_of({}).word(1)
    ('crow', 'yes')
    """
    found = about.get(ANSWERS)
    return ClassAnswers(found["categories"], found["kind"]) if isinstance(found, Mapping) else YES_NO


def class_answers(classes: Any, count: int, kind: Any) -> ClassAnswers:
    """The answers for these names of classes, checked; None stands for the places 0, 1, ..."""
    checks.choice("kind", kind, get_args(Kind))
    names = list(range(count)) if classes is None else checks.listed("classes", classes)
    if len(names) != count:
        raise InputError(f"classes must be one name per column of scores: got {len(names)} names for {count} columns")
    kinds = {type(name) for name in names}
    if len(kinds) > 1 or not kinds <= {str, int}:
        came = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"classes must be names, all strings or all whole numbers: got {came}")
    if len({*names}) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"classes must be distinct: got {twice!r} twice; give every class a name of its own")
    for name in names if kinds == {str} else ():
        _refuse_name(str(name), kind)
    answers = ClassAnswers(names, kind)
    _refuse_words_about_another(answers)
    return answers


def _refuse_words_about_another(answers: ClassAnswers) -> None:
    """Refuses the classes "a" and "not a" together: an export or an annotator that says "not a" could mean both."""
    for name in answers.names:
        for start in answers.starts if isinstance(name, str) else ():
            rest = str(name).removeprefix(start)
            if rest != name and rest in answers.names:
                raise InputError(
                    f"classes must not be called {name!r} if there is {rest!r} too, because it is also an answer about"
                    " that class: give it another name"
                )


def _refuse_name(name: str, kind: str) -> None:
    checks.text("classes", name)
    if name != name.strip():
        raise InputError(f"classes must be names without spaces around them: got {name!r}; strip it")
    if name.lower() in (OTHER.value, CANNOT_TELL, "?", "null"):
        raise InputError(f"classes must not be called {name!r}, which is an answer of its own: give it another name")
    if kind == "multilabel" and SEPARATOR.strip() in name:
        raise InputError(f"classes must be names without {SEPARATOR.strip()!r}, which separates them: got {name!r}")
