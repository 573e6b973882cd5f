"""The command line: the loop over a store, for terminals and scripts. Extra `[store]`.

app         all commands, with their summaries; a command's module is loaded when the command runs
console     options that several commands share; output to a file or to the terminal
opening     from store and name to an evaluation, with the pool that it began with
showing     how items are displayed, as the options of `start` said
rules       which options go together
given       what texts of options mean: --set, --prevalence, --recall, --like
hints       what looks wrong with a pool before labels are spent on it
start_words what `start` prints: what was begun, what labels buy, what to do next
words       messages of the library in the words of the command line
columns     the columns of a file as options name them: --score, --model, --helper
classes     many classes as options name them: --classes, --class-names, --class, --kind
table_file  tables in files: Parquet, CSV, JSON Lines and Arrow
cells       columns of a file as ids, numbers, flags and slices
class_file  from a file, or a matrix of NumPy, to a pool with many classes
pool_file   from a file, a folder or a database to a pool
kept_pool   when what was kept of a pool is used, so that it need not be read again
added_model a model that was added later, from a file of its own
kept_paths  paths in a store, relative to its folder
gate        verdicts, their exit codes, and what CI systems are told: github
action      what the action for GitHub runs: from its inputs to a gate
models      models, goal and helpers in words; what the goal asks for: estimate, comparison or table
formats/    files of items and labels: CSV, JSON lines, Prodigy; that of Label Studio is in integrations
terminal    labelling with single keys, for `label --terminal`

One module per command: start, ask, tell, label, status, estimate (also plan), compare, table, choose,
thresholds, add_model, report, export, check, demo, sample, label_studio, log.
"""


def main() -> None:
    """The program `lowshot`. Ctrl-C ends it without a traceback, also while modules are loaded."""
    try:
        from lowshot.cli.app import app

        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
