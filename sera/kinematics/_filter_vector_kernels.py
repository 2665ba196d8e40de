"""One step of the motion filter for a point in the plane or in space: norms are limited.

The scheme is that of the joints (`_filter_kernels`, `_filter_guard`) with vectors. A stop draws
the acceleration, by one jerk a step, towards braking straight against the velocity; once it is
there, the rest of the stop is a straight line whose length has a closed form. Regions are convex:
a line whose ends are inside is inside. Until the acceleration is there the stop is rolled out,
over `_LONGEST_TURN` steps at most; a stop that takes longer counts as unsafe, which costs speed
but never safety.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._filter_guard import first_of_run_out, glide, run_out
from sera.kinematics._filter_kernels import easing, squash
from sera.kinematics._filter_region import inside, pull_inside, saturate

# Rows of `state`.
POSITION, WAY, ACCELERATION, ASKED, SET_POINT = range(5)
STATE_ROWS = 5
# Entries of `numbers`.
STEP_V, STEP_A, STEP_J, V, A, J, EDGE, BEND, GAIN = range(9)
NUMBERS = 9
# Rows of `work`: wanted and stopping acceleration, the trial between them, and a rolled-out stop.
WANTED, STOP, TRIAL, STOP_POSITION, STOP_WAY, STOP_ACCELERATION, AIM = range(7)
WORK_ROWS = 7

_LONGEST_TURN = 400
_HALVINGS = 8
_ROUNDING = 1.0 + 1e-11
_NOTHING = 1e-150  # below this a motion is over; its square would be no number any more


@kernel
def _copy(source: FloatArray, target: FloatArray) -> None:
    for axis in range(source.shape[0]):
        target[axis] = source[axis]


@kernel
def _norm(vector: FloatArray) -> float:
    total = 0.0
    for axis in range(vector.shape[0]):
        total += vector[axis] * vector[axis]
    return math.sqrt(total)


@kernel
def _norm_of_sum(first: FloatArray, second: FloatArray, sign: float) -> float:
    total = 0.0
    for axis in range(first.shape[0]):
        total += (first[axis] + sign * second[axis]) ** 2
    return math.sqrt(total)


@kernel
def _scale(vector: FloatArray, share: float) -> None:
    for axis in range(vector.shape[0]):
        vector[axis] *= share


@kernel
def _squash(vector: FloatArray, bound: float, hard: bool) -> None:
    length = _norm(vector)
    if length > 0.0:
        _scale(vector, squash(length, bound, hard) / length)


@kernel
def _ask(
    state: FloatArray,
    numbers: FloatArray,
    kind: int,
    region: FloatArray,
    step_s: float,
    order: int,
    hard: bool,
    wanted: FloatArray,
) -> None:
    """Into `wanted` the change of way that the document's form gives; its acceleration to ASKED."""
    position, way, asked = state[POSITION], state[WAY], state[ASKED]
    axes = wanted.shape[0]
    for axis in range(axes):
        wanted[axis] = (state[SET_POINT, axis] - position[axis]) / step_s
    saturate(wanted, position, kind, region, numbers[EDGE])
    if numbers[GAIN] > 0.0:
        _scale(wanted, easing(_norm(wanted), numbers[BEND], numbers[GAIN]))
    if order > 1:
        for axis in range(axes):
            wanted[axis] = (wanted[axis] - way[axis] / step_s) / step_s
        if order == 3:
            for axis in range(axes):
                wanted[axis] = (wanted[axis] - asked[axis]) / step_s
            _squash(wanted, numbers[J], hard)
            for axis in range(axes):
                wanted[axis] = asked[axis] + wanted[axis] * step_s
        _squash(wanted, numbers[A], hard)
        _copy(wanted, asked)
        for axis in range(axes):
            wanted[axis] = way[axis] / step_s + wanted[axis] * step_s
    _squash(wanted, numbers[V], hard)
    for axis in range(axes):
        wanted[axis] = wanted[axis] * step_s - way[axis]


@kernel
def _limit_wanted(
    state: FloatArray,
    numbers: FloatArray,
    kind: int,
    region: FloatArray,
    order: int,
    wanted: FloatArray,
    point: FloatArray,
) -> bool:
    """Bring the wanted acceleration within what one step allows; whether that changed it.

    All of these sets are convex and hold the present state, so that going to the nearest point of
    one never lengthens the change: what an earlier rule has limited stays limited.
    """
    changed = False
    acceleration, way = state[ACCELERATION], state[WAY]
    length = _norm(wanted)
    if order > 1 and length > numbers[STEP_A]:
        _scale(wanted, numbers[STEP_A] / length)
        changed = True
    if order == 3:
        jerk = _norm_of_sum(wanted, acceleration, -1.0)
        if jerk > numbers[STEP_J]:
            share = numbers[STEP_J] / jerk
            for axis in range(wanted.shape[0]):
                wanted[axis] = acceleration[axis] + (wanted[axis] - acceleration[axis]) * share
            changed = True
        return changed
    speed = _norm_of_sum(wanted, way, 1.0)
    if speed > numbers[STEP_V]:
        share = numbers[STEP_V] / speed
        for axis in range(wanted.shape[0]):
            wanted[axis] = (wanted[axis] + way[axis]) * share - way[axis]
        changed = True
    if order == 1:
        for axis in range(wanted.shape[0]):
            point[axis] = state[POSITION, axis] + way[axis] + wanted[axis]
        if not inside(point, kind, region):
            pull_inside(point, kind, region)
            for axis in range(wanted.shape[0]):
                wanted[axis] = point[axis] - state[POSITION, axis] - way[axis]
            changed = True
    return changed


