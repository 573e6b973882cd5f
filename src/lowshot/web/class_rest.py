"""What `/api/v1` has for pools with many categories: tell by names, the estimate of a category, all of them."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from lowshot.answer import Answers, Label
from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers
from lowshot.errors import InputError
from lowshot.web.annotator import refuse_reserved
from lowshot.web.owner import estimate_of
from lowshot.web.rest import LINE, MOST, Annotator, Confidence, Estimated, Item, PartTable, TellReply, v1
from lowshot.web.site import CurrentSite

Name = StrictInt | StrictStr
CategoryLabel = Annotated[
    Name | list[Name] | None,
    Field(
        description="The name of a category, or a list of names where several can apply; 'none of these' for none of"
        " them; null: cannot tell. If `category` is given: 1 for yes, 0 for no."
    ),
]
ABOUT = "The labels answer the question whether an item is of this category with 1 or 0. That says less than a name."
CategoryMetric = Annotated[
    str | None,
    Query(
        description="Of all categories an average such as recall_macro or accuracy, of one of them f1, precision or"
        " recall; that of the evaluation if it is left out.",
        examples=["recall_macro"],
    ),
]
RowMetric = Annotated[str | None, Query(description="f1, precision or recall; of slices, an average.")]
OneCategory = Annotated[str | None, Query(description="One category; the average over all if it is left out.")]
By = Annotated[str, Query(description="category, or a column of slices: a row for each of its values.")]
Below = Annotated[float | None, Query(ge=0, le=1, description=LINE.removeprefix("Of slices: "), examples=[0.5])]

router = v1()


class TellCategories(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"annotator": "my-tool", "items": ["bird-17.jpg", "bird-4.jpg"], "labels": ["heron", None]}]
        },
    )
    annotator: Annotator
    items: list[Item] = Field(max_length=MOST)
    labels: list[CategoryLabel] = Field(max_length=MOST, description="One label per item.")
    category: Name | None = Field(None, description=ABOUT, examples=["heron"])


@router.post("/tell", summary="Store the labels of items that were asked")
def tell(body: TellCategories, site: CurrentSite) -> TellReply:
    """All labels or none: if one is refused, nothing is changed."""
    refuse_reserved(body.annotator)
    labels = labels_of(site.answers, body)
    with site.lock, site.evaluation.transaction():
        pairs = zip(body.items, labels, strict=True)
        states = [
            site.desk.answer(body.annotator, item, site.answers.value(label)).state.value for item, label in pairs
        ]
        return TellReply(states=states, labels=site.evaluation.labels)


def labels_of(answers: Answers, body: TellCategories) -> list[Label]:
    """The labels that were sent, checked."""
    assert isinstance(answers, ClassAnswers)
    if body.category is None:
        return answers.check_all(body.items, body.labels)
    category: Id = body.category
    answers.place(category)
    if len(body.labels) != len(body.items):
        raise InputError(f"labels must be one for each item: got {len(body.labels)} labels for {len(body.items)} items")
    return [answers.about(category, item, label) for item, label in zip(body.items, body.labels, strict=True)]


@router.get("/estimate", summary="The estimate from the labels so far")
def estimate(
    site: CurrentSite, category: OneCategory = None, metric: CategoryMetric = None, confidence: Confidence = 0.95
) -> Estimated:
    """The average over all categories, or the estimate of one of them."""
    return Estimated(**estimate_of(site, site.category(site.snapshot(), category, metric, confidence)))


@router.get("/table", summary="All categories, or all slices")
def table(
    site: CurrentSite,
    by: By = "category",
    metric: RowMetric = None,
    below: Below = None,
    confidence: Confidence = 0.95,
) -> PartTable:
    """The estimate of each category; or the average over all categories of each slice of the pool."""
    return PartTable(**site.table(site.snapshot(), metric, confidence, by=by, below=below).to_dict())
