"""The questions of a grouped pool with several scores as Ibis queries: one code path for every engine."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add, or_
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Table

from lowshot.checks import Id
from lowshot.core.drawing import APART, DIGITS, FIRST, PER_DIGEST, WORD, further_salt, prefix
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.pools.consensus import SLOPE_UNIT, Line, Sums
from lowshot.pools.engine import Histogram, counted
from lowshot.pools.failures import answered
from lowshot.pools.grid import Grid
from lowshot.pools.ibis_columns import CONTRADICTING, ID, PATTERN, ChosenScores, double, infinite
from lowshot.pools.ibis_engine import (
    ADVICE,
    MIX,
    MOST_LEVELS,
    bin_of,
    count_of,
    digest_of,
    found_by_id,
    ids_of,
    mix_literal,
    not_finite,
    refuse,
    refuse_infinite,
    refusing,
    with_mix,
    within,
)
from lowshot.pools.models import ONLY
from lowshot.pools.numbers import NumberTable, Order, Scheme, weighed
from lowshot.pools.scores_engine import ScoredRows, ScoresFacts, Wanted

KEY, NUMBER, LEVEL = "lowshot_key", "lowshot_number", "lowshot_level"
TOO_MANY = f"levels must be given: there are more than {MOST_LEVELS:,} different scores and patterns; try levels=256"


class IbisScores:
    """Rows of an Ibis table with several scores, in any engine."""

    def __init__(self, table: Table, chosen: ChosenScores, dialect: str | None = None) -> None:
        self._chosen, self._roles = chosen, chosen.roles
        self.dialect = dialect or str(table.get_backend().name)
        self._rows = chosen.rows(table)
        self._small: dict[str, tuple[NumberTable, Table]] = {}  # of each score; they live as long as queries use them

    @property
    def _numbered(self) -> bool:
        return bool(self._rows[ID].type().is_integer())

    # ---- counts ------------------------------------------------------------------------------------------------------

    def counts(self) -> Table:
        """Counts and limits of the scores, and counts of predictions."""
        rows, wanted = self._rows, {"total": self._rows.count()}
        for place, name in enumerate(self._roles.scores):
            score = rows[self._chosen.score(name)]
            wanted |= {f"known{place}": score.count(), f"low{place}": score.min(), f"high{place}": score.max()}
            if name in self._roles.helpers:
                wanted[f"infinite{place}"] = count_of(infinite(score))
        for place, model in enumerate(self._roles.judged):
            told = self._chosen.told(model)
            wanted[f"told{place}"] = rows[told].count()
            if told + CONTRADICTING in rows.columns:
                wanted[f"contradicting{place}"] = count_of(rows[told + CONTRADICTING])
        return rows.aggregate(**wanted)

    def facts(self) -> ScoresFacts:
        found = answered("counting the rows", self.counts()).to_pylist()[0]
        total = int(found["total"])
        if not total:
            raise InputError("source must hold at least one item: it has none (that where= keeps)")
        limits, missing = {}, {}
        for place, name in enumerate(self._roles.scores):
            lacking = total - int(found[f"known{place}"])
            # + 0.0 turns -0.0 into 0.0; Ibis gives None where Spark gives NaN
            ends = (found[f"{end}{place}"] for end in ("low", "high"))
            low, high = (np.nan if end is None else float(end) + 0.0 for end in ends)
            limits[name] = low, high
            if name in self._roles.helpers:
                self._refuse_helper(name, total, int(found[f"infinite{place}"] or 0))
                missing.update({name: lacking} if lacking else {})
            else:
                self._refuse_score(name, total, lacking, bool(np.isfinite([low, high]).all()))
        for place, model in enumerate(self._roles.judged):
            names = {"counts": "total", "told": f"told{place}", "contradicting": f"contradicting{place}"}
            told = {name: int(found[key] or 0) for name, key in names.items() if key in found}
            refuse(told, "" if model == ONLY else f"[{model!r}]")
        return ScoresFacts(total, self._numbered, limits, missing)

    def _refuse_helper(self, name: str, total: int, count: int) -> None:
        if count:
            said = f"{self._roles.said[name]} must be finite or missing: {count:,} of {total:,} are not"
            raise InputError(f"{said}; make them NULL where the score is not known")

    def _refuse_score(self, name: str, total: int, lacking: int, finite: bool) -> None:
        said = self._roles.said[name]
        if lacking:
            raise InputError(f"{said} must not be missing: {lacking:,} of {total:,} are NULL; {ADVICE}")
        if not finite:
            self._refuse_infinite(name)

    def _refuse_infinite(self, name: str) -> None:
        refuse_infinite(self._roles.said[name], not_finite(self._rows, self._chosen.score(name)))

    def binned(self, score: str, grid: Grid) -> Table:
        column = self._rows[self._chosen.score(score)]
        rows = self._rows.filter(column.notnull()) if score in self._roles.helpers else self._rows
        bins = bin_of(rows[self._chosen.score(score)], grid)
        return rows.group_by(bins=bins, pattern=rows[PATTERN]).aggregate(counts=rows.count()).limit(MOST_LEVELS + 1)

    def histogram(self, score: str, grid: Grid) -> Histogram:
        with refusing(lambda: self._refuse_infinite(score)):
            found = _arrays("counting items by score", self.binned(score, grid))
        bins = found["bins"].astype(np.float64) + 0.0
        if not np.isfinite(bins).all():  # the metadata of a file may leave out NaN
            self._refuse_infinite(score)
        return Histogram(bins, found["pattern"], found["counts"])

    # ---- numbers -----------------------------------------------------------------------------------------------------

    def numbered(self, names: Iterable[str], scheme: Scheme, rows: Table | None = None) -> Table:
        """The rows with a column for the number of each of these scores: a join with a small table of bins."""
        wanted = [name for name in scheme.tables if name in set(names)]
        if any(name in scheme.lines for name in wanted):
            wanted = [name for name in scheme.tables if name in {*wanted, *scheme.judged}]
        rows = self._rows if rows is None else rows
        for name in wanted:
            rows = self._joined(rows, name, scheme.tables[name])
        filled = [name for name in wanted if name in scheme.lines]
        if filled:
            mean = _mean(rows, [self._number(name) for name in scheme.judged])
            columns = {
                self._number(name): rows[self._number(name)].fill_null(_on(scheme.lines[name], mean)) for name in filled
            }
            rows = rows.mutate(**columns)
        return rows

    def _number(self, name: str) -> str:
        return f"{NUMBER}_{list(self._roles.scores).index(name)}"

    def _joined(self, rows: Table, name: str, table: NumberTable) -> Table:
        """A left join: a helper may be NULL, and then has no number yet."""
        place = list(self._roles.scores).index(name)
        key, number = f"{KEY}_{place}", self._number(name)
        whole = table.grid.kind != "distinct"
        if name not in self._small or self._small[name][0] is not table:  # a new one after an engine has failed
            bins = table.bins.astype(np.int64) if whole else table.bins
            self._small[name] = table, ibis.memtable({key: bins, number: table.number})
        small = self._small[name][1]
        bin_ = bin_of(rows[self._chosen.score(name)], table.grid)
        rows = rows.mutate(**{key: bin_.cast("int64") if whole else bin_ + 0.0})
        joined = rows.join(small, rows[key] == small[key], how="left")
        return joined.select(*(rows[column] for column in rows.columns if column != key), small[number])

    def added(self, helper: str, scheme: Scheme) -> Table:
        """The sums that a line is fitted to."""
        rows = self.numbered([helper, *scheme.judged], Scheme(scheme.tables, {}, scheme.judged))
        rows = rows.filter(rows[self._number(helper)].notnull())
        rows = rows.mutate(lowshot_mean=_mean(rows, [self._number(name) for name in scheme.judged]))
        found, mean = rows[self._number(helper)], rows.lowshot_mean
        return rows.aggregate(
            items=rows.count(),
            helper=found.sum(),
            mean=mean.sum(),
            squares=(mean * mean).sum(),
            products=(mean * found).sum(),
        )

    def sums(self, helper: str, scheme: Scheme) -> Sums:
        found = answered("adding up numbers", self.added(helper, scheme)).to_pylist()[0]
        return Sums(**{name: int(value or 0) for name, value in found.items()})

    def same(self, one: str, two: str, scheme: Scheme) -> bool:
        rows = self.numbered([one, two], scheme)
        query = rows.aggregate(different=count_of(rows[self._number(one)] != rows[self._number(two)]))
        return not answered("comparing scores", query).to_pylist()[0]["different"]

    def summed(self, order: Order, scheme: Scheme) -> Table:
        """Counts by weighted sum and pattern."""
        rows = self.numbered(order.weights, scheme)
        rows = rows.mutate(bins=self._sum(rows, order))
        return (
            rows.group_by(bins=rows.bins, pattern=rows[PATTERN]).aggregate(counts=rows.count()).limit(MOST_LEVELS + 1)
        )

    def _sum(self, rows: Table, order: Order) -> Any:
        return reduce(add, [rows[self._number(name)] * weight for name, weight in order.weights.items()])

    def paired(self, names: Sequence[str], scheme: Scheme) -> Table:
        """Counts by the numbers of two scores and the pattern: all weighted sums follow from them."""
        rows = self.numbered(names, scheme)
        keys = {f"number{place}": rows[self._number(name)] for place, name in enumerate(names)}
        return rows.group_by(**keys, pattern=rows[PATTERN]).aggregate(counts=rows.count())

    def histograms(self, orders: Sequence[Order], scheme: Scheme) -> list[Histogram]:
        names = list(dict.fromkeys(name for order in orders for name in order.weights))
        doing = "counting items by their weighted scores"
        if len(names) == 2:
            found = _arrays(doing, self.paired(names, scheme))
            numbers = {name: found[f"number{place}"] for place, name in enumerate(names)}
            return [counted(weighed(order, numbers), found["pattern"], found["counts"]) for order in orders]
        every = [_arrays(doing, self.summed(order, scheme)) for order in orders]
        return [counted(each["bins"].astype(np.float64), each["pattern"], each["counts"]) for each in every]

    # ---- items -------------------------------------------------------------------------------------------------------

    def wanted(self, wanted: Sequence[Wanted], scheme: Scheme, seed: int) -> Table:
        """The rows in the spans of any of these rankings."""
        mixed = [each for each in wanted if any(span.start or span.below is not None for span in each.spans)]
        rows = with_further_mixes(self._rows, seed, sorted({each.number for each in mixed}), self.dialect)
        rows = rows.filter(reduce(or_, [self._possible(rows, wanted, scheme, flag) for flag in (True, False)]))
        summed = {name for each in wanted if not each.order.own for name in each.order.weights}
        rows = self.numbered(summed, scheme, rows)
        sums = {_column(LEVEL, each): self._sum(rows, each.order) for each in wanted if not each.order.own}
        rows = rows.mutate(**{name: column.cast("float64") for name, column in sums.items()}) if sums else rows
        parts = [self._part(rows, each) for each in wanted if each.spans]
        return rows.filter(reduce(or_, parts or [ibis.literal(False)])).select(*self._rows.columns)

    def _possible(self, rows: Table, wanted: Sequence[Wanted], scheme: Scheme, predicted: bool) -> Any:
        """A condition that all wanted rows fulfil, and few others. It is cheaper than sums of numbers.

        Either a mix is below the largest limit; or, where all items down to a level are wanted, a score is high enough:
        if a weighted sum is high, then the number of one of its scores is at least the mean that this needs.
        """
        mine = [each for each in wanted if each.predicted == predicted]
        limits: dict[int, int] = {}
        for each in mine:
            for below in (span.below for span in each.spans if span.below is not None):
                limits[each.number] = max(below, limits.get(each.number, 0))
        found = [rows[f"{MIX}_{number}"] < mix_literal(rows, below) for number, below in limits.items()]
        for name, low in _needed(mine, scheme).items():
            score = rows[self._chosen.score(name)]
            if low == -np.inf:
                return _is(rows, predicted)
            found += [score >= double(low)] if np.isfinite(low) else []
            found += [score.isnull()] if name in scheme.lines else []
        return _is(rows, predicted) & reduce(or_, found or [ibis.literal(False)])

    def _part(self, rows: Table, wanted: Wanted) -> Any:
        level = self._chosen.score(wanted.order.score) if wanted.order.own else _column(LEVEL, wanted)
        return _is(rows, wanted.predicted) & within(rows, wanted.spans, level, _column(MIX, wanted))

    def rows(self, wanted: Sequence[Wanted], scheme: Scheme, seed: int) -> ScoredRows:
        return self._fetched(answered("fetching items", self.wanted(wanted, scheme, seed)))

    def named(self, ids: Sequence[Id]) -> Table:
        return self._rows.filter(self._rows[ID].isin(ids))

    def find(self, ids: Sequence[Id]) -> ScoredRows:
        return self._fetched(found_by_id(self.named, ids))

    def _fetched(self, found: Any) -> ScoredRows:
        """Arrow into NumPy."""
        columns = {name: found[self._chosen.score(name)] for name in self._roles.scores}
        scores = {name: column.to_numpy().astype(np.float64) + 0.0 for name, column in columns.items()}
        shown = {name: found[name].to_pylist() for name in self._chosen.show}
        patterns = found[PATTERN].to_numpy().astype(np.int64)
        return ScoredRows(ids_of(found, self._numbered), scores, patterns, shown)


def _is(rows: Table, predicted: bool) -> Any:
    """The condition that some model predicts an item positive, or that none does."""
    return rows[PATTERN] > 0 if predicted else rows[PATTERN] == 0


def _needed(wanted: Sequence[Wanted], scheme: Scheme) -> dict[str, float]:
    """If all items of a level are wanted, each of them has one of these scores, or a higher one.

    A helper that is unknown has the number that the models suggest, so its items may always be among them.
    """
    found: dict[str, float] = {}
    for each in wanted:
        lows = [span.low for span in each.spans if span.below is None]
        for name in each.order.weights if lows else ():
            low = min(lows)
            if not each.order.own and np.isfinite(low):
                low = scheme.tables[name].lowest(low / sum(each.order.weights.values()))
            found[name] = min(low, found.get(name, np.inf))
    return found


def _column(name: str, wanted: Wanted) -> str:
    return f"{name}_{wanted.number}"


def _arrays(doing: str, query: Table) -> Mapping[str, Integers]:
    found = answered(doing, query)
    if found.num_rows > MOST_LEVELS:
        raise InputError(TOO_MANY)
    arrays = {name: found[name].to_numpy() for name in found.column_names}
    return {name: values if name == "bins" else values.astype(np.int64) for name, values in arrays.items()}


def _mean(rows: Table, numbers: Sequence[str]) -> Any:
    """The mean number, floored. A quotient of small whole numbers is never rounded up to the next one."""
    total = reduce(add, [rows[name] for name in numbers])
    return (total.cast("float64") / len(numbers)).floor().cast("int64")


def _on(line: Line, mean: Any) -> Any:
    """The number on a line, floored. SLOPE_UNIT is a power of two: the quotient is exact."""
    return ((mean * line.slope + line.offset).cast("float64") / SLOPE_UNIT).floor().cast("int64")


def with_further_mixes(rows: Table, seed: int, numbers: Sequence[int], dialect: str) -> Table:
    """The rows with a column for each of these mixes, as `core.drawing.further_mix`."""
    if not numbers:
        return rows
    if rows[ID].type().is_integer():
        rows = with_mix(rows, seed, dialect)
        rows = rows.mutate(**{f"{MIX}_{number}": rows[MIX] ^ further_salt(seed, number) for number in numbers})
        columns = {name: rows[name] for name in (f"{MIX}_{number}" for number in numbers)}
        return rows.mutate(**{name: ((word ^ (word >> 15)) * FIRST) & WORD for name, word in columns.items()})
    for block in sorted({number // PER_DIGEST for number in numbers}):
        before = prefix(seed, block * PER_DIGEST)
        rows = rows.mutate(**{f"{MIX}_digest_{block}": digest_of(ibis.literal(before) + rows[ID], dialect)})
    found = {}
    for number in numbers:
        digest = rows[f"{MIX}_digest_{number // PER_DIGEST}"]
        found[f"{MIX}_{number}"] = (digest + digest).substr(APART * (number % PER_DIGEST), DIGITS)
    return rows.mutate(**found)
