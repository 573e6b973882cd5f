"""Label Studio: tasks to import, the labelling config that fits them, and its JSON export."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from lowshot.answer import YES_NO, Answers
from lowshot.class_answer import ClassAnswers
from lowshot.cli.formats.item import Item, Row
from lowshot.errors import InputError

SEARCHED = 12  # words from which on they can be filtered by typing
FILTER = '  <Filter name="search" toName="label" minlength="0" hotkey="shift+f"/>'
JOINER = "\u2060"  # the word joiner, a character without width


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
    return {"id": str(item.id), **dict(zip(variables(item.fields), item.fields.values(), strict=True))}


def variables(fields: Iterable[str]) -> list[str]:
    """Names that a labelling config can refer to, one per field.

    Label Studio ends a variable at the first character that is no letter, digit or underscore: it shows "undefined
    title" for "$bird title". It does not treat numbers, true and false as names.

    >>> variables(["title", "bird title", "bird-title", "5", "true"])
    ['title', 'field_bird_title', 'field_bird_title_', 'field_5', 'field_true']
    """
    found = list[str]()
    for field in fields:
        fits = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", field) and field.lower() not in ("true", "false")
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
    how = "multiple" if isinstance(answers, ClassAnswers) and answers.several else "single"
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


def hotkeys(answers: Answers) -> dict[str, str]:
    """Every word that can be chosen, with the attribute of its key; many words have none.

    >>> hotkeys(YES_NO)
    {'yes': ' hotkey="y"', 'no': ' hotkey="n"', 'cannot tell': ' hotkey="s"'}
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
        tasks = json.loads(text)
    except ValueError as error:
        raise InputError(f"the file must be Label Studio's JSON export: it is not JSON ({error})") from None
    for number, task in enumerate(tasks if isinstance(tasks, list) else [tasks], 1):
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or "id" not in data:
            raise InputError(
                f"the file must be Label Studio's JSON export (not JSON-MIN): task {number} has no data with an id;"
                " export as JSON"
            )
        yield Row(data["id"], _answer(data["id"], task.get("annotations") or []), f"task {number}")


def _answer(item: Any, annotations: Any) -> list[str] | str:
    """Other exports have annotations of another structure; they are refused."""
    try:
        return _choice(annotations)
    except (AttributeError, TypeError):
        raise InputError(
            f"annotations must be as Label Studio's JSON export has them: those of item {item!r} are not"
        ) from None


def _choice(annotations: list[dict[str, Any]]) -> list[str] | str:
    """The words that were chosen; empty if there are none."""
    chosen = [_chosen(annotation) for annotation in sorted(annotations, key=_when) if not _cancelled(annotation)]
    last = [words for words in chosen if words][-1:]
    return last[0] if last else ""


def _chosen(annotation: dict[str, Any]) -> list[str]:
    results = [result for result in annotation.get("result") or [] if result.get("type") == "choices"]
    return [str(choice) for result in results for choice in result.get("value", {}).get("choices", [])]


def _cancelled(annotation: dict[str, Any]) -> bool:
    return bool(annotation.get("was_cancelled") or annotation.get("skipped"))


def _when(annotation: dict[str, Any]) -> str:
    """A time that sorts as text. Whole seconds have no fraction: without the Z they sort before later times."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or "").removesuffix("Z")
