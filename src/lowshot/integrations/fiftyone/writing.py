"""Labels of an evaluation as a field and a tag of the samples, and its estimates in the info of the dataset."""

from typing import Any

from lowshot import checks
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.integrations.fiftyone.fields import KINDS, library, refuse_other
from lowshot.integrations.label_rows import LabelRow, estimates, label_rows
from lowshot.pools.base import BasePool

FIELD = "lowshot"


def write(evaluation: Evaluation, samples: Any, field: str = FIELD, *, tag: str | None = None) -> None:
    """Write the labels of an evaluation to the samples, and its estimates to the dataset.

    evaluation  of a pool that `pool` made of these samples, or of a view with them
    samples     the dataset or the view
    field       a field of Classifications: the label is "yes", "no" or "cannot tell", or the name of a class; `round`
                and `probability` say how the sample was drawn. Samples without a label are not touched. Of boxes
                (`to_patches`), the word is an attribute of the box with this name
    tag         added to every labelled sample

    The estimates, each with its interval, are in dataset.info[field]. Labels that exist in the field are replaced:
    write again whenever there are more.
    """
    fiftyone = library()
    checks.text("field", field)
    if tag is not None:
        checks.text("tag", tag)
    refuse_other(samples)
    rows = label_rows(evaluation)
    there = {*samples.values("id")}
    if missing := [one.item for one in rows if one.item not in there]:
        raise InputError(
            f"samples must hold every item with a label: {len(missing):,} of {len(rows):,} are not among them (for"
            f" example {missing[0]!r}); give the dataset that the pool was made from"
        )
    if isinstance(samples, fiftyone.core.patches.PatchesView):
        _to_boxes(samples, field, evaluation.pool, rows)
    else:
        _to_samples(samples, field, evaluation.pool, rows)
    if tag is not None and rows:
        samples.select([one.item for one in rows]).tag_samples(tag)
    dataset = _dataset(samples)
    dataset.info[field] = described(evaluation)
    dataset.save()


def described(evaluation: Evaluation) -> dict[str, Any]:
    """What is known about an evaluation as plain data: of each model its metric, precision and recall.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(3), [1, 1, 0])
    >>> found = described(evaluation)
    >>> found["labels"], found["estimates"][0]["text"]
    (3, 'f1 = 1.000, 95 % interval 1.000 to 1.000, from 3 labels')
    """
    several = len(evaluation.pool.models) > 1
    models = evaluation.pool.models if several else (None,)
    found = [
        {**({"model": model} if several else {}), **one.to_dict()}
        for model in models
        for one in estimates(evaluation, model=model)
    ]
    return {"labels": evaluation.labels, "sampler": evaluation.sampler.name, "estimates": found}


def _to_samples(samples: Any, field: str, pool: BasePool, rows: list[LabelRow]) -> None:
    fiftyone = library()
    several = pool.answers.several
    kind = fiftyone.Classifications if several else fiftyone.Classification
    found = samples.get_field(field)
    if found is not None and getattr(found, "document_type", None) is not kind:
        raise InputError(
            f"field must be a new one, or one of {kind.__name__}: {field!r} is something else; give another name"
        )
    values = {one.item: _several(pool, one) if several else _one(pool.answers.word(one.label), one) for one in rows}
    if values:
        _dataset(samples).set_values(field, values, key_field="id", dynamic=True)


def _one(word: str, one: LabelRow) -> Any:
    drawn = {"round": one.round, "probability": one.probability}
    return library().Classification(label=word, **{name: value for name, value in drawn.items() if value is not None})


def _several(pool: BasePool, one: LabelRow) -> Any:
    value = pool.answers.value(one.label)
    words = list(map(str, value)) if isinstance(value, list) else [pool.answers.word(one.label)]
    return library().Classifications(classifications=[_one(word, one) for word in words])


def _to_boxes(samples: Any, field: str, pool: BasePool, rows: list[LabelRow]) -> None:
    """A patch is a label of its sample: what is said about it is an attribute of this label."""
    fiftyone = library()
    names = [*samples.get_field_schema(embedded_doc_type=fiftyone.Detection)]
    path = f"{names[0]}.{KINDS['Detections']}.{field}"
    values = {one.item: pool.answers.word(one.label) for one in rows}
    if values:
        _dataset(samples).set_label_values(path, values, dynamic=True)
        samples.reload()


def _dataset(samples: Any) -> Any:
    fiftyone = library()
    return samples if isinstance(samples, fiftyone.Dataset) else fiftyone.load_dataset(samples.dataset_name)
