"""`/api/v1` for other tools: ask, tell, status, estimate, table, compare, thresholds, choice.

`/api/v1/openapi.json` describes it. With many categories, class_rest.py has tell, estimate and table.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from lowshot.goal import in_words
from lowshot.labelling.desk import HOLD
from lowshot.labelling.desk import MOST as HELD
from lowshot.threshold_result import BandKind
from lowshot.web.annotator import refuse_reserved
from lowshot.web.owner import estimate_of
from lowshot.web.site import CurrentSite

MOST = 1000  # items per request
BEARER = HTTPBearer(auto_error=False, description="The owner's token. Not needed if the app serves only 127.0.0.1.")
Item = Annotated[int | str, Field(description="Id of an item, as it is in the pool.", examples=["bird-17.jpg"])]
WANTED = (
    f"The number of items; those that were asked and not told come first. A name holds at most {HELD} items, each for"
    f" {HOLD // 60} minutes; asking again does not extend the time."
)
Confidence = Annotated[float, Query(ge=0.01, le=0.9999, description="Confidence of the interval.")]
METRIC = "Another metric from the same labels; that of the evaluation if it is left out."
AnyMetric = Annotated[str | None, Query(description=METRIC, examples=["recall"])]
Model = Annotated[str | None, Query(description="Which of several models; not needed if the goal is one of them.")]
By = Annotated[str, Query(description="model, or a column of slices: a row for each of its values.")]
LINE = "Of slices: a line. Each row has the probability that the metric is below it."
Below = Annotated[float | None, Query(ge=0, le=1, description=LINE, examples=[0.5])]
Margin = Annotated[float, Query(ge=0, le=1, description="A difference that does not matter.")]
Band = Annotated[
    BandKind, Query(description="pointwise: each interval holds on its own; simultaneous: all of them hold at once.")
]
Target = Annotated[float | None, Query(gt=0, le=1, description="What is kept reaches at least this.", examples=[0.9])]
Maximised = Annotated[
    str | None,
    Query(description="An F: the threshold where it is largest, among those that reach the targets.", examples=["f1"]),
]
READ = (
    "What has to reach the targets. set: the items above the threshold, with labelled positives below it and without"
    " labelled negatives above it; bare: the items above the threshold. That of the goal if it is left out, or set."
)
ReadAs = Annotated[Literal["set", "bare"] | None, Query(description=READ)]
SURE = "The probability with which a certified threshold reaches the targets; that of the goal, or 0.95."
Sure = Annotated[float | None, Query(ge=0.5, le=0.9999, description=SURE)]
Annotator = Annotated[
    str, Field(min_length=1, max_length=80, description="Name of the person or tool that labels.", examples=["my-tool"])
]


class Problem(BaseModel):
    message: str = Field(description="What is needed, what came, what to do. The request changed nothing.")


class Ask(BaseModel):
    model_config = ConfigDict(extra="forbid")
    annotator: Annotator
    count: int = Field(1, ge=1, le=MOST, description=WANTED)


class Asked(BaseModel):
    items: list[Item]
    reason: str = Field(description="Why there are fewer items than asked for; empty if there are enough.")


class Tell(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"annotator": "my-tool", "items": ["bird-17.jpg", "bird-4.jpg"], "labels": [1, None]}]
        },
    )
    annotator: Annotator
    items: list[Item] = Field(max_length=MOST)
    labels: list[Literal[0, 1] | None] = Field(max_length=MOST, description="One label per item; null: cannot tell.")


class TellReply(BaseModel):
    states: list[str] = Field(
        description="One state per item: it has a label, needs more answers, or annotators disagree.",
        examples=[["has a label"]],
    )
    labels: int = Field(description="Labels so far.")


class Status(BaseModel):
    metric: str = Field(examples=["f1"])
    models: list[str] = Field(description="The models that are judged.", examples=[["v1", "v2"]])
    categories: int = Field(description="How many categories items can have; 0 for a yes/no question.", examples=[200])
    goal: str = Field(description="What labels are spent on, in words.", examples=["v2 against v1"])
    sampler: str = Field(examples=["curve"])
    items: int = Field(description="Items in the pool.", examples=[50000])
    asked: int = Field(description="Items that were asked: labels + pending.", examples=[123])
    labels: int = Field(description="Items that were answered: counted + cannot_tell + waiting.", examples=[120])
    counted: int = Field(description="Labels that the estimate uses.", examples=[117])
    cannot_tell: int = Field(description="Answers 'cannot tell' that do not wait.", examples=[1])
    waiting: int = Field(description="Answers that do not count yet: an item drawn earlier has none.", examples=[2])
    waiting_for: int = Field(description="The number of those items.", examples=[1])
    known: int = Field(description="Labels known before; they are not among `labels`.", examples=[0])
    pending: int = Field(description="Items that were asked and have no label.", examples=[3])
    disputed: int = Field(description="Items on which annotators disagree.", examples=[0])
    stop: bool = Field(
        description="The goal is reached: the interval is narrow enough, there is a verdict, a threshold is certified."
    )


class Reached(BaseModel):
    items: int = Field(description="Items that could be drawn or have a label.", examples=[600])
    total: int = Field(description="Items of the pool.", examples=[50000])
    share: float = Field(examples=[0.012])
    unreachable_predictions: int = Field(description="Predicted positives that could not be drawn.", examples=[0])


class Estimated(BaseModel):
    metric: str = Field(examples=["f1"])
    value: float | None = Field(examples=[0.71])
    standard_error: float | None = Field(examples=[0.03])
    low: float | None = Field(examples=[0.65])
    high: float | None = Field(examples=[0.77])
    confidence: float | None = Field(examples=[0.95])
    half_width: float | None = Field(examples=[0.06])
    variance: float | None = Field(examples=[0.0009])
    wanted_half_width: float = Field(examples=[0.05])
    stop: bool
    labels: int = Field(examples=[120])
    skipped: int = Field(description="Items answered 'cannot tell'.", examples=[0])
    waiting: int = Field(description="Labels that do not count yet, because an item drawn before theirs has no answer.")
    waiting_for: int = Field(description="The number of those items: handed out and not answered, or disputed.")
    reach: Reached
    text: str = Field(examples=["f1 = 0.710, 95 % interval 0.650 to 0.770, from 120 labels"])
    reason: str
    warning: str


class ModelRow(BaseModel):
    model: str = Field(examples=["v2"])
    value: float | None = Field(examples=[0.71])
    low: float | None = Field(examples=[0.65])
    high: float | None = Field(examples=[0.77])
    best: float = Field(description="The probability that no other model is better.", examples=[0.97])
    labels: int = Field(examples=[120])
    reason: str
    warning: str


class ModelTable(BaseModel):
    metric: str = Field(examples=["f1"])
    confidence: float = Field(examples=[0.95])
    labels: int = Field(description="Labels so far.", examples=[120])
    by: str = Field(description="What the rows are.", examples=["model"])
    below: float | None = Field(description="Always empty: a line is for tables of slices.")
    rows: list[ModelRow] = Field(description="One row per model.")
    agreement: list[str] = Field(description="Of pairs of models that hardly agree: that they do, and what this means.")
    text: str = Field(description="The table as text.")


class PartRow(BaseModel):
    """Further keys: `below`, if a line is asked for, and the name of what the row is about, under the key that `by`
    of the table says.
    """

    model_config = ConfigDict(extra="allow")
    value: float | None = Field(examples=[0.71])
    low: float | None = Field(examples=[0.65])
    high: float | None = Field(examples=[0.77])
    labels: int = Field(description="Labels that say something about it.", examples=[12])
    reason: str


class PartTable(BaseModel):
    metric: str = Field(examples=["f1"])
    confidence: float = Field(examples=[0.95])
    labels: int = Field(description="Labels so far.", examples=[120])
    by: str = Field(description="What the rows are, and the key of their names.", examples=["category", "camera"])
    below: float | None = Field(description="The line that was asked for.", examples=[0.5])
    rows: list[PartRow] = Field(description="One row per category, or per value of a column of slices.")
    agreement: list[str] = Field(description="Always empty: it is about models.")
    text: str = Field(description="The table as text.")


class Compared(BaseModel):
    baseline: str = Field(examples=["v1"])
    candidate: str = Field(examples=["v2"])
    metric: str = Field(examples=["f1"])
    verdict: Literal["better", "worse", "tied", "undecided"] = Field(description="Of the candidate.")
    value: float | None = Field(description="The candidate minus the baseline.", examples=[0.06])
    low: float | None = Field(examples=[0.02])
    high: float | None = Field(examples=[0.1])
    confidence: float | None = Field(examples=[0.95])
    half_width: float | None = Field(examples=[0.04])
    probability: float | None = Field(description="That the candidate is better by more than the margin.")
    margin: float = Field(examples=[0.0])
    labels: int = Field(examples=[120])
    skipped: int = Field(description="Items answered 'cannot tell'.", examples=[0])
    text: str = Field(
        examples=[
            "v2 is better than v1: f1 is 0.060 higher, 95 % interval 0.020 to 0.100,"
            " v2 is better with probability 99 %, from 120 labels"
        ]
    )
    reason: str
    warning: str
    agreement: str = Field(description="That the models hardly agree, and what this means; else empty.")


class Spread(BaseModel):
    value: float | None = Field(examples=[0.71])
    low: float | None = Field(examples=[0.65])
    high: float | None = Field(examples=[0.77])


class Cut(BaseModel):
    threshold: float = Field(description="Items with a score of at least this are kept.", examples=[0.42])
    kept: int = Field(description="Items kept.", examples=[310])
    precision: float = Field(examples=[0.8])
    precision_low: float
    precision_high: float
    recall: float = Field(examples=[0.9])
    recall_low: float
    recall_high: float
    f1: float = Field(examples=[0.85])
    f1_low: float
    f1_high: float


class BestCut(BaseModel):
    metric: str = Field(examples=["f1"])
    threshold: float = Field(examples=[0.42])
    kept: int = Field(examples=[310])
    value: Spread = Field(description="Of the metric at this threshold.")
    low: float = Field(description="The best threshold lies between this ...", examples=[0.35])
    high: float = Field(description="... and this.", examples=[0.5])


class Curve(BaseModel):
    model: str | None = Field(examples=["v2"])
    band: BandKind
    confidence: float = Field(examples=[0.95])
    labels: int = Field(examples=[120])
    skipped: int = Field(description="Items answered 'cannot tell'.", examples=[0])
    average_precision: Spread
    best: BestCut | None = Field(description="Where F1 is largest; null without labels.")
    present: int | None = Field(description="The row that keeps what is predicted positive; null if there is none.")
    rows: list[Cut] = Field(description="One row per threshold, the highest first; none without labels.")
    reason: str
    warning: str


class KeptItems(BaseModel):
    kept: int = Field(examples=[310])
    recall: Spread
    precision: Spread
    probability: float | None = Field(description="That the targets are reached; null without a target.")


class Chosen(BaseModel):
    model: str | None = Field(examples=["v2"])
    wanted: dict[str, float | str] = Field(description="What was asked for.", examples=[{"recall": 0.9}])
    promise: str = Field(description="What a certificate rests on.", examples=["posterior"])
    reading: str = Field(examples=["set"])
    confidence: float = Field(examples=[0.95])
    threshold: float | None = Field(description="Items with a score of at least this are kept.", examples=[0.42])
    certified: bool
    kept: int = Field(description="Items of the set.", examples=[310])
    set: KeptItems | None = Field(
        description="The items above the threshold, with those in `added` and without those in `removed`."
    )
    bare: KeptItems | None = Field(description="The items above the threshold.")
    added: list[Item] = Field(description="Labelled positives below the threshold.")
    removed: list[Item] = Field(description="Labelled negatives above the threshold.")
    labels: int = Field(examples=[120])
    skipped: int = Field(description="Items answered 'cannot tell'.", examples=[0])
    more: int | None = Field(description="About how many further labels it may take until that is enough.")
    text: str
    reason: str = Field(description="Why it is not certified.")
    warning: str


PROBLEMS: dict[int | str, dict[str, Any]] = {code: {"model": Problem} for code in (401, 403, 413, 422, 503)}


def v1() -> APIRouter:
    """A router of `/api/v1`."""
    return APIRouter(prefix="/api/v1", tags=["lowshot"], dependencies=[Depends(BEARER)], responses=PROBLEMS)


router, yes_no = v1(), v1()  # what is the same for all pools, and what belongs to yes/no questions


@router.post("/ask", summary="Items to label next")
def ask(body: Ask, site: CurrentSite) -> Asked:
    refuse_reserved(body.annotator)
    with site.lock:
        items = site.desk.take(body.annotator, body.count)
        return Asked(items=items, reason=site.desk.reason if len(items) < body.count else "")


@yes_no.post("/tell", summary="Store the labels of items that were asked")
def tell(body: Tell, site: CurrentSite) -> TellReply:
    """All labels or none: if one is refused, nothing is changed."""
    refuse_reserved(body.annotator)
    labels = site.answers.check_all(body.items, body.labels)
    with site.lock, site.evaluation.transaction():
        pairs = zip(body.items, labels, strict=True)
        states = [site.desk.answer(body.annotator, item, label).state.value for item, label in pairs]
        return TellReply(states=states, labels=site.evaluation.labels)


@router.get("/status", summary="The state of the evaluation")
def status(site: CurrentSite) -> Status:
    mine = site.evaluation
    with site.lock:
        disputed = len(site.desk.disputed())
    history = site.snapshot()
    counts = site.counts(history)
    return Status(
        metric=mine.metric.name,
        models=list(mine.pool.models),
        categories=len(mine.pool.categories),
        goal=in_words(mine.goal, of_classes=bool(mine.pool.categories)),
        sampler=mine.sampler.name,
        items=len(mine.pool),
        asked=counts.asked,
        labels=counts.answered,
        counted=counts.counted,
        waiting=counts.waiting,
        waiting_for=counts.waiting_for,
        cannot_tell=counts.cannot_tell,
        known=counts.known,
        pending=counts.pending,
        disputed=disputed,
        stop=site.stop(history),
    )


@yes_no.get("/estimate", summary="The estimate from the labels so far")
def estimate(
    site: CurrentSite, metric: AnyMetric = None, model: Model = None, confidence: Confidence = 0.95
) -> Estimated:
    """The estimate of the evaluation's metric, or of another one from the same labels."""
    return Estimated(**estimate_of(site, site.estimate(site.snapshot(), metric, confidence, model)))


