"""What a character's body can do for the verbs of a line, from its channels and repertoire."""

from __future__ import annotations

from pathlib import Path

from sera.animation.body import Body, load_body
from sera.behaviour.markup import Abilities

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


def abilities_of(robot: Path | None, *, targets: list[str] | None = None) -> Abilities:
    """What a robot can do; a character without one only speaks and drives the activity."""
    always = {"application", "screen"}
    if robot is None:
        return Abilities(channels=frozenset(always), targets=targets)
    body: Body = load_body(robot)
    found = {need for need, names in _NEEDS.items() if any(n in body.channels for n in names)}
    return Abilities(channels=frozenset(always | found | {"animation"}), targets=targets)
