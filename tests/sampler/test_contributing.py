"""The examples in CONTRIBUTING.md, as they stand there, pass the contracts in the way that is written there."""

import re
from pathlib import Path
from typing import Any

from lowshot import Evaluation
from lowshot.sampler import Sampler
from lowshot.testing import PoolContract, SamplerContract, finish, simulated

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
NAMES: dict[str, Any] = {"__name__": "contributing"}
for block in re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
    exec(block, NAMES)

TestMine: type[SamplerContract] = NAMES["TestMine"]
TestMyPool: type[PoolContract] = NAMES["TestMyPool"]


def test_the_setting_of_the_example_is_the_share_of_predicted_positives() -> None:
    """Within four standard errors of a binomial share, and it is drawn with replacement: so of draws, not of items."""
    task, share = simulated(items=4000, positives=200), 0.8
    sampler: Sampler = NAMES["Mine"](share=share)
    (round_,) = finish(Evaluation(task.pool, sampler=sampler), task.labels, 400).history["rounds"]
    drawn = task.pool.predictions[round_["items"]]
    assert abs(drawn.mean() - share) < 4 * (share * (1 - share) / len(drawn)) ** 0.5
