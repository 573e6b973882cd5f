"""Hugging Face: a `Dataset` with the outputs of a model as a pool, and labels and estimates back. Extra `[datasets]`.

source       the columns of a Dataset, in the order of its rows
scores       scores of several classes in one column: lists of numbers, or what a pipeline of transformers gives
predictions  predictions in a column: names of classes, their places, or 0/1
reading      a pool from a Dataset                        `pool`
showing      what people see of a row: texts, pictures    `show`
writing      labels as a further column                   `labelled`
card         estimates for a model card                   `eval_results`, `estimate_card`
"""

from lowshot.integrations.hugging_face.card import estimate_card, eval_results
from lowshot.integrations.hugging_face.reading import pool
from lowshot.integrations.hugging_face.showing import show
from lowshot.integrations.hugging_face.writing import labelled

__all__ = ["estimate_card", "eval_results", "labelled", "pool", "show"]
