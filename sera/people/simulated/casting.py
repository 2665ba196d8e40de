"""Simulated people for a scenario: who they are, where they belong, and what senses see them.

Units and frames: metres and degrees of the scenario's space. Threading: no state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sera.behaviour.space import Frame
from sera.people._scene import HEAD_BELOW_TOP_M, Scene
from sera.people.simulated._ears import SimulatedEars, VoiceKnowledge
from sera.people.simulated._person import Home, SimulatedPerson
from sera.people.simulated._senses import Box, SenseSettings, SimulatedCamera, SimulatedTracker
from sera.people.simulated.crowd import Crowd, own_random
from sera.people.simulated.script import (
    AROUND,
    AWAY,
    ROBOT,
    FloorPoint,
    Traits,
    script_problems,
)
from sera.runtime.located import nearest_name
from sera.runtime.scenario import Scenario

DOOR: FloorPoint = (-1.8, 3.2)
_USUAL_HEIGHT_M = 1.7
_BEFORE_ROBOT_M = 1.2


@dataclass(frozen=True, slots=True)
class Cast:
    """The people, and what cannot be played."""

    crowd: Crowd
    problems: tuple[str, ...]


def cast(
    scenario: Scenario | None,
    traits: Mapping[str, Traits],
    senses: SenseSettings,
    random: Random,
    *,
    door: FloorPoint = DOOR,
    cameras: Sequence[str] | None = None,
    began_s: float = 0.0,
) -> Cast:
    """Make the people of a scenario.

    Args:
        scenario: the room and who is expected.
        traits: what each does; those of `[people]` without traits get the usual ones, and a
            `visitor` comes where nobody is named at all.
        senses: how good cameras and microphones are.
        random: chance; each person gets an own source from it.
        door: where people come from, as x and z.
        cameras: which cameras of the scenario see them; None: all.
        began_s: the time now.
    """
    scene = Scene.from_scenario(scenario)
    expected = {} if scenario is None else scenario.people
    names = list(dict.fromkeys([*traits, *expected])) or ["visitor"]
    homes = {
        name: _home(
            name, number, scenario=scenario, scene=scene, door=_door(traits.get(name), door)
        )
        for number, name in enumerate(names)
    }
    walkable = {**dict.fromkeys(scene.seats), **dict.fromkeys(homes)}
    visible = [ROBOT, AWAY, AROUND, *scene.places_m({}), *homes]
    problems = [
        problem
        for name, one in traits.items()
        for problem in script_problems(name, one, walkable, visible)
    ]

    def goal(place: str) -> tuple[FloorPoint, float | None]:
        seat = scene.seats.get(place)
        if seat is not None:
            x, y, z = seat.position_m
            return (x, z), y
        return homes[place].place, homes[place].seated_m

    people: dict[str, SimulatedPerson] = {}
    for name, home in homes.items():
        own = traits.get(name, Traits())
        steps = [
            step
            for step in own.steps()
            if not (isinstance(step.to, str) and step.to not in walkable)
            and not (step.at is not None and step.at not in visible)
        ]
        people[name] = SimulatedPerson(
            name, own, home, steps=steps, goal=goal, random=own_random(random), began_s=began_s
        )
    seen_by, more = _cameras(scenario, cameras)
    tracker = SimulatedTracker(senses, own_random(random), seen_by, _boxes(scenario))
    ears = SimulatedEars(
        _voice_knowledge(scenario, senses),
        senses.mishears_part,
        tuple(_wearer(name, scenario) for name in scene.wearers),
        own_random(random),
    )
    crowd = Crowd(people, scene, tracker, ears, began_s)
    return Cast(crowd, (*problems, *more))


def _door(traits: Traits | None, door: FloorPoint) -> FloorPoint:
    return door if traits is None or traits.door_m is None else traits.door_m


def _home(
    name: str, number: int, *, scenario: Scenario | None, scene: Scene, door: FloorPoint
) -> Home:
    person = None if scenario is None else scenario.people.get(name)
    height_m = _USUAL_HEIGHT_M if person is None else person.height_m
    standing_m = height_m - HEAD_BELOW_TOP_M
    seat = None if person is None else scene.seats.get(person.seat or "")
    if seat is not None:
        x, y, z = seat.position_m
        return Home((x, z), y, standing_m, door)
    expected_m = scene.expected.get(name)
    if expected_m is not None:
        return Home((expected_m[0], expected_m[2]), None, standing_m, door)
    # Nobody says where: side by side before the first robot.
    aside_m = 0.15 + 0.7 * ((number + 1) // 2) * (1 if number % 2 else -1)
    characters = {} if scenario is None else scenario.characters
    frame = next((Frame.of(one) for one in characters.values()), Frame())
    x, _, z = frame.to_room((aside_m, 0.0, _BEFORE_ROBOT_M))
    return Home((x, z), None, standing_m, door)


def _cameras(
    scenario: Scenario | None, wanted: Sequence[str] | None
) -> tuple[list[SimulatedCamera], list[str]]:
    known = {} if scenario is None else scenario.space.cameras
    problems: list[str] = []
    for name in wanted or ():
        if name not in known:
            near = nearest_name(name, known)
            meant = f"; did you mean '{near}'?" if near else ""
            problems.append(
                f"cameras: the scenario has no camera '{name}'{meant} "
                f"(add [space.cameras.{name}], or leave `cameras` out)"
            )
    used = [one for name, one in known.items() if wanted is None or name in wanted]
    return [SimulatedCamera(Frame.of(one), one.fov_deg) for one in used], problems


def _boxes(scenario: Scenario | None) -> list[Box]:
    things = {} if scenario is None else scenario.space.objects
    return [Box(one.position_m, one.size_m) for one in things.values() if one.size_m is not None]


def _voice_knowledge(scenario: Scenario | None, senses: SenseSettings) -> VoiceKnowledge:
    if senses.voices != "auto":
        return senses.voices
    for one in () if scenario is None else scenario.space.microphones.values():
        if one.worn_by:
            return "side"
        if one.spacing_m is not None:
            return "direction"
    return "named"


def _wearer(name: str, scenario: Scenario | None) -> str:
    """Who wears a channel: a person, or whoever belongs on that seat."""
    people = {} if scenario is None else scenario.people
    if name in people:
        return name
    return next((who for who, person in people.items() if person.seat == name), name)
