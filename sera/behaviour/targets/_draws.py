"""Targets that make up their own place: random looks and rows of three glances."""

from __future__ import annotations

import random

from sera.behaviour.space import Angles, Room
from sera.behaviour.targets._settings import TargetSettings

_ROW = (-1.0, 0.0, 1.0)
_MAP_MARGIN = 0.2
"""Share of the screen's width that a row of glances leaves at either side."""


def look_random(settings: TargetSettings, source: random.Random) -> Angles:
    """Anywhere within the amplitude."""
    side = settings.random_amplitude_deg
    return Angles(
        source.uniform(-side, side),
        source.uniform(settings.random_down_deg, settings.random_up_deg),
    )


def look_elsewhere(settings: TargetSettings, source: random.Random) -> Angles:
    """Anywhere within the amplitude, but only upwards."""
    side = settings.random_amplitude_deg
    least = min(settings.elsewhere_least_up_deg, settings.random_up_deg)
    return Angles(source.uniform(-side, side), source.uniform(least, settings.random_up_deg))


def across_room(settings: TargetSettings, source: random.Random) -> tuple[Angles, ...]:
    """From one side of the room to the other, from either side."""
    towards = source.choice((-1.0, 1.0))
    return tuple(Angles(towards * at * settings.row_amplitude_deg, 0.0) for at in _ROW)


def through_map(room: Room, settings: TargetSettings, source: random.Random) -> tuple[Angles, ...]:
    """Across the screen from either side, at heights of its own; below ahead without a screen."""
    towards = source.choice((-1.0, 1.0))
    heights = [source.uniform(0.3, 0.7) for _ in _ROW]
    name = settings.map_screen
    if name not in room.screens:
        name = next(iter(room.screens), "")
    if not name:
        half = 0.5 * settings.row_amplitude_deg
        return tuple(Angles(towards * at * half, settings.map_down_deg) for at in _ROW)
    screen = room.screen(name)
    reach = 0.5 - _MAP_MARGIN
    return tuple(
        room.angles_of_pixel(
            name, (0.5 + towards * at * reach) * screen.width_px, height * screen.height_px
        )
        for at, height in zip(_ROW, heights, strict=True)
    )
