"""Label Studio: tasks to import, the labelling config that fits them, and its JSON export."""

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from xml.sax.saxutils import quoteattr

from lowshot.answer import YES_NO, Answers
from lowshot.errors import InputError
from lowshot.labelling.items import whole
from lowshot.labelling.rows import Item, Row

SEARCHED = 12  # words from which on they can be filtered by typing
SEARCH = "search"  # the name of the field in which words are typed
FILTER = f'  <Filter name="{SEARCH}" toName="label" minlength="0" hotkey="shift+f"/>'
JOINER = "\u2060"  # the word joiner, a character without width
SHOWN = 6  # words that a message names
MARK = "lowshot"  # says in the data of a task which evaluation it is of, so that it is found again
CHOICES = "label"  # the name of the choices in a labelling config
TAKEN = ("true", "false", MARK, SEARCH)  # a field gets another name; `lowshot start` refuses one called as CHOICES


def write(items: Sequence[Item]) -> str:
    """Tasks to import. Ids are texts, because browsers round numbers beyond 2**53.

    >>> print(write([Item(7, {"title": "Crow"})]), end="")
    [
      {"data": {"id": "7", "title": "Crow"}}
    ]
    """
    tasks = [json.dumps({"data": _data(item)}, ensure_ascii=False) for item in items]
    return "[\n" + ",\n".join(f"  {task}" for task in tasks) + "\n]\n"


def _data(item: Item) -> dict[str, str]:
    """Texts of files may have half a character, which neither a file of tasks nor a request can have."""
    texts = map(whole, item.fields.values())
    return {"id": str(item.id), **dict(zip(variables(item.fields), texts, strict=True))}


def marked(items: Iterable[Item], mark: str) -> list[dict[str, Any]]:
    """Tasks to send: what `write` writes, and the mark of their evaluation. There is never a score or a prediction.

    >>> marked([Item(7, {"title": "Crow"})], "birds")
    [{'data': {'id': '7', 'title': 'Crow', 'lowshot': 'birds'}}]
    """
    return [{"data": {**_data(item), MARK: mark}} for item in items]


def variables(fields: Iterable[str]) -> list[str]:
    """Names that a labelling config can refer to, one per field.

    Label Studio ends a variable at the first character that is no letter, digit or underscore: it shows "undefined
    title" for "$bird title". It does not treat numbers, true and false as names, and refuses a config in which a name
    occurs twice.

    >>> variables(["title", "bird title", "bird-title", "5", "true", "lowshot", "search"])
    ['title', 'field_bird_title', 'field_bird_title_', 'field_5', 'field_true', 'field_lowshot', 'field_search']
    """
    found = list[str]()
    for field in fields:
        fits = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", field) and field.lower() not in TAKEN
        name = field if fits else "field_" + re.sub("[^A-Za-z0-9_]", "_", field)
        while name in found:
            name += "_"
        found.append(name)
    return found


def config(question: str, fields: Sequence[str], show: str, answers: Answers = YES_NO) -> str:
    """The labelling config of such tasks. Where there are many categories, they can be searched.

    >>> print(config("Is this a crow?", ["picture"], "image"), end="")
    <View>
      <Header value="Is this a crow?"/>
      <Image name="picture" value="$picture"/>
      <Choices name="label" toName="picture" choice="single" showInline="true" required="true">
        <Choice value="yes" hotkey="y"/>
        <Choice value="no" hotkey="n"/>
        <Choice value="cannot tell" hotkey="s"/>
      </Choices>
    </View>
    """
    names = variables(fields) or ["id"]
    how = "multiple" if answers.several else "single"
    tags = ["Image" if show == "image" and number == 0 else "Text" for number in range(len(names))]
    return "\n".join(
        [
            "<View>",
            f"  <Header value={quoteattr(question.replace('$', '$' + JOINER))}/>",  # otherwise "$5" would be a variable
            *(
                f"  <{tag} name={quoteattr(name)} value={quoteattr('$' + name)}/>"
                for tag, name in zip(tags, names, strict=True)
            ),
            *([FILTER] if len(answers.words) > SEARCHED else []),
            f'  <Choices name="label" toName={quoteattr(names[0])} choice="{how}" showInline="true" required="true">',
            *(f"    <Choice value={quoteattr(word)}{key}/>" for word, key in hotkeys(answers).items()),
            "  </Choices>",
            "</View>",
            "",
        ]
    )


def refuse_other_choices(project: int, parsed: Any, answers: Answers) -> None:
    """Refuse a project whose annotators cannot give these answers, or can give others.

    parsed  the labelling config as Label Studio's interface has it, by the name of the tag
    """
    found = parsed.get(CHOICES) if isinstance(parsed, dict) else None
    labels = found.get("labels") or [] if isinstance(found, dict) and found.get("type") == "Choices" else None
    if labels is None or set(labels) != set(answers.words):
        what = "it has none" if labels is None else f"it has {_some(labels)}"
        raise InputError(
            f"project {project} must have a labelling config with choices that are called {CHOICES!r} and are"
            f" {_some(answers.words)}: {what}; paste what `lowshot ask --format label-studio --config` prints,"
            " or make a project with --create"
        )


