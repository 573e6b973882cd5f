"""The experiment about thresholds with a guarantee: `lowshot bench run choose`.

The modules in the order of the data flow:

chosen      what a method returns that chooses a threshold
supg        the algorithms of SUPG (Kang et al. 2020)
bargain     the algorithms of BARGAIN (Zeighami et al. 2025)
ranking     the truth: precision and recall of every threshold and of every set, and what an oracle would keep
methods     what each method returns at its numbers of labels, judged by the truth
task_rows   the rows of one task: every method, repetition and number of labels
report      what must be reached, and every data set
"""
