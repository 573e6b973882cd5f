"""A small folder of pools, as `lowshot bench run zoo --data` takes it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ITEMS, POSITIVES = 1500, 150
DATASETS = {"cover": "tabular", "skin": "tabular", "wine": "tabular", "onto": "text"}  # wine and onto: Parquet


def columns(seed: int, positives: int = POSITIVES) -> dict[str, np.ndarray]:
    """Labels, and scores of a model with an F1 of about 0.85 and of one with about 0.5."""
    random = np.random.default_rng(seed)
    label = np.zeros(ITEMS, dtype=np.int8)
    label[random.choice(ITEMS, positives, replace=False)] = 1
    noise = random.normal(size=(2, ITEMS))
    odds = {"good": 6 * label - 3 + noise[0] * 1.8, "weak": 3 * label - 1.5 + noise[1] * 2}
    return {"label": label, **{name: (1 / (1 + np.exp(-x))).astype(np.float32) for name, x in odds.items()}}


def entry(dataset: str, model: str, point: str = "half", threshold: Any = 0.5, **more: Any) -> dict[str, Any]:
    kind = DATASETS[dataset]
    return {"dataset": dataset, "kind": kind, "model": model, "point": point, "threshold": threshold, **more}


def save(folder: Path, dataset: str, values: dict[str, np.ndarray]) -> None:
    if dataset in ("wine", "onto"):
        pq.write_table(pa.table(values), folder / f"{dataset}.parquet")
    else:
        np.savez(folder / f"{dataset}.npz", **values)


def write_index(folder: Path, entries: Any) -> None:
    (folder / "index.json").write_text(json.dumps(entries))


def pool_folder(folder: Path) -> Path:
    """Four data sets, each with a good and a weak model, and a point `screen` of the weak one."""
    folder.mkdir(exist_ok=True)
    for seed, dataset in enumerate(DATASETS):
        save(folder, dataset, columns(seed))
    entries = [entry(dataset, model, items=ITEMS) for dataset in DATASETS for model in ("good", "weak")]
    write_index(folder, entries + [entry(dataset, "weak", "screen", 0.1) for dataset in DATASETS])
    return folder
