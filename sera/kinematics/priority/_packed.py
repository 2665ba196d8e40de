"""All arrays of a controller in two buffers, so that a step takes three arguments and not sixty.

Design overview: handing an array to compiled code costs a fifth of a microsecond, and a controller
has about sixty: half of the time of a step. Here they lie behind one another in one buffer of
floats and one of whole numbers; `packed` lays them out in the order in which they stand in their
tuples, and `take_packed_step` cuts them out again in the same order, inside compiled code, where
that costs next to nothing. The tuples that come back to Python are views of the same memory.

Units and frames: none. Threading: as `_step`.
Safety: both sides go by the fields of the tuples: a field that is added to one of them is added to
`take_packed_step`, and the tests that compare with matrices fail where that is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics.priority._levels import Scratch, Stack
from sera.kinematics.priority._limits import Bounds, Floor
from sera.kinematics.priority._rows import TASK_FLOATS, TASK_INTS, Skeleton
from sera.kinematics.priority._step import Manner, Tasks, take_step


class Motion(NamedTuple):
    """Where the body is and how it moves."""

    angles: FloatArray  # (n,)
    velocity: FloatArray  # (n,)
    marks: IntArray  # (n,)


class Packed(NamedTuple):
    """A controller's arrays, as tuples of views and as the buffers behind them."""

    body: Skeleton
    tasks: Tasks
    stack: Stack
    scratch: Scratch
    bounds: Bounds
    floor: Floor
    motion: Motion
    floats: FloatArray
    whole: IntArray
    sizes: IntArray  # joints of the tree, those with an angle, rows, levels, tasks, edges


def packed(
    body: Skeleton,
    tasks: Tasks,
    stack: Stack,
    scratch: Scratch,
    bounds: Bounds,
    floor: Floor,
    motion: Motion,
) -> Packed:
    """Copy everything into two buffers and give the tuples back as views of them."""
    parts = (body, tasks, stack, scratch, bounds, floor, motion)
    arrays = [array for part in parts for array in _arrays(part)]
    buffers = {
        kind: np.concatenate([each.ravel() for each in arrays if each.dtype == kind])
        for kind in (np.dtype(np.float64), np.dtype(np.int64))
    }
    used = dict.fromkeys(buffers, 0)

    def view(array: Any) -> Any:
        begin = used[array.dtype]
        used[array.dtype] = begin + array.size
        return buffers[array.dtype][begin : begin + array.size].reshape(array.shape)

    views: Any = [_replaced(part, view) for part in parts]
    sizes = (
        len(body.masses), len(motion.angles), len(stack.errors), len(stack.first) - 1,
        len(tasks.counts), len(floor.edges),
    )  # fmt: skip
    floats, whole = buffers[np.dtype(np.float64)], buffers[np.dtype(np.int64)]
    counts = np.array(sizes, dtype=np.int64)
    return Packed._make([*views, floats, whole, counts])


def _arrays(part: Sequence[Any]) -> list[Any]:
    """The arrays of a tuple and of the tuples in it, in order."""
    found: list[Any] = []
    for value in part:
        if isinstance(value, np.ndarray):
            found.append(value)
        elif isinstance(value, tuple):
            found += _arrays(value)
    return found


def _replaced(part: Any, view: Any) -> Any:
    """The same tuple with views in place of its arrays."""
    values = [
        view(value)
        if isinstance(value, np.ndarray)
        else _replaced(value, view)
        if isinstance(value, tuple)
        else value
        for value in part
    ]
    return type(part)(*values) if hasattr(part, "_fields") else tuple(values)


@kernel
def _line(buffer: FloatArray, at: int, count: int) -> FloatArray:
    return buffer[at : at + count]


@kernel
def _table(buffer: FloatArray, at: int, rows: int, columns: int) -> FloatArray:
    return buffer[at : at + rows * columns].reshape(rows, columns)


