"""One step of the controller, compiled as a whole: frames, rows, levels, limits, balance.

Design overview: rows are filled once; the levels are solved once, and again where something above
them must be respected: a task that is being switched on or off, a joint near its end, the edge of
the support polygon.

A task that fades has rows that count in full, but asks for a mixture: its share of what it wants,
and for the rest what the body would do without it (Lee, Mansard and Park). At 0 and at 1 that is
the hierarchy without and with it, and in between nothing jumps.

Units and frames: as in `_rows`. Threading: no state; arrays come from the caller.
Safety: angles come out within the ends of their joints, whatever was asked.
"""

from __future__ import annotations

from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics.priority._levels import Scratch, Stack, solve_levels
from sera.kinematics.priority._limits import (
    DAMPED,
    DOCUMENT,
    EDGES_HELD,
    Bounds,
    Floor,
    hold_edge,
    push_to_middle,
    weigh_joints,
)
from sera.kinematics.priority._rows import ACTIVE, ROW, Skeleton, fill_rows, pose_skeleton

TOO_FAST, AT_END = 1, 2
_ROUNDS = 3
"""How often joints may turn out to be near their ends before it is left at that."""


class Tasks(NamedTuple):
    """The tables of the tasks, and where rows are kept while a task fades."""

    numbers: IntArray
    table: FloatArray
    counts: IntArray  # (T,) rows of each
    kept: FloatArray  # (R, n)
    without: FloatArray  # (n,)
    trial: FloatArray  # (n,) weights of one round


class Manner(NamedTuple):
    """How the controller works."""

    form: int
    limits: int
    gain: float
    balances: bool
    with_centre: bool


@kernel
def take_step(
    body: Skeleton,
    tasks: Tasks,
    stack: Stack,
    scratch: Scratch,
    bounds: Bounds,
    floor: Floor,
    manner: Manner,
    dt_s: float,
    angles: FloatArray,
    velocity: FloatArray,
    marks: IntArray,
) -> int:
    """Move `angles` (n,) by one step in place; writes velocity and marks (n,).

    Returns how many edges of the support polygon were held.
    """
    pose_skeleton(body, angles, manner.with_centre)
    stack.rows[:EDGES_HELD, :] = 0.0
    stack.errors[:EDGES_HELD] = 0.0
    fill_rows(
        body, tasks.numbers, tasks.counts, tasks.table, bounds.locked,
        stack.rows, stack.errors, stack.strain,
    )  # fmt: skip
    scratch.base[:] = 0.0
    scratch.weights[:] = bounds.locked
    if manner.limits == DOCUMENT:
        push_to_middle(bounds, manner.gain, angles, scratch.weights, scratch.base)
    _mix_fading(tasks, stack, scratch, manner.form)
    solve_levels(stack, scratch, manner.form, velocity)
    if manner.limits == DAMPED:
        for _round in range(_ROUNDS):
            if not _held_more(bounds, angles, velocity, tasks.trial, scratch.weights):
                break
            solve_levels(stack, scratch, manner.form, velocity)
    held = 0
    if manner.balances:
        for _edge in range(EDGES_HELD):
            more = hold_edge(
                floor, body.centre_m, body.centre_jacobian, bounds.locked, velocity, held,
                stack.rows, stack.errors,
            )  # fmt: skip
            if more == held:
                break
            held = more
            solve_levels(stack, scratch, manner.form, velocity)
    _integrate(bounds, stack.speeds, dt_s, angles, velocity, marks)
    return held


@kernel
def _mix_fading(tasks: Tasks, stack: Stack, scratch: Scratch, form: int) -> None:
    fading = False
    for task in range(len(tasks.counts)):
        share = tasks.table[task, ACTIVE]
        if 0.0 < share < 1.0:
            fading = True
            begin = tasks.numbers[task, ROW]
            end = begin + tasks.counts[task]
            tasks.kept[begin:end, :] = stack.rows[begin:end]
            stack.rows[begin:end, :] = 0.0
    if not fading:
        return
    solve_levels(stack, scratch, form, tasks.without)
    for task in range(len(tasks.counts)):
        share = tasks.table[task, ACTIVE]
        if not 0.0 < share < 1.0:
            continue
        begin = tasks.numbers[task, ROW]
        for row in range(begin, begin + tasks.counts[task]):
            anyway = 0.0
            for joint in range(stack.rows.shape[1]):
                stack.rows[row, joint] = tasks.kept[row, joint]
                anyway += tasks.kept[row, joint] * tasks.without[joint]
            stack.errors[row] = share * stack.errors[row] + (1.0 - share) * anyway


@kernel
def _held_more(
    bounds: Bounds,
    angles: FloatArray,
    velocity: FloatArray,
    trial: FloatArray,
    weights: FloatArray,
) -> bool:
    """Lower the weights for joints that near their ends; whether any is lower than before."""
    if not weigh_joints(bounds, angles, velocity, trial):
        return False
    lower = False
    for joint in range(len(weights)):
        if trial[joint] < weights[joint]:
            weights[joint] = trial[joint]
            lower = True
    return lower


@kernel
def _integrate(
    bounds: Bounds,
    speeds: FloatArray,
    dt_s: float,
    angles: FloatArray,
    velocity: FloatArray,
    marks: IntArray,
) -> None:
    for joint in range(len(angles)):
        moved = angles[joint] + dt_s * velocity[joint]
        marks[joint] = TOO_FAST if abs(velocity[joint]) >= speeds[joint] * (1.0 - 1e-9) else 0
        if moved < bounds.lower[joint]:
            moved = bounds.lower[joint]
            marks[joint] += AT_END
        elif moved > bounds.upper[joint]:
            moved = bounds.upper[joint]
            marks[joint] += AT_END
        angles[joint] = moved
