"""How much annotators agree, beyond the agreement that is expected by chance."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from lowshot.answer import YES_NO, Answers
from lowshot.labelling.answers import GivenAnswer


@dataclass(frozen=True)
class Agreement:
    """Over all pairs of first answers that two people gave to the same item."""

    items: int  # with at least two answers
    same: float  # share of pairs with the same answer
    kappa: float  # Cohen's kappa: 1 is perfect, 0 is chance; NaN if all answers are the same

    @classmethod
    def of(cls, said: Mapping[str, Iterable[GivenAnswer]], words: Answers = YES_NO) -> "Agreement":
        """From the answers of each item.

        >>> both = [GivenAnswer("ann", 1), GivenAnswer("bob", 1)]
        >>> neither = [GivenAnswer("ann", 0), GivenAnswer("bob", 0)]
        >>> Agreement.of({"a": both, "b": neither, "c": [GivenAnswer("ann", 1), GivenAnswer("bob", 0)]})
        Agreement(items=3, same=0.666..., kappa=0.39...)
        """
        from sklearn.metrics import cohen_kappa_score

        first, second, items = [], [], 0
        for answers in said.values():
            mine: dict[str, int | None] = defaultdict()
            for answer in answers:
                if not answer.final:
                    mine.setdefault(answer.annotator, answer.label)
            items += len(mine) > 1
            for one, two in combinations(sorted(mine), 2):
                first.append(words.word(mine[one]))
                second.append(words.word(mine[two]))
        if not first:
            return cls(0, math.nan, math.nan)
        same = sum(one == two for one, two in zip(first, second, strict=True)) / len(first)
        known = len({*first, *second}) > 1
        return cls(items, same, float(cohen_kappa_score(first, second)) if known else math.nan)
