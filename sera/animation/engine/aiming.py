"""Aiming: the second stage, which turns a direction and a posture into joint angles of one chain.

Design overview: the layers give every joint of the chain a value, which is the posture; channels
give a direction. ERIK holds the posture and turns the end point into that direction, near the
pose of the frame before. A change of branch is counted, with its reason, and gone through with
the face kept on its target as far as can be (`_turning_over`).

A face looks with its head upright, so its orientation follows from the direction. An arm that
points, and a gaze with `upright = false`, may roll about its direction: the roll is carried on
from the last frame, drifts towards the one that the posture would have, and gives way where the
joints' limits do not allow it (the pose that was found says which roll the arm can take, and is
solved for once more with that).

Units and frames: radians; horizontal to the right and vertical upwards, in the frame of the body's
base, which faces +Z with Y up.
Threading: one owner.
Safety: angles are within the joints' limits; a direction that is not finite keeps the last one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import IkChain
from sera.animation.engine._turning_over import TurningOver
from sera.animation.engine._turns import (
    FACES,
    Face,
    Quaternion,
    Vector,
    arc,
    between,
    conjugated,
    looks,
    product,
    quaternion_of,
    rolled,
    towards,
    turned,
    twist_rad,
)
from sera.animation.engine._two_joints import LOYALTY_RAD, TwoJoints, are_two
from sera.kinematics.chain import Chain
from sera.kinematics.erik import Hyperparameters, Solution, Solver
from sera.kinematics.tree import EndPoint, Tree

FloatArray = NDArray[np.float64]

_HALF = math.sqrt(0.5)
_TO_FORWARDS: dict[Face, Quaternion] = {
    "x": (_HALF, 0.0, -_HALF, 0.0),
    "-x": (_HALF, 0.0, _HALF, 0.0),
    "y": (_HALF, _HALF, 0.0, 0.0),
    "-y": (_HALF, -_HALF, 0.0, 0.0),
    "z": (1.0, 0.0, 0.0, 0.0),
    "-z": (0.0, 0.0, 1.0, 0.0),
}
"""Turns that bring a face to +Z, without a twist that nobody asked for."""
_OFF_RAD = math.radians(0.25)
"""An arm that points further off than this tries another roll."""
_TRIES = 3
_LOST_RAD = math.radians(1.0)
"""An arm that stays further off than this looks for quite another pose."""
_ROLLS = 12
_PAN_AND_TILT = 2
_STUCK = 0.05
"""An orientation error (about 8 degrees) that is not put up with for longer than …"""
_STUCK_S = 0.3
_MET = 0.02
"""An orientation error (about 3 degrees) with which the direction is as good as met."""
_ROLL_BACK = 0.2
"""Share of the way to the posture's roll that is gone at once …"""
_ROLL_BACK_EVERY = 4
"""… in every such frame: it takes forward kinematics, and nobody sees it in one frame."""


_JUMP_RAD = _SUDDEN_RAD = 0.35
"""A change of branch that takes a joint further is gone through on purpose, unless the direction
has itself jumped by so much since the frame before."""
_AT_END_RAD = 0.02
_POINTING_POSTURE_WEIGHT = 0.002


def facing(horizontal_rad: float, vertical_rad: float, face: Face) -> FloatArray:
    """The orientation of an end point whose face looks there, with its head upright."""
    return np.array(upright(horizontal_rad, vertical_rad, face))


def upright(horizontal_rad: float, vertical_rad: float, face: Face) -> Quaternion:
    """The same as plain floats."""
    half_yaw, half_pitch = -0.5 * horizontal_rad, -0.5 * vertical_rad
    cos_yaw, sin_yaw = math.cos(half_yaw), math.sin(half_yaw)
    cos_pitch, sin_pitch = math.cos(half_pitch), math.sin(half_pitch)
    # The face to the front first, then a pitch about +X, then a yaw about +Y.
    looking = (cos_yaw * cos_pitch, cos_yaw * sin_pitch, sin_yaw * cos_pitch, -sin_yaw * sin_pitch)
    return product(looking, _TO_FORWARDS[face])


class WithTree(Protocol):
    """What aiming needs of a body: a newcomer is tried before it has any more."""

    @property
    def tree(self) -> Tree: ...


