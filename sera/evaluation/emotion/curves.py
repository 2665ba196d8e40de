"""What emotions do over time, measured: the free arm, the gaze, the waving hand, speed and jerk.

Design overview: every emotion is played through the whole engine (`plays`), with a wave where the
body has hands. Joints are those of the left arm, which is free; of the whole body where it has no
hands. `curve_figure` draws what is measured here.

Units and frames: radians, metres, seconds from the wave's beginning; speed and jerk are those of
the joints together, root of the sum of squares.
Threading: pure; every play has an engine of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sera.animation.engine import Aiming
from sera.animation.sheets.performance import Performance
from sera.animation.stage_set import StageSet
from sera.emotion import PAD
from sera.emotion.profile import NullSpaceProfile, Profile
from sera.emotion.wish import Wish
from sera.evaluation.emotion.plays import CONTROL_RATE_HZ, end_path, joint_angles, play
from sera.kinematics._arrays import FloatArray
from sera.kinematics.rotations import rotate

GESTURE = "wave"
SECONDS = 4.0
WAVES_S = (1.3, 2.7)
"""Between these times the hand has joined its path and has not left it."""


@dataclass(frozen=True, eq=False)
class Curves:
    """What one emotion does over time."""

    wish: Wish
    times_s: FloatArray
    joints: tuple[str, ...]
    angles_rad: FloatArray
    """(frames, joints)"""
    gaze_rad: FloatArray | None
    """From the partner, one a frame; None for a body that looks nowhere."""
    hand_m: FloatArray | None
    """From the path of the wave without any emotion; None for a body without hands."""
    speed_rad_s: FloatArray
    jerk_rad_s3: FloatArray

    @property
    def rms_jerk(self) -> float:
        """Root mean square over time, rad/s³."""
        return float(np.sqrt(np.mean(self.jerk_rad_s3**2)))

    @property
    def energy(self) -> float:
        """Mean of half the squared speeds, with inertia one."""
        return float(np.mean(0.5 * self.speed_rad_s**2))

    @property
    def gaze_deg(self) -> float | None:
        """From the partner, on average while it waves."""
        if self.gaze_rad is None:
            return None
        return math.degrees(float(np.mean(self.gaze_rad[self._waves])))

    @property
    def hand_mm(self) -> float | None:
        """The farthest from its path while it waves."""
        return None if self.hand_m is None else 1000.0 * float(self.hand_m[self._waves].max())

    @property
    def _waves(self) -> slice:
        first, last = (int(np.searchsorted(self.times_s, at_s)) for at_s in WAVES_S)
        return slice(first, last)


def measure(stage_set: StageSet, profile: Profile, wishes: Sequence[Wish]) -> list[Curves]:
    """Play emotions and measure them; the first entry is the play in which nothing is felt."""
    gesture = GESTURE if isinstance(profile, NullSpaceProfile) and profile.hands else None
    plain = play(stage_set, None, gesture=gesture, seconds=SECONDS)
    found = [_curves(Wish("nothing felt", PAD.neutral()), profile, plain, plain)]
    for wish in wishes:
        played = play(stage_set, wish.pad, gesture=gesture, seconds=SECONDS)
        found.append(_curves(wish, profile, played, plain))
    return found


def _curves(wish: Wish, profile: Profile, played: Performance, plain: Performance) -> Curves:
    tree, joints, hand_m = played.body.tree, tuple(played.body.tree.joint_names), None
    if isinstance(profile, NullSpaceProfile) and profile.hands:
        joints = profile.hand("left").joints
        right = profile.hand("right").end_point
        hand_m = np.linalg.norm(end_path(played, right) - end_path(plain, right), axis=1)
    angles = joint_angles(played)[:, [tree.joint_names.index(joint) for joint in joints]]
    rate_hz = CONTROL_RATE_HZ
    return Curves(
        wish=wish,
        times_s=played.times_s,
        joints=joints,
        angles_rad=angles,
        gaze_rad=_from_partner(played, profile),
        hand_m=hand_m,
        speed_rad_s=np.linalg.norm(np.diff(angles, axis=0), axis=1) * rate_hz,
        jerk_rad_s3=np.linalg.norm(np.diff(angles, n=3, axis=0), axis=1) * rate_hz**3,
    )


def _from_partner(played: Performance, profile: Profile) -> FloatArray | None:
    """The angle between where the head faces and straight ahead, where the partner is."""
    body = played.body
    if isinstance(profile, NullSpaceProfile):
        if profile.head is None:
            return None
        end, axis = profile.head.end_point, profile.head.axis
        faces = [
            rotate(body.tree.pose(row, end).orientation_wxyz, axis) for row in joint_angles(played)
        ]
        return np.arccos(np.clip(np.array(faces)[:, 2], -1.0, 1.0))
    if not body.chains:
        return None
    aiming, names = Aiming(body, body.chains[0]), list(body.own)
    looks = [aiming.looks_at(dict(zip(names, row.tolist(), strict=True))) for row in played.frames]
    return np.array([math.acos(math.cos(right) * math.cos(up)) for right, up in looks])
