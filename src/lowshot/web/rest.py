"""`/api/v1` for other tools: ask, tell, status, estimate, table, compare. `/api/v1/openapi.json` describes it."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from lowshot.goal import in_words
from lowshot.labelling.desk import HOLD
from lowshot.labelling.desk import MOST as HELD
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
Margin = Annotated[float, Query(ge=0, le=1, description="A difference that does not matter.")]
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
    goal: str = Field(description="What labels are spent on, in words.", examples=["v2 against v1"])
    sampler: str = Field(examples=["curve"])
    items: int = Field(description="Items in the pool.", examples=[50000])
    labels: int = Field(examples=[120])
    pending: int = Field(description="Items that were asked and have no label.", examples=[3])
    disputed: int = Field(description="Items on which annotators disagree.", examples=[0])
    stop: bool = Field(description="The goal is reached: the interval is narrow enough, or there is a verdict.")


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
    rows: list[ModelRow] = Field(description="One row per model.")
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
            "v2 is better than v1: f1 is 0.060 higher, 95 % interval 0.020 to 0.100, probability 99 %, from 120 labels"
        ]
    )
    reason: str
    warning: str


PROBLEMS: dict[int | str, dict[str, Any]] = {code: {"model": Problem} for code in (401, 403, 413, 422, 503)}
router = APIRouter(prefix="/api/v1", tags=["lowshot"], dependencies=[Depends(BEARER)], responses=PROBLEMS)


@router.post("/ask", summary="Items to label next")
def ask(body: Ask, site: CurrentSite) -> Asked:
    refuse_reserved(body.annotator)
    with site.lock:
        items = site.desk.take(body.annotator, body.count)
        return Asked(items=items, reason=site.desk.reason if len(items) < body.count else "")


@router.post("/tell", summary="Store the labels of items that were asked")
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
        labels, pending, disputed = mine.labels, len(mine.pending), len(site.desk.disputed())
    return Status(
        metric=mine.metric.name,
        models=list(mine.pool.models),
        goal=in_words(mine.goal),
        sampler=mine.sampler.name,
        items=len(mine.pool),
        labels=labels,
        pending=pending,
        disputed=disputed,
        stop=site.stop(site.snapshot()),
    )


@router.get("/estimate", summary="The estimate from the labels so far")
def estimate(
    site: CurrentSite, metric: AnyMetric = None, model: Model = None, confidence: Confidence = 0.95
) -> Estimated:
    """The estimate of the evaluation's metric, or of another one from the same labels."""
    return Estimated(**estimate_of(site, site.estimate(site.snapshot(), metric, confidence, model)))


@router.get("/table", summary="All models side by side")
def table(site: CurrentSite, metric: AnyMetric = None, confidence: Confidence = 0.95) -> ModelTable:
    """The estimate of each model, and the probability that it is the best one."""
    return ModelTable(**site.table(site.snapshot(), metric, confidence).to_dict())


@router.get("/compare", summary="How much better one model is than another")
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
