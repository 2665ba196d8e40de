"""A gesture under an emotion, played through the engine and sampled for slow playback.

Units and frames: radians and seconds.
Threading: pure.
"""

from __future__ import annotations

import math

import numpy as np

from sera.animation.stage_set import StageSet
from sera.emotion import PAD
from sera.emotion.export import LowRateExport, export_motion
from sera.emotion.features import features_of
from sera.emotion.profile import NullSpaceProfile, Profile
from sera.evaluation.emotion.plays import CONTROL_RATE_HZ, joint_angles, play

_MOVED_RAD = 1e-4


def timeline(
    stage_set: StageSet,
    profile: Profile,
    pad: PAD,
    *,
    gesture: str | None = "wave",
    seconds: float = 5.0,
    rate_hz: float = 4.45,
) -> LowRateExport:
    """Play and sample; joints that stay at neutral all the time, such as legs, are left out.

    Raises:
        LookupError: there is no such gesture; with the nearest name.
        ValueError: the rate or the duration makes no sense.
    """
    if not 0.0 < rate_hz <= CONTROL_RATE_HZ:
        raise ValueError(
            f"a rate of {rate_hz:g} Hz cannot be played; give one up to {CONTROL_RATE_HZ:g} Hz"
        )
    played = play(stage_set, pad, gesture=gesture, seconds=seconds)
    body, angles = stage_set.body, joint_angles(played)
    names = body.tree.joint_names
    neutral = np.array([body.own[name].neutral for name in names])
    moved = np.flatnonzero(np.abs(angles - neutral).max(axis=0) > _MOVED_RAD)
    if not len(moved):
        raise ValueError("nothing moves: this emotion shows nothing, and there is no gesture")
    return export_motion(
        angles[:, moved],
        [names[column] for column in moved],
        rate_hz=rate_hz,
        control_rate_hz=CONTROL_RATE_HZ,
        frequencies_hz=_frequencies_hz(profile, pad),
    )


def _frequencies_hz(profile: Profile, pad: PAD) -> list[float]:
    """Those of the jerkiness that shows."""
    features = features_of(pad)
    shows = any(value != 0.0 for value in pad.values)
    if not isinstance(profile, NullSpaceProfile) or not shows:
        return []
    if features.jerkiness * features.activity <= 0.0:
        return []
    return [term.omega_rad_s / math.tau for term in profile.terms]
