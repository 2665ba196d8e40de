"""Compiled forward kinematics and Jacobian of a serial chain.

Design overview: a chain is described in its zero pose, in the frame of its base: every joint has
an axis and the segment that leads to the next joint (the last: to the end point). There all
orientations between joints are folded into these vectors, so that a pose is a product of turns
about axes, `R = r_1 · r_2 · … · r_n`, and a sum of turned segments. Nothing is allocated: the
caller passes the output arrays.

The five arrays that describe a chain (`Chain.kernel_arrays`) come first in every kernel:

    kinds       (n,) int64    REVOLUTE or PRISMATIC
    axes        (n, 3)        unit axes of the zero pose, base frame
    segments_m  (n, 3)        joint i to joint i + 1, the last one to the end point
    root_m      (3,)          place of the first joint
    tip_wxyz    (4,)          orientation of the end point in the zero pose

Units and frames: radians for revolute joints, metres for prismatic ones and for all lengths;
quaternions (w, x, y, z); results in the base frame.
Threading: no state; the interpreter lock is released.
Safety: angles are taken as they are: neither limits nor NaN are looked for here.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import about, cross, multiply, rotate, row3

REVOLUTE = 0
PRISMATIC = 1


@kernel
def chain_pose(
    kinds: IntArray,
    axes: FloatArray,
    segments_m: FloatArray,
    root_m: FloatArray,
    tip_wxyz: FloatArray,
    angles: FloatArray,
    position_m: FloatArray,
    orientation_wxyz: FloatArray,
) -> None:
    """Write the place (3,) and orientation (4,) of the end point."""
    x, y, z = root_m[0], root_m[1], root_m[2]
    turned = (1.0, 0.0, 0.0, 0.0)
    for index in range(len(angles)):
        axis = row3(axes, index)
        segment = row3(segments_m, index)
        angle = angles[index]
        if kinds[index] == PRISMATIC:
            segment = (
                segment[0] + axis[0] * angle,
                segment[1] + axis[1] * angle,
                segment[2] + axis[2] * angle,
            )
        else:
            turned = multiply(turned, about(axis, angle))
        step = rotate(turned, segment)
        x += step[0]
        y += step[1]
        z += step[2]
    w = multiply(turned, (tip_wxyz[0], tip_wxyz[1], tip_wxyz[2], tip_wxyz[3]))
    position_m[0], position_m[1], position_m[2] = x, y, z
    orientation_wxyz[0], orientation_wxyz[1] = w[0], w[1]
    orientation_wxyz[2], orientation_wxyz[3] = w[2], w[3]


@kernel
def chain_jacobian(
    kinds: IntArray,
    axes: FloatArray,
    segments_m: FloatArray,
    root_m: FloatArray,
    tip_wxyz: FloatArray,
    angles: FloatArray,
    position_m: FloatArray,
    orientation_wxyz: FloatArray,
    jacobian: FloatArray,
) -> None:
    """Write the pose and the geometric Jacobian (6, n): three linear rows, three angular ones."""
    x, y, z = root_m[0], root_m[1], root_m[2]
    turned = (1.0, 0.0, 0.0, 0.0)
    for index in range(len(angles)):
        axis = row3(axes, index)
        segment = row3(segments_m, index)
        angle = angles[index]
        direction = rotate(turned, axis)  # a joint's own turn leaves its axis where it is
        # The linear rows wait with the joint's place until the end point is known.
        jacobian[0, index], jacobian[1, index], jacobian[2, index] = x, y, z
        jacobian[3, index] = direction[0]
        jacobian[4, index] = direction[1]
        jacobian[5, index] = direction[2]
        if kinds[index] == PRISMATIC:
            x += direction[0] * angle
            y += direction[1] * angle
            z += direction[2] * angle
        else:
            turned = multiply(turned, about(axis, angle))
        step = rotate(turned, segment)
        x += step[0]
        y += step[1]
        z += step[2]
    for index in range(len(angles)):
        direction = (jacobian[3, index], jacobian[4, index], jacobian[5, index])
        if kinds[index] == PRISMATIC:
            linear = direction
            jacobian[3, index] = jacobian[4, index] = jacobian[5, index] = 0.0
        else:
            arm = (x - jacobian[0, index], y - jacobian[1, index], z - jacobian[2, index])
            linear = cross(direction, arm)
        jacobian[0, index], jacobian[1, index], jacobian[2, index] = linear
    w = multiply(turned, (tip_wxyz[0], tip_wxyz[1], tip_wxyz[2], tip_wxyz[3]))
    position_m[0], position_m[1], position_m[2] = x, y, z
    orientation_wxyz[0], orientation_wxyz[1] = w[0], w[1]
    orientation_wxyz[2], orientation_wxyz[3] = w[2], w[3]


@kernel
def chain_points(
    kinds: IntArray,
    axes: FloatArray,
    segments_m: FloatArray,
    root_m: FloatArray,
    tip_wxyz: FloatArray,  # noqa: ARG001 - the five arrays of a chain stay together
    angles: FloatArray,
    points_m: FloatArray,
) -> None:
    """Write the places (n + 1, 3) of all joints and, last, of the end point.

    The place of a prismatic joint is where its slide begins.
    """
    x, y, z = root_m[0], root_m[1], root_m[2]
    turned = (1.0, 0.0, 0.0, 0.0)
    points_m[0, 0], points_m[0, 1], points_m[0, 2] = x, y, z
    for index in range(len(angles)):
        axis = row3(axes, index)
        segment = row3(segments_m, index)
        angle = angles[index]
        if kinds[index] == PRISMATIC:
            segment = (
                segment[0] + axis[0] * angle,
                segment[1] + axis[1] * angle,
                segment[2] + axis[2] * angle,
            )
        else:
            turned = multiply(turned, about(axis, angle))
        step = rotate(turned, segment)
        x += step[0]
        y += step[1]
        z += step[2]
        points_m[index + 1, 0], points_m[index + 1, 1], points_m[index + 1, 2] = x, y, z
