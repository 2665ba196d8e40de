"""Activity and jerkiness as motion: a posture that swings, with a phase that trembles.

    motion = ExpressiveMotion(profile)
    theta, theta_dot = motion.pose_and_velocity(t_s, features, rates)

Design overview
    With activity V, jerkiness J, lowest posture theta_0, fullest posture theta_V0, amplitude h:

        theta(t) = (1 - V) theta_0 + V (theta_V0 + h sin(omega t + phi(t)))
        phi(t)   = J sum_j (a_j sin(omega_j t) + b_j cos(omega_j t))

    All joints share the phase. Jerkiness works through the swing alone: without activity, or
    where a joint has no amplitude, nothing trembles. The velocity is the exact derivative, with
    the phase's own rate and, where features change meanwhile, with theirs: a controller that
    feeds it forward loses nothing of the trembling, which feedback alone would smooth away.

Units and frames
    Radians, radians a second, seconds; one column a joint, in the order of `profile.joints`.

Threading
    One owner: the arrays that are given back are written again by the next call, unless `out` is
    given. A call allocates next to nothing and takes a few microseconds.

Safety
    At constant features every joint stays within its limits by 0.01 rad, because the profile's
    amplitudes are shrunk rather than its angles clamped. `printed=True` takes the numbers as they
    are printed where they come from, without any of that: for comparison, never for a robot.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.emotion.features import FeatureRates, Features
from sera.emotion.profile import FloatArray, NullSpaceProfile

_HALVINGS = 60
_SCAN_STEPS = 256


class StartOffset(NamedTuple):
    """How far from the middle of its swing a motion begins, and where it would begin at rest."""

    phase_rad: float
    """phi(0): the sum of the cosine terms times jerkiness."""
    joints_rad: FloatArray
    """What that adds to each joint at t = 0."""
    still_at_s: float
    """The first time at which the swing turns, low, with no velocity at all: a motion whose clock
    begins there begins at rest."""


class ExpressiveMotion:
    """The motion of one profile.

    Args:
        profile: of a body with hands.
        printed: take published numbers instead of corrected ones.
    """

    def __init__(self, profile: NullSpaceProfile, *, printed: bool = False) -> None:
        self.profile = profile
        columns = (profile.lowest_rad, profile.fullest_rad, profile.amplitude_rad)
        lowest, fullest, self._amplitude = profile.published if printed else columns
        self._lowest = lowest
        self._rise = fullest - lowest
        self._omega = profile.omega_rad_s
        self._terms = tuple(
            (term.sine_rad, term.cosine_rad, term.omega_rad_s) for term in profile.terms
        )
        count = len(profile.joints)
        self._theta, self._theta_dot, self._swung = (np.zeros(count) for _ in range(3))

    def pose(self, t_s: float, features: Features, out: FloatArray | None = None) -> FloatArray:
        """Where the joints are at a time."""
        theta = self._theta if out is None else out
        self._write_pose(self._phase(t_s, features.jerkiness)[0], features.activity, theta)
        return theta

    def pose_and_velocity(
        self,
        t_s: float,
        features: Features,
        rates: FeatureRates | None = None,
        out: tuple[FloatArray, FloatArray] | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Where the joints are and how fast they move.

        Args:
            t_s: the motion's own time, from its beginning.
            features: as they are now.
            rates: how fast they change; not at all where left out.
            out: arrays for both, in place of the motion's own.
        """
        theta, theta_dot = (self._theta, self._theta_dot) if out is None else out
        jerkiness, activity = features.jerkiness, features.activity
        phase, modulation, modulation_dot = self._phase(t_s, jerkiness)
        self._write_pose(phase, activity, theta)
        phase_dot = self._omega + jerkiness * modulation_dot
        if rates is not None:
            phase_dot += rates.jerkiness_per_s * modulation
        np.multiply(self._amplitude, activity * phase_dot * math.cos(phase), out=theta_dot)
        if rates is not None and rates.activity_per_s != 0.0:
            # _swung still holds theta_V0 - theta_0 + h sin(phase).
            self._swung *= rates.activity_per_s
            theta_dot += self._swung
        return theta, theta_dot

    def start_offset(self, features: Features) -> StartOffset:
        """What the phase's cosine terms add at the beginning, and where to begin instead."""
        phase = self._phase(0.0, features.jerkiness)[0]
        joints = self._amplitude * (features.activity * math.sin(phase))
        return StartOffset(phase, joints, self._still_at_s(features.jerkiness))

    def highest_frequency_hz(self) -> float:
        """The fastest of the jerkiness's own frequencies, or the swing's where it has none."""
        return max((omega for *_, omega in self._terms), default=self._omega) / (2.0 * math.pi)

    def peak_energies(self, activity: float) -> FloatArray:
        """Peak kinetic energy of each joint with inertia one, without jerkiness."""
        return np.asarray(0.5 * (self._omega * activity * self._amplitude) ** 2)

    def mean_energy(self, features: Features, duration_s: float, rate_hz: float = 100.0) -> float:
        """Half the sum of the squared velocities of all joints, on average over a time."""
        times = np.arange(max(1, round(duration_s * rate_hz))) / rate_hz
        total = math.fsum(
            float(np.dot(velocity, velocity))
            for velocity in (self.pose_and_velocity(t, features)[1] for t in times.tolist())
        )
        return 0.5 * total / len(times)

    def _phase(self, t_s: float, jerkiness: float) -> tuple[float, float, float]:
        """The phase, and the modulation at jerkiness one with its rate."""
        modulation = modulation_dot = 0.0
        for sine, cosine, omega in self._terms:
            s, c = math.sin(omega * t_s), math.cos(omega * t_s)
            modulation += sine * s + cosine * c
            modulation_dot += omega * (sine * c - cosine * s)
        return self._omega * t_s + jerkiness * modulation, modulation, modulation_dot

    def _write_pose(self, phase: float, activity: float, theta: FloatArray) -> None:
        swung = self._swung
        np.multiply(self._amplitude, math.sin(phase), out=swung)
        swung += self._rise
        np.multiply(swung, activity, out=theta)
        theta += self._lowest

    def _still_at_s(self, jerkiness: float) -> float:
        """When the phase first is three quarters of a turn, or one quarter before the start.

        The phase may run back and forth while it trembles: the first crossing is looked for on a
        grid and then narrowed down.
        """
        wanted = 1.5 * math.pi
        reach = sum(math.hypot(sine, cosine) for sine, cosine, _ in self._terms) * jerkiness
        end_s = (wanted + reach) / self._omega
        early = 0.0
        for step in range(1, _SCAN_STEPS + 1):
            late = end_s * step / _SCAN_STEPS
            if self._phase(late, jerkiness)[0] >= wanted:
                break
            early = late
        for _ in range(_HALVINGS):
            middle = 0.5 * (early + late)
            if self._phase(middle, jerkiness)[0] >= wanted:
                late = middle
            else:
                early = middle
        return late
