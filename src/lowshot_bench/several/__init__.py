"""Experiments about several models and one set of labels: `lowshot bench run pairs helpers transfer best disagree`.

The modules in the order of the data flow:

answers     what a method answers at a number of labels
pairs       two models: which one is better, and both F1; with two ways of doing without a joint evaluation
helpers     one model that is judged with the scores of another one, useful or useless
transfer    labels that were drawn for one model, used for another one
best        the best of several candidates, also by uniform labels and by CODA
disagree    two models whose rankings disagree, on simulated pools: how good each one is, and which one is better
coda        the strategy of CODA (Kay et al. 2025)
task_rows   the rows of one task: every method, repetition and number of labels
sample      means over tasks and groups of tasks, with standard errors by bootstrap
numbers     the numbers that the tables share
bar         what must be reached, and whether a number reaches it
*_report    the tables of each experiment; report has all of them
"""
