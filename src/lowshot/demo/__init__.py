"""`lowshot demo`: real scores of real classifiers, a simulated annotator, nothing to download.

data      six categories whose labels, and scores by two models, are part of the package
run       one evaluation, with a row per checkpoint
compare   the typical error of several samplers with the same number of labels
outcome   the results of a demo, also as plain data
words     the sentences that describe them
show      output to the terminal
picture   the figure, as PNG, PDF or SVG
pair/     the same for two models and the difference between them
classes/  the same for one model with many classes
samples/  the files of `lowshot sample`

>>> from lowshot.demo import data, run
>>> for row in run.rows(data.load(), "acis", labels=30, seed=0):
...     print(row.round, row.labels, row.positives, round(row.estimate.value, 2))
1 10 0 0.0
2 20 1 0.16
2 30 3 0.24
"""
