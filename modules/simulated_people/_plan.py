"""The room and the people in it as the floor plan page shows them."""

from __future__ import annotations

from sera.behaviour.space import Frame, angles_of
from sera.people.simulated import Crowd, FloorPoint
from sera.people.simulated.script import AROUND, AWAY, ROBOT
from sera.runtime.scenario import Scenario

from ._messages import FloorPlanState, PlanPerson, PlanThing, SimulatedPeopleState


def plan_of(scenario: Scenario | None, crowd: Crowd, door: FloorPoint) -> FloorPlanState:
    """What stands in the room."""
    things = [PlanThing(name="door", kind="door", x_m=door[0], z_m=door[1])]
    if scenario is None:
        things.append(PlanThing(name=ROBOT, kind="robot", x_m=0.0, z_m=0.0, facing_deg=0.0))
    else:
        things += _things(scenario)
    names = [ROBOT, AWAY, AROUND, *crowd.scene.robots, *crowd.scene.screens, *crowd.scene.objects]
    return FloorPlanState(things=things, targets=list(dict.fromkeys([*names, *crowd.people])))


def people_of(crowd: Crowd) -> SimulatedPeopleState:
    """Where everybody is."""
    return SimulatedPeopleState(
        people=[
            PlanPerson(
                name=name,
                here=person.present,
                x_m=round(person.walker.x_m, 3),
                z_m=round(person.walker.z_m, 3),
                face_deg=round(person.head.face.horizontal_deg, 1),
                looks_at=person.looks_at,
                saying="" if person.mouth.saying is None else person.mouth.saying.text,
                seen_as=crowd.tracker.id_of(name),
                held=person.held,
            )
            for name, person in crowd.people.items()
        ]
    )


def _things(scenario: Scenario) -> list[PlanThing]:
    space = scenario.space
    things: list[PlanThing] = []
    for name, robot in scenario.characters.items():
        things.append(_thing(name, "robot", Frame.of(robot)))
    for name, screen in space.screens.items():
        frame = Frame.of(screen)
        across, up = frame.turn_to_room((1.0, 0.0, 0.0)), frame.turn_to_room((0.0, 1.0, 0.0))
        thing = _thing(name, "screen", frame)
        size = {
            "width_m": screen.width_m * max(0.05, abs(across[0]) + abs(across[2])),
            "depth_m": screen.height_m * (abs(up[0]) + abs(up[2])) + 0.03,
        }
        things.append(thing.model_copy(update=size))
    for name, seat in space.seats.items():
        things.append(_thing(name, "seat", Frame.of(seat)))
    for name, one in space.objects.items():
        width_m, _, depth_m = one.size_m or (0.0, 0.0, 0.0)
        thing = _thing(name, "object", Frame.of(one))
        things.append(thing.model_copy(update={"width_m": width_m, "depth_m": depth_m}))
    for name, camera in space.cameras.items():
        thing = _thing(name, "camera", Frame.of(camera))
        things.append(thing.model_copy(update={"fov_deg": camera.fov_deg}))
    return things


def _thing(name: str, kind: str, frame: Frame) -> PlanThing:
    x, _, z = frame.position_m
    ahead = frame.turn_to_room((0.0, 0.0, 1.0))
    level = abs(ahead[0]) + abs(ahead[2]) > 0.2
    facing = round(angles_of(ahead).horizontal_deg, 1) if level else None
    return PlanThing.model_validate(
        {"name": name, "kind": kind, "x_m": x, "z_m": z, "facing_deg": facing}
    )
