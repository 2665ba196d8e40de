"""Options that several commands share, with one wording each."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[
    bool, typer.Option("--json", help="For scripts: JSON on standard output and nothing else.")
]
BrokerOption = Annotated[
    str | None,
    typer.Option(
        "--broker",
        "-b",
        metavar="URL",
        help="Broker of the run, mqtt://[user:password@]host[:port]; else SERA_BROKER, else the "
        "run that is alive on this machine.",
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option("--run", "-r", metavar="ID", help="Id of the run; else the only one alive."),
]
CharacterOption = Annotated[
    str | None,
    typer.Option("--character", "-c", metavar="NAME", help="A character, or world."),
]
ConditionOption = Annotated[
    str | None,
    typer.Option("--condition", metavar="NAME", help="Condition of the scenario."),
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also what modules log for information.")
]
