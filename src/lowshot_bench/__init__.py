"""`lowshot bench`: the paper's experiments, re-run. In the order of the data flow:

experiment   what is run, as data (one TOML file each, in experiments/)
families/    where tasks come from: real score files, a generator, your own files
work         the rows of one task: every method, repetition and number of labels
run          parallel over tasks, resumable
rows         tidy rows in Parquet
summary      rows into cells: means over tasks with standard errors
figures      cells into figures
claims       cells into verdicts on what the paper says
report       cells into tables
cli          the commands
"""
