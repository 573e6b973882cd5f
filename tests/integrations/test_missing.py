"""Where the package of an integration is not installed, the error says what to install; nothing else needs it."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from lowshot import Evaluation, MissingExtra, Pool
from lowshot.integrations import fiftyone, hugging_face

EXTRA = r"pip install 'lowshot\[datasets\]'"


def evaluation() -> Evaluation:
    found = Evaluation(Pool([0.9, 0.8, 0.2], threshold=0.5))
    found.tell(found.ask(3), [1, 1, 0])
    return found


@pytest.mark.parametrize(
    ("package", "use", "message"),
    [
        ("datasets", lambda: hugging_face.pool(None, score="p"), f"needs datasets: {EXTRA}"),
        ("datasets", lambda: hugging_face.labelled(None, evaluation()), f"needs datasets: {EXTRA}"),
        ("datasets", lambda: hugging_face.show(None, ["text"]), f"needs datasets: {EXTRA}"),
        (
            "huggingface_hub",
            lambda: hugging_face.estimate_card(evaluation(), name="a", task="b", dataset="c"),
            f"needs huggingface_hub: {EXTRA}",
        ),
        ("fiftyone", lambda: fiftyone.pool(None, "predictions"), "need fiftyone: pip install fiftyone"),
        ("fiftyone", lambda: fiftyone.write(evaluation(), None), "need fiftyone: pip install fiftyone"),
    ],
)
def test_a_missing_package(package: str, use: Callable[[], Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=message):
        use()


def test_the_modules_load_without_the_packages() -> None:
    """They are large, and whoever imports lowshot does not wait for them."""
    program = (
        "import sys; from lowshot.integrations import fiftyone, hugging_face;"
        "print(sorted({'datasets', 'fiftyone', 'huggingface_hub'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
