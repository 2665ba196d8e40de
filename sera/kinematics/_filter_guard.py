"""The stopping guard of the motion filter: which step still leaves room to stop, in closed form.

All lengths are counted for one step: a speed is the way of one step, an acceleration the change of
that way from step to step, a jerk the change of that change. Then a step is

    acceleration' = acceleration + jerk,   way' = way + acceleration',   position' = position + way'

and the limits are `way_max`, `acceleration_max` and `jerk_max`. Because these are the finite
differences of the output itself, what is proved here holds for the output exactly.

How a joint stops: it takes the strongest braking that can still be let go in time, that is, whose
run-out b + (b - jerk) + (b - 2 jerk) + ... does not pass the way that is left to brake. Such a stop
depends on the state alone, so that each state on it has the rest of it as its own stop. A state is
*safe* when its stop stays inside the range and the speed limit. Safe states therefore have a safe
successor: the next state of their stop. The filter takes its own step if that leads to a safe state
and otherwise goes as far towards it from the stopping step as stays safe.

How far a stop goes has a closed form (arithmetic sums over ramp, full braking and run-out), so that
a check costs the same however many steps the stop would take.
"""

from __future__ import annotations

import math

from sera.kinematics._compile import kernel

_MANY_STEPS = 1e8  # from here on whole steps and fractions are the same to a double
_SEARCH_ROUNDS = 8
# A stop of a thousand steps adds up a thousand roundings: it is planned this much longer, in
# proportion, so that no end point has to be cut off.
_ROUNDING = 1.0 + 1e-11


@kernel
def run_out(first: float, decrement: float) -> float:
    """`first` + (`first` - `decrement`) + ..., down to zero."""
    if first <= 0.0:
        return 0.0
    whole = math.floor(first / decrement)
    return (whole + 1.0) * (first - 0.5 * whole * decrement)


@kernel
def first_of_run_out(total: float, decrement: float) -> float:
    """The first term of the run-out that adds up to `total`: the inverse of `run_out`."""
    if total <= 0.0:
        return 0.0
    ratio = total / decrement
    if ratio > _MANY_STEPS * _MANY_STEPS:
        return math.sqrt(total) * math.sqrt(2.0 * decrement)
    whole = math.floor(0.5 * (math.sqrt(8.0 * ratio + 1.0) - 1.0))
    return (total + 0.5 * whole * (whole + 1.0) * decrement) / (whole + 1.0)


@kernel
def braking(way: float, acceleration_max: float, jerk_max: float) -> float:
    """The acceleration that brakes `way` as hard as it can be let go again in time."""
    strength = min(acceleration_max, first_of_run_out(abs(way), jerk_max))
    return -strength if way > 0.0 else strength


@kernel
def stopping_step(
    way: float, acceleration: float, acceleration_max: float, jerk_max: float
) -> float:
    """The next acceleration on the way to rest."""
    aim = braking(way, acceleration_max, jerk_max)
    return min(max(aim, acceleration - jerk_max), acceleration + jerk_max)


@kernel
def glide(way: float, acceleration_max: float, jerk_max: float) -> float:
    """How far a stop still goes once it has its full braking; `way` is not negative."""
    travel = 0.0
    surplus = way - run_out(acceleration_max, jerk_max)
    if surplus > 0.0:
        steps = math.ceil(surplus / acceleration_max)
        travel = steps * (way - 0.5 * acceleration_max * (steps + 1.0))
        way -= steps * acceleration_max
    first = first_of_run_out(way, jerk_max)
    whole = math.floor(first / jerk_max)
    rest = first - whole * jerk_max
    return (
        travel
        + 0.5 * whole * (whole + 1.0) * rest
        + jerk_max * (whole - 1.0) * whole * (whole + 1.0) / 6.0
    )


@kernel
def _ramp_travel(steps: float, way: float, acceleration: float, jerk_max: float) -> float:
    """How far `steps` steps go while the acceleration falls by `jerk_max` at each."""
    return steps * (way + (steps + 1.0) * (0.5 * acceleration - jerk_max * (steps + 2.0) / 6.0))


@kernel
def _ramp_span(
    way: float, acceleration: float, acceleration_max: float, jerk_max: float
) -> tuple[float, float]:
    """The lowest and highest point of a stop that begins by lowering its acceleration fully."""
    ratio = acceleration / jerk_max
    # The ramp ends where the braking reached equals the one that can be let go in time. Between
    # whole steps that curve is made of straight pieces; `part` is where between two of them.
    part = math.ceil(ratio) - ratio
    room = way / jerk_max + 0.5 * (ratio * (ratio - 1.0) - part * (1.0 - part))
    ramp = ratio + min(math.sqrt(max(room, 0.0)), acceleration_max / jerk_max)
    steps = max(float(math.floor(ramp)), 0.0)
    lowest = 0.0
    if way < 0.0:
        # It still moves down for a while: braked too hard earlier, or not yet turned.
        half = ratio - 0.5
        speed = -2.0 * way / jerk_max
        turn = speed / (half + math.sqrt(max(half * half - speed, 0.0)))
        downward = min(max(math.ceil(turn) - 1.0, 0.0), steps)
        lowest = min(0.0, _ramp_travel(downward, way, acceleration, jerk_max))
    travel = _ramp_travel(steps, way, acceleration, jerk_max)
    left = way + steps * (acceleration - 0.5 * jerk_max * (steps + 1.0))
    travel += glide(max(left, 0.0), acceleration_max, jerk_max)
    return lowest, max(0.0, travel)


