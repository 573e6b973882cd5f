"""`lowshot demo`: real scores of a real classifier, a simulated annotator, nothing to download.

data      six categories that are shipped with the package
run       one evaluation, a row at every checkpoint
compare   the typical error of several samplers at the same number of labels
outcome   everything that a demo found out, also as plain data
words     what is told to people about it
show      the terminal
picture   the PNG

>>> from lowshot.demo import data, run
>>> for row in run.rows(data.load(), "acis", labels=30, seed=0):
...     print(row.round, row.labels, row.positives, round(row.estimate.value, 2))
1 10 0 0.0
2 20 1 0.16
2 30 3 0.24
"""
