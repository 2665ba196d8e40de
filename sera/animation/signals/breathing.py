"""Breathing: the soft rise and fall that makes a body seem alive.

Design overview: a breath is inhaling, a hold, exhaling and a pause, with smooth borders. Each
breath has its own length and depth, drawn when it begins with empty lungs; so neither irregularity
nor a new arousal makes a jump. Arousal works on the rate at once and on the depth at the next
breath.
Units and frames: 0 is exhaled, `depth` is a full breath; breaths a minute.
Threading: one owner.
Safety: the value stays from 0 to depth times the larger of 1 and `aroused_depth_factor`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sera.animation.signals._checks import LARGEST, RandomSource, check, seed_of, within


@dataclass(frozen=True, slots=True, kw_only=True)
class BreathingSettings:
    """A calm person's breath by default."""

    breaths_per_minute: float = 14.0
    depth: float = 1.0
    inhale_share: float = 0.38
    hold_share: float = 0.08
    exhale_share: float = 0.42
    """What is left of a breath after inhaling, hold and exhaling is the pause."""
    irregularity: float = 0.2
    """0 is a machine; 1 varies the length by ±40 % and makes breaths down to half as deep."""
    aroused_rate_factor: float = 1.8
    """How much faster at arousal 1; at arousal -1 it is as much slower."""
    aroused_depth_factor: float = 1.2

    def __post_init__(self) -> None:
        check("breaths_per_minute", self.breaths_per_minute, 1.0, 120.0)
        check("depth", self.depth, 0.0, LARGEST)
        check("inhale_share", self.inhale_share, 0.05, 0.95)
        check("hold_share", self.hold_share, 0.0, 0.9)
        check("exhale_share", self.exhale_share, 0.05, 0.95)
        together = self.inhale_share + self.hold_share + self.exhale_share
        if together > 1.0 + 1e-9:
            raise ValueError(
                f"inhale_share, hold_share and exhale_share are {together:g} together; "
                "a breath has room for 1."
            )
        check("irregularity", self.irregularity, 0.0, 1.0)
        check("aroused_rate_factor", self.aroused_rate_factor, 0.25, 4.0)
        check("aroused_depth_factor", self.aroused_depth_factor, 0.25, 4.0)


class Breathing:
    """One breath after another."""

    __slots__ = ("_breath_depth", "_breath_rate", "_place", "_random", "_seed", "settings")

    def __init__(self, settings: BreathingSettings, seed: RandomSource) -> None:
        self.settings = settings
        self._seed = seed_of(seed)
        self.reset()

    def reset(self) -> None:
        self._random = np.random.default_rng(self._seed)
        self._place = 0.0
        self._begin_breath(0.0)

    def step(self, dt_s: float, arousal: float = 0.0) -> float:
        """How full the lungs are `dt_s` later; `arousal` from -1 to 1."""
        settings = self.settings
        arousal = within(arousal, -1.0, 1.0)
        factor: float = settings.aroused_rate_factor**arousal
        self._place += dt_s * self._breath_rate * factor * settings.breaths_per_minute / 60.0
        if self._place >= 1.0:
            self._place %= 1.0
            self._begin_breath(arousal)
        return settings.depth * self._breath_depth * self._fullness(self._place)

    def _begin_breath(self, arousal: float) -> None:
        settings = self.settings
        length_draw, depth_draw = self._random.random(), self._random.random()
        length = 1.0 + 0.4 * settings.irregularity * (2.0 * length_draw - 1.0)
        self._breath_rate = 1.0 / length
        shallower = 1.0 - 0.5 * settings.irregularity * depth_draw
        self._breath_depth: float = shallower * settings.aroused_depth_factor**arousal

    def _fullness(self, place: float) -> float:
        settings = self.settings
        if place < settings.inhale_share:
            return _smooth(place / settings.inhale_share)
        place -= settings.inhale_share
        if place < settings.hold_share:
            return 1.0
        place -= settings.hold_share
        if place < settings.exhale_share:
            return 1.0 - _smooth(place / settings.exhale_share)
        return 0.0


def _smooth(share: float) -> float:
    return share * share * (3.0 - 2.0 * share)
