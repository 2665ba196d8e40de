"""`sera run` and `sera demo`: a scenario becomes a run, which is shown while it runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sera.cli._errors import CommandError, as_wrong_input
from sera.cli._options import ConditionOption, JsonOption, VerboseOption

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

DEMO_SCENARIO, DEMO_CONDITION = "avantsatie", "demo"


class BrokerChoice(StrEnum):
    """The brokers that can be started for a run."""

    AUTO = "auto"
    MOSQUITTO = "mosquitto"
    AMQTT = "amqtt"


VirtualOption = Annotated[
    bool,
    typer.Option("--virtual", help="In virtual time: as fast as it can, the same every time."),
]
SpeedOption = Annotated[
    float | None,
    typer.Option("--speed", metavar="FACTOR", help="So many times as fast as real time."),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", min=0, help="In place of the scenario's.")
]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="Lines instead of the live table, also in a terminal.")
]
StoryOption = Annotated[
    bool | None,
    typer.Option(
        "--story/--no-story", help="Tell what happens as it happens; by default not if virtual."
    ),
]


RobotOption = Annotated[
    list[str] | None,
    typer.Option(
        "--robot",
        metavar="[CHARACTER=]NAME",
        help="Play it with another robot, or one character with it.",
    ),
]

CameraOption = Annotated[
    str | None,
    typer.Option(
        "--camera",
        metavar="NUMBER|FILE|URL",
        help="See real people with this camera or video, in place of simulated ones.",
    ),
]

PortOption = Annotated[
    int,
    typer.Option("--port", min=0, max=65535, help="Port of the pages; 0: any that is free."),
]
HostOption = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="ADDRESS",
        help="Where pages are served; 0.0.0.0 for other devices, by the links that are printed.",
    ),
]
TlsOption = Annotated[bool, typer.Option("--tls", help="Serve the pages encrypted (https).")]
NoBrowserOption = Annotated[
    bool, typer.Option("--no-browser", help="Only print the address of the pages.")
]


def run(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="NAME|PATH", help="A scenario of the workspace, or the path of one."
        ),
    ],
    *,
    condition: ConditionOption = None,
    virtual: VirtualOption = False,
    speed: SpeedOption = None,
    seed: SeedOption = None,
    robot: RobotOption = None,
    camera: CameraOption = None,
    duration: Annotated[
        float | None,
        typer.Option("--duration", metavar="S", help="End the run after so many seconds."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="FILE", help="Log to this file; else in runs/.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Write no log.")] = False,
    broker: Annotated[
        str | None,
        typer.Option(
            "--broker",
            "-b",
            metavar="URL",
            help="Use this MQTT broker, mqtt://[user:password@]host[:port] (mqtts:// for TLS); "
            "else SERA_BROKER, the scenario's, or one that is started for the run.",
        ),
    ] = None,
    embedded: Annotated[
        BrokerChoice | None,
        typer.Option("--embedded", help="Which broker is started where none is given."),
    ] = None,
    console: Annotated[
        bool, typer.Option("--console", help="Open the operator's console in a browser.")
    ] = False,
    port: PortOption = 0,
    host: HostOption = None,
    tls: TlsOption = False,
    no_browser: NoBrowserOption = False,
    plain: PlainOption = False,
    story: StoryOption = None,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run a scenario: broker, modules, recorder and supervisor, until it ends or Ctrl-C.

    Exits with 0 when the run was sound, with 1 when it failed, with 130 after Ctrl-C.
    """
    from sera.bus import BrokerAddress
    from sera.cli._session import Session, Wishes
    from sera.cli._workspace import workspace_around
    from sera.runtime.launcher import RunOptions
    from sera.runtime.scenario import load_scenario

    clock = _clock(virtual=virtual, speed=speed)
    if console and virtual:
        raise CommandError("--console needs real time: there is nobody to look in virtual time")
    if log is not None and no_record:
        raise CommandError("--log and --no-record exclude each other: leave one out")
    if duration is not None and not 0 < duration < float("inf"):
        raise CommandError(f"--duration {duration:g}: give a number of seconds above 0")
    if log is not None:
        _check_log(log)
    workspace = workspace_around(scenario)
    workspace.activate()
    loaded = load_scenario(scenario, workspace, condition)
    with as_wrong_input():
        robots = loaded.cast(robot or [], workspace)
    loaded = loaded.overridden(seed=seed, duration_s=duration, robots=robots)
    if camera is not None:
        from sera.cli._run_camera import with_camera

        loaded = with_camera(loaded, workspace, camera, virtual=virtual)
    pages = pages_settings(port=port, host=host, tls=tls)
    if console and pages:
        loaded = _with_pages(loaded, pages)
    with as_wrong_input():
        address = None if broker is None else BrokerAddress.parse(broker)
    options = RunOptions(
        broker=address,
        prefer_broker=None if embedded is None else embedded.value,
        log=log,
        record=not no_record,
        extra_modules={"gateway": pages} if console else {},
    )
    wishes = Wishes(
        clock=clock,
        as_json=as_json,
        plain=plain,
        story=story,
        verbose=verbose,
        open_browser=console and not no_browser,
    )
    raise typer.Exit(Session(loaded, workspace, options, wishes).run())


