"""The contracts that samplers and pools pass. Shipped, so that another package can run them on its own.

    from lowshot.testing import PoolContract, SamplerContract

    class TestMySampler(SamplerContract):
        sampler = MySampler()

    class TestMyPool(PoolContract):
        def make(self, ids, scores, predictions):
            return MyPool(ids, scores, predictions)

and run it with pytest. `ScoresContract` is the contract of pools with several scores; `check_cells` is the part
that is about cells.
"""

from lowshot.tasks import Task, finish, simulated
from lowshot.testing.cells_contract import PlainRanking, check_cells
from lowshot.testing.pool_contract import PoolContract
from lowshot.testing.sampler_contract import SamplerContract
from lowshot.testing.scores_contract import ScoresContract

__all__ = [
    "PlainRanking",
    "PoolContract",
    "SamplerContract",
    "ScoresContract",
    "Task",
    "check_cells",
    "finish",
    "simulated",
]
