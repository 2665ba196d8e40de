"""Hearing: where sound comes from, who speaks and from where, and the robot's own voice taken out.

Only the light parts are imported here; the engines need numpy and are imported from their files
(`sera.hearing.detector`, `sera.hearing.own_voice`, …) by what runs them.
"""

from __future__ import annotations

from sera.hearing.source import (
    Block,
    SoundClock,
    SoundLost,
    SoundMissing,
    SoundProblem,
    SoundSource,
    sound_source,
)

__all__ = [
    "Block",
    "SoundClock",
    "SoundLost",
    "SoundMissing",
    "SoundProblem",
    "SoundSource",
    "sound_source",
]
