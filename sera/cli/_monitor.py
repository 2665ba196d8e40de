"""`sera monitor`: a live, filtered view of what travels on the bus."""

from __future__ import annotations

from typing import Annotated

import typer

from sera.cli._options import BrokerOption, CharacterOption, JsonOption

EVERY_RUN = "*"


def monitor(
    *,
    types: Annotated[
        list[str] | None,
        typer.Option("--type", "-t", metavar="GLOB", help="Message type, * and ? allowed."),
    ] = None,
    not_types: Annotated[
        list[str] | None,
        typer.Option("--not", "-x", metavar="GLOB", help="Message types to leave out."),
    ] = None,
    character: CharacterOption = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--source", "-s", metavar="GLOB", help="Source such as ada.speaker or ada.*"),
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-n", metavar="N", min=1, help="End after N messages.")
    ] = None,
    broker: BrokerOption = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run",
            "-r",
            metavar="ID",
            help="Id of the run, or '*' for every run on the broker; else the only one alive.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the messages of a run as they travel, all or those that fit; it ends with the run.

    With --json every message is one line of JSON.
    """
    from sera.cli._monitoring import Monitor, MonitorWish
    from sera.runtime.clock import run as run_in_loop

    wish = MonitorWish(
        types=tuple(types or ()),
        not_types=tuple(not_types or ()),
        character=character,
        sources=tuple(sources or ()),
        count=count,
        as_json=as_json,
    )
    run_in_loop(Monitor(wish).watch(broker, run_id))