@yes_no.get("/table", summary="All models side by side, or all slices")
def table(
    site: CurrentSite,
    by: By = "model",
    metric: AnyMetric = None,
    model: Model = None,
    below: Below = None,
    confidence: Confidence = 0.95,
) -> ModelTable | PartTable:
    """The estimate of each model, with the probability that it is the best one; or of each slice of the pool."""
    found = site.table(site.snapshot(), metric, confidence, by=by, model=model, below=below).to_dict()
    return ModelTable(**found) if by == "model" else PartTable(**found)


@yes_no.get("/compare", summary="How much better one model is than another")
def compare(
    site: CurrentSite,
    baseline: Annotated[str, Query(description="A model.", examples=["v1"])],
    candidate: Annotated[str, Query(description="Another model.", examples=["v2"])],
    metric: AnyMetric = None,
    margin: Margin = 0.0,
    confidence: Confidence = 0.95,
) -> Compared:
    """The difference of the candidate to the baseline, and a verdict.

    The verdict is "better" if the whole interval is above the margin, "worse" if it is below minus the margin, "tied"
    if it is between both, and otherwise "undecided".
    """
    return Compared(**site.compare(site.snapshot(), baseline, candidate, metric, margin, confidence).to_dict())


@yes_no.get("/thresholds", summary="Precision and recall at every threshold")
def thresholds(
    site: CurrentSite, model: Model = None, band: Band = "pointwise", confidence: Confidence = 0.95
) -> Curve:
    """Precision, recall and F1 of what each threshold keeps, each with a band."""
    return Curve(**site.thresholds(site.snapshot(), model, band, confidence).to_dict())


@yes_no.get("/choice", summary="The threshold for a target")
def choice(
    site: CurrentSite,
    recall: Target = None,
    precision: Target = None,
    maximise: Maximised = None,
    reading: ReadAs = None,
    confidence: Sure = None,
    model: Model = None,
) -> Chosen:
    """The smallest set with this recall, or the largest one with this precision; without a target, that of the goal."""
    asked = {
        "recall": recall,
        "precision": precision,
        "maximise": maximise,
        "reading": reading,
        "confidence": confidence,
        "model": model,
    }
    return Chosen(**site.choice(site.snapshot(), **asked).to_dict())
