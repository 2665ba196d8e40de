"""All commands of `sera`, put together."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sera import __version__
from sera.cli import _doctor, _list, _messages, _module, _monitor, _new, _run, _send
from sera.cli._errors import DEBUG_VARIABLE, PoliteGroup
from sera.cli._text import forgive_encodings

_RUN = "Run"
_MAKE = "Make"
_LOOK = "Look into it"

app = typer.Typer(
    name="sera",
    cls=PoliteGroup,
    help="SERA: asynchronous modules, messages and scenarios for social robots.",
    epilog="Begin with `sera demo`; then `sera new workspace lab`, `cd lab`, `sera run first`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _LogGroup(TyperGroup):
    """`sera log`: what it is made of is imported when somebody calls it."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        from sera.cli._log import app as log_app

        loaded = typer.main.get_command(log_app)
        assert isinstance(loaded, TyperGroup)
        self.commands = loaded.commands
        return super().make_context(*args, **kwargs)


_log_app = typer.Typer(cls=_LogGroup, no_args_is_help=True)


@_log_app.callback()
def _log() -> None:
    """Recordings of runs: show, filter, export, trace, sum up, erase."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"sera {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error was noticed.")
    ] = False,
) -> None:
    del version
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"


app.command(rich_help_panel=_RUN)(_run.run)
app.command(rich_help_panel=_RUN)(_run.demo)
app.add_typer(_module.app, name="module", rich_help_panel=_RUN)
app.add_typer(_new.app, name="new", rich_help_panel=_MAKE)
app.add_typer(_list.app, name="list", rich_help_panel=_MAKE)
app.command(rich_help_panel=_MAKE)(_messages.messages)
app.command(rich_help_panel=_LOOK)(_monitor.monitor)
app.command(rich_help_panel=_LOOK)(_send.send)
app.add_typer(_log_app, name="log", rich_help_panel=_LOOK)
app.command(rich_help_panel=_LOOK)(_doctor.doctor)


def main() -> None:
    """Run the command line."""
    forgive_encodings()
    if "--debug" in sys.argv[1:]:  # accepted anywhere, because people add it at the end
        sys.argv.remove("--debug")
        os.environ[DEBUG_VARIABLE] = "1"
    app(prog_name="sera")