class Aiming:
    """One chain of a body that aims."""

    def __init__(self, body: WithTree, chain: IkChain) -> None:
        """Prepare the solver; the chain's joints are those from the base to the end point."""
        self.chain = chain
        self._body = body
        self._trial: Aiming | None = None
        """A second one, for poses that nobody sees."""
        whole = body.tree.chain(chain.end_point)
        self.joints: tuple[str, ...] = whole.joint_names
        """From the base to the end point; those that do not move for it stay as in the posture."""
        self._whole = whole
        self._trunk, moving = _parted(whole, body, chain)
        self._moving = moving
        self._first = 0 if self._trunk is None else self._trunk.dof
        symmetric = chain.symmetric
        self._solver = Solver(moving, symmetric_endpoint=symmetric, hyperparameters=_weights(chain))
        simple = chain.upright and not symmetric and are_two(moving)
        self._two = TwoJoints(moving) if simple else None
        self._face = FACES[chain.face]
        self._previous: Solution | None = None
        self._before: Solution | None = None
        """The one before the previous."""
        self._switches_before = 0
        self._direction = (0.0, 0.0)
        self._on_target = True
        self._asked: Vector = (0.0, 0.0, 0.0)
        self._searched = 0
        self._carried = 0
        self._shown: FloatArray | None = None
        self._turning: TurningOver | None = None
        self._stuck_s = 0.0
        self._aimed = self._was_aimed = self._face
        self._seen = 0
        self.switches = 0
        self.last_switch: str | None = None
        """Why the chain changed its branch the last time."""

    def aim(
        self, posture_rad: Mapping[str, float], horizontal_rad: float, vertical_rad: float
    ) -> dict[str, float]:
        """Angles of the chain's joints for a posture and a direction."""
        posture = [posture_rad[name] for name in self.joints]
        angles = self.solve(posture, horizontal_rad, vertical_rad)
        return dict(zip(self.joints, angles, strict=True))

    @property
    def rolls(self) -> bool:
        """Whether the head may tilt about the direction that it faces."""
        return self.chain.upright and self._moving.dof > 2

    def solve(
        self,
        posture_rad: list[float],
        horizontal_rad: float,
        vertical_rad: float,
        roll_rad: float = 0.0,
    ) -> list[float]:
        """The same for angles in the order of `joints`, as the engine has them.

        A roll towards the robot's right shoulder tilts the head of a chain that `rolls`.
        """
        if math.isfinite(horizontal_rad) and math.isfinite(vertical_rad):
            self._direction = (horizontal_rad, vertical_rad)
        posture = list(posture_rad)
        trunk, self._switches_before = self._trunk_turn(posture), self.switches
        wanted = posture[self._first :]
        if self.chain.upright:
            target = upright(*self._direction, self.chain.face)
            if roll_rad:
                target = rolled(target, self._face, roll_rad)
            if trunk is not None:
                target = product(conjugated(trunk), target)
            was_aimed, self._aimed = self._aimed, turned(target, self._face)
            if self._two is not None:
                posture[self._first :] = self._two.solve(target)
                if self._two.changed and between(was_aimed, self._aimed) < _SUDDEN_RAD:
                    self._note_switch("the other end of its range is nearer by far")
                return posture
            solution = self._solve(wanted, np.array(target))
        else:
            direction = towards(*self._direction)
            if trunk is not None:
                direction = turned(conjugated(trunk), direction)
            self._aimed = direction
            solution = self._point(wanted, direction)
        self._before, self._previous = self._previous, solution
        posture[self._first :] = solution.angles_rad.tolist()
        return posture

    @property
    def simple(self) -> bool:
        """Whether a direction has one pose only, as it has for a head that pans and tilts."""
        return self._moving.dof <= _PAN_AND_TILT

    def tried(self, posture_rad: list[float], direction: Vector) -> tuple[Vector, Vector]:
        """Where the end point would be and face if it were led there; nothing is led there."""
        if self._trial is None:
            self._trial = Aiming(self._body, self.chain)
        trial = self._trial
        if trial._previous is None:
            trial._previous = self._previous
        angles = trial.solve(posture_rad, *looks(direction))
        pose = self._whole.pose(angles)
        left, up, ahead = pose.position_m.tolist()
        return (left, up, ahead), turned(quaternion_of(pose.orientation_wxyz), self._face)

    def forget(self) -> None:
        """Look for the best pose next time, wherever that of the frame before would lead."""
        self._previous = None

    def take_back(self) -> None:
        """Forget the last solution: it was not taken."""
        self._previous, self.switches = self._before, self._switches_before

    def axis_and_axes(self, angles: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where the end point faces (3,), and about what each joint turns (3, n)."""
        pose, jacobian = self._whole.pose_and_jacobian(angles)
        faces = turned(quaternion_of(pose.orientation_wxyz), self._face)
        return np.array(faces), jacobian[3:]

    def forget_trials(self) -> None:
        """The next trial begins at the pose that stands."""
        if self._trial is not None:
            self._trial._previous = None

    @property
    def turns_over(self) -> bool:
        """Whether it is on its way to another branch."""
        return self._turning is not None

    @property
    def stands(self) -> bool:
        """Whether the next answer to the same question is the same."""
        return self._turning is None and self._stuck_s == 0.0

    def go(self, angles_rad: list[float], dt_s: float, *, keeps: bool = True) -> list[float]:
        """The solution itself, or while the chain changes its branch the next pose on the way,
        with the face on its direction as far as can be if that `keeps`.

        Where the pose that follows from the last one has missed its direction for a while, one of
        another branch is taken. A direction that has itself jumped is left to the motion filter.
        """
        goal, shown, was_aimed = self._found(angles_rad, dt_s), self._shown, self._was_aimed
        switched, self._seen = self.switches > self._seen, self.switches
        self._was_aimed = self._aimed
        if (
            switched
            and self._turning is None
            and shown is not None
            and (not keeps or between(was_aimed, self._aimed) < _SUDDEN_RAD)
            and float(np.abs(goal - shown).max()) > _JUMP_RAD
        ):
            self._turning = TurningOver(self._moving, self._face, shown, keeps=keeps)
        self._shown, arrived = goal, True
        if self._turning is not None:
            self._shown, arrived = self._turning.step(goal, self._aimed, dt_s)
        if arrived:
            self._turning = None
        return [*angles_rad[: self._first], *self._shown.tolist()]

    def _found(self, angles_rad: list[float], dt_s: float) -> FloatArray:
        """Angles of the joints that move: the solution, or another one if that has got stuck."""
        goal, last = np.array(angles_rad[self._first :]), self._previous
        if not self.chain.upright or last is None or last.orientation_error <= _STUCK:
            self._stuck_s = 0.0
            return goal
        self._stuck_s += dt_s
        if self._stuck_s < _STUCK_S:
            return goal
        self._stuck_s = 0.0
        fresh = self._solver.solve(last.posture_rad, last.target_wxyz)
        off, before = fresh.orientation_error, last.orientation_error
        if off > _MET and _angle(off) > _angle(before) - LOYALTY_RAD:
            return goal
        self._previous = fresh
        self._note_switch("from the pose that stands it cannot look there")
        return fresh.angles_rad

    def start_from(self, angles_rad: Mapping[str, float]) -> None:
        """Begin at the pose that a robot has, so that the first frame makes no jump."""
        angles = [angles_rad[name] for name in self.joints[self._first :]]
        reached = self._moving.pose(angles).orientation_wxyz
        self._previous = self._solver.solve(angles, reached, angles)
        self._shown, self._turning, self._seen = np.array(angles), None, self.switches

    def looks_at(self, angles_rad: Mapping[str, float]) -> tuple[float, float]:
        """Where the face looks, or the arm points: horizontal to the right, vertical upwards."""
        angles = [angles_rad[name] for name in self.joints]
        return looks(turned(quaternion_of(self._whole.pose(angles).orientation_wxyz), self._face))

    def _trunk_turn(self, posture: list[float]) -> Quaternion | None:
        if self._trunk is None:
            return None
        return quaternion_of(self._trunk.pose(posture[: self._first]).orientation_wxyz)

    def _solve(self, posture: list[float], target: FloatArray) -> Solution:
        wanted = np.array(posture)
        if self._previous is None:
            solution = self._solver.solve(wanted, target)
        else:
            solution = self._solver.follow(wanted, target, self._previous)
        if solution.switched:
            self._note_switch(self._end_reached() or "the posture is bent less on the other side")
        return solution

    def _note_switch(self, reason: str) -> None:
        self.switches += 1
        horizontal, vertical = (round(math.degrees(angle)) for angle in self._direction)
        self.last_switch = f"{self.chain.name} at {horizontal}°, {vertical}° up: {reason}"

    def _end_reached(self) -> str | None:
        if self._shown is None:
            return None
        room = np.minimum(
            self._shown - self._moving.lower_rad, self._moving.upper_rad - self._shown
        )
        names = [self._moving.joint_names[joint] for joint in np.flatnonzero(room < _AT_END_RAD)]
        return f"{', '.join(names)} at the end" if names else None

    def _reached(self, angles: FloatArray | list[float]) -> Quaternion:
        return quaternion_of(self._moving.pose(angles).orientation_wxyz)

    def _point(self, posture: list[float], direction: Vector) -> Solution:
        """The pose that points there, with a roll that the arm can take."""
        target = self._target(posture, direction)
        best = solution = self._solve(posture, np.array(target))
        least_rad = math.inf
        for _ in range(_TRIES):
            # Where the target is met, its face is; forward kinematics are for the others.
            met = solution.orientation_error < 1e-6
            reached = target if met else self._reached(solution.angles_rad)
            pointing = turned(reached, self._face)
            off_rad = between(pointing, direction)
            if off_rad < least_rad:
                best, least_rad = solution, off_rad
            if off_rad <= _OFF_RAD:
                break
            self._previous = solution
            target = product(arc(pointing, direction, about=reached), reached)
            solution = self._solve(posture, np.array(target))
        if least_rad > _LOST_RAD and direction == self._asked and self._searched < _ROLLS:
            best = self._search(posture, direction, target, (best, least_rad))
        elif direction != self._asked:
            self._searched = 0
        self._asked = direction
        self._on_target = least_rad <= 0.5 * _OFF_RAD
        return best

    def _search(
        self,
        posture: list[float],
        direction: Vector,
        target: Quaternion,
        known: tuple[Solution, float],
    ) -> Solution:
        """Try one more roll afresh, as an arm does that has got stuck and swings round.

        One roll a frame, and only while the direction stands still, so that no frame is late.
        """
        self._searched += 1
        best, least_rad = known
        turn_rad = 2.0 * math.pi * self._searched / _ROLLS
        fresh = self._solver.solve(posture, np.array(rolled(target, self._face, turn_rad)))
        pointing = turned(self._reached(fresh.angles_rad), self._face)
        if between(pointing, direction) > least_rad - _LOST_RAD:
            return best
        self._note_switch("with another roll it points there")
        self._searched = 0
        return fresh

    def _target(self, posture: list[float], direction: Vector) -> Quaternion:
        """The orientation to try first: the last one brought to the new direction."""
        carried = None
        if self._previous is not None:
            last = quaternion_of(self._previous.target_wxyz)
            carried = product(arc(turned(last, self._face), direction, about=last), last)
            self._carried += 1
            if not self._on_target or self._carried % _ROLL_BACK_EVERY:
                return carried
        natural = self._reached(posture)
        points = turned(natural, self._face)
        natural = product(arc(points, direction, about=natural), natural)
        if carried is None:
            return natural
        # Behind the posture's own direction every roll is as natural as its opposite.
        ahead = 0.5 + 0.5 * sum(a * b for a, b in zip(points, direction, strict=True))
        back_rad = _ROLL_BACK * ahead * twist_rad(carried, natural, self._face)
        return rolled(carried, self._face, back_rad)


def _angle(orientation_error: float) -> float:
    """The turn that is left, radians."""
    return 4.0 * math.asin(min(1.0, orientation_error / math.sqrt(2.0)))


def _weights(chain: IkChain) -> Hyperparameters:
    """An arm that points leaves its posture by far, as it must: the posture only ranks poses."""
    usual = Hyperparameters()
    return usual if chain.upright else replace(usual, posture_weight=_POINTING_POSTURE_WEIGHT)


def _parted(whole: Chain, body: WithTree, chain: IkChain) -> tuple[Chain | None, Chain]:
    """What carries the moving joints and stays as the posture has it, and what moves."""
    names = [joint.name for joint in whole.joints]
    first = 0 if chain.begins is None else names.index(chain.begins)
    if first == 0:
        return None, whole
    row = [replace(whole.joints[first], parent=None), *whole.joints[first + 1 :]]
    end = body.tree.end_points.get(chain.end_point, EndPoint(names[-1]))
    moving = Chain(row, end.offset_m, end.offset_wxyz, name=chain.end_point)
    return body.tree.chain(names[first - 1]), moving
