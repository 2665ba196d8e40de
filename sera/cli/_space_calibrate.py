"""`sera space calibrate`: find where robot and screens stand by having the robot look at marks.

Design overview: `Talk` goes from mark to mark with the operator's orders, `LookingRobot` turns the
gaze, `solve_room` finds the poses, `rewrite` puts them into the file. What was accepted is kept
outside of the run, so that nothing of it is lost when that ends early.

Units and frames: metres in the room, degrees as the robot sees them.
Threading: one event loop.
Safety: orders stay within the gaze's reach; the run ends with the talk.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import FAILED, CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.behaviour.space import GazeReach, Unknown
    from sera.cli._space_robot import Look
    from sera.cli._space_talk import Talk
    from sera.runtime.robot import RobotCard
    from sera.runtime.scenario import Scenario
    from sera.runtime.workspace import Workspace


def calibrate(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name or path.")],
    *,
    character: Annotated[
        str | None,
        typer.Option("--character", "-c", metavar="NAME", help="Who looks; else the only robot."),
    ] = None,
    screen: Annotated[
        list[str] | None,
        typer.Option("--screen", metavar="NAME", help="Only the corners of this screen."),
    ] = None,
    solve: Annotated[
        str,
        typer.Option(
            "--solve",
            metavar="WHAT",
            help="auto, robot (the room is as written), screens (the robot is), or both.",
        ),
    ] = "auto",
    marks: Annotated[
        Path | None,
        typer.Option("--marks", metavar="FILE", help="Orders in lines, such as: r 2.5 u 1 ok"),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Put the poses into the file; the old one is kept.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find where robot and screens stand: the robot looks at marks, you nudge it.

    It starts the character's engine and bridge, has the robot look at seats, objects and corners of
    screens where the scenario has them, and solves the poses from your nudges. The residual says in
    degrees how well they fit. In a terminal with keys, elsewhere with lines on the standard input.
    """
    from sera.behaviour.space import CalibrationError, Marking, marks_of, solve_room
    from sera.behaviour.space import UnknownPlace as Unplaced
    from sera.cli._space_places import load_with_text, room_of, the_character
    from sera.cli._space_report import new_tables, print_as_json, print_for_people, write_poses
    from sera.cli._space_talk import Talk
    from sera.cli._text import note
    from sera.runtime.clock import run as run_in_loop

    unknown = _unknown(solve, screens_only=bool(screen))
    loaded, workspace, before = load_with_text(scenario)
    who = the_character(loaded, character, needs_robot=True)
    room = room_of(loaded, who)
    try:
        places = marks_of(room, screen)
    except Unplaced as error:
        raise CommandError(str(error)) from None
    if not places:
        raise CommandError(
            f"scenario '{loaded.name}' has nothing to look at: add [space.seats.NAME], "
            "[space.objects.NAME] or [space.screens.NAME]"
        )
    _warn_of_run(loaded)
    lines = None if marks is None else _open_lines(marks)
    marking = Marking(room.observer, places, _reach_of(loaded.robots[who]))
    talk = Talk(marking, quiet=as_json)
    code = run_in_loop(_look_around(talk, lines, (loaded, workspace, who)))
    try:
        solution = solve_room(room, marking.accepted, unknown)
    except CalibrationError as error:
        note(str(error), "bold red")
        raise typer.Exit(code or FAILED) from None
    tables = new_tables(who, solution)
    if as_json:
        print_as_json(marking, solution, tables)
    else:
        print_for_people(marking, solution, tables)
    if write and (code is not None or talk.quit):
        note("it was ended early, so nothing was written")
    elif write:
        write_poses(loaded.path, before, tables)
    raise typer.Exit(code or 0)


async def _look_around(
    talk: Talk, lines: tuple[IO[str], str] | None, start: tuple[Scenario, Workspace, str]
) -> int | None:
    """Talk to the robot until all marks are done; the exit code where a signal ended it."""
    from sera.cli._space_keys import Keys, can_read_keys, orders_from_lines, typed_orders
    from sera.cli._space_robot import LookingRobot

    robot = LookingRobot(*start)

    async def converse(look: Look) -> None:
        if lines is None and can_read_keys():
            talk.keys = Keys()
            with typed_orders(talk.keys) as orders:
                await talk.go(orders, look)
        elif lines is None:
            await talk.go(orders_from_lines(sys.stdin, "standard input"), look)
        else:
            await talk.go(orders_from_lines(*lines), look)

    await robot.talk(converse)
    return robot.exit_code


def _unknown(solve: str, *, screens_only: bool) -> Unknown:
    from sera.behaviour.space import Unknown
    from sera.runtime.located import nearest_name

    known = [each.value for each in Unknown]
    if solve not in known:
        near = nearest_name(solve, known)
        hint = f"; did you mean '{near}'?" if near else ""
        raise CommandError(f"--solve {solve}: choose one of {', '.join(known)}{hint}")
    unknown = Unknown(solve)
    return Unknown.SCREENS if unknown is Unknown.AUTO and screens_only else unknown


def _warn_of_run(scenario: Scenario) -> None:
    from sera.cli._text import note
    from sera.runtime.live_runs import list_live_runs

    for run in list_live_runs():
        if run.scenario == scenario.name:
            note(f"{run} is alive and may hold the robot: end it first if the robot does not move")


def _open_lines(file: Path) -> tuple[IO[str], str]:
    import io

    from sera.runtime.located import read_text

    return io.StringIO(read_text(file)), str(file)


def _reach_of(card: RobotCard) -> GazeReach:
    """How far the body can turn its gaze."""
    import math

    from sera.animation.body import load_body
    from sera.behaviour.space import GazeReach

    channels = load_body(card.folder).channels
    spans = []
    for name, most_deg in (("Gazing.Horizontal", 180.0), ("Gazing.Vertical", 90.0)):
        if name not in channels:
            raise CommandError(f"robot '{card.name}' cannot look: its body has no {name}")
        spec = channels[name]
        spans.append(
            (max(-most_deg, math.degrees(spec.lower)), min(most_deg, math.degrees(spec.upper)))
        )
    return GazeReach(*spans)
