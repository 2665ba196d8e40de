"""A head and its eyes: the eyes jump first, the head follows where that is far.

Design overview: a new target is noticed after a reaction; then the gaze goes there at the speed of
a saccade, within what eyes can reach from the head, and the head follows with limited speed and
acceleration until the eyes are nearly straight in it. Between jumps the gaze rests with small
shifts, as eyes do on a face.

Units and frames: degrees along the axes of the scenario's space, horizontal to the right, vertical
up; seconds. Threading: one thread; chance is injected.
"""

from __future__ import annotations

import math
from random import Random

from sera.behaviour.space import Angles

EYES_DEG_S = 400.0
HEAD_DEG_S = 180.0
HEAD_DEG_S2 = 900.0
EYES_REACH_DEG = 40.0
_EYES_REST_DEG = 6.0
_BRAKES = 0.6
_SHIFTS_DEG = 1.2
_REACTION_S = (0.12, 0.3)
_RESTS_S = (0.3, 1.2)
_SLICE_S = 0.02


class Head:
    """Where a face points, and where its eyes look."""

    def __init__(self, random: Random, facing_deg: float = 180.0) -> None:
        self._random = random
        self.face = Angles(facing_deg, 0.0)
        self.gaze = Angles(facing_deg, 0.0)
        self._speed = [0.0, 0.0]
        self._aim: Angles | None = None
        self._target: object = None
        self._notices_in_s = 0.0
        self._rests_for_s = 0.0
        self._shift = (0.0, 0.0)

    def turn(self, facing_deg: float) -> None:
        """Face somewhere at once; only for somebody who is not there."""
        self.face = self.gaze = Angles(wrapped_deg(facing_deg), 0.0)
        self._speed = [0.0, 0.0]

    def advance(self, target: object, aim: Angles, for_s: float) -> None:
        """Let time pass while the attention is on a target in that direction."""
        if target != self._target:
            self._target = target
            self._notices_in_s = self._random.uniform(*_REACTION_S)
        while for_s > 1e-9:
            slice_s = min(_SLICE_S, for_s)
            for_s -= slice_s
            self._notices_in_s -= slice_s
            if self._notices_in_s <= 0.0 or self._aim is None:
                self._aim = aim
            self._rest(slice_s)
            self._slice(slice_s)

    def _rest(self, slice_s: float) -> None:
        self._rests_for_s -= slice_s
        if self._rests_for_s <= 0.0:
            self._rests_for_s = self._random.uniform(*_RESTS_S)
            self._shift = (
                self._random.gauss(0.0, _SHIFTS_DEG),
                self._random.gauss(0.0, _SHIFTS_DEG),
            )

    def _slice(self, slice_s: float) -> None:
        assert self._aim is not None
        face, gaze = list(self.face), list(self.gaze)
        wanted = [part + shift for part, shift in zip(self._aim, self._shift, strict=True)]
        for axis in (0, 1):
            jump = _difference(wanted[axis], gaze[axis], axis)
            most = EYES_DEG_S * slice_s
            gaze[axis] += max(-most, min(most, jump))
            ahead = _difference(wanted[axis], face[axis], axis)
            left = math.copysign(max(0.0, abs(ahead) - _EYES_REST_DEG), ahead)
            self._speed[axis] = _arriving(self._speed[axis], left, slice_s)
            face[axis] += self._speed[axis] * slice_s
            apart = _difference(gaze[axis], face[axis], axis)
            gaze[axis] = face[axis] + max(-EYES_REACH_DEG, min(EYES_REACH_DEG, apart))
        self.face = _angles(face)
        self.gaze = _angles(gaze)


def wrapped_deg(angle_deg: float) -> float:
    """The same angle from -180 to 180."""
    return (angle_deg + 180.0) % 360.0 - 180.0


def _difference(wanted_deg: float, now_deg: float, axis: int) -> float:
    """The way to go, the shorter one around where the angle is horizontal."""
    way = wanted_deg - now_deg
    return wrapped_deg(way) if axis == 0 else way


def _arriving(speed: float, left_deg: float, slice_s: float) -> float:
    wanted = min(HEAD_DEG_S, math.sqrt(2 * _BRAKES * HEAD_DEG_S2 * abs(left_deg)))
    if wanted * slice_s > abs(left_deg):
        wanted = abs(left_deg) / slice_s
    change = math.copysign(wanted, left_deg) - speed
    most = HEAD_DEG_S2 * slice_s
    return speed + max(-most, min(most, change))


def _angles(pair: list[float]) -> Angles:
    return Angles(wrapped_deg(pair[0]), max(-89.0, min(89.0, pair[1])))
