"""`lowshot demo --compare`: two real models, one set of labels, and which of them is better.

run       one comparison, with a row per checkpoint; runs that stop at a verdict, over all categories
outcome   the results, also as plain data
words     the sentences that describe them
show      output to the terminal
picture   the figure, as PNG, PDF or SVG

>>> from lowshot.demo import data
>>> from lowshot.demo.pair import run
>>> for row in run.rows(data.load_pair(109), labels=20, seed=0):
...     print(row.round, row.labels, row.comparison.verdict)
1 10 ...
2 20 ...
"""