def demo(
    *,
    virtual: VirtualOption = False,
    speed: SpeedOption = None,
    seed: SeedOption = None,
    no_browser: NoBrowserOption = False,
    plain: PlainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the scenario that comes with SERA: a simulated player discovers a piece of music.

    The robot, which knows it, answers with its posture. The game and the 3-D view open in a
    browser; it runs over a real MQTT broker that is started for it, and ends by itself.
    """
    from sera.cli._session import Session, Wishes
    from sera.cli._text import note
    from sera.recording import runs_folder
    from sera.runtime.launcher import RunOptions
    from sera.runtime.scenario import load_scenario
    from sera.runtime.workspace import Workspace, built_in_root

    built_in = built_in_root()
    if built_in is None:
        raise CommandError("the built-in scenarios are not in this installation: reinstall SERA")
    # Only the built-in root: a laboratory's module of the same name must not stand in here.
    workspace = Workspace([built_in], built_in=built_in)
    workspace.activate()
    loaded = load_scenario(built_in / "scenarios" / DEMO_SCENARIO, workspace, DEMO_CONDITION)
    record = _can_write(runs_folder())
    if not record:
        note(f"{runs_folder().absolute()} cannot be written: this run is not recorded")
    wishes = Wishes(
        clock=_clock(virtual=virtual, speed=speed),
        as_json=as_json,
        plain=plain,
        open_browser=not no_browser and not as_json,
        first_page="#/watch",
    )
    session = Session(loaded.overridden(seed=seed), workspace, RunOptions(record=record), wishes)
    raise typer.Exit(session.run())


def _clock(*, virtual: bool, speed: float | None) -> Literal["real", "virtual"] | float:
    if virtual and speed is not None:
        raise CommandError("--virtual and --speed exclude each other: virtual time has no speed")
    if speed is not None and not 0 < speed < float("inf"):
        raise CommandError(f"--speed {speed:g}: give a number above 0, such as 20")
    return "virtual" if virtual else (speed or "real")


def _check_log(log: Path) -> None:
    """See that the log can be written, before anything is started."""
    if not log.absolute().parent.is_dir():
        raise CommandError(f"--log {log}: there is no folder {log.absolute().parent}")
    try:
        log.touch()
    except OSError as error:
        raise CommandError(f"--log {log}: cannot be written: {error.strerror}") from None


def pages_settings(*, port: int, host: str | None, tls: bool) -> dict[str, object]:
    """What the command line says about the pages, as settings of the gateway."""
    said: dict[str, object] = {"port": port} if port else {}
    return said | ({} if host is None else {"host": host}) | ({"tls": True} if tls else {})


def _with_pages(scenario: Scenario, said: dict[str, object]) -> Scenario:
    """The scenario with these settings for its own gateway, where it has one."""
    from dataclasses import replace

    plans = tuple(
        replace(plan, settings=plan.settings.model_copy(update=said))
        if plan.source == "world.gateway"
        else plan
        for plan in scenario.plans
    )
    return replace(scenario, plans=plans)


def _can_write(folder: Path) -> bool:
    import os

    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
