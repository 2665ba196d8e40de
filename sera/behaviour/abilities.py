"""What a character's body can do for the verbs of a line, from its channels and files.

Only names are read here: whoever plays an animation reads the file itself.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from sera.animation.body import Body, load_body
from sera.behaviour.markup import Abilities
from sera.behaviour.space import Angles
from sera.runtime.robot import RobotCard
from sera.runtime.workspace import Workspace, scenario_folders

_NEEDS = {
    "gaze": ("Gazing.Horizontal",),
    "head": ("Gazing.Vertical",),
    "arms": ("Arms.LeftPointHorizontal", "Arms.RightPointHorizontal"),
    "torso": ("Torso.Lean", "Torso.Sway"),
    "face": ("Face.Smile", "Face.Brows"),
    "lids": ("Eyes.LeftLid", "Eyes.RightLid"),
    "lights": ("Lights.Left", "Lights.Right"),
}
"""Abilities that verbs ask for, and channels of which one is enough."""
BEYOND_DEG = 5.0
"""So little beyond the end of its reach is looked at well enough."""
_ALWAYS = frozenset({"application", "screen", "sound"})
"""What is the surroundings' business rather than the body's."""


def abilities_of(robot: Path | None, scenario: Path | None = None) -> Abilities:
    """What a robot can do; a character without one only speaks and drives the activity."""
    sounds = _names([scenario], "media")
    if robot is None:
        return Abilities(channels=_ALWAYS, sounds=sounds)
    body: Body = load_body(robot)
    found = {need for need, names in _NEEDS.items() if any(n in body.channels for n in names)}
    roots = Workspace.discover(scenario or robot).roots
    shared = (root / "robots" / "shared" for root in roots)
    places = [*shared, robot, *scenario_folders(scenario, robot)]
    return Abilities(
        channels=_ALWAYS | found | {"animation"},
        animations=_names(places, "animations"),
        faces=_faces(places),
        sounds=sounds,
    )


def reach_of(robot: RobotCard | None) -> Callable[[Angles], bool]:
    """Whether the body can look somewhere, by the range of its gaze; anywhere if it has none.

    A head that looks the same upside down turns over and looks behind itself.
    """
    if robot is None or robot.symmetric_head:
        return lambda _angles: True
    channels = load_body(robot.folder).channels
    ranges = [
        (math.degrees(spec.lower) - BEYOND_DEG, math.degrees(spec.upper) + BEYOND_DEG)
        if (spec := channels.get(name)) is not None
        else (-math.inf, math.inf)
        for name in ("Gazing.Horizontal", "Gazing.Vertical")
    ]

    def reaches(angles: Angles) -> bool:
        pairs = zip(ranges, (angles.horizontal_deg, angles.vertical_deg), strict=True)
        return all(lowest <= angle <= highest for (lowest, highest), angle in pairs)

    return reaches


def _faces(places: Iterable[Path | None]) -> list[str] | None:
    """Names of faces and the other words for them, such as `happy` for joy."""
    found = dict.fromkeys(_names(places := list(places), "faces") or ())
    for place in places:
        for file in sorted((place / "faces").glob("*.toml")) if place is not None else ():
            try:
                also = tomllib.loads(file.read_text(encoding="utf-8"))["face"].get("also", [])
            except (OSError, ValueError, KeyError, AttributeError):
                continue  # whoever shows it says what is wrong with it
            found |= dict.fromkeys(map(str, also))
    return list(found) or None


def _names(places: Iterable[Path | None], kind: str) -> list[str] | None:
    """Names of the files of a kind; None, which is not checked, where there are none at all."""
    found: dict[str, None] = {}
    for place in places:
        folder = None if place is None else place / kind
        if folder is not None and folder.is_dir():
            # A sound is known with its ending and without.
            for file in sorted(folder.iterdir()):
                if not file.name.startswith((".", "_")):
                    found[file.stem] = None
                    found[file.name] = None
    return list(found) or None
