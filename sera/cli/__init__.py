"""The command line: `sera run`, `sera list`, `sera send` …, one file for each command.

Only typer is imported here; whatever a command needs is imported when it is called, so that
`sera --help` answers at once.
"""

from sera.cli._app import app, main

__all__ = ["app", "main"]
