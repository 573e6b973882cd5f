"""Handwritten digits, which stand in for pictures of birds: real pictures, and the scores of a real classifier."""

from collections.abc import Iterator, Sequence

from lowshot.demo.samples.sample import Sample, shipped

DIGIT = 8  # the rare one, as in tools/make_samples.py
SOURCE = "scikit-learn's load_digits (UCI, CC BY 4.0)"


def birds() -> Sample:
    """Pictures of digits, of which most eights were removed; the scores say how likely a digit is an 8.

    >>> sample = birds()
    >>> sample.items, sample.positives, sample.predicted, round(sample.truth, 3)
    (1398, 40, 35, 0.693)
    """
    stored = shipped("birds.csv")
    positions = list(map(int, stored["position"]))
    names = [f"digit-{position:04}.png" for position in positions]
    return Sample(
        name="birds",
        what="pictures of handwritten digits, which stand in for pictures of birds",
        rare=f"an {DIGIT}",
        id="path",
        columns={"path": names},
        scores=list(map(float, stored["score"])),
        labels=list(map(int, stored["label"])),
        question=f"Is this an {DIGIT}?",
        source=SOURCE,
        options=("--show", "image", "--field", "path", "--media-root", "{folder}/pictures"),
        pictures=lambda: drawn(names, positions),
    )


def drawn(names: Sequence[str], positions: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    """The PNG file of each digit, under its name."""
    from sklearn.datasets import load_digits

    from lowshot.charts.digits import picture

    images = load_digits().images
    return ((name, picture(images[position])) for name, position in zip(names, positions, strict=True))
