"""Compiled kinematics of a tree of joints.

Design overview: as in `_chain_kernels` everything is laid out in the zero pose and in the base
frame. A joint's turn is the product of the turns from the root to it; nothing is allocated, the
caller passes the output arrays.

The eight arrays that describe a tree (`Tree.kernel_arrays`), parents before children:

    parents      (n,) int64   index of the parent joint, -1 for the base
    kinds        (n,) int64   REVOLUTE, PRISMATIC or FIXED
    columns      (n,) int64   which angle moves the joint, -1 for a fixed one
    multipliers  (n,)         joint value = multiplier * angle + shift; 1 and 0 unless it is
    shifts       (n,)         driven by another joint
    axes         (n, 3)       unit axes of the zero pose, base frame
    offsets_m    (n, 3)       from the parent joint to this one in the zero pose, base frame
    zero_wxyz    (n, 4)       orientation of the joint's own frame in the zero pose

Units and frames: radians for revolute joints, metres for prismatic ones; quaternions (w, x, y, z);
results in the base frame.
Threading: no state; the interpreter lock is released.
Safety: angles are taken as they are: neither limits nor NaN are looked for here.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC, REVOLUTE
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import about, cross, multiply, rotate, row3, row4

FIXED = 2


@kernel
def tree_frames(
    parents: IntArray,
    kinds: IntArray,
    columns: IntArray,
    multipliers: FloatArray,
    shifts: FloatArray,
    axes: FloatArray,
    offsets_m: FloatArray,
    zero_wxyz: FloatArray,  # noqa: ARG001 - the eight arrays of a tree stay together
    angles: FloatArray,
    positions_m: FloatArray,
    turns_wxyz: FloatArray,
    directions: FloatArray,
) -> None:
    """Write the places (n, 3), turns since the zero pose (n, 4) and axes (n, 3) of all joints.

    The place of a prismatic joint is where its link has slid to.
    """
    for index in range(len(parents)):
        parent = parents[index]
        place = (0.0, 0.0, 0.0)
        turned = (1.0, 0.0, 0.0, 0.0)
        if parent >= 0:
            place = row3(positions_m, parent)
            turned = row4(turns_wxyz, parent)
        axis = row3(axes, index)
        offset = rotate(turned, row3(offsets_m, index))
        direction = rotate(turned, axis)
        slide = 0.0
        if kinds[index] != FIXED:
            value = multipliers[index] * angles[columns[index]] + shifts[index]
            if kinds[index] == REVOLUTE:
                turned = multiply(turned, about(axis, value))
            else:
                slide = value
        for k in range(3):
            directions[index, k] = direction[k]
            positions_m[index, k] = place[k] + offset[k] + slide * direction[k]
        for k in range(4):
            turns_wxyz[index, k] = turned[k]


@kernel
def frame_orientations(
    turns_wxyz: FloatArray, zero_wxyz: FloatArray, orientations_wxyz: FloatArray
) -> None:
    """Write the orientations (n, 4) of frames from their turns since the zero pose."""
    for index in range(len(turns_wxyz)):
        turned = multiply(row4(turns_wxyz, index), row4(zero_wxyz, index))
        for k in range(4):
            orientations_wxyz[index, k] = turned[k]


@kernel
def tree_end_pose(
    joint: int,
    zero_offset_m: FloatArray,
    zero_orientation_wxyz: FloatArray,
    positions_m: FloatArray,
    turns_wxyz: FloatArray,
    position_m: FloatArray,
    orientation_wxyz: FloatArray,
) -> None:
    """Write the pose of a point that `joint` carries (-1: the base), given in the zero pose."""
    place = (0.0, 0.0, 0.0)
    turned = (1.0, 0.0, 0.0, 0.0)
    if joint >= 0:
        place = row3(positions_m, joint)
        turned = row4(turns_wxyz, joint)
    offset = rotate(turned, (zero_offset_m[0], zero_offset_m[1], zero_offset_m[2]))
    zero = zero_orientation_wxyz
    orientation = multiply(turned, (zero[0], zero[1], zero[2], zero[3]))
    for k in range(3):
        position_m[k] = place[k] + offset[k]
    for k in range(4):
        orientation_wxyz[k] = orientation[k]


@kernel
def tree_point_jacobian(
    joint: int,
    parents: IntArray,
    kinds: IntArray,
    columns: IntArray,
    multipliers: FloatArray,
    positions_m: FloatArray,
    directions: FloatArray,
    point_m: FloatArray,
    jacobian: FloatArray,
) -> None:
    """Write the geometric Jacobian (6, dof) of a point that `joint` carries."""
    jacobian[:, :] = 0.0
    index = joint
    while index >= 0:
        if kinds[index] != FIXED:
            column = columns[index]
            factor = multipliers[index]
            direction = row3(directions, index)
            if kinds[index] == PRISMATIC:
                for k in range(3):
                    jacobian[k, column] += factor * direction[k]
            else:
                place = row3(positions_m, index)
                arm = (point_m[0] - place[0], point_m[1] - place[1], point_m[2] - place[2])
                linear = cross(direction, arm)
                for k in range(3):
                    jacobian[k, column] += factor * linear[k]
                    jacobian[3 + k, column] += factor * direction[k]
        index = parents[index]


@kernel
def tree_centre_of_mass(
    masses_kg: FloatArray,
    zero_centres_m: FloatArray,
    positions_m: FloatArray,
    turns_wxyz: FloatArray,
    moments: FloatArray,
    centre_m: FloatArray,
) -> None:
    """Write the centre of mass (3,) and the mass moments (n, 3) of the single links.

    `zero_centres_m` are centres seen from their joints, in the zero pose and the base frame.
    """
    total = 0.0
    centre_m[0] = centre_m[1] = centre_m[2] = 0.0
    for index in range(len(masses_kg)):
        arm = rotate(row4(turns_wxyz, index), row3(zero_centres_m, index))
        total += masses_kg[index]
        for k in range(3):
            moments[index, k] = masses_kg[index] * (positions_m[index, k] + arm[k])
            centre_m[k] += moments[index, k]
    for k in range(3):
        centre_m[k] /= total


@kernel
def tree_centre_of_mass_jacobian(
    masses_kg: FloatArray,
    parents: IntArray,
    kinds: IntArray,
    columns: IntArray,
    multipliers: FloatArray,
    positions_m: FloatArray,
    directions: FloatArray,
    carried_kg: FloatArray,
    moments: FloatArray,
    jacobian: FloatArray,
) -> None:
    """Write the Jacobian (3, dof) of the centre of mass.

    One pass from the leaves to the root sums up mass and moment that each joint carries (in
    `carried_kg` and `moments`, which came from `tree_centre_of_mass`); a joint moves the centre
    of what it carries.
    """
    total = 0.0
    for index in range(len(masses_kg)):
        carried_kg[index] = masses_kg[index]
        total += masses_kg[index]
    jacobian[:, :] = 0.0
    for index in range(len(parents) - 1, -1, -1):
        mass = carried_kg[index]
        if kinds[index] != FIXED:
            factor = multipliers[index] / total
            direction = row3(directions, index)
            change = (mass * direction[0], mass * direction[1], mass * direction[2])
            if kinds[index] == REVOLUTE:
                place = row3(positions_m, index)
                moment = row3(moments, index)
                arm = (
                    moment[0] - mass * place[0],
                    moment[1] - mass * place[1],
                    moment[2] - mass * place[2],
                )
                change = cross(direction, arm)
            for k in range(3):
                jacobian[k, columns[index]] += factor * change[k]
        parent = parents[index]
        if parent >= 0:
            carried_kg[parent] += mass
            for k in range(3):
                moments[parent, k] += moments[index, k]
