"""The trajectory helper and the ghost: where an animation asks too much, and what becomes of it.

Design overview: `check` plays the animation at a steady rate, as the engine does, and compares
range, velocity, acceleration and jerk (finite differences of what is played) with the channel's
limits. `ghost` sends the same motion through the motion filter and gives the limited copy. The
authored animation is never changed: its animator sees both side by side and decides.

The ghost is the cubic B-spline whose control points are the filter's output. Its velocity,
acceleration and jerk are means of the output's differences, so that it keeps the limits at every
moment and at every rate, not only at the rate it was made with. It lags behind the authored motion
by what the limits cost, and one step of time.

Units and frames: the channel's own unit and seconds. Additive animations are checked on the
channel's neutral value.
Threading: pure functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from sera.animation.assets._spline import clamped_b_spline
from sera.animation.assets.animation import AnimatedChannel, Animation
from sera.animation.channels import ChannelSpec
from sera.kinematics._arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    from sera.kinematics.filter import FilterCharacter, MotionFilter

RATES_HZ = (50.0, 1000.0)
DEFAULT_RATE_HZ = 50.0
"""The rate at which the engine plays, unless told otherwise."""
_HISTORY = 3  # a jerk needs the three samples before it
_TOLERANCE = 1e-6
_KEPT_SHARE = 0.999  # what the ghost uses of its limits, so that rounding in a file breaks none
_UNLIMITED = (1e4, 1e7, 1e10)
_LONGEST_SETTLING_S = 30.0
_THERE = 1e-7  # of the channel's unit


class Breach(StrEnum):
    """Which limit is broken."""

    VELOCITY = "velocity"
    ACCELERATION = "acceleration"
    JERK = "jerk"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class Violation:
    """A stretch of time in which a channel breaks one of its limits."""

    channel: str
    kind: Breach
    from_s: float
    to_s: float
    peak: float
    """The largest magnitude in the stretch; of a range, the value farthest outside."""
    limit: float
    """The limit; of a range, the end that is passed."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One channel as it is played, with its derivatives."""

    spec: ChannelSpec
    times_s: FloatArray
    values: FloatArray
    """Absolute, in the channel's unit."""
    rates: dict[Breach, FloatArray]
    """Velocity, acceleration and jerk."""
    broken: dict[Breach, BoolArray]


def profiles(
    animation: Animation, specs: Mapping[str, ChannelSpec], rate_hz: float = DEFAULT_RATE_HZ
) -> list[Profile]:
    """The channels that the body has, as they are played; a loop with the seam before it."""
    _check_rate(rate_hz)
    playable = animation.for_channels(specs)
    step_s = 1.0 / rate_hz
    # After the end the body stands still, or the loop begins again, which has been looked at.
    after = 0 if animation.loop else 1 + _HISTORY
    count = math.ceil(animation.duration_s * rate_hz - 1e-9) + after
    times_s: FloatArray = np.arange(-_HISTORY, count, dtype=np.float64) * step_s
    played = playable.sample(times_s)
    result = []
    for column, channel in enumerate(playable.channels):
        spec = specs[channel.name]
        values = played[:, column] + (spec.neutral if animation.additive else 0.0)
        result.append(_profile(spec, times_s, values, step_s))
    return result


def check(
    animation: Animation, specs: Mapping[str, ChannelSpec], rate_hz: float = DEFAULT_RATE_HZ
) -> list[Violation]:
    """Every stretch of time in which a limit is broken, by channel and time.

    Args:
        animation: as it was authored.
        specs: the body's channels; others are passed over.
        rate_hz: how often the played motion is looked at, from 50 to 1000.

    Raises:
        ValueError: the rate is outside.
    """
    found: list[Violation] = []
    for profile in profiles(animation, specs, rate_hz):
        for kind, broken in profile.broken.items():
            found += [_violation(profile, kind, first, last) for first, last in _stretches(broken)]
    return found


def ghost(
    animation: Animation, specs: Mapping[str, ChannelSpec], rate_hz: float = DEFAULT_RATE_HZ
) -> Animation:
    """The copy that keeps every limit, as long as it needs to come to rest.

    It holds the channels that the body has. A loop returns to its beginning and rests there.

    Raises:
        ValueError: the rate is outside 50 to 1000 Hz.
    """
    _check_rate(rate_hz)
    playable = animation.for_channels(specs)
    if not playable.channels:
        return replace(playable, name=f"{animation.name}_ghost")
    body = [specs[name] for name in playable.names]
    neutral = np.array([spec.neutral if animation.additive else 0.0 for spec in body])
    step_s = 1.0 / rate_hz
    count = math.ceil(animation.duration_s * rate_hz - 1e-9) + 1
    # The last moment itself, which a loop would take for its first.
    wanted = replace(playable, loop=False).sample(np.arange(count) * step_s) + neutral
    points = _limited(wanted, body, rate_hz, returns=animation.loop) - neutral
    channels = tuple(
        AnimatedChannel(channel.name, channel.unit, clamped_b_spline(points[:, column], step_s))
        for column, channel in enumerate(playable.channels)
    )
    title = f"{animation.title} (ghost)" if animation.title else ""
    return replace(playable, name=f"{animation.name}_ghost", title=title, channels=channels)


