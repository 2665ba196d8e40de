"""Nods and shakes keep their swing wherever the gaze is, and looks last long enough to be seen.

Design overview: the body nods where it looks straight, at the ends of its reach, while its gaze
sets out elsewhere and while it is ordered about. What counts is how far the face goes back from
the stroke's extreme, in the frames that leave the engine, against what the animator wrote. Dwells
are the times between two orders of the gaze that are not tracking.

Units and frames: degrees, seconds. Threading: pure.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sera.animation.stage_set import StageSet
from sera.evaluation.motion._face import Face
from sera.evaluation.motion._seams import MovingBody
from sera.messages import Direction, Gaze, PlayAnimation

KEEPS = 0.8
_AXES = {"nod": ("Gazing.Vertical", 1), "shake": ("Gazing.Horizontal", 0)}


@dataclass(frozen=True, slots=True)
class NodResult:
    """One nod or shake."""

    robot: str
    gesture: str
    situation: str
    share: float
    """Of the authored swing, from its first extreme to the next one."""

    @property
    def kept(self) -> bool:
        return self.share >= KEEPS


def measure_nods(stage_set: StageSet, seed: int = 0) -> list[NodResult]:
    """Swings in every situation; a body without a gaze has none."""
    if "Gazing.Vertical" not in stage_set.body.channels:
        return []
    chance = random.Random(seed)  # noqa: S311 - a measurement's chance
    return [
        _nod(stage_set, gesture, situation, chance)
        for gesture in _AXES
        for situation in ("straight ahead", "lowest", "highest", "setting out", "ordered about")
    ]


def _look(horizontal_deg: float, vertical_deg: float, target: str) -> Gaze:
    direction = Direction(horizontal_deg=horizontal_deg, vertical_deg=vertical_deg)
    return Gaze(direction=direction, target=target)


def _nod(stage_set: StageSet, gesture: str, situation: str, chance: random.Random) -> NodResult:
    channel, axis = _AXES[gesture]
    spec = stage_set.body.channel(channel)
    ends = {"lowest": spec.lower, "highest": spec.upper}
    centre = [0.0, 0.0]
    centre[axis] = 1.2 * float(np.degrees(ends.get(situation, 0.0)))
    body = MovingBody(stage_set)
    body.order(_look(centre[0], min(max(centre[1], -90.0), 90.0), "first"))
    body.run(3.0)
    if situation == "setting out":
        body.order(_look(chance.uniform(20, 40), chance.uniform(-10, 10), "second"))
        body.run(0.1)
    body.order(PlayAnimation(animation=gesture))
    curve = stage_set.repertoire().animations[gesture].channel(channel).curve
    first = len(body.poses)
    for _ in range(4):
        if situation == "ordered about":
            body.order(_look(chance.uniform(-40, 40), chance.uniform(-15, 15), "others"))
        body.run(curve.last_s / 4)
    face = Face(stage_set.body)
    seen = np.array([face.looks_at_deg(pose)[axis] for pose in body.poses[first:]])
    values, times_s = np.degrees(curve.knots.values), curve.knots.times_s
    stroke = int(np.abs(values).argmax())
    around = np.arange(len(seen)) * body.step_s
    away = np.sign(values[stroke])
    there = seen[np.abs(around - times_s[stroke]) < 0.3] * away
    back = seen[np.abs(around - times_s[stroke + 1]) < 0.3] * away
    share = (there.max() - back.min()) / abs(values[stroke] - values[stroke + 1])
    return NodResult(stage_set.body.name, gesture, situation, float(share))


def dwells_s(looks: Iterable[tuple[float, Gaze]]) -> list[float]:
    """How long the gaze rested between its orders, tracking aside.

    Args:
        looks: orders of one character with their times, in their order.
    """
    times_s = [at_s for at_s, look in looks if not (look.reason or "").startswith("tracking")]
    return [later_s - at_s for at_s, later_s in pairwise(times_s)]
