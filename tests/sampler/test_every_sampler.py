"""Every sampler passes the contract that we ship, and so do the ablations of ACIS."""

import pytest

from lowshot import samplers
from lowshot.sampler import Acis
from lowshot.testing import SamplerContract

VARIANTS = {
    **{name: samplers[name]() for name in samplers},
    "no top-k": Acis(top_k=None),
    "no reuse": Acis(reuse="none"),
    "reuse as a stratum": Acis(reuse="stratum"),
    "no prior": Acis(prior_rounds=0),
    "last two rounds": Acis(average=2),
    "worst case": Acis(combine="worst_case"),
    "literal": Acis(combine="literal"),
    "defensive": Acis(defensive=0.2),
    "small rounds": Acis(first=3, growth=1.3),
}


@pytest.mark.filterwarnings("ignore:the pool has no features")
@pytest.mark.parametrize("name", VARIANTS)
class TestEverySampler(SamplerContract):
    @pytest.fixture(autouse=True)
    def _chosen(self, name: str) -> None:
        type(self).sampler = VARIANTS[name]
