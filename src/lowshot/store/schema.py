"""The tables of a store. Plain rows that any tool can read; items by their ids.

questions     what people answer; every label belongs to a question
evaluations   one row per evaluation: the header, and a counter of changes
known         labels that existed when an evaluation began
uniform       those of them that were given as drawn uniformly from the pool
rounds        one row per round, with the number of labels when it was opened
designs       one row per round: what the beliefs of its sampler decided
draws         the draws of each round in order, with probability and c(s)
asked         items that were handed out, and when
labels        what samplers see, in the order it came; a correction is a further row
answers       every answer of every annotator; the last answer per annotator counts
leases        which items are reserved for whom, and until when
version       one row: the version of these tables

Rows that are written in one transaction have the same time, for example an answer and the label that it became.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()
Label = BigInteger().with_variant(Integer, "sqlite")  # SQLite has only one type of whole numbers
Sequence = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only in a plain INTEGER column


def _evaluation() -> Column[int]:
    return Column("evaluation", ForeignKey("evaluations.id"), nullable=False)


def _question() -> Column[int]:
    return Column("question", ForeignKey("questions.id"), nullable=False)


version = Table("version", metadata, Column("number", Integer, primary_key=True, autoincrement=False))
questions = Table(
    "questions", metadata, Column("id", Integer, primary_key=True), Column("text", Text, nullable=False, unique=True)
)
evaluations = Table(
    "evaluations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    _question(),
    Column("fingerprint", String, nullable=False),
    Column("items", BigInteger, nullable=False),
    Column("predicted", BigInteger, nullable=False),
    Column("metric", String, nullable=False),
    Column("alpha", Float, nullable=False),
    Column("sampler", String, nullable=False),
    Column("settings", Text, nullable=False),  # JSON
    Column("seed", String, nullable=False),  # text, because a seed up to 2**64 - 1 does not fit an integer column
    Column("lowshot", String, nullable=False),  # the version that began it
    Column("began", String, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("about", Text, nullable=False),  # JSON: where the pool is, how items are shown
)
known = Table(
    "known",
    metadata,
    _evaluation(),
    Column("item", Text, nullable=False),
    Column("label", Label, nullable=False),
    UniqueConstraint("evaluation", "item"),
)
uniform = Table(
    "uniform",
    metadata,
    _evaluation(),
    Column("item", Text, nullable=False),
    Column("doubted", Integer, nullable=False),  # 1: the items do not look like it, so no sampler relies on it
    UniqueConstraint("evaluation", "item"),
)
rounds = Table(
    "rounds",
    metadata,
    _evaluation(),
    Column("number", Integer, nullable=False),
    Column("labels", Integer, nullable=False),  # rows of `labels` when it was opened
    Column("asked", Integer, nullable=False),  # items of it that were handed out
    Column("at", String, nullable=False),
    UniqueConstraint("evaluation", "number"),
)
designs = Table(
    "designs",
    metadata,
    _evaluation(),
    Column("round", Integer, nullable=False),
    Column("decided", Text, nullable=False),  # JSON: what beliefs decided, a list of numbers per field of the design
    UniqueConstraint("evaluation", "round"),
)
draws = Table(
    "draws",
    metadata,
    _evaluation(),
    Column("round", Integer, nullable=False),
    Column("counter", BigInteger, nullable=False),
    Column("item", Text, nullable=False),
    Column("probability", Float, nullable=False),
    Column("calibration", Float, nullable=False),
    UniqueConstraint("evaluation", "round", "counter"),
)
asked = Table(
    "asked",
    metadata,
    Column("sequence", Sequence, primary_key=True),
    _evaluation(),
    Column("item", Text, nullable=False),
    Column("at", String, nullable=False),
    UniqueConstraint("evaluation", "item"),
)
labels = Table(
    "labels",
    metadata,
    Column("sequence", Sequence, primary_key=True),
    _evaluation(),
    _question(),
    Column("item", Text, nullable=False),
    Column("label", Label),  # NULL: cannot tell
    Column("at", String, nullable=False),
    Index("labels_of", "evaluation", "sequence"),
    Index("labels_to", "evaluation", "item"),
)
answers = Table(
    "answers",
    metadata,
    Column("sequence", Sequence, primary_key=True),
    _evaluation(),
    _question(),
    Column("item", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("label", Label),  # NULL: cannot tell
    Column("final", Integer, nullable=False),  # 1: a decision, which overrides all answers
    Column("at", String, nullable=False),
    Index("answers_of", "evaluation", "item"),
)
leases = Table(
    "leases",
    metadata,
    _evaluation(),
    Column("item", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("until", String, nullable=False),
    UniqueConstraint("evaluation", "item", "annotator"),
)
