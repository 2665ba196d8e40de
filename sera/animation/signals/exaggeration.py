"""Exaggeration: contrast, the difference from neutral made larger.

Design overview: the distance from neutral is multiplied by `contrast`. Beyond half of the room up
to a limit the result bends over and meets the limit only where the signal does, so that a motion
keeps its shape instead of being cut. At contrast 1 the signal passes unchanged. With `follows_s`
the neutral value follows the signal's own slow mean, as a caricature exaggerates the difference
from the average.
Units and frames: the unit of the signal; seconds.
Threading: one owner.
Safety: the result always lies from `lower` to `upper`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import LARGEST, check, check_order, within


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaggerationSettings:
    """Around which value, how much, and how far at most."""

    neutral: float = 0.0
    contrast: float = 1.5
    lower: float = -1.0
    upper: float = 1.0
    follows_s: float = 0.0
    """Time constant with which neutral follows the signal; 0 keeps it fixed."""

    def __post_init__(self) -> None:
        check("contrast", self.contrast, 0.0, 10.0)
        check("lower", self.lower, -LARGEST, LARGEST)
        check("upper", self.upper, -LARGEST, LARGEST)
        check_order("lower", self.lower, "upper", self.upper)
        check("neutral", self.neutral, self.lower, self.upper)
        check("follows_s", self.follows_s, 0.0, 600.0)


class Exaggeration:
    """A signal with more contrast."""

    __slots__ = ("_neutral", "settings")

    def __init__(self, settings: ExaggerationSettings) -> None:
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        self._neutral = self.settings.neutral

    def step(self, dt_s: float, value: float, amount: float = 1.0) -> float:
        """The exaggerated value; `amount` from 0 to 1 fades the effect in."""
        settings = self.settings
        value = within(value, settings.lower, settings.upper)
        if settings.follows_s > 0.0:
            self._neutral += (1.0 - math.exp(-dt_s / settings.follows_s)) * (value - self._neutral)
        away = value - self._neutral
        room = settings.upper - self._neutral if away >= 0.0 else self._neutral - settings.lower
        contrast = 1.0 + within(amount, 0.0, 1.0) * (settings.contrast - 1.0)
        result = self._neutral + math.copysign(_bent(abs(away), contrast, room), away)
        return within(result, settings.lower, settings.upper)


def _bent(away: float, contrast: float, room: float) -> float:
    """The distance with contrast: in full over the near half of the room, then bending over."""
    if room <= 0.0:
        return 0.0
    if contrast <= 1.0:
        return contrast * away
    knee = 0.5 * room / contrast
    if away <= knee:
        return contrast * away
    # From the knee to the limit: a hyperbola that begins with the slope `contrast` and, as its
    # end has a slope too, keeps apart what was apart.
    share = min((away - knee) / (room - knee), 1.0)
    steepness = 2.0 * contrast - 1.0
    return 0.5 * room * (1.0 + steepness * share / (1.0 + (steepness - 1.0) * share))