def _limited(
    wanted: FloatArray, body: list[ChannelSpec], rate_hz: float, *, returns: bool
) -> FloatArray:
    """What the motion filter makes of set-points, until everything rests."""
    # Here, because the filter's kernels take a moment to load.
    from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter

    lower = np.array([spec.lower for spec in body])
    upper = np.array([spec.upper for spec in body])
    rates = [
        _KEPT_SHARE * np.minimum([getattr(spec, f"max_{kind}") for spec in body], most)
        for kind, most in zip(("velocity", "acceleration", "jerk"), _UNLIMITED, strict=True)
    ]
    start = np.clip(wanted[0], lower, upper)
    quick = FilterCharacter(eased=False, edge=1e6, overshoot=0.0, limiter=Limiter.HARD)
    motion = MotionFilter(
        start,
        FilterLimits(rates[0], rates[1], rates[2], lower, upper),
        quick,
        rate_hz=rate_hz,
        names=[spec.name for spec in body],
    )
    points = [start]
    for row in wanted[1:]:
        motion.set_point(row)
        points.append(motion.step())
    motion.set_point(wanted[0] if returns else wanted[-1])
    points += _settled(motion, quick)
    path = np.array(points)
    if returns:
        # What is missing to the beginning, less than anybody can see, is spread over all the way.
        share = np.linspace(0.0, 1.0, len(path))[:, np.newaxis]
        path += (path[0] - path[-1]) * share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return path


def _settled(motion: MotionFilter, quick: FilterCharacter) -> list[FloatArray]:
    """The way to the set-points, and the stop there."""
    from sera.kinematics.filter import Limiter

    points: list[FloatArray] = []
    for _ in range(int(_LONGEST_SETTLING_S * motion.rate_hz)):
        if bool(np.all(np.abs(motion.positions - motion.set_points) < _THERE)) and bool(
            np.all(np.abs(motion.velocities) < _THERE * motion.rate_hz)
        ):
            break
        if points and motion.at_rest:
            # The hard limiter may halt just short of where it should be; the soft one goes on.
            motion.set_character(replace(quick, limiter=Limiter.TANH))
        points.append(motion.step())
    motion.stop()
    while not motion.at_rest:
        points.append(motion.step())
    return points


def _profile(spec: ChannelSpec, times_s: FloatArray, values: FloatArray, step_s: float) -> Profile:
    rates: dict[Breach, FloatArray] = {}
    broken: dict[Breach, BoolArray] = {}
    noise = 64.0 * float(np.finfo(np.float64).eps) * float(np.max(np.abs(values), initial=1.0))
    limits = {
        Breach.VELOCITY: spec.max_velocity,
        Breach.ACCELERATION: spec.max_acceleration,
        Breach.JERK: spec.max_jerk,
    }
    for order, (kind, limit) in enumerate(limits.items(), start=1):
        rate = np.diff(values, n=order)[_HISTORY - order :] / step_s**order
        rates[kind] = rate
        broken[kind] = np.abs(rate) > limit * (1.0 + _TOLERANCE) + noise / step_s**order
    values, times_s = values[_HISTORY:], times_s[_HISTORY:]
    slack = _TOLERANCE * max(1.0, *(abs(end) for end in _ends(spec)))
    broken[Breach.RANGE] = (values < spec.lower - slack) | (values > spec.upper + slack)
    return Profile(spec, times_s, values, rates, broken)


def _ends(spec: ChannelSpec) -> list[float]:
    return [end if math.isfinite(end) else 0.0 for end in (spec.lower, spec.upper)]


def _stretches(broken: BoolArray) -> list[tuple[int, int]]:
    """First and last index of each run; a gap shorter than three samples does not part two."""
    stretches: list[tuple[int, int]] = []
    for index in np.flatnonzero(broken).tolist():
        if stretches and index - stretches[-1][1] <= _HISTORY:
            stretches[-1] = (stretches[-1][0], index)
        else:
            stretches.append((index, index))
    return stretches


def _violation(profile: Profile, kind: Breach, first: int, last: int) -> Violation:
    spec, window = profile.spec, slice(first, last + 1)
    from_s, to_s = float(profile.times_s[first]), float(profile.times_s[last])
    if kind is not Breach.RANGE:
        peak = float(np.max(np.abs(profile.rates[kind][window])))
        limit = float(getattr(spec, f"max_{kind.value}"))
        return Violation(spec.name, kind, from_s, to_s, peak, limit)
    values = profile.values[window]
    beyond = np.maximum(spec.lower - values, values - spec.upper)
    peak = float(values[int(np.argmax(beyond))])
    limit = spec.upper if peak > spec.upper else spec.lower
    return Violation(spec.name, kind, from_s, to_s, peak, limit)


def _check_rate(rate_hz: float) -> None:
    if not RATES_HZ[0] <= rate_hz <= RATES_HZ[1]:
        raise ValueError(
            f"a rate of {rate_hz:g} Hz cannot be checked: from {RATES_HZ[0]:g} to {RATES_HZ[1]:g}"
        )
