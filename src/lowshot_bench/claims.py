"""The paper's claims, each with the comparisons that decide it. Verdicts are computed from rows, never by hand.

A claim holds if comparisons support it and none contradicts it, holds in part if some support and some contradict it,
and does not hold if they only contradict it. What counts as support is defined in `verdicts.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lowshot_bench import comparisons as by
from lowshot_bench.settings_choice import chosen_beats, chosen_below
from lowshot_bench.summary import Cells, families
from lowshot_bench.verdicts import ENDS, Check, Checks, Results, verdict

ANY = 99.0  # no limit: far above any bias and any ratio of variances


@dataclass(frozen=True)
class Claim:
    """A claim: where the paper makes it, what it says, the experiments it needs, and the comparisons that decide it."""

    where: str
    says: str
    experiments: tuple[str, ...]
    checks: Checks

    def decide(self, results: Results) -> list[Check]:
        """All comparisons; an empty list if the results of an experiment are missing."""
        return list(self.checks(results)) if all(name in results for name in self.experiments) else []

    def row(self, results: Results) -> str:
        """A row of the table. `measured` shows the least favourable comparison and the number of each kind."""
        checks, names = self.decide(results), " ".join(self.experiments)
        if not checks:
            return f"| {self.where} | {self.says} | not run | - | `{names}` | - |"
        counts = ", ".join(
            f"{sum(check.true is kind for check in checks)} {word}"
            for kind, word in ((True, "for"), (False, "against"), (None, "undecided"))
        )
        hardest = min(checks, key=lambda check: check.margin).words
        tasks = " + ".join(tasks_of(results[name]) for name in self.experiments)
        return f"| {self.where} | {self.says} | {hardest}; {counts} | {tasks} | `{names}` | {verdict(checks)} |"


def tasks_of(cells: Cells) -> str:
    """The number of tasks per family."""
    counts = [max(cell.tasks for key, cell in cells.items() if key[0] == family) for family in families(cells)]
    return ", ".join(f"{count:,}" for count in counts)


def _both(says: str, make: Callable[..., Checks], *arguments: object) -> list[Claim]:
    """The same claim for figure 3 (a million items) and for figure 4 (50,000 items)."""
    return [Claim(f"figure {n}", says, (f"figure{n}",), make(f"figure{n}", *arguments)) for n in (3, 4)]


CLAIMS = (
    Claim("figure 3", "lowest error below 600 labels", ("figure3",), by.lowest("figure3", ENDS, by.BASELINES)),
    Claim("figure 4", "lowest error below 300 labels", ("figure4",), by.lowest("figure4", ENDS[:4], by.BASELINES)),
    Claim("figure 3, 4", "error below GMM's, settings chosen on even classes", ("settings",), chosen_beats("gmm")),
    *_both("error below 0.01 with 100 labels", by.below, 100, 0.01),
    Claim("figure 3, 4", "the same, settings chosen on even classes", ("settings",), chosen_below(100, 0.01)),
    *_both("mean within 0.1 of the truth from 10 labels on", by.biased, "acis", -0.1, 0.1),
    *_both("SAWADE has less bias", by.less_bias, "sawade"),
    *_both("SAWADE has more variance", by.more_variance, "sawade"),
    *_both("TOP-K overestimates", by.biased, "topk", 0, ANY),
    *_both("GMM underestimates", by.biased, "gmm", -ANY, 0),
    Claim("figure 3, 4", "a million and 50,000 items behave alike", ("figure3", "figure4"), by.alike),
    *_both("up to 10 times fewer labels than others", by.saves, 10, by.BASELINES),
    Claim("figure 5", "lowest error below 100 labels", ("figure5",), by.lowest("figure5", ENDS[:3], by.BASELINES)),
    Claim("figure 5", "most methods meet by 200 labels", ("figure5",), by.meet("figure5", 200, by.BASELINES)),
    Claim(
        "figure 6",
        "lower error than SAWADE, ISO, PLATT, RAND",
        ("figure6",),
        by.lowest("figure6", ENDS, ("sawade", "iso", "platt", "rand")),
    ),
    Claim("figure 6", "SAWADE beats RAND", ("figure6",), by.lowest("figure6", ENDS, ("rand",), "sawade")),
    Claim("figure 6", "ISO beats RAND", ("figure6",), by.lowest("figure6", ENDS, ("rand",), "iso")),
    Claim("figure 6", "PLATT does not beat RAND", ("figure6",), by.no_better("figure6", ENDS, ("platt",), "rand")),
    Claim(
        "text to 6",
        "ISO and PLATT are no better than RAND below 100",
        ("figure6",),
        by.no_better("figure6", ENDS[:3], ("iso", "platt"), "rand"),
    ),
    Claim("figure 6", "averaging rounds helps below 100", ("figure6",), by.lowest("figure6", (30, 70), ("acis_last",))),
    Claim("figure 7", "the variance of a single trial fits", ("figure7",), by.variance_fits("acis", 0.7, 1.3)),
    Claim("figure 7", "a little low at very few labels", ("figure7",), by.variance_fits("acis", 0, 1, (10, 20, 30))),
    Claim("figure 7", "variance 0.01 at 40 labels", ("figure7",), by.variance_below(40, 0.01)),
    Claim("text to 7", "variance 0.005 at 100 labels", ("figure7",), by.variance_below(100, 0.005)),
    Claim("figure 8", "variance about 0.003 on 50,000 labelled items", ("figure8",), by.finite_variance),
    Claim("figure 9", "a set of another model costs at most twice the error", ("figure9",), by.at_most_twice),
    Claim(
        "figure 9",
        "below 80 labels it can beat a model's best own baseline",
        ("figure9", "figure4", "real"),
        by.beats_best_baseline,
    ),
    Claim("supplement 1", "a set drawn at 0.1 serves 0.02 to 0.5", ("supplement1",), by.thresholds_serve),
    Claim("supplement 1", "a little worse at the high end", ("supplement1",), by.worse_at_the_high_end),
    Claim("supplement 2", "isotonic beats Platt", ("supplement2",), by.lowest("supplement2", ENDS, ("acis_platt",))),
    Claim("supplement 3", "the worst case overestimates", ("figure7",), by.variance_fits("worst case", 1.3, ANY)),
    Claim("text", "under a minute a model", ("cost",), by.quick),
)


def table(results: Results) -> str:
    """A Markdown table with one row per claim."""
    head = "| of the paper | claim | measured | tasks | experiments | verdict |"
    return "\n".join([head, "| --- | --- | --- | --- | --- | --- |", *(claim.row(results) for claim in CLAIMS)])


def every_comparison(results: Results) -> str:
    """All comparisons of all claims as a Markdown list."""
    signs = {True: "for", False: "against", None: "undecided"}
    lines = []
    for claim in CLAIMS:
        lines += [f"### {claim.where}: {claim.says}", ""]
        lines += [f"- {signs[check.true]}: {check.words}" for check in claim.decide(results)] or ["not run"]
        lines += [""]
    return "\n".join(lines)
