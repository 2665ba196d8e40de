"""One step of the motion filter for all joints: what its character wants, then what is safe.

Each joint has a column in two tables whose rows are named here: `state` changes at every step,
`settings` holds the limits and the character. Ways, accelerations and jerks with the word `step`
are counted for one step (see `_filter_guard`); the others for a second.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._filter_guard import (
    can_stop,
    guard_second,
    guard_third,
    run_out,
    stop_span,
    stopping_step,
)

# Rows of `state`. The character has an acceleration of its own, which the velocity limiter does not
# touch: the document's form feeds back what it asked for, not what came out.
# PEAK is how far the joint has been from its set-point since it was there last, with its sign.
POSITION, WAY, ACCELERATION, ASKED, SET_POINT, BRAKES, PEAK = range(7)
STATE_ROWS = 7

# Rows of `settings`.
LOWER, UPPER, STEP_V, STEP_A, STEP_J = range(5)
V, A, J = range(5, 8)
# The guard's range (LOWER, UPPER) lies inside the joint's (FIRST_END, LAST_END) by what positions
# may be off by rounding at the end of a long stop.
FIRST_END, LAST_END = range(8, 10)
# From CENTRE on it is the character. Its shares of the limits are what the motion uses of them by
# itself; 1 is all.
CENTRE, HALF_WIDTH, EDGE, BEND, GAIN, OVERSHOOT, SHARE_V, SHARE_A, SHARE_J = range(10, 19)
SETTINGS_ROWS = 19

_ROUNDING = 1e-12  # a difference below this share is no intervention of the guard
_NOTHING = 1e-200  # below this a motion is over; subnormal numbers would only cost time

# Where overshoot is bounded the motion comes to rest. Each swing is at most this share of the one
# before, and none smaller than a few steps of the strongest jerk: those never end.
_SWING_SHARE = 0.4
_LEAST_SWING = 3.0
_SLOWEST_S = 0.2  # the time constant that easing and the ends of the range leave of an approach


@kernel
def squash(value: float, bound: float, hard: bool) -> float:
    """`value` within ±`bound`: cut off, or bent towards ±`bound`/2 and never reaching it."""
    if hard:
        return min(max(value, -bound), bound)
    return 0.5 * bound * math.tanh(2.0 * value / bound)


@kernel
def easing(speed: float, bend: float, gain: float) -> float:
    """The share of the wanted velocity that the character lets through at this speed."""
    return 0.5 * (math.tanh((speed * gain) ** bend - math.pi) + 1.0)


@kernel
def edge_share(outward: float, half_width: float, exponent: float) -> float:
    """The share of an outward velocity that is left at this distance from the centre."""
    if not 0.0 < half_width < math.inf:
        return 1.0
    return max(0.0, 1.0 - (outward / half_width) ** exponent)


@kernel
def _wanted_velocity(state: FloatArray, settings: FloatArray, joint: int, step_s: float) -> float:
    """The induced velocity after position saturation and easing."""
    position = state[POSITION, joint]
    velocity = (state[SET_POINT, joint] - position) / step_s
    outward = position - settings[CENTRE, joint]
    if outward * velocity > 0.0:
        velocity *= edge_share(abs(outward), settings[HALF_WIDTH, joint], settings[EDGE, joint])
    gain = settings[GAIN, joint]
    if gain > 0.0:  # no gain: a filter without easing
        velocity *= easing(abs(velocity), settings[BEND, joint], gain)
    if settings[OVERSHOOT, joint] < math.inf:
        least = (state[SET_POINT, joint] - position) / max(step_s, _SLOWEST_S)
        if abs(velocity) < abs(least):
            return least
    return velocity


@kernel
def _ask(
    state: FloatArray, settings: FloatArray, joint: int, step_s: float, order: int, hard: bool
) -> tuple[float, float]:
    """Velocity and acceleration that the document's form gives next."""
    wanted = _wanted_velocity(state, settings, joint, step_s)
    v_max = settings[V, joint]
    if order == 1:
        return squash(wanted, v_max, hard), 0.0
    comes_to_rest = settings[OVERSHOOT, joint] < math.inf
    if comes_to_rest:
        wanted = squash(wanted, v_max, hard)
    velocity = state[WAY, joint] / step_s
    asked = (wanted - velocity) / step_s
    if order == 3:
        before = state[ASKED, joint]
        asked = before + squash((asked - before) / step_s, settings[J, joint], hard) * step_s
    asked = squash(asked, settings[A, joint], hard)
    # Bent at every step, a speed would be worn down to a fraction of what the limit allows.
    return squash(velocity + asked * step_s, v_max, hard or comes_to_rest), asked


