"""FiftyOne: a field with predictions as a pool, and labels and estimates back into the dataset.

    from lowshot.integrations import fiftyone

    pool = fiftyone.pool(samples, "predictions", category="heron")
    evaluation = lowshot.Evaluation(pool, store="birds.db")
    ...
    fiftyone.write(evaluation, samples)

fields   what a field of predictions holds, as arrays
reading  a pool from a dataset or a view    `pool`
writing  labels, tags and estimates         `write`

docs/how-to/fiftyone.md has the whole loop, which `make fiftyone` runs with a real FiftyOne.
"""

from lowshot.integrations.fiftyone.reading import pool
from lowshot.integrations.fiftyone.writing import write

__all__ = ["pool", "write"]
