"""An emotion as people type it: a name, a corner of the space, or three numbers.

    understood("joy", load_emotions())         # the point of happiness
    understood("LHL", emotions)                # low pleasure, high arousal, low dominance
    understood("-0.5, 0.6, 0", emotions)       # pleasure, arousal, dominance

Units and frames: points of pleasure, arousal and dominance, each from -1 to 1.
Threading: pure.
Safety: what is no number is refused; what lies beyond the range is clipped, and said.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.emotion.emotions import Emotions
from sera.emotion.pad import AXES, PAD

CORNERS = tuple(f"{p}{a}{d}" for p in "LH" for a in "LH" for d in "LH")
"""The eight points of the published study, low and high pleasure, arousal and dominance."""


class Wish(NamedTuple):
    """An emotion that somebody asked for."""

    title: str
    """Its name, or its three numbers."""
    pad: PAD
    remark: str | None = None
    """What was not taken to the letter."""


def understood(text: str, emotions: Emotions) -> Wish:
    """The emotion that a text means.

    Raises:
        LookupError: there is no such name; with the nearest.
        ValueError: they are not three finite numbers.
    """
    word = text.strip()
    if word.upper() in CORNERS:
        return Wish(word.upper(), PAD.corner(word))
    if "," not in word:
        emotion = emotions.emotion(word)
        return Wish(emotion.name, emotion.pad)
    numbers = [_number(part) for part in word.split(",")]
    if len(numbers) != len(AXES) or not all(math.isfinite(number) for number in numbers):
        raise ValueError(
            f"'{text}' is no emotion: give three numbers from -1 to 1 for {', '.join(AXES)}, such "
            "as -0.6,0.6,-0.4, or a name"
        )
    pad = PAD(*numbers)
    remark = None
    if pad.clipped:
        remark = f"{' and '.join(pad.clipped)} beyond -1 to 1: taken to the end"
    return Wish(", ".join(f"{value:g}" for value in pad.values), pad, remark)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
