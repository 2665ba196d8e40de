"""One chain of the body that is led to where somebody looks or points.

Design overview: `Aiming` turns a posture and a direction into angles. A chain that looks does more:
a posture changes only as fast as all joints can follow together, so that the face stays where it
looks meanwhile; where the neck is at its end, the trunk below it helps, gently; poses are tried,
unseen, for a place that is new (`Seeking`).

Units and frames: radians, seconds; columns of the layout; the frame of the body's base.
Threading: one owner.
Safety: angles are within the joints' limits; the trunk tilts by `MOST_TILT_RAD` at most.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sera.animation.channels import OWN_SET
from sera.animation.engine._turns import towards
from sera.animation.engine.aiming import Aiming
from sera.kinematics.joints import JointKind

if TYPE_CHECKING:
    from sera.animation.body import Body, IkChain
    from sera.animation.engine.sight import Sight
    from sera.animation.frame import ChannelLayout

FloatArray = NDArray[np.float64]
GAZING = "Gazing"
_TRIES = 2
"""Poses that are tried a frame for a place that is new."""
_PACE = 0.8
"""Share of the joints' speed that a change of posture may take."""
MOST_TILT_RAD = math.radians(8.0)
"""How far one joint of the trunk leans to help a look: it carries the whole upper body."""
_UPRIGHT = math.cos(math.radians(30.0))
"""A joint whose axis is nearer to the vertical turns the body and does not tilt it."""
_RANGE_SHARE = 0.8
_SHORT_RAD = math.radians(0.5)
_AT_END_RAD = math.radians(0.3)
_HELP_S = 0.4
"""Time constant in which the trunk comes and goes."""


