"""`lowshot sample`: small real pools with scores and known labels, as files. Nothing is downloaded.

sample    a sample as data: its rows, what they mean, and the text files that it consists of   `Sample`
birds     handwritten digits of scikit-learn, which stand in for pictures of birds; the rare one is the 8
messages  error messages of Python's standard library; the rare ones are those of a TypeError
data/     scores and labels of both, made by tools/make_samples.py, and Python's licence for its messages

>>> load("birds").items, load("messages").items
(1398, 1344)
>>> load("bird")
Traceback (most recent call last):
lowshot.errors.InputError: SAMPLE must be birds or messages: got 'bird'; the nearest is 'birds'
"""

from lowshot import checks
from lowshot.demo.samples.birds import birds
from lowshot.demo.samples.messages import messages
from lowshot.demo.samples.sample import Sample
from lowshot.errors import InputError

__all__ = ["SAMPLES", "Sample", "load"]
SAMPLES = {"birds": birds, "messages": messages}


def load(name: str) -> Sample:
    """The sample of that name."""
    if name not in SAMPLES:
        hint = checks.nearest(name, list(SAMPLES))
        raise InputError(f"SAMPLE must be {' or '.join(SAMPLES)}: got {name!r}; {hint}")
    return SAMPLES[name]()
