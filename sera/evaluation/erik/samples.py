"""Which postures meet which orientations: the sweeps of the published evaluation.

Postures: the document prints counts (33, 377, 3789, 8305, 19657) but not how its sweeps were cut.
They are exactly the numbers of different points in the *union* of uniform sweeps with 1, 2, ..., n
steps from one limit to the other, all joints with the same number of steps: n = 10 for one, two
and three swept joints, 7 for four and 4 for six. So these are its sets, to the last posture. Root
and end twisters are not swept and stay at nought.

Orientations: triples of yaw about +Y, pitch about +X and roll about the end's own +Y, each within
± π. The same rule, with -π and π counted once because they are one orientation, gives 5542 triples
for n = 12 and 7738 for n = 13. The document has 7609; which ones is not known. Here the 5542 are
complete and, of the 2196 that the thirteenth sweep adds, 129 at even distances are left out.
Nought, ± π/2, π and all orientations along the axes are among them.

A sample is a pair, numbered `posture · 7609 + orientation`. A part of all samples is drawn one from
each of as many equal strata, so that a draw touches every posture alike, never repeats a pair, and
can be made again for any stretch of it without drawing the rest.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sera.evaluation.erik.skeletons import ORIENTATIONS, Skeleton
from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics.rotations import multiply

_COMPLETE_ORIENTATION_SWEEPS = 12
_BLOCK = 4096
"""Strata that share a random stream; a stretch of samples draws whole blocks."""


def union_of_sweeps(joints: int, finest: int) -> FloatArray:
    """Different points of the sweeps with 1 to `finest` steps over [0, 1]^joints, in order."""
    return np.array(sorted(_points(joints, range(1, finest + 1))), dtype=np.float64)


def _points(joints: int, sweeps: range) -> set[tuple[Fraction, ...]]:
    points: set[tuple[Fraction, ...]] = set()
    for steps in sweeps:
        values = [Fraction(step, steps) for step in range(steps + 1)]
        points.update(itertools.product(values, repeat=joints))
    return points


def _once_around(points: set[tuple[Fraction, ...]]) -> set[tuple[Fraction, ...]]:
    return {tuple(share % 1 for share in point) for point in points}


@lru_cache(maxsize=8)
def postures_rad(skeleton: Skeleton) -> FloatArray:
    """All target postures (count, dof) of a skeleton."""
    ends = (0, skeleton.dof - 1)
    swept = [joint for joint, axis in enumerate(skeleton.axes) if axis != "Y" or joint not in ends]
    shares = union_of_sweeps(len(swept), skeleton.finest_sweep)
    postures = np.zeros((len(shares), skeleton.dof))
    postures[:, swept] = (2.0 * shares - 1.0) * skeleton.limit_rad
    postures.setflags(write=False)
    return postures


@lru_cache(maxsize=1)
def yaw_pitch_roll_rad() -> FloatArray:
    """The 7609 triples of angles."""
    finest = _COMPLETE_ORIENTATION_SWEEPS + 1
    complete = _once_around(_points(3, range(1, finest)))
    added = sorted(_once_around(_points(3, range(finest, finest + 1))) - complete)
    too_many = len(complete) + len(added) - ORIENTATIONS
    left_out = {(2 * place + 1) * len(added) // (2 * too_many) for place in range(too_many)}
    kept = [point for place, point in enumerate(added) if place not in left_out]
    fractions = np.array(sorted(complete.union(kept)), dtype=np.float64)
    angles: FloatArray = (2.0 * fractions - 1.0) * math.pi
    return angles


@lru_cache(maxsize=1)
def orientations_wxyz() -> FloatArray:
    """The 7609 target orientations (7609, 4)."""
    yaw, pitch, roll = yaw_pitch_roll_rad().T
    turned = multiply(multiply(_about(2, yaw), _about(1, pitch)), _about(2, roll))
    orientations = np.ascontiguousarray(turned)
    orientations.setflags(write=False)
    return orientations


def _about(axis: int, angles_rad: FloatArray) -> FloatArray:
    """Quaternions of turns about the axis x (1), y (2) or z (3)."""
    turns = np.zeros((len(angles_rad), 4))
    turns[:, 0] = np.cos(0.5 * angles_rad)
    turns[:, axis] = np.sin(0.5 * angles_rad)
    return turns


def draw(total: int, count: int, start: int, stop: int, seed: tuple[int, ...]) -> IntArray:
    """Numbers `start` to `stop` of `count` different samples out of `total`, in rising order."""
    if not 0 < count <= total:
        raise ValueError(f"{count} samples cannot be drawn out of {total}: draw 1 to {total}.")
    first_block, last_block = start // _BLOCK, (stop - 1) // _BLOCK
    blocks = []
    for block in range(first_block, last_block + 1):
        strata = np.arange(block * _BLOCK, min((block + 1) * _BLOCK, count), dtype=np.int64)
        lowest = strata * total // count
        highest = (strata + 1) * total // count
        random = np.random.default_rng([*seed, block])
        blocks.append(random.integers(lowest, highest))
    drawn = np.concatenate(blocks)
    offset = first_block * _BLOCK
    return drawn[start - offset : stop - offset]


def pairs(skeleton: Skeleton, numbers: IntArray) -> tuple[FloatArray, FloatArray]:
    """Postures (m, dof) and targets (m, 4) of the samples with these numbers."""
    posture_of, orientation_of = np.divmod(numbers, ORIENTATIONS)
    return postures_rad(skeleton)[posture_of], orientations_wxyz()[orientation_of]
