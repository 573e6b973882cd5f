"""`lowshot start`, `ask`, `tell`, ...: the loop over a store, for terminals and scripts. Extra `[store]`.

options     arguments that several commands share
table       columns of a Parquet or CSV file
values      ... into numbers or ids
reading     ... into a pool
about       what a store keeps so that later commands find the pool again
opening     store and name into an evaluation
start       begin an evaluation
exchange    ask and tell: items out, labels in
telling     labels of a file, all or none
formats/    CSV, JSON lines, Label Studio, Prodigy
terminal    label with single keys
status      every evaluation of a store
showing     estimate and plan
gate        `estimate --at-least`
exporting   what is labelled, as a table
plain       an estimate as plain data
output      text to a file or to the terminal
app         all of them
"""
