"""The comparison with other packages: `lowshot bench run peers`, shown in docs/peers.md.

The modules in the order of the data flow:

packages    which packages of others are installed; they are imported only when a method needs them
sharing     what every method needs: uniform draws, probabilities, answers with and without a value
tools       what is asked of each package of others, with its defaults
methods     what each method answers about one pool
task_rows   the rows of one task: every method, repetition and number of labels
report      the tables
"""
