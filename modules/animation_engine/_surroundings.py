"""What of the scenario stands beside a robot: tables, screens and other things with a size.

Units and frames: metres in the room; hulls in the frame of the body's base.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sera.animation.body import Body
from sera.animation.body.ground import ground_of
from sera.animation.engine import Surroundings
from sera.behaviour.space import Frame
from sera.kinematics.contacts import Hull, box_points
from sera.runtime.scenario import Scenario

SCREEN_M = 0.02
"""How thick a screen is."""
TABLE_M = 0.3
"""What a robot stands on is a table if it is as high above the floor of the room."""


def surroundings(scenario: Scenario | None, character: str, body: Body) -> Surroundings | None:
    """What stands beside the robot of a character; None if nobody has said so."""
    if scenario is None or character not in scenario.file.characters:
        return None
    here = Frame.of(scenario.file.characters[character])
    ground_m = ground_of(body)
    on_table = ground_m is not None and here.position_m[1] + ground_m >= TABLE_M
    hulls = tuple(_hulls(scenario, here))
    return Surroundings(hulls, "the table" if on_table else "the floor")


def _hulls(scenario: Scenario, here: Frame) -> Iterator[Hull]:
    space = scenario.file.space
    things = [
        (name, Frame.of(thing), thing.size_m)
        for name, thing in space.objects.items()
        if thing.size_m is not None
    ]
    things += [
        (name, Frame.of(screen), (screen.width_m, screen.height_m, SCREEN_M))
        for name, screen in space.screens.items()
    ]
    for name, there, size_m in things:
        points, radius_m = box_points(np.array(size_m))
        placed = [here.to_local(there.to_room((x, y, z))) for x, y, z in points.tolist()]
        hull = np.array(placed)
        yield Hull(None, hull, np.full(len(hull), radius_m), f"the {name.replace('_', ' ')}")
