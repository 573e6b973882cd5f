"""`lowshot bench`: the experiments of the paper, repeated on real, simulated or the user's own scores.

The modules in the order of the data flow:

experiment          the definition of an experiment, read from a TOML file; experiments/ has those of this package
families/           where tasks come from: score files of real classifiers, a generator, the user's own files
shared_herding      HERDING with one order for all classes of a model
task_rows           the rows of one task: every method, repetition and number of labels
run                 all tasks of an experiment, in parallel and resumable
rows                tidy rows in Parquet files
summary             from rows to cells: means over tasks with standard errors

verdicts            whether a comparison of cells supports a claim
comparisons         the comparisons behind the paper's claims
settings_choice     the settings that the paper does not print: chosen on even classes, reported on odd ones
claims              the paper's claims, each with its comparisons and its verdict
experiment_report   tables about all methods of an experiment
method_report       tables about one method
panels, figures     the figures of experiments
cli                 the commands
"""