def _some(words: Sequence[str]) -> str:
    return ", ".join(map(repr, words[:SHOWN])) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")


def hotkeys(answers: Answers) -> dict[str, str]:
    """Every word that can be chosen, with the attribute of its key; many words have none.

    >>> hotkeys(YES_NO)
    {'yes': ' hotkey="y"', 'no': ' hotkey="n"', 'cannot tell': ' hotkey="s"'}
    >>> from lowshot.class_answer import ClassAnswers
    >>> hotkeys(ClassAnswers(("heron", "crow")))
    {'heron': ' hotkey="1"', 'crow': ' hotkey="2"', 'none of these': ' hotkey="3"', 'cannot tell': ' hotkey="4"'}
    """
    digits = map(str, range(1, 10)) if len(answers.words) < 10 else ()
    keys = [*(answers.keys or digits)]
    found = [f' hotkey="{key}"' for key in keys] or [""] * len(answers.words)
    return dict(zip(answers.words, found, strict=False))


def read(text: str) -> Iterator[Row]:
    """Rows of a JSON export: per task the last annotation that was not cancelled."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"the file must be Label Studio's JSON export: it is not JSON ({error})") from None
    tasks = found if isinstance(found, list) else [found]
    name = name_of_choices(tasks)
    for number, task in enumerate(tasks, 1):
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or "id" not in data:
            raise InputError(
                f"the file must be Label Studio's JSON export (not JSON-MIN): task {number} has no data with an id;"
                " export as JSON"
            )
        yield Row(data["id"], last_choice(data["id"], task.get("annotations") or [], name), f"task {number}")


def name_of_choices(tasks: Iterable[Any]) -> str:
    """The name of the choices that are the answers: "label", or that of the only choices of a project of one's own.

    A project may ask for more than the label: "yes" to "Are you sure?" is no label.

    >>> def task(*names):
    ...     return {"annotations": [{"result": [{"type": "choices", "from_name": name} for name in names]}]}
    >>> name_of_choices([task("sure", "label"), task("sure")])
    'label'
    >>> name_of_choices([task("sure", "bird")])
    Traceback (most recent call last):
    lowshot.errors.InputError: the choices of the file must be called 'label', or be all of one name: ...
    """
    names = set[str]()
    for task in tasks:
        with suppress(AttributeError, TypeError):  # of another structure: `last_choice` names the item
            names |= {_name(result) for one in task.get("annotations") or [] for result in _results(one)}
    if not names or CHOICES in names:
        return CHOICES
    if len(names) > 1:
        raise InputError(
            f"the choices of the file must be called {CHOICES!r}, or be all of one name: they are called"
            f" {_some(sorted(names))}; label in a project with the config that `lowshot ask --format label-studio"
            f" --config` prints, or write {CHOICES!r} as from_name of the answers"
        )
    (name,) = names
    warnings.warn(f"the choices are called {name!r} and not {CHOICES!r}: they are read as the answers", stacklevel=2)
    return name


def last_choice(item: Any, annotations: Any, name: str = CHOICES) -> list[str] | str:
    """The words that were chosen last, whoever chose them, among the choices of this name; empty if nobody did.

    >>> yes, no = ([{"type": "choices", "value": {"choices": [word]}}] for word in ("yes", "no"))
    >>> last_choice("a", [{"result": no, "updated_at": "2026-02-01"}, {"result": yes, "updated_at": "2026-01-01"}])
    ['no']
    >>> last_choice("a", [{"result": no, "was_cancelled": True}])
    ''
    """
    try:
        return _choice(annotations, name)
    except (AttributeError, TypeError):
        raise InputError(
            f"annotations must be as Label Studio's JSON export has them: those of item {item!r} are not"
        ) from None


def by_person(annotations: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The annotations of each person, by the number that Label Studio gives to people."""
    people = dict[str, list[Any]]()
    for annotation in annotations:
        who = annotation.get("completed_by")
        people.setdefault(str(who.get("id") if isinstance(who, dict) else who), []).append(annotation)
    return people


def _choice(annotations: list[dict[str, Any]], name: str) -> list[str] | str:
    """Other exports have annotations of another structure: they raise an error."""
    last = [words for annotation in sorted(annotations, key=_when) if (words := _chosen(annotation, name))][-1:]
    return last[0] if last else ""


def _chosen(annotation: dict[str, Any], name: str) -> list[str]:
    own = [result for result in _results(annotation) if _name(result) == name]
    return [str(choice) for result in own for choice in result.get("value", {}).get("choices", [])]


def _results(annotation: dict[str, Any]) -> list[dict[str, Any]]:
    """All choices of an annotation; none if it was cancelled."""
    if _cancelled(annotation):
        return []
    return [result for result in annotation.get("result") or [] if result.get("type") == "choices"]


def _name(result: dict[str, Any]) -> str:
    return str(result.get("from_name", CHOICES))


def _cancelled(annotation: dict[str, Any]) -> bool:
    return bool(annotation.get("was_cancelled") or annotation.get("skipped"))


def _when(annotation: dict[str, Any]) -> str:
    """A time that sorts as text. Whole seconds have no fraction: without the Z they sort before later times."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or "").removesuffix("Z")
