"""What is in the room for people to look at, sit on and wear, taken from a scenario.

Units and frames: metres in the scenario's space. Threading: no state of its own but the places of
things, which markers may move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sera.behaviour.space import Frame, ScreenPlane, Vector
from sera.runtime.scenario import Scenario

HEAD_BELOW_TOP_M = 0.12
"""From the crown of a head to the middle between its eyes."""


@dataclass(slots=True)
class Scene:
    """The room: whom and what people can look at, and where somebody is expected."""

    robots: dict[str, Vector] = field(default_factory=dict)
    """Eyes of each character: where they rest, until it is told where its face really is."""
    frames: dict[str, Frame] = field(default_factory=dict)
    """Where each character stands."""
    screens: dict[str, ScreenPlane] = field(default_factory=dict)
    objects: dict[str, Vector] = field(default_factory=dict)
    seats: dict[str, Frame] = field(default_factory=dict)
    expected: dict[str, Vector] = field(default_factory=dict)
    """Where the head of each person of the scenario file is expected, where the file says it."""
    people: tuple[str, ...] = ()
    """The people of the scenario file."""
    markers: dict[str, str] = field(default_factory=dict)
    """The object that carries a marker."""
    wearers: tuple[str, ...] = ()
    """Who wears each channel of the microphones: a person or a seat."""

    @classmethod
    def from_scenario(cls, scenario: Scenario | None) -> Scene:
        """The scene of a scenario; a robot at the origin where there is none."""
        if scenario is None:
            return cls(robots={"robot": (0.0, 0.0, 0.0)})
        space = scenario.space
        scene = cls(
            robots=_eyes_m(scenario),
            frames={name: Frame.of(one) for name, one in scenario.characters.items()},
            screens={
                name: ScreenPlane(Frame.of(one), one.width_m, one.height_m, *one.pixels)
                for name, one in space.screens.items()
            },
            objects={name: one.position_m for name, one in space.objects.items()},
            seats={name: Frame.of(one) for name, one in space.seats.items()},
            people=tuple(scenario.people),
            markers={
                one.marker: name for name, one in space.objects.items() if one.marker is not None
            },
            wearers=next(
                (tuple(one.worn_by) for one in space.microphones.values() if one.worn_by), ()
            ),
        )
        for name, person in scenario.people.items():
            seat = scene.seats.get(person.seat or "")
            if seat is not None:
                scene.expected[name] = seat.position_m
            elif person.position_m is not None:
                x, y, z = person.position_m
                # A place on the floor is where the feet are.
                scene.expected[name] = (x, y or person.height_m - HEAD_BELOW_TOP_M, z)
        return scene

    @property
    def first_robot(self) -> str | None:
        """The character that counts where a microphone says left and right."""
        return next(iter(self.robots), None)

    def move_face(self, character: str, along_its_axes_m: Vector) -> None:
        """The face of a character is there now, as `GazeState` tells it."""
        frame = self.frames.get(character)
        if frame is not None:
            self.robots[character] = frame.to_room(along_its_axes_m)

    def move_marker(self, marker: str, position_m: Vector) -> None:
        """A thing that carries this marker is now here; other markers mean nothing."""
        thing = self.markers.get(marker)
        if thing is not None:
            self.objects[thing] = position_m

    def places_m(self, people: Mapping[str, Vector]) -> dict[str, Vector]:
        """Everything with a name and a place; people last, they never hide a robot's name."""
        found = {name: frame.position_m for name, frame in self.seats.items()}
        found |= self.objects
        found |= {name: screen.frame.position_m for name, screen in self.screens.items()}
        return {**people, **found, **self.robots}


def _eyes_m(scenario: Scenario) -> dict[str, Vector]:
    eyes: dict[str, Vector] = {}
    for name, character in scenario.characters.items():
        card = scenario.robots.get(name)
        on_body = (0.0, 0.0, 0.0) if card is None or card.eyes_m is None else card.eyes_m
        eyes[name] = Frame.of(character).to_room(on_body)
    return eyes
