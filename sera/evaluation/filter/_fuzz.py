"""No limit is ever exceeded: joints of all kinds under set-points and characters by chance.

Design overview: many joints run side by side, each with limits of its own from sluggish to absurd.
Set-points come at odd moments, some far beyond the range; in between the character changes and the
filter is stopped. Range, velocity, acceleration and jerk are differences of what came out.

Units and frames: the joints' own. Threading: one owner. Safety: none needed; nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sera.kinematics._arrays import BoolArray, FloatArray
from sera.kinematics.filter import FilterCharacter, FilterLimits, Limiter, MotionFilter, Shares

JOINTS = 50
_RUN = 400
"""Frames with the same limits."""
_ULP = 2.3e-16
_NAMES = ("velocity", "acceleration", "jerk")


@dataclass(frozen=True)
class FilterFuzz:
    """What came of it."""

    frames: int
    """Of all joints together."""
    exceeded: int
    worst: str | None
    """The first limit that was exceeded, and by how much."""


def fuzz_filter(frames: int, seed: int = 0) -> FilterFuzz:
    """Run joints under anything for so many frames in all."""
    chance = np.random.default_rng(seed)
    done, exceeded = 0, 0
    worst: str | None = None
    while done < frames:
        motion, positions = _run(chance)
        done += JOINTS * _RUN
        for name, wrong in _broken(motion, positions):
            exceeded += int(wrong.any(axis=1).sum())
            if worst is None and wrong.any():
                joint = int(np.argmax(wrong.any(axis=0)))
                worst = f"{name} of {motion.limits}, joint {joint}, {motion.character}"
    return FilterFuzz(done, exceeded, worst)


def _run(chance: np.random.Generator) -> tuple[MotionFilter, FloatArray]:
    centre, width = chance.choice((0.0, 1.0, -250.0)), 10.0 ** chance.uniform(-2, 3, JOINTS)
    duration = 10.0 ** chance.uniform(-1.5, 1.0, JOINTS)
    velocity = width / duration * 10.0 ** chance.uniform(-1, 1, JOINTS)
    acceleration = velocity / duration * 10.0 ** chance.uniform(-1, 1, JOINTS)
    jerk = acceleration / duration * 10.0 ** chance.uniform(-1, 2, JOINTS)
    lower, upper = centre - 0.5 * width, centre + 0.5 * width
    limits = FilterLimits(velocity, acceleration, jerk, lower, upper)
    start = chance.uniform(lower, upper)
    rate_hz = float(chance.choice((25.0, 50.0, 60.0, 100.0)))
    motion = MotionFilter(start, limits, _character(chance, width), rate_hz=rate_hz)
    positions = np.empty((_RUN + 3, JOINTS))
    positions[:3] = start
    for frame in range(_RUN):
        if chance.random() < 0.15:
            far = chance.choice((0.6, 0.6, 3.0, 1e300))
            motion.set_point(centre + far * width * chance.uniform(-1.0, 1.0, JOINTS))
        if chance.random() < 0.02:
            motion.set_character(_character(chance, width))
        if chance.random() < 0.01:
            motion.stop()
        motion.step(positions[frame + 3])
    return motion, positions


def _character(chance: np.random.Generator, width: FloatArray) -> FilterCharacter:
    overshoot = chance.choice((0.0, 0.02, 0.3, np.inf), JOINTS) * width
    shares = chance.uniform(0.05, 1.0, 3) if chance.random() < 0.5 else np.ones(3)
    return FilterCharacter(
        smoothness=chance.uniform(0.0, 1.0, JOINTS),
        responsiveness=chance.choice((0.0, 0.5, 0.999), JOINTS),
        edge=10.0 ** chance.uniform(-2, 3, JOINTS),
        overshoot=overshoot,
        limiter=Limiter.HARD if chance.random() < 0.5 else Limiter.TANH,
        eased=bool(chance.random() < 0.5),
        shares=Shares(*shares.tolist()),
    )


def _broken(motion: MotionFilter, positions: FloatArray) -> list[tuple[str, BoolArray]]:
    lower, upper = motion.limits.ends(JOINTS)
    found = [("range", (positions < lower) | (positions > upper) | ~np.isfinite(positions))]
    size = np.abs(positions).max(axis=0) * _ULP
    values = positions
    for power, bound in enumerate(motion.limits.rates(JOINTS, 3), start=1):
        values = np.diff(values, axis=0) / motion.step_s
        # What the rounding of positions explains is no excess.
        allowed = bound * (1.0 + 1e-11) + 2.0 ** (power + 1) * size / motion.step_s**power
        found.append((_NAMES[power - 1], np.abs(values) > allowed))
    return found
