"""Rows of tasks, compiled: Jacobians and wanted velocities from where the body is.

Design overview: one row of two tables a task (`TASK_FLOATS`, `TASK_INTS`), written by
`tasks.TaskHandle` and read here. Each kind has its own few lines:

    POSE          6 rows    place and orientation of an end point
    POSITION      3 rows    its place
    ORIENTATION   3 rows    its orientation
    GAZE          2 rows    a direction that the end point carries looks at a point, or along
                            a direction; it may roll about it
    CENTRE        2 rows    the centre of mass, on the floor
    OWN           any       rows that somebody else has written (`RowsTask`)

A wanted velocity is the target's own velocity (feed-forward) plus gain times error, the error
clamped so that far targets do not ask for leaps.

Units and frames: metres, radians, base frame, Y up; quaternions (w, x, y, z).
Threading: no state; arrays come from the caller.
Safety: numbers were checked when the target was set.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._inverse_step import rotation_vector
from sera.kinematics._quaternions import Vector, cross, dot3, rotate, row4
from sera.kinematics._tree_build import TreeArrays
from sera.kinematics._tree_kernels import (
    tree_centre_of_mass,
    tree_centre_of_mass_jacobian,
    tree_end_pose,
    tree_frames,
    tree_point_jacobian,
)

POSE, POSITION, ORIENTATION, GAZE, CENTRE, OWN = range(6)

# Columns of the floats of a task.
OFFSET, TURN = 0, 3
"""The end point in the zero pose, as `tree_end_pose` takes it."""
PLACE, ORIENT = 7, 10
"""The target."""
SPEED, SPIN = 14, 17
"""The target's own velocity."""
GAINS, CLAMPS = 20, 22
"""Of place and of orientation, two each."""
ACTIVE = 24
AXIS = 25
"""What looks, as a direction in the zero pose."""
FOUND = 28
"""Written here: distance and angle from the target."""
TASK_FLOATS = 30

# Columns of the whole numbers.
KIND, JOINT, ROW, TOWARDS, LEVEL = range(5)
"""TOWARDS: 1 where a gaze has a direction rather than a point."""
TASK_INTS = 5


class Skeleton(NamedTuple):
    """A body as the kernels know it, and where its frames are put."""

    tree: TreeArrays
    masses: FloatArray
    centres: FloatArray
    positions: FloatArray  # (n, 3)
    turns: FloatArray  # (n, 4)
    directions: FloatArray  # (n, 3)
    end_m: FloatArray  # (3,)
    end_wxyz: FloatArray  # (4,)
    jacobian: FloatArray  # (6, dof)
    centre_m: FloatArray  # (3,)
    centre_jacobian: FloatArray  # (3, dof)
    moments: FloatArray  # (n, 3)
    carried: FloatArray  # (n,)


@kernel
def pose_skeleton(body: Skeleton, angles: FloatArray, with_centre: bool) -> None:
    """Write frames, and the centre of mass with its Jacobian where asked for."""
    parents, kinds, columns, multipliers, shifts, axes, offsets, zero = body.tree
    tree_frames(
        parents, kinds, columns, multipliers, shifts, axes, offsets, zero,
        angles, body.positions, body.turns, body.directions,
    )  # fmt: skip
    if with_centre:
        tree_centre_of_mass(
            body.masses, body.centres, body.positions, body.turns, body.moments, body.centre_m
        )
        tree_centre_of_mass_jacobian(
            body.masses, parents, kinds, columns, multipliers, body.positions, body.directions,
            body.carried, body.moments, body.centre_jacobian,
        )  # fmt: skip


@kernel
def fill_rows(
    body: Skeleton,
    numbers: IntArray,
    counts: IntArray,
    table: FloatArray,
    locked: FloatArray,
    rows: FloatArray,
    errors: FloatArray,
) -> None:
    """Write Jacobians (R, n) and wanted velocities (R,) of all tasks.

    `counts` (T,) is how many rows each has. `locked` (n,) is 0 for joints that may not move at
    all; a task that is switched off has rows of nought.
    """
    for task in range(len(numbers)):
        kind, begin, count = numbers[task, KIND], numbers[task, ROW], counts[task]
        facts = table[task]
        if facts[ACTIVE] <= 0.0:
            rows[begin : begin + count, :] = 0.0
            errors[begin : begin + count] = 0.0
            continue
        if kind == CENTRE:
            _centre_rows(body, facts, begin, rows, errors)
        elif kind != OWN:
            _end_rows(body, kind, numbers[task], facts, begin, rows, errors)
        for row in range(begin, begin + count):
            for joint in range(rows.shape[1]):
                rows[row, joint] *= locked[joint]


@kernel
def strain_levels(numbers: IntArray, table: FloatArray, least: float, strain: FloatArray) -> None:
    """Write how far the worst task of each level (L,) is from its target, of those that count.

    1 where its error is clamped: a target out of reach strains. Tasks of at least that share count.
    """
    strain[:] = 0.0
    for task in range(len(numbers)):
        facts = table[task]
        if facts[ACTIVE] >= least:
            level = numbers[task, LEVEL]
            far = max(facts[FOUND] / facts[CLAMPS], facts[FOUND + 1] / facts[CLAMPS + 1])
            strain[level] = max(strain[level], min(far, 1.0))


