"""One step of the controller, compiled as a whole: frames, rows, levels, limits, balance.

Design overview: rows are filled once; the levels are solved once, and again where something above
them must be respected: a joint near its end, the edge of the support polygon.

While a task fades the body does a mixture of what it would do without it and with it, by the
task's share. If several do, the mixture is of so many hierarchies and one more: without all of
them, with the one of the greatest share, with the two greatest … That is straight in every share,
whatever inverses, limits and balance make of each hierarchy, so that nothing jumps; levels above
hold in each, and therefore in the mixture.

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
from sera.kinematics.priority._rows import (
    ACTIVE,
    ROW,
    Skeleton,
    fill_rows,
    pose_skeleton,
    strain_levels,
)

TOO_FAST, AT_END = 1, 2
_ROUNDS = 3
"""How often joints may turn out to be near their ends before it is left at that."""


class Tasks(NamedTuple):
    """The tables of the tasks, and where rows are kept while a task fades."""

    numbers: IntArray
    table: FloatArray
    counts: IntArray  # (T,) rows of each
    kept: FloatArray  # (R, n)
    mixed: FloatArray  # (n,) velocities of the hierarchies, each by its share
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
    fill_rows(
        body, tasks.numbers, tasks.counts, tasks.table, bounds.locked, stack.rows, stack.errors
    )
    tasks.mixed[:] = 0.0
    held = 0
    least = 1.0
    while least > 0.0:
        below = _next_share(tasks.table, least)
        _switch(tasks, stack, least)
        held = _solve(body, stack, scratch, bounds, floor, manner, angles, velocity, tasks.trial)
        for joint in range(len(velocity)):
            tasks.mixed[joint] += (least - below) * velocity[joint]
        least = below
    velocity[:] = tasks.mixed
    _integrate(bounds, stack.speeds, dt_s, angles, velocity, marks)
    return held


@kernel
def _next_share(table: FloatArray, share: float) -> float:
    """The greatest share of a task below this one; 0 if there is none."""
    found = 0.0
    for task in range(len(table)):
        if table[task, ACTIVE] < share:
            found = max(found, table[task, ACTIVE])
    return found


@kernel
def _switch(tasks: Tasks, stack: Stack, least: float) -> None:
    """Have the tasks of at least this share count in full, and the other ones not at all."""
    for task in range(len(tasks.counts)):
        share = tasks.table[task, ACTIVE]
        if not 0.0 < share < 1.0:
            continue
        begin = tasks.numbers[task, ROW]
        end = begin + tasks.counts[task]
        if least == 1.0:
            tasks.kept[begin:end, :] = stack.rows[begin:end]
        if share >= least:
            stack.rows[begin:end, :] = tasks.kept[begin:end]
        else:
            stack.rows[begin:end, :] = 0.0
    strain_levels(tasks.numbers, tasks.table, least, stack.strain)


@kernel
def _solve(
    body: Skeleton,
    stack: Stack,
    scratch: Scratch,
    bounds: Bounds,
    floor: Floor,
    manner: Manner,
    angles: FloatArray,
    velocity: FloatArray,
    trial: FloatArray,
) -> int:
    """The velocity for the tasks that count now, limits and balance included; edges held."""
    stack.rows[:EDGES_HELD, :] = 0.0
    stack.errors[:EDGES_HELD] = 0.0
    scratch.base[:] = 0.0
    scratch.weights[:] = bounds.locked
    if manner.limits == DOCUMENT:
        push_to_middle(bounds, manner.gain, angles, scratch.weights, scratch.base)
    solve_levels(stack, scratch, manner.form, velocity)
    if manner.limits == DAMPED:
        for _round in range(_ROUNDS):
            if not _held_more(bounds, angles, velocity, trial, scratch.weights):
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
    return held


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