@kernel
def stop_span(
    way: float, acceleration: float, acceleration_max: float, jerk_max: float
) -> tuple[float, float]:
    """The lowest and highest point of the stop from here, relative to here."""
    aim = braking(way, acceleration_max, jerk_max)
    if aim < acceleration - jerk_max:
        return _ramp_span(way, acceleration, acceleration_max, jerk_max)
    if aim > acceleration + jerk_max:
        lowest, highest = _ramp_span(-way, -acceleration, acceleration_max, jerk_max)
        return -highest, -lowest
    travel = glide(abs(way), acceleration_max, jerk_max)
    if way < 0.0:
        return -travel, 0.0
    return 0.0, travel


@kernel
def _rooms(
    position: float,
    way: float,
    acceleration: float,
    lower: float,
    upper: float,
    acceleration_max: float,
    jerk_max: float,
) -> tuple[float, float]:
    """Room that the stop leaves above and below, after this acceleration is taken."""
    way += acceleration
    position += way
    lowest, highest = stop_span(way, acceleration, acceleration_max, jerk_max)
    return upper - (position + highest * _ROUNDING), (position + lowest * _ROUNDING) - lower


@kernel
def guard_third(
    position: float,
    way: float,
    acceleration: float,
    wanted: float,
    lower: float,
    upper: float,
    way_max: float,
    acceleration_max: float,
    jerk_max: float,
) -> float:
    """The next acceleration: `wanted`, or the nearest to it that keeps all limits for ever."""
    lowest = max(acceleration - jerk_max, -acceleration_max)
    highest = min(acceleration + jerk_max, acceleration_max)
    # An acceleration goes on adding to the speed while it is let go: its whole run-out must fit.
    lowest = max(lowest, -first_of_run_out(way_max + way, jerk_max))
    highest = min(highest, first_of_run_out(way_max - way, jerk_max))
    wanted = min(max(wanted, lowest), highest)
    above, below = _rooms(position, way, wanted, lower, upper, acceleration_max, jerk_max)
    if min(above, below) >= 0.0:
        return wanted
    # Only the end that would be passed decides how far to go: at the other one the joint may
    # stand already, without any room there.
    upwards = above < below
    bad, bad_room = wanted, min(above, below)
    good = stopping_step(way, acceleration, acceleration_max, jerk_max)
    above, below = _rooms(position, way, good, lower, upper, acceleration_max, jerk_max)
    if bad_room >= min(above, below):  # both end too far by a rounding, and `wanted` by less
        return wanted
    good_room = above if upwards else below
    if good_room <= 0.0:
        return good
    close_enough = 1e-4 * good_room
    last = 0
    for _ in range(_SEARCH_ROUNDS):  # regula falsi, Illinois' way; `good` is safe throughout
        middle = good + (bad - good) * good_room / (good_room - bad_room)
        above, below = _rooms(position, way, middle, lower, upper, acceleration_max, jerk_max)
        room = above if upwards else below
        if min(above, below) >= 0.0:
            good, good_room = middle, room
            if room <= close_enough:
                break
            if last == 1:
                bad_room *= 0.5
            last = 1
        else:
            bad, bad_room = middle, min(room, -close_enough)
            if last == -1:
                good_room *= 0.5
            last = -1
    return good


@kernel
def guard_second(
    position: float,
    way: float,
    wanted: float,
    lower: float,
    upper: float,
    way_max: float,
    acceleration_max: float,
) -> float:
    """The same where jerk is free: the next way's run-out must fit into the room ahead."""
    below, above = (position - lower) / _ROUNDING, (upper - position) / _ROUNDING
    lowest = -min(way_max, first_of_run_out(below, acceleration_max))
    highest = min(way_max, first_of_run_out(above, acceleration_max))
    next_way = min(max(way + wanted, lowest), highest)
    return min(max(next_way - way, -acceleration_max), acceleration_max)


@kernel
def can_stop(
    way: float, acceleration: float, way_max: float, acceleration_max: float, jerk_max: float
) -> bool:
    """Whether a state stops within these limits of speed, acceleration and jerk."""
    if abs(way) > way_max or abs(acceleration) > acceleration_max:
        return False
    strength = abs(acceleration)
    ahead = way if acceleration > 0.0 else -way
    return ahead + run_out(strength - jerk_max, jerk_max) <= way_max