@kernel
def _aim(way: FloatArray, order: int, numbers: FloatArray, aim: FloatArray) -> float:
    """Into `aim` the braking straight against `way` that can be let go in time; the speed."""
    speed = _norm(way)
    strength = speed
    if order == 2:
        strength = min(speed, numbers[STEP_A])
    elif order == 3:
        strength = min(numbers[STEP_A], first_of_run_out(speed, numbers[STEP_J]))
    # At full strength exactly minus the way, so that the stop ends at rest to the last bit.
    share = strength / speed if strength < speed else 1.0
    for axis in range(way.shape[0]):
        aim[axis] = -way[axis] * share
    return speed


@kernel
def _towards(aim: FloatArray, acceleration: FloatArray, jerk_max: float) -> bool:
    """Move `acceleration` to `aim` by one jerk at most; whether it is there."""
    gap = _norm_of_sum(aim, acceleration, -1.0)
    if gap <= jerk_max:
        _copy(aim, acceleration)
        return True
    for axis in range(aim.shape[0]):
        acceleration[axis] += (aim[axis] - acceleration[axis]) * (jerk_max / gap)
    return False


@kernel
def stops_safely(
    numbers: FloatArray, kind: int, region: FloatArray, order: int, work: FloatArray
) -> bool:
    """Whether the stop from the state in `work` stays inside the region and the speed limit."""
    position, way, acceleration = work[STOP_POSITION], work[STOP_WAY], work[STOP_ACCELERATION]
    for _ in range(_LONGEST_TURN):
        speed = _aim(way, order, numbers, work[AIM])
        if speed > numbers[STEP_V] * _ROUNDING or not inside(position, kind, region):
            return False
        if order < 3 or _towards(work[AIM], acceleration, numbers[STEP_J]):
            if speed == 0.0 or order == 1:
                return True
            if order == 3:
                travel = glide(speed, numbers[STEP_A], numbers[STEP_J])
            else:
                travel = run_out(speed - numbers[STEP_A], numbers[STEP_A])
            for axis in range(way.shape[0]):
                position[axis] += way[axis] * (travel / speed * _ROUNDING)
            return inside(position, kind, region)
        for axis in range(way.shape[0]):
            way[axis] += acceleration[axis]
            position[axis] += way[axis]
    return False


@kernel
def _is_safe(
    state: FloatArray,
    numbers: FloatArray,
    kind: int,
    region: FloatArray,
    order: int,
    work: FloatArray,
    share: float,
) -> bool:
    """Try the acceleration at `share` of the way from the stopping to the wanted one."""
    for axis in range(state.shape[1]):
        trial = work[WANTED, axis]
        if share < 1.0:
            trial = work[STOP, axis] + share * (work[WANTED, axis] - work[STOP, axis])
        way = state[WAY, axis] + trial
        work[TRIAL, axis] = trial
        work[STOP_ACCELERATION, axis] = trial
        work[STOP_WAY, axis] = way
        work[STOP_POSITION, axis] = state[POSITION, axis] + way
    return stops_safely(numbers, kind, region, order, work)


@kernel
def _guard(
    state: FloatArray,
    numbers: FloatArray,
    kind: int,
    region: FloatArray,
    order: int,
    work: FloatArray,
) -> bool:
    """Into the trial row the wanted acceleration, or one on the way to it; whether it had to."""
    if _is_safe(state, numbers, kind, region, order, work, 1.0):
        return False
    good, bad = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (good + bad)
        if _is_safe(state, numbers, kind, region, order, work, middle):
            good = middle
        else:
            bad = middle
    _is_safe(state, numbers, kind, region, order, work, good)
    return True


@kernel
def _choose(
    state: FloatArray,
    numbers: FloatArray,
    kind: int,
    region: FloatArray,
    step_s: float,
    order: int,
    hard: bool,
    stopping: bool,
    work: FloatArray,
) -> bool:
    """Into the trial row the next acceleration; whether it is another than the character's."""
    stop = work[STOP]
    _aim(state[WAY], order, numbers, stop)
    if order == 3:
        _copy(stop, work[AIM])
        _copy(state[ACCELERATION], stop)
        _towards(work[AIM], stop, numbers[STEP_J])
    if stopping:
        _copy(stop, work[TRIAL])
        return True
    _ask(state, numbers, kind, region, step_s, order, hard, work[WANTED])
    changed = _limit_wanted(state, numbers, kind, region, order, work[WANTED], work[STOP_POSITION])
    if order == 1:
        _copy(work[WANTED], work[TRIAL])
        return changed
    return _guard(state, numbers, kind, region, order, work) or changed


@kernel
def step_point(
    state: FloatArray,
    numbers: FloatArray,
    kind: int,
    region: FloatArray,
    step_s: float,
    order: int,
    hard: bool,
    stopping: bool,
    work: FloatArray,
    out: FloatArray,
) -> bool:
    """Move the point on by one step; whether the guard held it back."""
    held_back = _choose(state, numbers, kind, region, step_s, order, hard, stopping, work)
    largest = 0.0
    for axis in range(state.shape[1]):
        chosen = work[TRIAL, axis]
        state[WAY, axis] += chosen
        state[ACCELERATION, axis] = chosen
        if held_back:
            state[ASKED, axis] = chosen / (step_s * step_s)
        largest = max(largest, abs(state[WAY, axis]), abs(chosen))
    if largest < _NOTHING:
        for row in (WAY, ACCELERATION, ASKED):
            _scale(state[row], 0.0)
    for axis in range(state.shape[1]):
        state[POSITION, axis] += state[WAY, axis]
    pull_inside(state[POSITION], kind, region)  # against the last rounding only
    _copy(state[POSITION], out)
    return held_back
