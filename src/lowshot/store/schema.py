"""The tables of a store. Plain rows that any tool can read; items by their ids.

questions     what people answer; labels belong to one
evaluations   one row each: the header, and a counter of changes
known         labels that were there when an evaluation began
rounds        in the order they were opened, with how many labels were there then
designs       of each round, what the beliefs of its sampler decided
draws         of each round, in order, with probability and c(s)
labels        what samplers see, in the order it came; a correction is a further row
answers       every click of every annotator; the last one of each counts
leases        which items are before whom, and until when
checksums     over all rows of an evaluation but its leases: see checksum.py

What is written together has one time: an answer and the label that it became, for one.
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
Sequence = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only in a plain INTEGER column


def _evaluation() -> Column[int]:
    return Column("evaluation", ForeignKey("evaluations.id"), nullable=False)


def _question() -> Column[int]:
    return Column("question", ForeignKey("questions.id"), nullable=False)


migrations = Table(
    "migrations", metadata, Column("number", Integer, primary_key=True), Column("at", String, nullable=False)
)
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
    Column("seed", String, nullable=False),  # up to 2**64 - 1, more than an integer column holds
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
    Column("label", Integer, nullable=False),
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
    Column("label", Integer),  # NULL: nobody can tell
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
    Column("label", Integer),  # NULL: they cannot tell
    Column("final", Integer, nullable=False),  # 1: decides where others disagree
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
checksums = Table(
    "checksums",
    metadata,
    _evaluation(),
    Column("value", String, nullable=False),
    UniqueConstraint("evaluation"),
)
