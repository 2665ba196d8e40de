"""Motions for robots that are played slowly: a timeline at a few samples a second, and its price.

    exported = export_motion(motion, profile.joints, duration_s=5.0, frequencies_hz=[2.0])
    exported.warnings                # what the rate cannot carry, one sentence each
    exported.naoqi().to_json()       # for angleInterpolation

Design overview: a motion is sampled at the control rate and at the rate of playback. What a robot
makes of the samples is not known; a cubic spline through them stands for it, and the jerk before
and after says what is lost: Pepper's own 4.45 samples a second are hardly more than two for each
period of a jerkiness of 2 Hz. CSV and NAOqi are written by the exporters of animations.

Units and frames: radians and seconds; jerk in rad/s³, as the root mean square over time of all
joints together.
Threading: pure; whoever has the texts writes the files.
Safety: a motion that is not finite is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sera.emotion.features import Features

if TYPE_CHECKING:
    from sera.animation.assets.animation import Animation
    from sera.animation.assets.exporters import NaoqiTimeline
    from sera.emotion.generator import ExpressiveMotion

FloatArray = NDArray[np.float64]
Motion = Callable[[float], ArrayLike]
PEPPER_RATE_HZ = 4.45
"""At which the published study's robot took samples."""
CONTROL_RATE_HZ = 100.0
SAMPLES_A_PERIOD = 2.5
"""Fewer than these do not carry a frequency."""
_FEWEST = 4


@dataclass(frozen=True, eq=False, slots=True)
class LowRateExport:
    """A timeline, and what it costs."""

    joints: tuple[str, ...]
    rate_hz: float
    times_s: FloatArray
    values_rad: FloatArray
    """One row a sample, one column a joint."""
    jerk_rad_s3: float
    """Of the motion as it was given."""
    played_jerk_rad_s3: float
    """Of a cubic through the samples."""
    error_rad: float
    """The cubic's distance from the motion: all joints together, root mean square over time."""
    warnings: tuple[str, ...]

    def csv(self) -> str:
        """The text of a CSV file, in degrees."""
        from sera.animation.assets.exporters import animation_csv

        return animation_csv(self._animation())

    def naoqi(self) -> NaoqiTimeline:
        """Names, times and keys for NAOqi."""
        from sera.animation.assets.exporters import naoqi_timeline

        return naoqi_timeline(self._animation(), self.rate_hz)

    def played(self, times_s: ArrayLike) -> FloatArray:
        """The cubic through the samples at any times."""
        return _cubic(self.times_s, self.values_rad, np.asarray(times_s, dtype=np.float64))

    def _animation(self) -> Animation:
        from sera.animation.assets.animation import AnimatedChannel, Animation
        from sera.animation.assets.curve import Curve
        from sera.animation.assets.tangents import Key
        from sera.animation.channels import OWN_SET, Unit

        times = self.times_s.tolist()
        channels = tuple(
            AnimatedChannel(
                f"{OWN_SET}.{joint}",
                Unit.RADIAN,
                Curve.through(
                    [Key(time, value) for time, value in zip(times, column, strict=True)]
                ),
            )
            for joint, column in zip(self.joints, self.values_rad.T.tolist(), strict=True)
        )
        return Animation("expressive", channels, additive=False)


