"""`sera robot watch`: who moves which channel of a body, while it moves."""

from __future__ import annotations

from typing import Annotated

import typer

from sera.cli._options import BrokerOption, JsonOption, RunOption


def watch(
    character: Annotated[
        str | None,
        typer.Argument(metavar="[CHARACTER]", help="Whose body; else the only one there is."),
    ] = None,
    *,
    channels: Annotated[
        list[str] | None,
        typer.Option("--channel", metavar="GLOB", help="Channels such as 'Gazing.*'; else all."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Show one frame and end.")] = False,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="N", min=0.1, help="End after so many seconds."),
    ] = None,
    every: Annotated[
        float | None,
        typer.Option(
            "--every",
            metavar="S",
            min=0.05,
            max=10,
            help="How often; else five times a second in a terminal, once a second elsewhere.",
        ),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(
            "--robot",
            metavar="NAME",
            help="Which robot it is, for the units of its own channels; else it is found.",
        ),
    ] = None,
    broker: BrokerOption = None,
    run_id: RunOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show for every channel of a running body its value and which layers made it.

    It ends with the run. With --json every frame that is shown is one line of JSON.
    """
    from sera.cli._robot_watching import WatchWish, watch_body

    wish = WatchWish(
        character=character,
        channels=tuple(channels or ()),
        once=once,
        seconds=seconds,
        every_s=every,
        robot=robot,
        broker=broker,
        run_id=run_id,
        as_json=as_json,
    )
    raise typer.Exit(watch_body(wish))
