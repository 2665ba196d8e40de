"""The recursion over priority levels, compiled.

Design overview: every level asks for velocities of its rows, J·v = e, and gets what the levels
above it leave. What they use is kept as orthonormal rows B, so that N = 1 - Bᵀ·B projects on what
is free; no n by n matrix is ever made.

    strict        v += (J·N)⁺ · (e - J·v)    the levels above are made up for (Baerlocher, Boulic)
    chiaverini    v += N · J⁺ · e            tracked in part, calm at algorithmic singularities

B grows by every direction of J·N that is not nought, whatever the inverse leaves out for being
small: a projector from fewer directions would leak. A level of posture at the end takes
v += N · (e - v) (chiaverini: N·e) without any inverse.

Joints have weights: the recursion works on z with v = W·z, so that a joint of weight 0 stands
still for all levels and the others do its share (see `_limits`).

Units and frames: rows as their tasks have them; radians or metres a second for joints.
Threading: no state; arrays come from the caller.
Safety: a level that would exceed a joint's speed is scaled as a whole, so that it keeps its
direction: the first at the joint's own speed, lower ones at a share of it, so that they never take
speed that the first one needs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics.priority._singular import NOTHING, decompose, inverted
from sera.kinematics.priority._triangular import least_size, orthonormalise

STRICT, CHIAVERINI = 0, 1
SOFTENED = 0.05
"""While a target is out of reach the direction of a stretched arm turns with every step; directions
of smaller singular values are then kept free only in part, so that nothing below trembles."""


class Stack(NamedTuple):
    """What the levels ask for; rows of all levels below each other, highest first."""

    rows: FloatArray  # (R, n) Jacobians
    errors: FloatArray  # (R,) wanted velocities of the rows
    first: IntArray  # (L + 1,) where each level begins; the last is R
    inverses: FloatArray  # (L, 5) smallest, damping, near; what strain adds to the last two
    strain: FloatArray  # (L,) 0-1
    posture: FloatArray  # (n,) wanted velocities of the joints, for the level at the end
    joins: FloatArray  # (n,) 1 where a joint takes part in the posture
    caps: FloatArray  # (n,) speed that lower levels may not exceed
    speeds: FloatArray  # (n,) speed of the joints, which no level may exceed


class Scratch(NamedTuple):
    """Where the recursion works and what it leaves behind."""

    weights: FloatArray  # (n,) W
    base: FloatArray  # (n,) velocity that stands above all levels
    basis: FloatArray  # (n, n) B, rows
    block: FloatArray  # (n, n) one level's rows
    kept: FloatArray  # (n, n) the same, for the slow way
    lower: FloatArray  # (L, n, n) triangle of each level that went the quick way
    turns: FloatArray  # (n, n)
    sizes: FloatArray  # (n,)
    wanted: FloatArray  # (n,) what is left for a level to do
    change: FloatArray  # (n,) what a level adds
    sums: FloatArray  # (L, n) velocity after each level
    least: FloatArray  # (L,) smallest singular value that is not nought, or a bound below it
    scales: FloatArray  # (L + 1,) how much of a level is done
    leaks: FloatArray  # (L,) what lower levels do to its rows
    used: IntArray  # (1,) how many directions the levels use


@kernel
def solve_levels(stack: Stack, scratch: Scratch, form: int, velocity: FloatArray) -> None:
    """Write the velocity (n,) of all joints."""
    # Arrays are taken out of their tuples once: in a loop each access would count references.
    rows, errors, first = stack.rows, stack.errors, stack.first
    inverses, strain, caps, speeds = stack.inverses, stack.strain, stack.caps, stack.speeds
    weights, base, basis, change = scratch.weights, scratch.base, scratch.basis, scratch.change
    block, kept, lower, turns = scratch.block, scratch.kept, scratch.lower, scratch.turns
    sizes, wanted, least = scratch.sizes, scratch.wanted, scratch.least
    sums, scales = scratch.sums, scratch.scales
    levels, joints = len(first) - 1, len(velocity)
    used = 0
    velocity[:] = base
    for level in range(levels):
        begin, count = first[level], first[level + 1] - first[level]
        least[level], scales[level] = math.inf, 1.0
        strained = strain[level]
        how = (
            inverses[level, 0],
            inverses[level, 1] + strained * inverses[level, 3],
            inverses[level, 2] + strained * inverses[level, 4],
            max(2.0 * strained - 1.0, 0.0) * SOFTENED,
        )
        if _is_empty(rows, begin, count):
            sums[level, :] = velocity
            continue
        change[:] = 0.0
        _still_wanted(rows, errors, begin, count, base if form == CHIAVERINI else velocity, wanted)
        if form == CHIAVERINI and used > 0:
            _load(rows, begin, count, weights, basis, 0, block)
            _invert(
                block, kept, lower, turns, sizes, wanted, how, level, count, True, least, change
            )
            _free(basis, used, change)
        _load(rows, begin, count, weights, basis, used, block)
        directions = _invert(
            block, kept, lower, turns, sizes, wanted, how, level, count,
            form == STRICT or used == 0, least, change,
        )  # fmt: skip
        for joint in range(joints):
            change[joint] *= weights[joint]
        scale = _fitting(velocity, change, caps if used > 0 else speeds)
        scales[level] = scale
        for joint in range(joints):
            velocity[joint] += scale * change[joint]
        used = _extend(basis, used, block, directions)
        sums[level, :] = velocity
    _posture(stack.posture, stack.joins, weights, basis, used, form, velocity, change)
    scale = _fitting(velocity, change, caps)
    scales[levels] = scale
    for joint in range(joints):
        velocity[joint] += scale * change[joint]
    scratch.used[0] = used
    _measure_leaks(rows, first, sums, velocity, scratch.leaks)


@kernel
def _is_empty(rows: FloatArray, begin: int, count: int) -> bool:
    """Whether nobody asks for anything: edges that are not held, tasks that are switched off."""
    for row in range(begin, begin + count):
        for joint in range(rows.shape[1]):
            if rows[row, joint] != 0.0:
                return False
    return True


@kernel
def _still_wanted(
    rows: FloatArray,
    errors: FloatArray,
    begin: int,
    count: int,
    made_up_for: FloatArray,
    wanted: FloatArray,
) -> None:
    for row in range(count):
        done = 0.0
        for joint in range(rows.shape[1]):
            done += rows[begin + row, joint] * made_up_for[joint]
        wanted[row] = errors[begin + row] - done


@kernel
def _load(
    rows: FloatArray,
    begin: int,
    count: int,
    weights: FloatArray,
    basis: FloatArray,
    used: int,
    block: FloatArray,
) -> None:
    """Copy a level's rows, weighted and free of the directions that are used."""
    for row in range(count):
        for joint in range(rows.shape[1]):
            block[row, joint] = rows[begin + row, joint] * weights[joint]
        if used > 0:
            _free_row(basis, used, block, row)


