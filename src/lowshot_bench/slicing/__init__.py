"""The experiment about slices of a pool: `lowshot bench run slices`.

The modules in the order of the data flow:

methods     what each method says about every slice, from the same labels
task_rows   the rows of one task: every method, repetition and number of labels
report      what must be reached, and every group
"""
