"""The experiment about all classes of a model at once: `lowshot bench run classes`.

The modules in the order of the data flow:

counting    macro F1 by plain counts of labelled items, with a bootstrap interval
rounds      labelling in rounds, with the time that each takes
methods     what each method answers at its numbers of labels, beside the truth
task_rows   the rows of one task
report      what must be reached, and every method
"""
