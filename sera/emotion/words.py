"""What a body does with an emotion, in sentences for people.

Units and frames: degrees, hertz and per cent, as people read them.
Threading: pure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sera.emotion.features import Features, features_of
from sera.emotion.feeling import FULL_AT
from sera.emotion.posture_profile import PostureProfile

if TYPE_CHECKING:
    from sera.emotion.pad import PAD
    from sera.emotion.profile import NullSpaceProfile, Profile

_HARDLY = 0.02
"""A share of a posture that is not worth a word."""


def in_words(pad: PAD) -> list[str]:
    """What an emotion makes of any motion."""
    features = features_of(pad)
    strength = math.hypot(*pad.values)
    shows = "wholly" if strength >= FULL_AT else "in part" if strength > 0.0 else "not at all"
    return [
        f"jerkiness {features.jerkiness:.3g}: {_of(features.jerkiness, 'even', 'jerky')} motion",
        f"activity {features.activity:.3g}: {_of(features.activity, 'low and still', 'lively')}",
        f"gaze {features.gaze:.3g}: {_of(features.gaze, 'averted', 'direct')}",
        f"it shows {shows}",
    ]


def done_by(profile: Profile, pad: PAD) -> str:
    """What a body of this profile does with it, in one sentence."""
    if all(value == 0.0 for value in pad.values):
        return "shows nothing: neutral is how it moves anyway"
    features = features_of(pad)
    if isinstance(profile, PostureProfile):
        return _by_posture(profile, pad, features)
    return _by_oscillation(profile, features)


def _by_oscillation(profile: NullSpaceProfile, features: Features) -> str:
    swing = (
        f"swings at {profile.omega_rad_s / math.tau:.2f} Hz by {_percent(features.activity)} of "
        "its amplitudes"
    )
    if profile.terms and features.jerkiness * features.activity > 0.0:
        fastest = max(profile.terms, key=lambda term: term.omega_rad_s)
        size = features.jerkiness * math.hypot(fastest.sine_rad, fastest.cosine_rad)
        swing += (
            f", its phase trembling by {math.degrees(size):.0f}° at "
            f"{fastest.omega_rad_s / math.tau:.1f} Hz"
        )
    if features.activity <= 0.0:
        swing = "stands still in its lowest posture"
    parts = [swing]
    if profile.head is not None and profile.gaze.mode == "aversion":
        parts.append(_looks(features, (profile.gaze.yaw_rad, profile.gaze.pitch_rad)))
    if profile.hands:
        parts.append("working hands keep their paths")
    return "; ".join(parts)


def _by_posture(profile: PostureProfile, pad: PAD, features: Features) -> str:
    shares = sorted(profile.weights(pad).items(), key=lambda item: -item[1])
    mixed = ", ".join(f"{name} {_percent(share)}" for name, share in shares if share >= _HARDLY)
    manner = profile.manner(features)
    return (
        f"postures {mixed}; {_looks(features, profile.averted_rad)}; motion filter: smoothness "
        f"{manner.smoothness:.2f}, responsiveness {manner.responsiveness:.2f}, overshoot "
        f"{math.degrees(manner.overshoot_rad):.1f}°"
    )


def _looks(features: Features, averted_rad: tuple[float, float]) -> str:
    aside, down = ((1.0 - features.gaze) * math.degrees(angle) for angle in averted_rad)
    if max(aside, down) < 0.5:
        return "looks straight at its partner"
    lowered = f" and {down:.0f}° down" if down >= 0.5 else ""
    return f"looks {aside:.0f}° past its partner{lowered}"


def _of(value: float, low: str, high: str) -> str:
    if value == 0.5:
        return f"between {low} and {high}"
    much = "very " if abs(value - 0.5) > 0.35 else "" if abs(value - 0.5) > 0.15 else "a little "
    return f"{much}{low if value < 0.5 else high}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
