"""`lowshot start`, `ask`, `tell`, ...: the loop over a store, for terminals and scripts. Extra `[store]`.

options     arguments that several commands share
reading     a Parquet or CSV file into a pool
about       what a store keeps so that later commands find the pool again
opening     store and name into an evaluation
start       begin an evaluation
exchange    ask and tell: items out, labels in
formats/    CSV, JSON lines, Label Studio, Prodigy
showing     status, estimate, plan
gate        `estimate --at-least`
exporting   what is labelled, as a table
terminal    label with single keys
output      text to a file or to the terminal
app         all of them
"""