class LedChain:
    """An aiming chain with its columns, and what it was asked last."""

    def __init__(self, body: Body, chain: IkChain, layout: ChannelLayout) -> None:
        self.aiming = Aiming(body, chain)
        joints = self.aiming.joints
        self.columns = layout.indices(f"{OWN_SET}.{joint}" for joint in joints)
        self.horizontal, self.vertical = layout.find(chain.horizontal), layout.find(chain.vertical)
        looks = chain.aims == GAZING
        self.roll = layout.find("Gazing.Roll") if self.aiming.rolls and looks else None
        """Where the head tilts by a channel of its own; None where the chain cannot."""
        specs = [body.own[joint] for joint in joints]
        self._lower = np.array([spec.lower for spec in specs])
        self._upper = np.array([spec.upper for spec in specs])
        self._speed = np.array([spec.max_velocity for spec in specs])
        self._paced = looks and not self.aiming.simple
        self._trunk = _turning_trunk(body, chain, self.aiming) if looks else []
        self._help = np.zeros(len(joints))
        self._posture: list[float] = []
        self._asked: tuple[float, ...] = ()
        self._solved: FloatArray | None = None
        self._straight = False
        """Whether it goes straight to where a look is on its way to."""

    def rest(self) -> None:
        """Nobody aims: the posture stands as it is."""
        self._solved = None
        self._help[:] = 0.0

    def start_from(self, own: dict[str, float]) -> None:
        self.aiming.start_from(own)
        self.rest()

    def lead(
        self,
        posture: list[float],
        direction: tuple[float, float],
        roll_rad: float,
        dt_s: float,
        *,
        due: bool = True,
        heads_for: tuple[float, float] | None = None,
    ) -> FloatArray:
        """Angles of its joints for a posture and a direction, to the right and upwards.

        `heads_for` is where a look is on its way to: if the chain has to change its branch before
        it is there, it goes straight to the best pose that looks there.
        """
        self._straight = self._straight and heads_for is not None
        if self._straight and heads_for is not None:
            direction = heads_for
        if self._solved is not None and not due:
            return self._solved
        asked = (*posture, *direction, roll_rad)
        # A body that stands still asks the same again, and the answer would be the same.
        if self._solved is not None and asked == self._asked:
            return self._solved
        switches = self.aiming.switches
        solved = np.array(self.aiming.solve(posture, *direction, roll_rad))
        if heads_for is not None and not self._straight and self.aiming.switches > switches:
            self._straight, direction = True, heads_for
            self.aiming.forget()
            solved = np.array(self.aiming.solve(posture, *direction, roll_rad))
        if self._paced and self._solved is not None:
            posture, solved = self._at_pace(posture, solved, direction, roll_rad, dt_s)
        still = not self._trunk or not self._lend_trunk(posture, solved, direction, dt_s)
        if not still:
            helped = np.clip(np.array(posture) + self._help, self._lower, self._upper).tolist()
            solved = np.array(self.aiming.solve(helped, *direction, roll_rad))
        # While it changes its branch, the chain shows the way there.
        solved = np.array(self.aiming.go(solved.tolist(), dt_s, keeps=heads_for is None))
        still = still and self.aiming.stands
        self._posture, self._solved = posture, solved
        self._asked = asked if still and posture == list(asked[:-3]) else ()
        return solved

    def seek(self, sight: Sight, posture: list[float]) -> None:
        """Try some poses for a place, unseen."""
        for _ in range(_TRIES):
            seeking = sight.seeking
            if seeking is None or seeking.done:
                sight.seeking = None
                self.aiming.forget_trials()
                return
            seeking.tell(*self.aiming.tried(posture, seeking.asks), simple=self.aiming.simple)

    def _at_pace(
        self,
        posture: list[float],
        solved: FloatArray,
        direction: tuple[float, float],
        roll_rad: float,
        dt_s: float,
    ) -> tuple[list[float], FloatArray]:
        """Less of a change of posture where its joints could not keep up with each other."""
        before = self._posture
        assert self._solved is not None
        if posture == before:
            return posture, solved
        ratio = float(np.max(np.abs(solved - self._solved) / self._speed)) / (_PACE * dt_s)
        if ratio <= 1.0:
            return posture, solved
        share = 1.0 / ratio
        less = [a + share * (b - a) for a, b in zip(before, posture, strict=True)]
        self.aiming.take_back()
        return less, np.array(self.aiming.solve(less, *direction, roll_rad))

    def _lend_trunk(
        self,
        posture: list[float],
        solved: FloatArray,
        direction: tuple[float, float],
        dt_s: float,
    ) -> bool:
        """Let the trunk lean or turn by what the neck lacks; whether it does anything."""
        at_end = (solved - self._lower < _AT_END_RAD) | (self._upper - solved < _AT_END_RAD)
        goal = np.zeros(len(posture))
        if at_end[self._trunk[-1] + 1 :].any():
            goal = self._needed(posture, solved, direction)
        elif not self._help.any():
            return False
        self._help += min(1.0, dt_s / (_HELP_S + dt_s)) * (goal - self._help)
        self._help[np.abs(self._help) < 1e-5] = 0.0
        return bool(self._help.any())

    def _needed(
        self, posture: list[float], solved: FloatArray, direction: tuple[float, float]
    ) -> FloatArray:
        """What the trunk's joints would have to do, as far as they may."""
        found = np.zeros(len(posture))
        axis, axes = self.aiming.axis_and_axes(solved)
        wanted = np.array(towards(*direction))
        turn = np.cross(axis, wanted)
        sine = float(np.linalg.norm(turn))
        off_rad = math.atan2(sine, float(axis @ wanted))
        if off_rad < _SHORT_RAD or sine < 1e-6:
            return found
        turns = axes[:, self._trunk]
        square = turns.T @ turns + 0.02 * np.eye(len(self._trunk))
        steps = np.linalg.solve(square, turns.T @ (turn * (off_rad / sine)))
        for joint, step, upward in zip(self._trunk, steps.tolist(), turns[1].tolist(), strict=True):
            most = self._most(joint) if abs(upward) > _UPRIGHT else MOST_TILT_RAD
            found[joint] = min(most, max(-most, step))
        return found

    def _most(self, joint: int) -> float:
        return _RANGE_SHARE * min(-float(self._lower[joint]), float(self._upper[joint]))


def _turning_trunk(body: Body, chain: IkChain, aiming: Aiming) -> list[int]:
    """Places in the chain of the joints below the neck that turn."""
    row = body.tree.chain(chain.end_point).joints
    kinds = {joint.name: joint.kind for joint in row}
    first = 0 if chain.begins is None else aiming.joints.index(chain.begins)
    names = aiming.joints[:first]
    return [place for place, name in enumerate(names) if kinds[name] is JointKind.REVOLUTE]
