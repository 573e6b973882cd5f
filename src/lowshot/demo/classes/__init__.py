"""`lowshot demo --classes`: a real classifier with 34 classes, and every one of them from one set of labels.

data           the scores and the true class of 4,985 pictures
run            one evaluation, with a row per checkpoint; further runs for its typical error
random_labels  the typical error of labels that are drawn at random, and how many of them do the same
outcome        the results, also as plain data
words          the sentences that describe them
show           output to the terminal
picture        the figure, as PNG, PDF or SVG

>>> from lowshot.demo.classes import data, run
>>> task = data.load()
>>> for row in run.rows(task, labels=100, seed=0):
...     print(row.labels, row.estimate.metric)
10 f1_macro
20 f1_macro
...
100 f1_macro
"""
