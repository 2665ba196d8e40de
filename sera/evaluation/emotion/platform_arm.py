"""A platform that drives in all directions with an arm of seven joints on it, and paths for it.

The arm has the published geometry of the KUKA LWR 4+: seven revolute joints whose axes stand
upright on each other in turn, shoulder 0.3105 m above its foot, then 0.4 m to the elbow, 0.39 m to
the wrist and 0.078 m to the flange; ±170° and ±120° by turns. It stands in the middle of the
platform, 0.708 m above the floor. The null-space document drives this body in its trials of the
continuous inverse and of visibility.

Units and frames: metres and radians; y up. Stretched straight up in the zero pose; positive angles
of the second, fourth and sixth joint bend it forwards, to +z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics import rotations
from sera.kinematics._arrays import FloatArray
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.tree import EndPoint, Tree

PLATFORM = ("x", "z", "yaw")
HEIGHT_M = 0.708
SHOULDER_M, UPPER_ARM_M, FOREARM_M, HAND_M = 0.3105, 0.4, 0.39, 0.078

START_RAD = np.array([0.0, 0.0, 0.0, 0.0, 0.6, 0.0, 1.2, 0.0, 0.7, 0.0])
"""Bent, the hand before the body; the platform at nought."""

_APART_S = 1e-4
_SWINGS = (1.0, 1.0, 0.5, 0.8, 0.5, 0.8, 0.45, 1.0, 0.6, 1.5)
"""How far the joints swing at most by their slow waves; with the faster ones, a third more."""
_UPRIGHT, _ACROSS = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
_SEGMENTS_M = (HEIGHT_M, SHOULDER_M, 0.0, UPPER_ARM_M, 0.0, FOREARM_M, 0.0)


def platform_arm() -> Tree:
    """The tree of 10 joints: `PLATFORM`, then a1 to a7; end point `hand`.

    Frames `foot`, `shoulder`, `elbow` and `wrist` are known as well.
    """
    joints = [
        Joint("x", JointKind.PRISMATIC, axis=(1, 0, 0), lower=-100, upper=100, velocity_limit=1.0),
        Joint(
            "z", JointKind.PRISMATIC, axis=(0, 0, 1), lower=-100, upper=100, velocity_limit=1.0,
            parent="x",
        ),
        Joint("yaw", axis=_UPRIGHT, lower=-100, upper=100, velocity_limit=1.0, parent="z"),
    ]  # fmt: skip
    parent = "yaw"
    for number, segment_m in enumerate(_SEGMENTS_M, start=1):
        swings = number % 2 == 0
        end = math.radians(120.0 if swings else 170.0)
        joints.append(
            Joint(
                f"a{number}",
                axis=_ACROSS if swings else _UPRIGHT,
                origin_m=(0.0, segment_m, 0.0),
                lower=-end,
                upper=end,
                velocity_limit=math.radians(110.0),
                parent=parent,
            )
        )
        parent = f"a{number}"
    return Tree(
        joints,
        {"hand": EndPoint("a7", (0.0, HAND_M, 0.0))},
        name="platform with an arm",
        frames={
            "foot": EndPoint("yaw", (0.0, HEIGHT_M, 0.0)),
            "shoulder": EndPoint("a2"),
            "elbow": EndPoint("a4"),
            "wrist": EndPoint("a6"),
        },
    )


class HandPath(NamedTuple):
    """Where the hand should be, step by step, and how far the platform should keep away."""

    dt_s: float
    places_m: FloatArray  # (n, 3)
    speeds_m_s: FloatArray  # (n, 3)
    turns_wxyz: FloatArray  # (n, 4)
    spins_rad_s: FloatArray  # (n, 3)
    separations_m: FloatArray  # (n, 2) from the hand to the platform, x and z


def demanding_path(seed: int, duration_s: float = 20.0, dt_s: float = 0.005) -> HandPath:
    """A path that the body can follow with its joints well inside their ranges, if left alone.

    It is the hand's of joints that swing about `START_RAD`, so that the ends of joints and the hand
    do not contradict each other. Where the platform should be goes its own way around the hand,
    which brings joints to their ends.
    """
    rng = np.random.default_rng(seed)
    tree = platform_arm()
    swings = _Waves.drawn(rng, _SWINGS, 0.35, (8.0, 16.0))
    around = _Waves.drawn(rng, (0.2, 2.2), 0.0, (8.0, 20.0))

    def hand(times_s: FloatArray) -> tuple[FloatArray, FloatArray]:
        angles = START_RAD + _begun(times_s) * swings.at(times_s)
        poses = [tree.pose(each, "hand") for each in angles]
        return np.array([pose[0] for pose in poses]), np.array([pose[1] for pose in poses])

    times_s = dt_s * np.arange(round(duration_s / dt_s), dtype=np.float64)
    places_m, turns_wxyz = hand(times_s)
    ahead_m, ahead_wxyz = hand(times_s + _APART_S)
    behind_m, behind_wxyz = hand(times_s - _APART_S)
    change = rotations.multiply(ahead_wxyz, rotations.conjugate(behind_wxyz))
    ring = _begun(times_s) * around.at(times_s)
    distances_m, angles = 0.6 + ring[:, 0], math.pi + ring[:, 1]
    return HandPath(
        dt_s,
        places_m,
        (ahead_m - behind_m) / (2.0 * _APART_S),
        turns_wxyz,
        rotations.to_rotation_vector(change) / (2.0 * _APART_S),
        np.stack([distances_m * np.sin(angles), distances_m * np.cos(angles)], axis=-1),
    )


class _Waves(NamedTuple):
    """A slow and a faster wave for each of several numbers."""

    sizes: FloatArray  # (k, 2)
    rates: FloatArray  # (k, 2) radians a second
    phases: FloatArray  # (k, 2)

    @classmethod
    def drawn(
        cls,
        rng: np.random.Generator,
        most: tuple[float, ...],
        faster: float,
        periods_s: tuple[float, float],
    ) -> _Waves:
        """Draw sizes up to `most` for the slow waves, a share `faster` of it for the others."""
        shape = (len(most), 2)
        sizes = np.array(most)[:, np.newaxis] * rng.uniform(0.4, 1.0, shape) * (1.0, faster)
        periods = rng.uniform(*periods_s, shape) * (1.0, 0.4)
        return cls(sizes, math.tau / periods, rng.uniform(0.0, math.tau, shape))

    def at(self, times_s: FloatArray) -> FloatArray:
        """All numbers (n, k) at some times (n,)."""
        waves = self.sizes * np.sin(self.rates * times_s[:, np.newaxis, np.newaxis] + self.phases)
        return np.asarray(waves.sum(axis=-1))


def _begun(times_s: FloatArray) -> FloatArray:
    """From 0 to 1 in the first two seconds, so that the path begins where the hand is."""
    way = np.clip(times_s / 2.0, 0.0, 1.0)[:, np.newaxis]
    return np.asarray(way**3 * (10.0 - 15.0 * way + 6.0 * way**2))