@kernel
def _extend(basis: FloatArray, used: int, block: FloatArray, directions: int) -> int:
    """Take up the directions of a level; how many are used then."""
    grown = used
    for row in range(directions):
        if grown < len(basis):
            for joint in range(basis.shape[1]):
                basis[grown, joint] = block[row, joint]
            if used > 0:  # a short row was not quite free of the others before it was made long
                _free_row(basis, used, basis, grown)
            grown += 1
    return grown


@kernel
def _invert(
    block: FloatArray,
    kept: FloatArray,
    lower: FloatArray,
    turns: FloatArray,
    sizes: FloatArray,
    wanted: FloatArray,
    how: tuple[float, float, float, float],
    level: int,
    count: int,
    adds: bool,
    least: FloatArray,
    change: FloatArray,
) -> int:
    """Add the inverse of the loaded rows times what is wanted, if asked to.

    Returns how many directions the rows have; these stand in the block then, of length one.
    """
    joints = block.shape[1]
    smallest, damping, near, softened = how
    for row in range(count):
        for joint in range(joints):
            kept[row, joint] = block[row, joint]
    triangle = lower[level]
    if orthonormalise(block, count, triangle):
        least[level] = least_size(triangle, count, turns)
        if least[level] > max(smallest, near if damping > 0.0 else 0.0):
            if adds:
                for row in range(count):
                    share = 0.0
                    for other in range(row + 1):
                        share += turns[row, other] * wanted[other]
                    for joint in range(joints):
                        change[joint] += share * block[row, joint]
            return count
    triangle[0, 0] = 0.0  # it went the slow way
    for row in range(count):
        for joint in range(joints):
            block[row, joint] = kept[row, joint]
    decompose(block[:count], turns[:count, :count], sizes[:count])
    if adds:
        _add_inverse(block, turns, sizes, wanted, how, count, change)
    directions = 0
    least[level] = math.inf
    for row in range(count):
        if sizes[row] > NOTHING:
            least[level] = min(least[level], sizes[row])
            share = sizes[row] / math.hypot(sizes[row], softened)
            for joint in range(joints):
                block[directions, joint] = share * block[row, joint]
            directions += 1
    return directions