@kernel
def _brake(state: FloatArray, settings: FloatArray, joint: int, order: int) -> float:
    """The next acceleration of one step on the shortest way to rest."""
    way = state[WAY, joint]
    if order == 1:
        return -way
    bound = settings[STEP_A, joint]
    if order == 2:
        return min(max(-way, -bound), bound)
    return stopping_step(way, state[ACCELERATION, joint], bound, settings[STEP_J, joint])


@kernel
def _stop_from(
    state: FloatArray,
    settings: FloatArray,
    joint: int,
    order: int,
    share_a: float = 1.0,
    share_j: float = 1.0,
) -> tuple[float, float]:
    """The lowest and highest point of the stop from this state."""
    position, way = state[POSITION, joint], state[WAY, joint]
    if order == 1:
        return position, position
    a_max = share_a * settings[STEP_A, joint]
    if order == 2:
        travel = run_out(abs(way) - a_max, a_max)
        return (position - travel, position) if way < 0.0 else (position, position + travel)
    j_max = share_j * settings[STEP_J, joint]
    lowest, highest = stop_span(way, state[ACCELERATION, joint], a_max, j_max)
    return position + lowest, position + highest


@kernel
def _overshoot(state: FloatArray, settings: FloatArray, joint: int, order: int) -> float:
    """How far the joint may go beyond its set-point now: less with every swing, then nothing."""
    peak = state[PEAK, joint]
    away = state[POSITION, joint] - state[SET_POINT, joint]
    if away * peak <= 0.0 or abs(away) > abs(peak) or state[WAY, joint] == 0.0:
        peak = state[PEAK, joint] = away
    swing = min(settings[OVERSHOOT, joint], _SWING_SHARE * abs(peak))
    least = settings[STEP_J if order == 3 else STEP_A, joint]
    return swing if swing >= _LEAST_SWING * least else 0.0


@kernel
def stop_positions(
    state: FloatArray, settings: FloatArray, order: int, positions: FloatArray
) -> None:
    """Where each joint comes to rest if it brakes from now on; the farthest point of its stop."""
    for joint in range(positions.shape[0]):
        lowest, highest = _stop_from(state, settings, joint, order)
        position = state[POSITION, joint]
        positions[joint] = highest if highest - position > position - lowest else lowest


@kernel
def _bounds(state: FloatArray, settings: FloatArray, joint: int, order: int) -> tuple[float, float]:
    """The range that counts now: the joint's own, cut where it would overshoot its set-point."""
    lower, upper = settings[LOWER, joint], settings[UPPER, joint]
    if settings[OVERSHOOT, joint] < math.inf:
        overshoot = _overshoot(state, settings, joint, order)
        # A set-point may have jumped to where the joint cannot stop any more: it may go as far as
        # its stop, if possible a soft one.
        lowest, highest = _stop_from(
            state, settings, joint, order, settings[SHARE_A, joint], settings[SHARE_J, joint]
        )
        set_point = state[SET_POINT, joint]
        lower = max(lower, min(set_point - overshoot, lowest))
        upper = min(upper, max(set_point + overshoot, highest))
    return lower, upper


@kernel
def _guard(state: FloatArray, settings: FloatArray, joint: int, order: int, wanted: float) -> float:
    """The next acceleration of one step: `wanted`, or the nearest that is safe."""
    position, way = state[POSITION, joint], state[WAY, joint]
    lower, upper = _bounds(state, settings, joint, order)
    bound = settings[STEP_V, joint]
    if order == 1:
        next_way = min(max(way + wanted, -bound), bound)
        return min(max(next_way, lower - position), upper - position) - way
    a_max = settings[STEP_A, joint]
    share_v, share_a = settings[SHARE_V, joint], settings[SHARE_A, joint]
    if order == 2:
        if share_v < 1.0 or share_a < 1.0:
            wanted = guard_second(
                position, way, wanted, lower, upper, share_v * bound, share_a * a_max
            )
        return guard_second(position, way, wanted, lower, upper, bound, a_max)
    acceleration, j_max = state[ACCELERATION, joint], settings[STEP_J, joint]
    share_j = settings[SHARE_J, joint]
    if share_v < 1.0 or share_a < 1.0 or share_j < 1.0:
        # A soft character plans its motion, and its stop, within its share of the limits. All of
        # them serve where the range ends earlier.
        wanted = guard_third(
            position, way, acceleration, wanted, lower, upper,
            share_v * bound, share_a * a_max, share_j * j_max,
        )  # fmt: skip
    return guard_third(position, way, acceleration, wanted, lower, upper, bound, a_max, j_max)


