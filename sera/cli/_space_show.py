"""`sera space show`: every target of a scenario as each character sees it, and a floor plan."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.behaviour.space import Room, Vector
    from sera.runtime.scenario import Scenario


class _Seen(NamedTuple):
    """A place as one character sees it."""

    character: str
    kind: str
    target: str
    position_m: Vector
    horizontal_deg: float | None
    """Right positive; None where the place is the eye itself."""
    vertical_deg: float | None
    distance_m: float
    remark: str = ""


def show(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name or path.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also a floor plan: .svg or .png."),
    ] = None,
    character: Annotated[
        str | None,
        typer.Option("--character", "-c", metavar="NAME", help="Only as this character sees it."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show under which angles each character sees screens, people, seats and things."""
    from sera.cli._figures import picture_format
    from sera.cli._space_places import load_with_text, room_of, the_character
    from sera.cli._text import print_json

    picture = None if output is None else picture_format(output)
    loaded, _, _ = load_with_text(scenario)
    names = list(loaded.characters)
    if character is not None:
        names = [the_character(loaded, character)]
    if not names:
        raise CommandError(f"scenario '{loaded.name}' has no character to see anything")
    rooms = {name: room_of(loaded, name) for name in names}
    rows = [row for name, room in rooms.items() for row in _rows(loaded, name, room)]
    if output is not None and picture is not None:
        _draw(loaded, output, picture)
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    _print(loaded, rooms, rows)
    if output is not None:
        print(output)


def _rows(scenario: Scenario, character: str, room: Room) -> Iterator[_Seen]:
    for kind, target, place_m, remark in _targets(scenario, character, room):
        eye_m = room.observer.eye_in_room_m
        try:
            right, up = room.angles_to(place_m)
        except ValueError:
            yield _Seen(character, kind, target, place_m, None, None, 0.0, "where its eyes are")
            continue
        yield _Seen(
            *(character, kind, target, place_m),
            *(round(right, 3) + 0.0, round(up, 3) + 0.0),
            *(round(math.dist(place_m, eye_m), 3), remark),
        )


def _targets(
    scenario: Scenario, character: str, room: Room
) -> Iterator[tuple[str, str, Vector, str]]:
    from sera.cli._space_places import people_m, room_of

    for name, screen in room.screens.items():
        remark = "" if room.can_see(name) else "seen from behind: turn it by its yaw_deg?"
        for corner, pixel in screen.corners_px().items():
            target = name if corner == "centre" else f"{name}: {corner}"
            yield "screen", target, screen.place_m(*pixel), remark
    places = people_m(scenario)
    for name, person in scenario.people.items():
        if name in places:
            yield "person", name, places[name], f"on seat {person.seat}" if person.seat else ""
    for name, seat in room.seats.items():
        yield "seat", name, seat.position_m, ""
    for name, thing in room.objects.items():
        yield "object", name, thing.position_m, ""
    for name in scenario.characters:
        if name != character:
            yield "character", name, room_of(scenario, name).observer.eye_in_room_m, ""


def _draw(scenario: Scenario, output: Path, picture: Any) -> None:
    from sera.behaviour.space import FloorPlan
    from sera.cli._figures import write_figure
    from sera.cli._space_places import people_m, room_of

    observers = {name: room_of(scenario, name).observer for name in scenario.characters}
    room = room_of(scenario, next(iter(scenario.characters)))
    plan = FloorPlan(observers, room.screens, room.seats, room.objects, people_m(scenario))
    write_figure(output, lambda: plan.draw(picture=picture, title=f"{scenario.title}: floor plan"))


def _print(scenario: Scenario, rooms: dict[str, Room], rows: list[_Seen]) -> None:
    from rich.table import Table

    from sera.cli._text import clean, note, standard_console

    console = standard_console()
    for name, room in rooms.items():
        x, y, z = room.observer.eye_in_room_m
        console.print(f"{name} looks from ({x:g}, {y:g}, {z:g}) m", highlight=False)
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        for head in ("kind", "target", "right", "up", "distance", ""):
            side = "right" if head in {"right", "up", "distance"} else "left"
            table.add_column(head, justify=side)  # type: ignore[arg-type]  # a literal either way
        for row in rows:
            if row.character == name:
                table.add_row(
                    row.kind, clean(row.target), _degrees(row.horizontal_deg),
                    _degrees(row.vertical_deg), f"{row.distance_m:.2f} m", row.remark,
                )  # fmt: skip
        if table.row_count:
            console.print(table)
        else:
            print("nothing: add [space.seats.NAME], [space.objects.NAME] or [space.screens.NAME]")
    from sera.cli._space_places import people_m

    lost = [name for name in scenario.people if name not in people_m(scenario)]
    if lost:
        note(f"nobody knows where these people are: {', '.join(lost)} (give a seat or position_m)")


def _degrees(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1f}°"
