"""What samplers are tested with. Shipped, so that a sampler of another package can run the same contract.

    from lowshot.testing import SamplerContract

    class TestMine(SamplerContract):
        sampler = Mine()

and run it with pytest.
"""

from lowshot.tasks import Task, finish, simulated
from lowshot.testing.sampler_contract import SamplerContract

__all__ = ["SamplerContract", "Task", "finish", "simulated"]