def export_motion(
    motion: Motion | ArrayLike,
    joints: Sequence[str],
    *,
    duration_s: float | None = None,
    rate_hz: float = PEPPER_RATE_HZ,
    control_rate_hz: float = CONTROL_RATE_HZ,
    frequencies_hz: Sequence[float] = (),
) -> LowRateExport:
    """Sample a motion for slow playback.

    Args:
        motion: angles of all joints for a time, or one row for each step of the control rate.
        joints: their names, in the order of the angles.
        duration_s: how long; needed for a function, and the array's own length for an array.
        rate_hz: of playback.
        control_rate_hz: at which the motion is, or would be, controlled.
        frequencies_hz: those of its jerkiness, for the warnings.

    Raises:
        ValueError: a rate or a duration makes no sense, the shape does not fit the joints, or an
            angle is not finite.
    """
    if not 0.0 < rate_hz <= control_rate_hz or not math.isfinite(control_rate_hz):
        raise ValueError(
            f"a timeline of {rate_hz:g} Hz cannot be taken from a motion of {control_rate_hz:g} Hz"
        )
    steps = _steps(motion, joints, duration_s, control_rate_hz)
    times_s = np.arange(len(steps)) / control_rate_hz
    count = math.floor(float(times_s[-1]) * rate_hz + 1e-9) + 1
    if count < _FEWEST:
        raise ValueError(
            f"{times_s[-1]:g} s have only {count} samples at {rate_hz:g} Hz; {_FEWEST} are needed"
        )
    slow_s = np.arange(count) / rate_hz
    # A function is asked at the very times; between the steps of an array a cubic is as good.
    sampled = _asked(motion, slow_s) if callable(motion) else _cubic(times_s, steps, slow_s)
    played = _cubic(slow_s, sampled, times_s[times_s <= slow_s[-1] + 1e-9])
    kept = steps[: len(played)]
    return LowRateExport(
        joints=tuple(joints),
        rate_hz=rate_hz,
        times_s=slow_s,
        values_rad=sampled,
        jerk_rad_s3=rms_jerk(kept, control_rate_hz),
        played_jerk_rad_s3=rms_jerk(played, control_rate_hz),
        error_rad=float(np.sqrt(np.mean(np.sum((played - kept) ** 2, axis=1)))),
        warnings=rate_warnings(frequencies_hz, rate_hz),
    )


def export_expression(
    motion: ExpressiveMotion,
    features: Features | Callable[[float], Features],
    duration_s: float,
    *,
    rate_hz: float = PEPPER_RATE_HZ,
    control_rate_hz: float = CONTROL_RATE_HZ,
) -> LowRateExport:
    """Sample what a profile makes of features, or of features over time; warns by its own terms."""
    steady = features if isinstance(features, Features) else None
    varied = features if not isinstance(features, Features) else None

    def pose(t_s: float) -> FloatArray:
        now = steady if varied is None else varied(t_s)
        assert now is not None
        return motion.pose(t_s, now).copy()

    frequencies_hz = [term.omega_rad_s / (2.0 * math.pi) for term in motion.profile.terms]
    return export_motion(
        pose,
        motion.profile.joints,
        duration_s=duration_s,
        rate_hz=rate_hz,
        control_rate_hz=control_rate_hz,
        frequencies_hz=frequencies_hz,
    )


def rate_warnings(frequencies_hz: Sequence[float], rate_hz: float) -> tuple[str, ...]:
    """A sentence for each frequency that a rate cannot carry."""
    return tuple(
        f"jerkiness at {frequency_hz:.1f} Hz is lost at {rate_hz:g} Hz: a period needs "
        f"{SAMPLES_A_PERIOD:g} samples or more, so play it at "
        f"{SAMPLES_A_PERIOD * frequency_hz:.1f} Hz or lower the frequency"
        for frequency_hz in frequencies_hz
        if frequency_hz > rate_hz / SAMPLES_A_PERIOD
    )


def rms_jerk(values_rad: ArrayLike, rate_hz: float) -> float:
    """The third differences a second cubed: all joints together, root mean square over time."""
    values = np.asarray(values_rad, dtype=np.float64)
    third = np.diff(values, n=3, axis=0) * rate_hz**3
    return float(np.sqrt(np.mean(np.sum(third**2, axis=1)))) if len(third) else 0.0


def _steps(
    motion: Motion | ArrayLike, joints: Sequence[str], duration_s: float | None, rate_hz: float
) -> FloatArray:
    """One row for each step of the control rate."""
    if callable(motion):
        if duration_s is None or not (math.isfinite(duration_s) and duration_s > 0.0):
            raise ValueError(f"a motion that is a function needs a duration, not {duration_s!r}")
        steps = _asked(motion, np.arange(round(duration_s * rate_hz) + 1) / rate_hz)
    else:
        steps = np.asarray(motion, dtype=np.float64)
    if steps.ndim != 2 or steps.shape[1] != len(joints):
        raise ValueError(
            f"the motion has the shape {steps.shape}; there are {len(joints)} joints, so give one "
            "row a step and one column a joint"
        )
    if not bool(np.isfinite(steps).all()):
        raise ValueError("an angle of the motion is not a finite number")
    return steps


def _asked(motion: Motion, times_s: FloatArray) -> FloatArray:
    return np.array([np.array(motion(t_s), dtype=np.float64) for t_s in times_s.tolist()])


def _cubic(times_s: FloatArray, values_rad: FloatArray, at_s: FloatArray) -> FloatArray:
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(times_s, values_rad)(at_s))