@kernel
def _end_rows(
    body: Skeleton,
    kind: int,
    numbers: IntArray,
    facts: FloatArray,
    begin: int,
    rows: FloatArray,
    errors: FloatArray,
) -> None:
    parents, kinds, columns, multipliers = body.tree[0], body.tree[1], body.tree[2], body.tree[3]
    joint = numbers[JOINT]
    tree_end_pose(
        joint, facts[OFFSET : OFFSET + 3], facts[TURN : TURN + 4], body.positions, body.turns,
        body.end_m, body.end_wxyz,
    )  # fmt: skip
    tree_point_jacobian(
        joint, parents, kinds, columns, multipliers, body.positions, body.directions,
        body.end_m, body.jacobian,
    )  # fmt: skip
    if kind == GAZE:
        _gaze_rows(body, joint, numbers[TOWARDS] == 1, facts, begin, rows, errors)
        return
    row = begin
    if kind != ORIENTATION:
        away = (
            facts[PLACE] - body.end_m[0],
            facts[PLACE + 1] - body.end_m[1],
            facts[PLACE + 2] - body.end_m[2],
        )
        facts[FOUND] = _write(away, facts, 0, SPEED, row, errors)
        rows[row : row + 3, :] = body.jacobian[:3]
        row += 3
    if kind != POSITION:
        turn = rotation_vector(facts[ORIENT : ORIENT + 4], body.end_wxyz)
        facts[FOUND + 1] = _write(turn, facts, 1, SPIN, row, errors)
        rows[row : row + 3, :] = body.jacobian[3:]


@kernel
def _write(
    away: Vector, facts: FloatArray, part: int, feed: int, row: int, errors: FloatArray
) -> float:
    """Write three wanted velocities; returns how far the target is."""
    size = math.sqrt(dot3(away, away))
    gain, most = facts[GAINS + part], facts[CLAMPS + part]
    if size > most:
        gain *= most / size
    for k in range(3):
        errors[row + k] = facts[feed + k] + gain * away[k]
    return size


@kernel
def _gaze_rows(
    body: Skeleton,
    joint: int,
    along: bool,
    facts: FloatArray,
    begin: int,
    rows: FloatArray,
    errors: FloatArray,
) -> None:
    """Two rows across the direction that looks."""
    turned = row4(body.turns, joint) if joint >= 0 else (1.0, 0.0, 0.0, 0.0)
    look = rotate(turned, (facts[AXIS], facts[AXIS + 1], facts[AXIS + 2]))
    if along:
        wish = (facts[PLACE], facts[PLACE + 1], facts[PLACE + 2])
        nearness = 0.0
    else:
        wish = (
            facts[PLACE] - body.end_m[0],
            facts[PLACE + 1] - body.end_m[1],
            facts[PLACE + 2] - body.end_m[2],
        )
        # A target inside the head has no direction; a centimetre away it has one.
        nearness = 1.0 / max(math.sqrt(dot3(wish, wish)), 0.01)
    size = math.sqrt(dot3(wish, wish))
    wish = (wish[0] / size, wish[1] / size, wish[2] / size) if size > 1e-9 else look
    across = cross(look, wish)
    sine, cosine = math.sqrt(dot3(across, across)), dot3(look, wish)
    first, second = _across(look)
    angle = math.atan2(sine, cosine)
    if sine > 1e-9:
        turn = (across[0] / sine, across[1] / sine, across[2] / sine)
    else:
        turn = first  # straight ahead, or straight behind, where any way round is as good
        angle = 0.0 if cosine > 0.0 else math.pi
    gain = facts[GAINS + 1]
    if angle > facts[CLAMPS + 1]:
        gain *= facts[CLAMPS + 1] / angle
    moves = cross(wish, (facts[SPEED], facts[SPEED + 1], facts[SPEED + 2]))
    for number in range(2):
        side = first if number == 0 else second
        spin = (facts[SPIN], facts[SPIN + 1], facts[SPIN + 2])
        errors[begin + number] = (
            gain * angle * dot3(turn, side) + nearness * dot3(moves, side) + dot3(spin, side)
        )
        lever = cross(side, wish)  # a head that moves sideways sees the target turn
        for column in range(rows.shape[1]):
            total = 0.0
            for k in range(3):
                total += side[k] * body.jacobian[3 + k, column]
                total += nearness * lever[k] * body.jacobian[k, column]
            rows[begin + number, column] = total
    facts[FOUND + 1] = angle


@kernel
def _across(direction: Vector) -> tuple[Vector, Vector]:
    """Two directions that stand upright on a direction and on each other."""
    x, y, z = abs(direction[0]), abs(direction[1]), abs(direction[2])
    helper = (1.0, 0.0, 0.0) if x <= y and x <= z else (0.0, 1.0, 0.0)
    if z < x and z < y:
        helper = (0.0, 0.0, 1.0)
    first = cross(direction, helper)
    size = math.sqrt(dot3(first, first))
    first = (first[0] / size, first[1] / size, first[2] / size)
    return first, cross(direction, first)


@kernel
def _centre_rows(
    body: Skeleton, facts: FloatArray, begin: int, rows: FloatArray, errors: FloatArray
) -> None:
    away_x, away_z = facts[PLACE] - body.centre_m[0], facts[PLACE + 2] - body.centre_m[2]
    size = math.hypot(away_x, away_z)
    gain = facts[GAINS]
    if size > facts[CLAMPS]:
        gain *= facts[CLAMPS] / size
    errors[begin] = facts[SPEED] + gain * away_x
    errors[begin + 1] = facts[SPEED + 2] + gain * away_z
    rows[begin, :] = body.centre_jacobian[0]
    rows[begin + 1, :] = body.centre_jacobian[2]
    facts[FOUND] = size
