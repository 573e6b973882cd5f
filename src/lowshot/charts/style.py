"""Colours that are readable on white and on black, and the names of metrics as people write them."""

import re

BLUE, ORANGE, GREEN, GREY = "#3b82c4", "#e07b39", "#2fa36b", "#8a929c"
PURPLE, ROSE, TEAL, OCHRE = "#8e63b8", "#c9506b", "#1d9fa8", "#b08a2e"
ROUNDS = (PURPLE, BLUE, GREEN, "#a3b83b", "#e8a23a")  # from the first round to the last
# One colour per model. The owner's page has its own, for light and for dark (web/static/page.css).
MODELS = (BLUE, ORANGE, GREEN, PURPLE, ROSE, TEAL, OCHRE, GREY)
NAMES = {
    "tp": "True positives (tp)",
    "fp": "False positives (fp)",
    "fn": "Missed positives (fn)",
    "prevalence": "Share of positives",
    "balanced_accuracy": "Balanced accuracy",
}
AVERAGED = re.compile("(.+)_(macro|weighted)")
SHORT = 5  # characters: f1 and f0.5 are written in capitals, precision and recall are words


def shades(count: int) -> list[str]:
    """`count` colours, from the first round to the last.

    >>> shades(2), len(shades(9))
    (['#8e63b8', '#e8a23a'], 9)
    """
    steps = [(len(ROUNDS) - 1) * number / max(count - 1, 1) for number in range(count)]
    return [_between(ROUNDS[int(step)], ROUNDS[min(int(step) + 1, len(ROUNDS) - 1)], step % 1) for step in steps]


def _between(first: str, second: str, share: float) -> str:
    pairs = [(int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def see_through(colour: str, share: float) -> str:
    """The colour with this opacity, in CSS.

    >>> see_through("#3b82c4", 0.2)
    'rgba(59, 130, 196, 0.2)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {share:g})"


def title(metric: str) -> str:
    """The name of a metric as people write it.

    >>> title("f1"), title("recall"), title("fn"), title("f1_macro"), title("balanced_accuracy")
    ('F1', 'Recall', 'Missed positives (fn)', 'Macro F1', 'Balanced accuracy')
    """
    if found := AVERAGED.fullmatch(metric):
        each = found[1].upper() if len(found[1]) < SHORT else found[1]
        return f"{found[2].capitalize()} {each}"
    return NAMES.get(metric, metric[:1].upper() + metric[1:])


def percent(confidence: float) -> str:
    """A confidence as a percentage, with a no-break space.

    >>> percent(0.95)
    '95\\xa0%'
    """
    return f"{100 * confidence:g}\N{NO-BREAK SPACE}%"
