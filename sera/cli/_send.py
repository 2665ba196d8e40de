"""`sera send`: fire any message by hand, checked like any other."""

from __future__ import annotations

from typing import Annotated

import typer

from sera.cli._options import BrokerOption, CharacterOption, JsonOption, RunOption


def send(
    message_type: Annotated[
        str,
        typer.Argument(metavar="MESSAGE", help="Message type, such as GazeAt (`sera messages`)."),
    ],
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE…", help="Fields; JSON where it is JSON; a.b=1 for nested ones."
        ),
    ] = None,
    *,
    data: Annotated[
        str | None, typer.Option("--data", "-d", metavar="JSON", help="Fields as one JSON object.")
    ] = None,
    character: CharacterOption = None,
    broker: BrokerOption = None,
    run_id: RunOption = None,
    wait: Annotated[
        float | None,
        typer.Option(
            "--wait",
            "-w",
            metavar="S",
            min=0,
            help="How long to wait for receipts of an Action, or to keep a State alive.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Send one message into a run, for example: sera send PerformUtterance category=greeting.

    For an Action it says who took it; exit code 1 means that nobody did.
    """
    from sera.cli._sending import SendRequest, send_message

    request = SendRequest(
        message_type=message_type,
        assignments=fields or [],
        data=data,
        character=character,
        broker=broker,
        run_id=run_id,
        wait_s=wait,
        as_json=as_json,
    )
    raise typer.Exit(send_message(request))
