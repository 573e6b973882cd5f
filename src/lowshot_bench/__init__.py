"""`lowshot bench`: the experiments of the paper, repeated on real, simulated or the user's own scores.

The modules in the order of the data flow:

experiment          the definition of an experiment, read from a TOML file; experiments/ has those of this package
data_folders        the folders that are given with --data
halves              which data sets of a folder of pools are for choosing, and which only for reporting
families/           where tasks come from: score files, folders of pools, a generator, the user's own files
shared_herding      HERDING with one order for all classes of a model
task_rows           the rows of one task: every method, repetition and number of labels
processes           work in several processes
run                 all tasks of an experiment, in parallel and resumable
rows                tidy rows in Parquet files
summary             from rows to cells: means over tasks with standard errors

verdicts            whether a comparison of cells supports a claim
comparisons         the comparisons behind the paper's claims
settings_choice     the settings that the paper does not print: chosen on even classes, reported on odd ones
claims              the paper's claims, each with its comparisons and its verdict
experiment_report   tables about all methods of an experiment
method_report       tables about one method
zoo_summary         from rows of named pools to means in which every data set counts alike
zoo_report          tables about one method on a folder of pools
several/            experiments about several models and one set of labels: their rows and their tables
choosing/           the experiment about thresholds with a guarantee
classes/            the experiment about all classes of a model at once
slicing/            the experiment about slices of a pool: its rows and its tables
peers/              the comparison with packages of others
panels, figures     the figures of experiments
cli                 the commands
"""
