"""The three input signals of the document, sampled at its 60 Hz for ten seconds."""

from __future__ import annotations

import numpy as np

from sera.kinematics._arrays import FloatArray

RATE_HZ = 60.0
LENGTH_S = 10.0
AMPLITUDE = 5.0
FIRST_STEP_S, SECOND_STEP_S = 2.5, 7.5
_CIRCLE_STEPS = 50


def times_s() -> FloatArray:
    """The moments of all samples."""
    return np.arange(round(LENGTH_S * RATE_HZ)) / RATE_HZ


def simple_signal() -> FloatArray:
    """One large step down and, five seconds later, up again."""
    away = (times_s() >= FIRST_STEP_S) & (times_s() < SECOND_STEP_S)
    return np.where(away, -AMPLITUDE, AMPLITUDE)


def random_signal(source: np.random.Generator) -> FloatArray:
    """Another set-point at every second: large and small changes."""
    levels = source.uniform(-AMPLITUDE, AMPLITUDE, int(LENGTH_S))
    return np.repeat(levels, round(RATE_HZ))


def circular_signal() -> FloatArray:
    """One coordinate of a circle in 50 steps: what looks smooth on a screen."""
    step = np.floor(times_s() * _CIRCLE_STEPS / LENGTH_S + 1e-9)
    return AMPLITUDE * np.sin(2.0 * np.pi * step / _CIRCLE_STEPS)
