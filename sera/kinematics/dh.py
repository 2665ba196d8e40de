"""Chains from Denavit-Hartenberg tables, classic and modified.

Design overview: a row (theta, d, a, alpha) places one frame after another. The joint's own angle
adds to theta (or, for a prismatic joint, its slide to d):

    classic   Rz(theta + q) · Tz(d) · Tx(a) · Rx(alpha)    the joint moves about the z before it
    modified  Rx(alpha) · Tx(a) · Rz(theta + q) · Tz(d)    the joint moves about the z of the row

As turning about z and sliding along z do not disturb each other, both kinds of joint move first
and the constant part of the row follows. The end point is the last frame.

A table knows neither up nor forward: the base of the chain is the table's own frame 0, z along the
first axis. `base_wxyz` turns it; `Z_UP_TO_Y_UP` of `sera.kinematics.urdf` makes a z that points up
our +Y.

A published table looked at: the classic table that the ERIK document prints for its DLS runs
(Table 6.6; theta, d, a, alpha = 0 10 0 ½π; ½π 0 30 0; 0 0 30 ½π; ½π 0 0 ½π; ½π 40 0 0) does give
its skeleton C, but not letter for letter. With frame 0 turned to z up and x forward the axes are
Y, -X, -X, +Z, Y: the fourth swing goes the other way round than "YXXZY" relative to the second and
third, whichever way the base is turned. As the limits are symmetric this changes the sign of
angles, not what the chain can do: the word's angles with the second and third negated give the
same orientations, up to one constant turn of the end frame. Segments are 10, 30, 30, 0, 40: the
fourth and fifth joint share a place, so that places agree with a word of these lengths and not
with one of equal lengths.

Units and frames: radians and metres (whatever unit the table has, times `scale`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sera.kinematics._angles import nearest_of
from sera.kinematics._quaternions import Quaternion, Vector, about, multiply, rotate
from sera.kinematics.chain import Chain, Limits, limits_of
from sera.kinematics.joints import Joint, JointKind

_KEYS = ("theta", "d", "a", "alpha", "kind", "name")
_X: Vector = (1.0, 0.0, 0.0)
_Z: Vector = (0.0, 0.0, 1.0)


class _Row(NamedTuple):
    theta_rad: float
    d_m: float
    a_m: float
    alpha_rad: float
    kind: JointKind
    name: str


class _Placement(NamedTuple):
    position_m: Vector
    orientation: Quaternion


def chain_from_dh(
    table: Sequence[object],
    *,
    modified: bool = False,
    limits_rad: Limits = None,
    names: Sequence[str] | None = None,
    base_wxyz: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
    scale: float = 1.0,
) -> Chain:
    """Make a chain from rows (theta, d, a, alpha), or dicts with these keys.

    A dict may leave out what is nought, and may have a "kind" ("revolute" or "prismatic") and a
    "name". `limits_rad` is as in `Chain.from_axes`, but ± π by default; for a prismatic joint the
    limits are metres.
    """
    rows = [_row(row, index, scale) for index, row in enumerate(table)]
    if not rows:
        raise ValueError("The Denavit-Hartenberg table is empty; give one row for each joint.")
    if names is not None and len(names) != len(rows):
        raise ValueError(f"{len(names)} names came in for {len(rows)} rows; give one each.")
    limits = limits_of(limits_rad, len(rows))
    waiting = _Placement((0.0, 0.0, 0.0), _base(base_wxyz))
    joints: list[Joint] = []
    for index, row in enumerate(rows):
        turn_x = _Placement((row.a_m, 0.0, 0.0), about(_X, row.alpha_rad))
        turn_z = _Placement((0.0, 0.0, row.d_m), about(_Z, row.theta_rad))
        origin = _after(waiting, turn_x) if modified else waiting
        waiting = turn_z if modified else _after(turn_z, turn_x)
        lower, upper = limits[index]
        joints.append(
            Joint(
                name=names[index] if names is not None else row.name,
                kind=row.kind,
                axis=_Z,
                origin_m=origin.position_m,
                origin_wxyz=origin.orientation,
                lower=lower,
                upper=upper,
            )
        )
    kind = "modified" if modified else "classic"
    return Chain(
        joints, waiting.position_m, waiting.orientation, name=f"chain of a {kind} DH table"
    )


def _after(first: _Placement, second: _Placement) -> _Placement:
    x, y, z = rotate(first.orientation, second.position_m)
    place = first.position_m
    return _Placement(
        (place[0] + x, place[1] + y, place[2] + z), multiply(first.orientation, second.orientation)
    )


def _base(base_wxyz: Sequence[float]) -> Quaternion:
    w, x, y, z = (float(value) for value in base_wxyz)
    return (w, x, y, z)


def _row(row: object, index: int, scale: float) -> _Row:
    where = f"Row {index + 1} of the Denavit-Hartenberg table"
    name, kind = f"joint_{index + 1}", JointKind.REVOLUTE
    if isinstance(row, Mapping):
        for key in row:
            if key not in _KEYS:
                raise ValueError(f"{where} has a {key!r}; {nearest_of(key, _KEYS)}")
        name = str(row.get("name", name))
        if row.get("kind", kind) not in {JointKind.REVOLUTE, JointKind.PRISMATIC}:
            raise ValueError(f"{where} has the kind {row['kind']!r}; use revolute or prismatic.")
        kind = JointKind(row.get("kind", kind))
        values: list[object] = [row.get(key, 0.0) for key in _KEYS[:4]]
    elif (isinstance(row, Sequence) and not isinstance(row, str)) or hasattr(row, "tolist"):
        values = list(row)  # type: ignore[call-overload]
    else:
        raise ValueError(f"{where} is {row!r}; give (theta, d, a, alpha) or a dict.")
    if len(values) != 4:
        raise ValueError(f"{where} has {len(values)} numbers; it needs theta, d, a and alpha.")
    numbers = []
    for key, value in zip(_KEYS[:4], values, strict=True):
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"{where}: {key} is {value!r}; give a number.")
        numbers.append(number)
    theta, d, a, alpha = numbers
    return _Row(theta, d * scale, a * scale, alpha, kind, name)
