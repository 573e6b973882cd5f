"""lowshot beside other libraries and programs. A module is named like the one that it works with.

sklearn       a pool from a fitted classifier, and a chosen threshold as a classifier of scikit-learn
hugging_face  a Dataset as a pool, labels as a column, estimates on a model card
fiftyone      a field of predictions as a pool, labels as a field, estimates in the dataset
label_studio  items of a round as tasks of Label Studio, and answers back, while people label there
mlflow        an evaluation as metrics, params and files of a run of MLflow
wandb         the same for Weights & Biases

logged        what MLflow and Weights & Biases log, as plain data
label_rows    the labels of an evaluation as rows, for datasets

`sklearn` is low in the layers, because pools and results use it. The others are above evaluations and reports, and in
lowshot only commands use them (`[tool.importlinter]` in pyproject.toml).
"""
