"""All commands over a store, each with its examples."""

import typer

from lowshot.commands import exchange, exporting, reporting, showing, start, status, terminal

app = typer.Typer()
COMMANDS = (
    (start.start, start.EXAMPLES),
    (exchange.ask, exchange.ASK_EXAMPLES),
    (exchange.tell, exchange.TELL_EXAMPLES),
    (terminal.label, terminal.EXAMPLES),
    (status.status, status.EXAMPLES),
    (showing.estimate, showing.ESTIMATE_EXAMPLES),
    (showing.plan, showing.PLAN_EXAMPLES),
    (reporting.report, reporting.EXAMPLES),
    (exporting.export, exporting.EXAMPLES),
)
for command, examples in COMMANDS:
    app.command(epilog=examples)(command)
