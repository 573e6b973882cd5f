"""All commands over a store, each with its examples."""

import typer

from lowshot.commands import checking, exchange, exporting, labelling, reporting, showing, start, status

app = typer.Typer()
COMMANDS = (
    (start.start, start.EXAMPLES),
    (exchange.ask, exchange.ASK_EXAMPLES),
    (exchange.tell, exchange.TELL_EXAMPLES),
    (labelling.label, labelling.EXAMPLES),
    (status.status, status.EXAMPLES),
    (showing.estimate, showing.ESTIMATE_EXAMPLES),
    (showing.plan, showing.PLAN_EXAMPLES),
    (reporting.report, reporting.EXAMPLES),
    (exporting.export, exporting.EXAMPLES),
    (checking.check, checking.EXAMPLES),
)
for command, examples in COMMANDS:
    app.command(epilog=examples)(command)