@kernel
def _add_inverse(
    block: FloatArray,
    turns: FloatArray,
    sizes: FloatArray,
    wanted: FloatArray,
    how: tuple[float, float, float, float],
    count: int,
    change: FloatArray,
) -> None:
    """Add the pseudoinverse of a decomposed matrix times `wanted`."""
    for row in range(count):
        factor = inverted(sizes[row], how[0], how[1], how[2])
        if factor == 0.0:
            continue
        share = 0.0
        for other in range(count):
            share += turns[row, other] * wanted[other]
        share *= factor
        for joint in range(block.shape[1]):
            change[joint] += share * block[row, joint]


@kernel
def _free_row(basis: FloatArray, used: int, rows: FloatArray, number: int) -> None:
    """Take from a row, in place, what lies in the directions that are used."""
    joints = basis.shape[1]
    for _time in range(2):  # once leaves rounding errors that a second time removes
        for direction in range(used):
            share = 0.0
            for joint in range(joints):
                share += basis[direction, joint] * rows[number, joint]
            for joint in range(joints):
                rows[number, joint] -= share * basis[direction, joint]


@kernel
def _free(basis: FloatArray, used: int, vector: FloatArray) -> None:
    """The same for a vector."""
    joints = len(vector)
    for _time in range(2):
        for direction in range(used):
            share = 0.0
            for joint in range(joints):
                share += basis[direction, joint] * vector[joint]
            for joint in range(joints):
                vector[joint] -= share * basis[direction, joint]


@kernel
def _posture(
    posture: FloatArray,
    joins: FloatArray,
    weights: FloatArray,
    basis: FloatArray,
    used: int,
    form: int,
    velocity: FloatArray,
    change: FloatArray,
) -> None:
    """Write what the level of posture adds."""
    for joint in range(len(velocity)):
        wanted = posture[joint]
        if form == STRICT:
            wanted -= velocity[joint]
        change[joint] = joins[joint] * wanted
    _free(basis, used, change)
    for joint in range(len(velocity)):
        change[joint] *= weights[joint]


@kernel
def _fitting(velocity: FloatArray, change: FloatArray, caps: FloatArray) -> float:
    """How much of a change keeps all joints below their caps; 1 where all of it does."""
    scale = 1.0
    for joint in range(len(velocity)):
        step = change[joint]
        room = caps[joint] - velocity[joint] if step > 0.0 else caps[joint] + velocity[joint]
        size = abs(step)
        if size > room:
            # Where the levels above are too fast already, only what slows them down may pass.
            scale = min(scale, max(room, 0.0) / size)
    return scale


@kernel
def _measure_leaks(
    rows: FloatArray, first: IntArray, sums: FloatArray, velocity: FloatArray, leaks: FloatArray
) -> None:
    for level in range(len(first) - 1):
        worst = 0.0
        for row in range(first[level], first[level + 1]):
            moved = 0.0
            for joint in range(len(velocity)):
                moved += rows[row, joint] * (velocity[joint] - sums[level, joint])
            worst = max(worst, abs(moved))
        leaks[level] = worst
