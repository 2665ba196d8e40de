"""What a step shall leave as it is: directions of faces and places of hands, compiled.

Units and frames: as in `_contact_kernels`; rows are weighted. Threading: no state.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import cross, rotate, row3, row4
from sera.kinematics._tree_kernels import FIXED, tree_frames
from sera.kinematics.contacts._contact_kernels import Scene, Seen

FARTHEST = 0.1
"""What a step sets out to make good at most (rad or m): where contacts never let it, it would
swing."""

LOST, ASTRAY = 1.15, 1.6
"""A direction that is so far off (length of the difference) counts less and less: joints go first."""


@kernel
def hold_tasks(
    scene: Scene,
    seen: Seen,
    pose: FloatArray,
    wanted: FloatArray,
    carriers: IntArray,
    vectors: FloatArray,
    directions: IntArray,
    weights: FloatArray,
    tasks: FloatArray,
    goals: FloatArray,
) -> int:
    """Write three rows for each task with a weight: how `pose` goes to where `wanted` has it.

    A task is a vector (n, 3) that a joint carries, seen in the zero pose: a direction, or a place.
    """
    rows = 0
    for task in range(len(carriers)):
        if weights[task] > 0.0:
            rows += 3
    if rows == 0:
        return 0
    _frames(scene, seen, wanted)
    row = 0
    for task in range(len(carriers)):
        if weights[task] <= 0.0:
            continue
        x = _where(seen, carriers[task], row3(vectors, task), directions[task] != 0)
        for k in range(3):
            goals[row + k] = x[k]
        row += 3
    _frames(scene, seen, pose)
    row = 0
    for task in range(len(carriers)):
        weight = weights[task]
        if weight <= 0.0:
            continue
        turns = directions[task] != 0
        x = _where(seen, carriers[task], row3(vectors, task), turns)
        away = 0.0
        for k in range(3):
            goals[row + k] -= x[k]
            away += goals[row + k] ** 2
            tasks[row + k, :] = 0.0
        away = math.sqrt(away)
        if turns and away > LOST:  # the way there may lead through the end of a joint
            weight *= max(0.0, (ASTRAY - away) / (ASTRAY - LOST))
        share = weight * min(1.0, FARTHEST / max(away, FARTHEST))
        for k in range(3):
            goals[row + k] *= share
        joint = carriers[task]
        while joint >= 0:
            if scene.kinds[joint] != FIXED and not (turns and scene.kinds[joint] == PRISMATIC):
                moves = row3(seen.directions, joint)
                if scene.kinds[joint] != PRISMATIC:
                    place = row3(seen.positions_m, joint)
                    arm = x if turns else (x[0] - place[0], x[1] - place[1], x[2] - place[2])
                    moves = cross(moves, arm)
                share = weight * scene.multipliers[joint]
                for k in range(3):
                    tasks[row + k, scene.columns[joint]] += share * moves[k]
            joint = scene.parents[joint]
        row += 3
    return rows


@kernel
def _frames(scene: Scene, seen: Seen, angles: FloatArray) -> None:
    tree_frames(
        scene.parents, scene.kinds, scene.columns, scene.multipliers, scene.shifts, scene.axes,
        scene.offsets_m, scene.zero_wxyz, angles, seen.positions_m, seen.turns_wxyz,
        seen.directions,
    )  # fmt: skip


@kernel
def _where(
    seen: Seen, joint: int, vector: tuple[float, float, float], turns: bool
) -> tuple[float, float, float]:
    x, y, z = rotate(row4(seen.turns_wxyz, joint), vector)
    if turns:
        return x, y, z
    place = row3(seen.positions_m, joint)
    return place[0] + x, place[1] + y, place[2] + z
