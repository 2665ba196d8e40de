"""`sera console`: the console of a run that is alive, or of a bare stage to rehearse on."""

from __future__ import annotations

from typing import Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import VerboseOption
from sera.cli._run import (
    HostOption,
    NoBrowserOption,
    PortOption,
    RobotOption,
    TlsOption,
    run,
)

REHEARSAL = "rehearsal"


def console(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME|PATH]",
            help="Run this scenario; left out: the run that is alive, else a bare stage.",
        ),
    ] = None,
    *,
    run_id: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Which run, where several are alive.")
    ] = None,
    robot: RobotOption = None,
    port: PortOption = 0,
    host: HostOption = None,
    tls: TlsOption = False,
    no_browser: NoBrowserOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Open the operator's console: Wizard of Oz, 3-D view, lines, bus, study, recordings.

    With a run alive on this machine it is that run's console. Otherwise a scenario is run: the one
    that is named, or a bare stage with three simulated robots, for trying lines and gestures.
    """
    if scenario is None and not (robot or port or host or tls) and _opened(run_id, no_browser):
        return
    if run_id is not None:
        raise CommandError("--run chooses among runs that are alive: leave the other options out")
    run(
        scenario or REHEARSAL,
        console=True,
        robot=robot,
        port=port,
        host=host,
        tls=tls,
        no_browser=no_browser,
        verbose=verbose,
    )


def _opened(run_id: str | None, no_browser: bool) -> bool:
    """Open the console of a run that is alive; False where none is and none was asked for."""
    from sera.cli._session import has_screen
    from sera.cli._text import note
    from sera.runtime.live_runs import LiveRunError, find_live_run, list_live_runs, pages_of

    if run_id is None and not list_live_runs():
        return False
    try:
        alive = find_live_run(run_id)
    except LiveRunError as error:
        raise CommandError(str(error)) from None
    address = pages_of(alive.run)
    if address is None:
        raise CommandError(
            f"{alive} serves no pages: start it with `sera run {alive.scenario} --console`, or "
            "give it pages now with `sera module run gateway`"
        )
    note(f"console of {alive}:")
    typer.echo(address)
    if has_screen() and not no_browser:
        import webbrowser

        webbrowser.open(address)
    return True
