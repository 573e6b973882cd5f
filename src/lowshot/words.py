"""Numbers with their nouns."""

NO_LABELS = "no labels yet"


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "label"), counted(1200, "label"), counted(2, "person", "people")
    ('1 label', '1,200 labels', '2 people')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
