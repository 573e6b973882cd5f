"""The command line: the loop over a store, for terminals and scripts. Extra `[store]`.

app         all commands; each is loaded when it runs
console     arguments that several commands share; text to a file or to the terminal
opening     store and name into an evaluation, with the pool that it began with
pool_file   a Parquet or CSV file, a folder or a database into a pool
values      columns of a file into numbers or ids
formats/    CSV, JSON lines, Label Studio, Prodigy
terminal    label with single keys

start, ask, tell, label, status, estimate (and plan), report, export, check, demo: a module per command.
"""


def main() -> None:
    """The program `lowshot`. Ctrl-C ends it without a traceback, also while modules are loaded."""
    try:
        from lowshot.cli.app import app

        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
