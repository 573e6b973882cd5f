"""Error messages of Python's standard library, and the scores of a real classifier of texts."""

from lowshot.demo.samples.sample import Sample, shipped

ERROR = "TypeError"  # the rare kind, as in tools/make_samples.py
SOURCE = "the standard library of Python 3.11.7 (PSF licence)"


def messages() -> Sample:
    """Messages with … for what Python fills in, of which most TypeErrors were removed. The truth is what is raised.

    >>> sample = messages()
    >>> sample.items, sample.positives, sample.predicted, round(sample.truth, 3)
    (1344, 50, 73, 0.341)
    >>> sample.columns["id"][3], sample.columns["text"][3], sample.labels[3]
    ('sunau.py:465', '# of channels not specified', 0)
    """
    stored = shipped("messages.csv")
    return Sample(
        name="messages",
        what="error messages of Python's standard library",
        rare=f"a {ERROR}",
        id="id",
        columns={"id": stored["place"], "text": stored["text"]},
        scores=list(map(float, stored["score"])),
        labels=list(map(int, stored["label"])),
        question=f"Is this the message of a {ERROR}?",
        source=SOURCE,
        options=("--show", "text", "--field", "text"),
    )
