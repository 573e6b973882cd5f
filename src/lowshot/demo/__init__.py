"""`lowshot demo`: real scores of a real classifier, a simulated annotator, nothing to download.

data      real scores and labels that are part of the package: of one model, of two, of one with 34 classes
run       one evaluation, with a row per checkpoint
compare   the typical error of several samplers with the same number of labels
outcome   the results of a demo, also as plain data
words     the sentences that describe them
show      output to the terminal
picture   the figure, as PNG, PDF or SVG
samples/  the files of `lowshot sample`

>>> from lowshot.demo import data, run
>>> for row in run.rows(data.load(), "acis", labels=30, seed=0):
...     print(row.round, row.labels, row.positives, round(row.estimate.value, 2))
1 10 0 0.0
2 20 1 0.16
2 30 3 0.25
"""