@kernel
def take_packed_step(
    floats: FloatArray,
    whole: IntArray,
    sizes: IntArray,
    margin_m: float,
    time_s: float,
    manner: Manner,
    dt_s: float,
) -> int:
    """Cut everything out of the buffers, in the order of the tuples' fields, and take a step."""
    j, n, rows, levels, tasks, edges = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]
    # The body: parents, kinds, columns; multipliers, shifts, axes, offsets, zero pose.
    tree = (
        whole[0:j], whole[j : 2 * j], whole[2 * j : 3 * j],
        _line(floats, 0, j), _line(floats, j, j), _table(floats, 2 * j, j, 3),
        _table(floats, 5 * j, j, 3), _table(floats, 8 * j, j, 4),
    )  # fmt: skip
    i, f = 3 * j, 12 * j
    body = Skeleton(
        tree, _line(floats, f, j), _table(floats, f + j, j, 3), _table(floats, f + 4 * j, j, 3),
        _table(floats, f + 7 * j, j, 4), _table(floats, f + 11 * j, j, 3),
        _line(floats, f + 14 * j, 3), _line(floats, f + 14 * j + 3, 4),
        _table(floats, f + 14 * j + 7, 6, n), _line(floats, f + 14 * j + 7 + 6 * n, 3),
        _table(floats, f + 14 * j + 10 + 6 * n, 3, n),
        _table(floats, f + 14 * j + 10 + 9 * n, j, 3), _line(floats, f + 17 * j + 10 + 9 * n, j),
    )  # fmt: skip
    f += 18 * j + 10 + 9 * n
    asked = Tasks(
        whole[i : i + tasks * TASK_INTS].reshape(tasks, TASK_INTS),
        _table(floats, f, tasks, TASK_FLOATS),
        whole[i + tasks * TASK_INTS : i + tasks * (TASK_INTS + 1)],
        _table(floats, f + tasks * TASK_FLOATS, rows, n),
        _line(floats, f + tasks * TASK_FLOATS + rows * n, n),
        _line(floats, f + tasks * TASK_FLOATS + rows * n + n, n),
    )
    i += tasks * (TASK_INTS + 1)
    f += tasks * TASK_FLOATS + rows * n + 2 * n
    stack = Stack(
        _table(floats, f, rows, n), _line(floats, f + rows * n, rows), whole[i : i + levels + 1],
        _table(floats, f + rows * (n + 1), levels, 5),
        _line(floats, f + rows * (n + 1) + 5 * levels, levels),
        _line(floats, f + rows * (n + 1) + 6 * levels, n),
        _line(floats, f + rows * (n + 1) + 6 * levels + n, n),
        _line(floats, f + rows * (n + 1) + 6 * levels + 2 * n, n),
        _line(floats, f + rows * (n + 1) + 6 * levels + 3 * n, n),
    )  # fmt: skip
    i += levels + 1
    f += rows * (n + 1) + 6 * levels + 4 * n
    square = n * n
    deep = levels * square
    tail = f + 2 * n + 3 * square + deep + square
    scratch = Scratch(
        _line(floats, f, n), _line(floats, f + n, n), _table(floats, f + 2 * n, n, n),
        _table(floats, f + 2 * n + square, n, n), _table(floats, f + 2 * n + 2 * square, n, n),
        floats[f + 2 * n + 3 * square : f + 2 * n + 3 * square + deep].reshape(levels, n, n),
        _table(floats, f + 2 * n + 3 * square + deep, n, n),
        _line(floats, tail, n), _line(floats, tail + n, n), _line(floats, tail + 2 * n, n),
        _table(floats, tail + 3 * n, levels, n), _line(floats, tail + 3 * n + levels * n, levels),
        _line(floats, tail + 3 * n + levels * (n + 1), levels + 1),
        _line(floats, tail + 3 * n + levels * (n + 2) + 1, levels), whole[i : i + 1],
    )  # fmt: skip
    i += 1
    f = tail + 3 * n + levels * (n + 3) + 1
    bounds = Bounds(
        _line(floats, f, n), _line(floats, f + n, n), _line(floats, f + 2 * n, n),
        _line(floats, f + 3 * n, n),
    )  # fmt: skip
    f += 4 * n
    floor = Floor(_table(floats, f, edges, 3), margin_m, time_s)
    f += 3 * edges
    angles, velocity = _line(floats, f, n), _line(floats, f + n, n)
    marks = whole[i : i + n]
    return take_step(
        body, asked, stack, scratch, bounds, floor, manner, dt_s, angles, velocity, marks
    )
