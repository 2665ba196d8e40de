"""Whom or what somebody looks at, from where the face points.

Design overview
    Everything in the room is weighed by how far off the look it lies, in parts of what its kind
    allows; the best wins, and what was looked at before has an advantage, so that noise does not
    make a look flicker. A screen that the look meets counts half: a robot in front of it wins.

Units and frames
    Metres and unit vectors along the axes of the scenario's space; degrees between them.

Threading
    No state.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sera.behaviour.space import ScreenPlane, Vector, between_deg
from sera.people._scene import Scene

_ON_SCREEN = 0.5
_TOO_NEAR_M = 0.05


@dataclass(frozen=True, slots=True)
class LookSettings:
    """How far beside something a look may go and still be meant for it."""

    robot_within_deg: float = 14.0
    person_within_deg: float = 12.0
    object_within_deg: float = 9.0
    screen_margin_deg: float = 5.0
    """How far beyond the edge of a screen."""
    stays: float = 0.7
    """What was looked at before counts as this much nearer; 1: no advantage."""


DEFAULT_LOOKS = LookSettings()


def looked_at(
    eye_m: Vector,
    direction: Vector,
    scene: Scene,
    people_m: Mapping[str, Vector],
    *,
    before: str | None = None,
    settings: LookSettings = DEFAULT_LOOKS,
) -> str | None:
    """The character, screen, person or object in that direction; None: elsewhere.

    Args:
        eye_m: where the looker's head is.
        direction: where the face points, along the axes of the room.
        scene: what is in the room.
        people_m: heads of the others, without the looker's.
        before: what was looked at until now.
        settings: how exact a look must be.
    """
    best: tuple[float, str] | None = None
    for name, off in _offsets(eye_m, direction, scene, people_m, settings):
        weighed = off * settings.stays if name == before else off
        if weighed <= 1.0 and (best is None or weighed < best[0]):
            best = (weighed, name)
    return None if best is None else best[1]


def off_deg(eye_m: Vector, direction: Vector, place_m: Vector) -> float:
    """The angle between a look and a place; 0 where the place is the eye itself."""
    way = _way(eye_m, place_m)
    return 0.0 if math.hypot(*way) < _TOO_NEAR_M else between_deg(direction, way)


def _offsets(
    eye_m: Vector,
    direction: Vector,
    scene: Scene,
    people_m: Mapping[str, Vector],
    settings: LookSettings,
) -> Iterator[tuple[str, float]]:
    """Each candidate with how far off it is; up to 1 it may be meant."""
    for places, within_deg in (
        (scene.robots, settings.robot_within_deg),
        (people_m, settings.person_within_deg),
        (scene.objects, settings.object_within_deg),
    ):
        for name, place_m in places.items():
            yield name, off_deg(eye_m, direction, place_m) / within_deg
    for name, screen in scene.screens.items():
        yield name, _off_screen(eye_m, direction, screen, settings.screen_margin_deg)


def _off_screen(eye_m: Vector, direction: Vector, screen: ScreenPlane, margin_deg: float) -> float:
    if not screen.faces(eye_m):
        return math.inf
    hit = screen.met_by(eye_m, direction)
    if hit.on_screen:
        return _ON_SCREEN
    if math.isnan(hit.x_px):
        return math.inf
    x_px = min(max(hit.x_px, 0.0), float(screen.width_px))
    y_px = min(max(hit.y_px, 0.0), float(screen.height_px))
    beside_deg = off_deg(eye_m, direction, screen.place_m(x_px, y_px))
    return _ON_SCREEN + (1.0 - _ON_SCREEN) * beside_deg / margin_deg


def _way(start_m: Vector, end_m: Vector) -> Vector:
    return (end_m[0] - start_m[0], end_m[1] - start_m[1], end_m[2] - start_m[2])