@kernel
def step_joints(
    state: FloatArray,
    settings: FloatArray,
    step_s: float,
    order: int,
    hard: bool,
    stopping: bool,
    positions: FloatArray,
) -> int:
    """Move all joints on by one step; how many the guard held back."""
    held_back = 0
    for joint in range(state.shape[1]):
        way = state[WAY, joint]
        if stopping or state[BRAKES, joint] != 0.0:
            chosen = _brake(state, settings, joint, order)
            asked = chosen / (step_s * step_s)
        else:
            velocity, asked = _ask(state, settings, joint, step_s, order, hard)
            wanted = velocity * step_s - way
            chosen = _guard(state, settings, joint, order, wanted)
            if abs(chosen - wanted) > _ROUNDING * (abs(way) + abs(wanted)):
                held_back += 1
                asked = chosen / (step_s * step_s)
        way += chosen
        if abs(way) + abs(chosen) < _NOTHING:
            way, chosen, asked = 0.0, 0.0, 0.0
        position = state[POSITION, joint] + way
        # The guard has already seen to it; this is a second lock on the same door.
        position = min(max(position, settings[FIRST_END, joint]), settings[LAST_END, joint])
        state[POSITION, joint] = position
        state[WAY, joint] = way
        state[ACCELERATION, joint] = chosen
        state[ASKED, joint] = asked
        positions[joint] = position
    return held_back


@kernel
def take_set_points(state: FloatArray, ends: FloatArray, values: FloatArray) -> int:
    """Set all set-points, each at most at the ends of its range; the first that is no number."""
    for joint in range(values.shape[0]):
        if not math.isfinite(values[joint]):
            return joint
    for joint in range(values.shape[0]):
        lowest, highest = ends[FIRST_END, joint], ends[LAST_END, joint]
        state[SET_POINT, joint] = min(max(values[joint], lowest), highest)
    return -1


@kernel
def _fits(
    state: FloatArray, settings: FloatArray, wanted: FloatArray, joint: int, order: int
) -> bool:
    """Whether a joint may go over to the wanted limits: its stop must become no worse by it."""
    way = state[WAY, joint]
    if order == 2 and abs(way) > wanted[STEP_V, joint]:
        return False
    if order == 3 and not can_stop(
        way,
        state[ACCELERATION, joint],
        wanted[STEP_V, joint],
        wanted[STEP_A, joint],
        wanted[STEP_J, joint],
    ):
        return False
    lowest, highest = _stop_from(state, settings, joint, order)
    new_lowest, new_highest = _stop_from(state, wanted, joint, order)
    # Weaker brakes may not reach out of the range; a new range may already be left behind.
    return new_lowest >= min(lowest, wanted[LOWER, joint]) and new_highest <= max(
        highest, wanted[UPPER, joint]
    )


@kernel
def adopt_limits(state: FloatArray, settings: FloatArray, wanted: FloatArray, order: int) -> bool:
    """Go over to new limits joint by joint as soon as each allows it; whether any still waits."""
    waiting = False
    for joint in range(state.shape[1]):
        fits = _fits(state, settings, wanted, joint, order)
        state[BRAKES, joint] = 0.0 if fits else 1.0
        if not fits:
            waiting = True
            continue
        for row in range(SETTINGS_ROWS):
            settings[row, joint] = wanted[row, joint]
        # A joint outside its new range may stay where its stop ends, but never goes back out.
        lowest, highest = _stop_from(state, settings, joint, order)
        settings[LOWER, joint] = min(lowest, wanted[LOWER, joint])
        settings[UPPER, joint] = max(highest, wanted[UPPER, joint])
        if lowest < wanted[FIRST_END, joint]:
            settings[FIRST_END, joint] = lowest
            waiting = True
        if highest > wanted[LAST_END, joint]:
            settings[LAST_END, joint] = highest
            waiting = True
    return waiting
