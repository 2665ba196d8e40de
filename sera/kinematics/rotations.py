"""Rotations as unit quaternions (w, x, y, z) in numpy arrays.

Design overview: every function takes single values or whole arrays: the last axis holds the
quaternion or the vector, all axes before it broadcast. Products compose from right to left:
`multiply(a, b)` turns by `b` first, then by `a`. A quaternion and its negative are the same
rotation; where one of the two has to be chosen, w is not negative.

Yaw, pitch and roll turn about +Y, +X and +Z: `yaw · pitch · roll`, that is, roll first about the
axes of the base, then pitch, then yaw (or, seen from the body, yaw first). In the zero pose a
body faces +Z with +Y up and +X to its own left: positive yaw turns to its left, positive pitch
looks down, positive roll tilts the head to its right. At a pitch of ± 90° yaw and roll turn
about the same axis (gimbal lock): roll is then given as nought and yaw takes all.

Units and frames: radians, right-handed.
Threading: no state.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray

UNIT_TOLERANCE = 1e-3
"""How far the length of a quaternion may be from 1 before it is refused."""

_GIMBAL_COSINE = 1e-7
_MATRIX_TOLERANCE = 1e-6
_NEARLY_PARALLEL = 1e-9


def checked_unit(quaternion: ArrayLike, what: str = "quaternion") -> FloatArray:
    """The quaternions at exactly length one, or a ValueError that says what is wrong with them.

    `what` is what the sentence calls them, such as "target".
    """
    array = _numbers(quaternion, 4, what)
    length = np.linalg.norm(array, axis=-1, keepdims=True)
    worst = float(np.max(np.abs(length - 1.0), initial=0.0))
    if worst > UNIT_TOLERANCE:
        found = float(length.flat[int(np.argmax(np.abs(length - 1.0)))])
        raise ValueError(
            f"The {what} has the length {found:.6g}; a rotation is a quaternion (w, x, y, z) of "
            f"length 1: divide it by its length."
        )
    return np.asarray(array / length)


def multiply(a_wxyz: ArrayLike, b_wxyz: ArrayLike) -> FloatArray:
    """The rotation by `b`, then by `a`."""
    aw, ax, ay, az = _parts(_numbers(a_wxyz, 4, "first quaternion"))
    bw, bx, by, bz = _parts(_numbers(b_wxyz, 4, "second quaternion"))
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(wxyz: ArrayLike) -> FloatArray:
    """The opposite rotation."""
    return np.asarray(_numbers(wxyz, 4, "quaternion") * (1.0, -1.0, -1.0, -1.0))


def rotate(wxyz: ArrayLike, vectors: ArrayLike) -> FloatArray:
    """Vectors turned by a rotation."""
    quaternion = _numbers(wxyz, 4, "quaternion")
    vector = _numbers(vectors, 3, "vector")
    twice = 2.0 * cross(quaternion[..., 1:], vector)
    return np.asarray(vector + quaternion[..., :1] * twice + cross(quaternion[..., 1:], twice))


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross products along the last axis; for single vectors in a tenth of numpy's time."""
    if a.ndim == b.ndim == 1:
        ax, ay, az = a.tolist()
        bx, by, bz = b.tolist()
        return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def from_axis_angle(axis: ArrayLike, angle_rad: ArrayLike) -> FloatArray:
    """The rotation by an angle about an axis of any length but nought."""
    direction = _numbers(axis, 3, "axis")
    length = np.linalg.norm(direction, axis=-1, keepdims=True)
    if np.any(length == 0.0):
        raise ValueError("The axis is (0, 0, 0); an axis has a direction.")
    half = 0.5 * _numbers(angle_rad, None, "angle")[..., np.newaxis]
    vector, scalar = np.broadcast_arrays(np.sin(half) * direction / length, np.cos(half))
    return np.concatenate([scalar[..., :1], vector], axis=-1)


def from_rotation_vector(vector_rad: ArrayLike) -> FloatArray:
    """The rotation whose axis is the vector's direction and whose angle is its length."""
    vector = _numbers(vector_rad, 3, "rotation vector")
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    # sinc stays exact where the vector vanishes.
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / math.pi) * vector], axis=-1)


