"""What somebody sees of a greeting: how lively, how jerky, and whether they are looked at. Pure.

Design overview
    Joint angles alone go in. From the moments in which the right hand is above its shoulder (the
    robot waves) three quantities are measured, ten times a second, as coarsely as one remembers:

        energy          half the mean of the squared joint speeds of the left arm, inertias one
        unrest          root mean square of the jerk over that of the speed, of the left arm
        aversion        mean angle between where the face points and where one's eyes are

    The left arm has no task of its own: how it moves is what the robot feels. Unrest is a ratio, so
    that a small motion can be as jerky as a large one. Each becomes a feature from 0 to 1 on a
    straight scale; how fast an arm is at an activity grows with its jerkiness, and is reckoned so.

Units and frames
    Radians, seconds, metres in the robot's base frame (Y up, it faces +Z), degrees for aversion.

Threading
    One owner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sera.emotion import Features
from sera.kinematics.rotations import rotate

if TYPE_CHECKING:
    from sera.animation.body import Body

FloatArray = NDArray[np.float64]
LEFT_ARM = ("LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw")
SHOULDER, HAND, HEAD = "RShoulderPitch", "right_hand", "head"
FACE = (0.0, 0.0, 1.0)
"""Where the face points, in the head's own frame."""
STEP_S = 0.1
LEAST_S = 1.5
"""A hand that was up for less has not waved."""
STILL_RAD_S = 1e-4
"""An arm that is slower stands still, and is not jerky."""

# Calibrated on the simulated Pepper: at these ends the eight corners read 0.125 and 0.875.
UNREST_PER_S2 = (22.6, 117.3)
AVERSION_DEG = (28.45, 4.06)
SPEED_RAD_S = (1.46, 0.67)
"""Root mean square speed at activity one: without jerkiness, and what jerkiness one adds."""
LOW, HIGH = 0.125, 0.875


@dataclass(frozen=True, slots=True)
class SeenGreeting:
    """What was measured while the robot waved."""

    energy: float
    unrest_per_s2: float
    aversion_deg: float
    lasted_s: float

    @property
    def features(self) -> Features:
        """The three as features."""
        jerkiness = _on_scale(self.unrest_per_s2, UNREST_PER_S2)
        speed = math.sqrt(2.0 * self.energy)
        activity = speed / (SPEED_RAD_S[0] + SPEED_RAD_S[1] * jerkiness)
        gaze = _on_scale(self.aversion_deg, AVERSION_DEG)
        return Features(jerkiness=jerkiness, activity=min(1.0, activity), gaze=gaze)


class GreetingReader:
    """Watches one body.

    Args:
        body: whose kinematics is known to everybody who can see.
        eyes_m: of the person, as the robot stands.

    Raises:
        LookupError: the body has no such arms.
    """

    def __init__(self, body: Body, eyes_m: tuple[float, float, float]) -> None:
        self._tree = body.tree
        self._names = tuple(body.tree.joint_names)
        self._neutral = {name: channel.neutral for name, channel in body.own.items()}
        self._eyes_m = np.array(eyes_m)
        for joint in (*LEFT_ARM, SHOULDER):
            if joint not in self._names:
                raise LookupError(
                    f"a greeting is read from two arms, but '{body.name}' has no joint '{joint}'"
                )
        self._arm = [self._names.index(name) for name in LEFT_ARM]
        self._chain = body.tree.chain(HAND)
        self._shoulder = list(self._chain.joint_names).index(SHOULDER)
        self._in_chain = [self._names.index(name) for name in self._chain.joint_names]
        self._times_s: list[float] = []
        self._frames: list[list[float]] = []

    def see(self, at_s: float, joints_rad: Mapping[str, float]) -> None:
        """The body at a moment; a joint that is not told is where it was."""
        if self._times_s and at_s <= self._times_s[-1]:
            return
        before = self._frames[-1] if self._frames else [self._neutral[n] for n in self._names]
        self._times_s.append(at_s)
        self._frames.append(
            [joints_rad.get(name, last) for name, last in zip(self._names, before, strict=True)]
        )

    def read(self) -> SeenGreeting | None:
        """What the last greeting looked like, and forget it; None where nobody waved."""
        times, frames = np.array(self._times_s), np.array(self._frames)
        self._times_s, self._frames = self._times_s[-1:], self._frames[-1:]
        if len(times) < 2:
            return None
        grid = np.arange(times[0], times[-1], STEP_S)
        poses = np.column_stack(
            [np.interp(grid, times, frames[:, joint]) for joint in range(frames.shape[1])]
        )
        watched = poses[_last_stretch([self._hand_is_up(pose) for pose in poses])]
        if not len(watched):
            return None
        speeds = np.diff(watched[:, self._arm], axis=0) / STEP_S
        jerks = np.diff(speeds, n=2, axis=0) / STEP_S**2
        energy = 0.5 * float(np.mean(np.sum(speeds**2, axis=1)))
        speed = math.sqrt(2.0 * energy)
        jerk = math.sqrt(float(np.mean(np.sum(jerks**2, axis=1))))
        return SeenGreeting(
            energy=energy,
            unrest_per_s2=jerk / speed if speed > STILL_RAD_S else 0.0,
            aversion_deg=float(np.mean([self._aversion_deg(pose) for pose in watched])),
            lasted_s=len(watched) * STEP_S,
        )

    def _hand_is_up(self, pose: FloatArray) -> bool:
        angles = pose[self._in_chain]
        shoulder_m = self._chain.joint_positions_m(angles)[self._shoulder]
        return bool(self._chain.pose(angles).position_m[1] > shoulder_m[1])

    def _aversion_deg(self, pose: FloatArray) -> float:
        head = self._tree.pose(pose, HEAD)
        there = self._eyes_m - head.position_m
        face = rotate(head.orientation_wxyz, FACE)
        cosine = float(face @ there) / float(np.linalg.norm(there))
        return math.degrees(math.acos(min(max(cosine, -1.0), 1.0)))


def _on_scale(value: float, ends: tuple[float, float]) -> float:
    """From the two ends, which are 0.125 and 0.875, to a feature."""
    share = (value - ends[0]) / (ends[1] - ends[0])
    return min(max(LOW + share * (HIGH - LOW), 0.0), 1.0)


def _last_stretch(flags: list[bool]) -> slice:
    """The last run of true ones that is long enough for a wave; the greeting before is past."""
    found, since = slice(0, 0), None
    for place, flag in enumerate([*flags, False]):
        if flag and since is None:
            since = place
        elif not flag and since is not None:
            if (place - since) * STEP_S >= LEAST_S:
                found = slice(since, place)
            since = None
    return found
