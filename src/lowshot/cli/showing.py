"""How the items of an evaluation are displayed on pages and in the report."""

from lowshot.checks import Id
from lowshot.cli.opening import Opened
from lowshot.labelling.items import Shown


def shown_of(opened: Opened) -> Shown:
    """As the options of `lowshot start` said: --show, --field, --media-root, --question and --instructions."""
    about = opened.about
    return Shown(
        kind="image" if about.show == "image" else "fields",
        fields=lambda item: fields_of(opened, item),
        media_root=about.media_root,
        question=opened.header.question,
        instructions=about.instructions,
    )


def fields_of(opened: Opened, item: Id) -> list[tuple[str, str]]:
    """What annotators see of an item, in the order of --field; its id if no field is given."""
    (found,) = opened.shown([item])
    values = {**found.fields, str(opened.about.columns.id): str(item)}
    return [(field, values[field]) for field in opened.about.fields] or [("item", str(item))]