def to_rotation_vector(wxyz: ArrayLike) -> FloatArray:
    """Axis times angle of the shorter way round, of a length of at most π."""
    quaternion = checked_unit(wxyz)
    vector = np.where(quaternion[..., :1] < 0.0, -1.0, 1.0) * quaternion[..., 1:]
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, np.abs(quaternion[..., :1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(sine > 1e-150, angle / sine, 2.0)
    return np.asarray(factor * vector)


def to_matrix(wxyz: ArrayLike) -> FloatArray:
    """Rotation matrices (..., 3, 3), which multiply column vectors from the left."""
    w, x, y, z = _parts(checked_unit(wxyz))
    rows = [
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
    ]
    return np.stack(rows, axis=-2)


def from_matrix(matrix: ArrayLike) -> FloatArray:
    """The rotation of a matrix (..., 3, 3), with w not negative."""
    array = np.asarray(matrix, dtype=np.float64)
    if array.shape[-2:] != (3, 3) or not np.all(np.isfinite(array)):
        raise ValueError(f"A rotation matrix has 3 x 3 finite numbers; given was {matrix!r}.")
    product = array @ np.swapaxes(array, -1, -2)
    off = float(np.max(np.abs(product - np.eye(3)), initial=0.0))
    if off > _MATRIX_TOLERANCE or np.any(np.linalg.det(array) < 0.0):
        raise ValueError(
            f"The matrix is no rotation: its rows miss right angles and unit length by {off:.2g}, "
            "or it mirrors; its determinant must be +1."
        )
    xx, yy, zz = (array[..., i, i] for i in range(3))
    # Four times the squares of w, x, y, z; each column is the quaternion times one component.
    a, b, c = (array[..., i, j] - array[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    d, e, f = (array[..., i, j] + array[..., j, i] for i, j in ((1, 0), (0, 2), (2, 1)))
    columns = np.stack(
        [
            np.stack([1 + xx + yy + zz, a, b, c], axis=-1),
            np.stack([a, 1 + xx - yy - zz, d, e], axis=-1),
            np.stack([b, d, 1 - xx + yy - zz, f], axis=-1),
            np.stack([c, e, f, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(np.diagonal(columns, axis1=-2, axis2=-1), axis=-1)
    best = np.take_along_axis(columns, largest[..., np.newaxis, np.newaxis], axis=-2)[..., 0, :]
    best = best / np.linalg.norm(best, axis=-1, keepdims=True)
    return np.asarray(np.where(best[..., :1] < 0.0, -best, best))


def angle_between(a_wxyz: ArrayLike, b_wxyz: ArrayLike) -> FloatArray:
    """The smallest angle that turns one orientation into the other, from 0 to π."""
    turned = multiply(conjugate(checked_unit(a_wxyz)), checked_unit(b_wxyz))
    # The tangent keeps small angles exact, where the cosine would lose half of the digits.
    sine = np.linalg.norm(turned[..., 1:], axis=-1)
    return np.asarray(2.0 * np.arctan2(sine, np.abs(turned[..., 0])))


def slerp(a_wxyz: ArrayLike, b_wxyz: ArrayLike, fraction: ArrayLike) -> FloatArray:
    """The orientation at `fraction` of the shorter way from `a` (0) to `b` (1), at even speed."""
    start = checked_unit(a_wxyz, "first orientation")
    end = checked_unit(b_wxyz, "second orientation")
    part = _numbers(fraction, None, "fraction")[..., np.newaxis]
    cosine = np.sum(start * end, axis=-1, keepdims=True)
    end = np.where(cosine < 0.0, -end, end)
    cosine = np.abs(cosine)
    sine = np.linalg.norm(end - cosine * start, axis=-1, keepdims=True)
    angle = np.arctan2(sine, cosine)
    with np.errstate(invalid="ignore", divide="ignore"):
        near = sine < _NEARLY_PARALLEL
        first = np.where(near, 1.0 - part, np.sin((1.0 - part) * angle) / sine)
        second = np.where(near, part, np.sin(part * angle) / sine)
    mixed = first * start + second * end
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True))


def from_yaw_pitch_roll(
    yaw_rad: ArrayLike, pitch_rad: ArrayLike, roll_rad: ArrayLike
) -> FloatArray:
    """The rotation by roll about +Z, then pitch about +X, then yaw about +Y."""
    yaw = from_axis_angle((0.0, 1.0, 0.0), yaw_rad)
    pitch = from_axis_angle((1.0, 0.0, 0.0), pitch_rad)
    roll = from_axis_angle((0.0, 0.0, 1.0), roll_rad)
    return multiply(multiply(yaw, pitch), roll)


def to_yaw_pitch_roll(wxyz: ArrayLike) -> FloatArray:
    """Yaw and roll within ± π and pitch within ± π/2, in the last axis (..., 3)."""
    matrix = to_matrix(wxyz)
    forward = matrix[..., :, 2]  # where the body faces: (sin yaw cos pitch, -sin pitch, cos ·)
    cosine = np.hypot(matrix[..., 1, 0], matrix[..., 1, 1])
    pitch = np.arctan2(-forward[..., 1], cosine)
    locked = cosine < _GIMBAL_COSINE
    yaw = np.where(
        locked,
        np.arctan2(-matrix[..., 2, 0], matrix[..., 0, 0]),
        np.arctan2(forward[..., 0], forward[..., 2]),
    )
    roll = np.where(locked, 0.0, np.arctan2(matrix[..., 1, 0], matrix[..., 1, 1]))
    return np.stack([yaw, pitch, roll], axis=-1)


def _parts(array: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    return array[..., 0], array[..., 1], array[..., 2], array[..., 3]


def _numbers(values: ArrayLike, count: int | None, what: str) -> FloatArray:
    """Finite numbers whose last axis has `count` of them (None: any shape)."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"The {what} must be numbers; given was {values!r}.") from None
    if count is not None and (array.ndim == 0 or array.shape[-1] != count):
        raise ValueError(f"The {what} needs {count} numbers; its shape is {array.shape}.")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"The {what} holds a number that is not finite: {values!r}.")
    return array
