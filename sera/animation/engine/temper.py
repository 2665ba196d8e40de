"""How the emotion changes the way a body moves: the character of its motion filter.

Design overview: bodies like lines have no hand to keep still and no posture to oscillate; the same
emotion drives how fast, how readily and smoothly, and how far beyond its goal they move, by the
shares of the joints' limits within which the filter plans (`Manner.shares`): anger starts and stops
hard and swings over once or twice, sadness goes slowly and softly. Between the body's usual
character and that of the emotion lies as much as is felt.

Units and frames: as `FilterCharacter`. Threading: one owner, the engine.
Safety: limits of the joints are not touched: the filter keeps them whatever its character.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sera.emotion import Felt
from sera.emotion.features import Features, features_of
from sera.emotion.posture_profile import Manner
from sera.kinematics._filter_settings import PerJoint, Shares
from sera.kinematics.filter import FilterCharacter, MotionFilter

MannerOf = Callable[[Features], Manner]
_NOTHING = (0.0, 0.0, 0.0)
_STEP = 0.01
"""A change of character that is smaller is not worth setting."""


class Temper:
    """Keeps a filter's character with the emotion."""

    def __init__(self, manner: MannerOf, usual: FilterCharacter) -> None:
        self._manner, self._usual = manner, usual
        self._set = _NOTHING

    def step(self, motion: MotionFilter, felt: Felt) -> None:
        """Give the filter the character of what is felt."""
        if felt.intensity <= 0.0:
            if self._set == _NOTHING:
                return
            wanted = _NOTHING
        else:
            features = features_of(felt.pad)
            wanted = (felt.intensity, features.jerkiness, features.activity)
        if max(abs(a - b) for a, b in zip(wanted, self._set, strict=True)) < _STEP and (
            wanted[0] > 0.0 or self._set[0] == 0.0
        ):
            return
        self._set = wanted
        motion.set_character(self._character(felt))

    def _character(self, felt: Felt) -> FilterCharacter:
        share, usual = felt.intensity, self._usual
        if share <= 0.0:
            return usual
        manner = self._manner(features_of(felt.pad))
        return replace(
            usual,
            smoothness=_mixed(usual.smoothness, manner.smoothness, share),
            responsiveness=_mixed(usual.responsiveness, manner.responsiveness, share),
            overshoot=_mixed(usual.overshoot, manner.overshoot_rad, share),
            shares=Shares(
                *(
                    own + share * (felt_share - own)
                    for own, felt_share in zip(usual.shares, manner.shares, strict=True)
                )
            ),
        )


def _mixed(usual: PerJoint, felt: float, share: float) -> PerJoint:
    mixed = np.asarray(usual, dtype=np.float64)
    mixed = mixed + share * (felt - mixed)
    return mixed if mixed.ndim else float(mixed)
