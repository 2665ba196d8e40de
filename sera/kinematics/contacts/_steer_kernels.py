"""One step towards a wanted pose that keeps clear of contacts, compiled.

Design overview: of all steps Δ from a pose p the one that comes nearest to the wanted pose w,

    ½ (p + Δ - w)ᵀ M (p + Δ - w) + ½ Σ weight · (J Δ - e)²   with   g Δ ≥ pull · (keep - distance),

where M is how far a joint moves the body's points, J and e are tasks to hold (the face's direction,
a working hand) and g the gradients of the contacts. The equalities are solved by Cholesky, the
inequalities by their dual, one row after the other (projected Gauss-Seidel). Only joints that a
contact or its tasks need are in it; all others go where they are wanted. Joints that come to their
end stay there, and the rest is solved again. The whole step is shortened to what the slowest joint
may go, so that it keeps its direction.

Units and frames: radians (metres for slides); distances in metres. Threading: no state.
Safety: a contact is damped by `SOFT`: rows that contradict each other give a short step, not a
wild one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import cross, rotate, row3, row4
from sera.kinematics._tree_kernels import FIXED, tree_frames
from sera.kinematics.contacts._contact_kernels import Scene, Seen

SOFT = 1e-6
ROUNDS = 160
BENT = 0.5
"""Contacts bend with the joints by as much as their levers (m/rad²). Where they are pressed, a
step of straight rows would swing to and fro: such a share of lever times force holds a joint where
it is."""
FARTHEST = 0.1
"""What a step sets out to make good at most (rad or m): where contacts never let it, it would
swing."""
LOST, ASTRAY = 1.15, 1.6
"""A direction that is so far off (length of the difference) counts less and less."""
_HELD = 1e9
"""Times its weight: a joint at its end."""


class Work(NamedTuple):
    """Room for n columns, r tasks and c contacts."""

    used: IntArray  # (n,)
    square: FloatArray  # (n, n)
    step: FloatArray  # (n,)
    answers: FloatArray  # (c, n)
    coupled: FloatArray  # (c, c)
    forces: FloatArray  # (c,)
    lacking: FloatArray  # (c,) what the step without forces lacks
    goals: FloatArray  # (n,) where each column is pulled
    metric: FloatArray  # (n,)
    stays: FloatArray  # (n,) what holds a joint where it is, from the forces of the last step


@kernel
def steer(
    pose: FloatArray,
    wanted: FloatArray,
    metric: FloatArray,
    ends: FloatArray,
    longest: FloatArray,
    tasks: FloatArray,
    task_goals: FloatArray,
    rows: FloatArray,
    wanting: FloatArray,
    levers: FloatArray,
    counts: tuple[int, int],
    work: Work,
) -> int:
    """Move `pose` towards `wanted`; how many joints contacts made go with each other, in `used`.

    `tasks` (r, n) and `task_goals` (r,) are weighted already; `rows` (c, n) are gradients of
    contacts and `wanting` (c,) how much each must grow at least. `counts` says how many there are.
    """
    width = len(pose)
    held, contacts = counts
    used = _columns(tasks, rows, held, contacts, work.used)
    for column in range(width):
        work.metric[column] = metric[column]
        work.goals[column] = wanted[column] - pose[column]
    for _again in range(3):
        _solve(tasks, task_goals, rows, wanting, held, contacts, used, work)
        if not _hold_at_ends(pose, ends, metric, used, work):
            break
    share = 1.0
    for place in range(used):
        column = work.used[place]
        size = abs(work.step[place])
        if size > longest[column]:
            share = min(share, longest[column] / size)
    for column in range(width):
        way = min(max(wanted[column] - pose[column], -longest[column]), longest[column])
        work.goals[column] = way
    for place in range(used):
        work.goals[work.used[place]] = share * work.step[place]
    for column in range(width):
        moved = pose[column] + work.goals[column]
        pose[column] = min(max(moved, ends[0, column]), ends[1, column])
    pressed = False
    work.stays[:] = 0.0
    for row in range(contacts):
        force = work.forces[row]
        if force > 0.0:
            pressed = True
            for place in range(used):
                column = work.used[place]
                work.stays[column] += BENT * force * levers[row, column]
    return used if pressed else 0


@kernel
def _columns(tasks: FloatArray, rows: FloatArray, held: int, contacts: int, used: IntArray) -> int:
    """Which joints contacts need, and the tasks that share any of them."""
    width = tasks.shape[1]
    for column in range(width):
        used[column] = 0
        for row in range(contacts):
            if rows[row, column] != 0.0:
                used[column] = 1
                break
    for row in range(held):
        shared = False
        for column in range(width):
            shared = shared or (used[column] != 0 and tasks[row, column] != 0.0)
        if shared:
            for column in range(width):
                if tasks[row, column] != 0.0:
                    used[column] = 1
    count = 0
    for column in range(width):
        if used[column] != 0:
            used[count] = column
            count += 1
    return count


@kernel
def _solve(
    tasks: FloatArray,
    task_goals: FloatArray,
    rows: FloatArray,
    wanting: FloatArray,
    held: int,
    contacts: int,
    used: int,
    work: Work,
) -> None:
    square, step = work.square, work.step
    for i in range(used):
        column = work.used[i]
        for j in range(i):
            square[i, j] = 0.0
        square[i, i] = work.metric[column] + work.stays[column]
        step[i] = work.metric[column] * work.goals[column]
    for row in range(held):
        for i in range(used):
            slope = tasks[row, work.used[i]]
            if slope == 0.0:
                continue
            step[i] += slope * task_goals[row]
            for j in range(i + 1):
                square[i, j] += slope * tasks[row, work.used[j]]
    _decompose(square, used)
    _substitute(square, used, step)
    for row in range(contacts):
        answer = work.answers[row]
        for i in range(used):
            answer[i] = rows[row, work.used[i]]
        _substitute(square, used, answer)
        work.forces[row] = 0.0
    for row in range(contacts):
        for other in range(contacts):
            total = 0.0
            for i in range(used):
                total += rows[row, work.used[i]] * work.answers[other, i]
            work.coupled[row, other] = total
    _press(rows, wanting, contacts, used, work)
    for row in range(contacts):
        force = work.forces[row]
        if force > 0.0:
            for i in range(used):
                step[i] += force * work.answers[row, i]


@kernel
def _press(rows: FloatArray, wanting: FloatArray, contacts: int, used: int, work: Work) -> None:
    """The forces of the contacts: each as large as it must be, none pulls."""
    most = 0.0
    for row in range(contacts):
        most = max(most, work.coupled[row, row])
        lacks = wanting[row]
        for i in range(used):
            lacks -= rows[row, work.used[i]] * work.step[i]
        work.lacking[row] = lacks
    for _round in range(ROUNDS):
        change = 0.0
        for row in range(contacts):
            lacks = work.lacking[row]
            for other in range(contacts):
                lacks -= work.coupled[row, other] * work.forces[other]
            # Softer only where two rows say nearly the same.
            stiff = work.coupled[row, row] + SOFT * most
            if stiff <= 0.0:
                continue
            force = max(0.0, work.forces[row] + (lacks - SOFT * most * work.forces[row]) / stiff)
            change = max(change, abs(force - work.forces[row]) * stiff)
            work.forces[row] = force
        if change < 1e-6:
            break


@kernel
def _hold_at_ends(
    pose: FloatArray, ends: FloatArray, metric: FloatArray, used: int, work: Work
) -> bool:
    """Hold joints at the ends that the step would pass; whether there is a new one."""
    found = False
    for i in range(used):
        column = work.used[i]
        after = pose[column] + work.step[i]
        if ends[0, column] <= after <= ends[1, column] or work.metric[column] > metric[column]:
            continue
        end = ends[0, column] if after < ends[0, column] else ends[1, column]
        work.goals[column] = end - pose[column]
        work.metric[column] = _HELD * (metric[column] + 1e-6)
        found = True
    return found


@kernel
def _decompose(square: FloatArray, count: int) -> None:
    """Cholesky of the lower half, in place."""
    for i in range(count):
        for j in range(i + 1):
            total = square[i, j]
            for k in range(j):
                total -= square[i, k] * square[j, k]
            if i == j:
                square[i, i] = math.sqrt(max(total, 1e-12))
            else:
                square[i, j] = total / square[j, j]


@kernel
def _substitute(square: FloatArray, count: int, values: FloatArray) -> None:
    """Solve with the Cholesky factor, in place."""
    for i in range(count):
        total = values[i]
        for k in range(i):
            total -= square[i, k] * values[k]
        values[i] = total / square[i, i]
    for i in range(count - 1, -1, -1):
        total = values[i]
        for k in range(i + 1, count):
            total -= square[k, i] * values[k]
        values[i] = total / square[i, i]


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
