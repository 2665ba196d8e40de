"""Looks by rules alone: a posture does not turn a face away that looks at somebody.

Design overview: a body without a chain for its gaze turns its face by enslaving rules, and some of
its joints also lean for postures (a head that is the body). There the gaze goes first: what the
layers below the gaze would have these joints do is taken back as far as the gaze decides. Gestures
and idle life lie above and stay; a posture that shows what is felt stays as far as it shows.

Units and frames: columns of the layout, values in the channels' own units.
Threading: one owner, the engine. Safety: ranges are kept by the rules, which come after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sera.animation.channels import OWN_SET
from sera.animation.frame import Blend, BlendMode

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.engine.enslaving import CompiledRules
    from sera.animation.frame import ChannelLayout

FloatArray = NDArray[np.float64]
_GAZE = ("Gazing.Horizontal", "Gazing.Vertical")


class PlainLook:
    """What the gaze of one body takes back of its posture."""

    def __init__(self, body: Body, layout: ChannelLayout, rules: CompiledRules) -> None:
        self._layout, self._rules = layout, rules
        self._gaze = [column for column in map(layout.find, _GAZE) if column is not None]
        own = body.own
        looks = {
            joint
            for name in _GAZE
            if name in body.rules
            for joint in body.rules[name].distribute(body.channels[name].neutral, own)
        }
        self._joints = layout.indices(f"{OWN_SET}.{joint}" for joint in sorted(looks))
        self._posture = layout.neutral.copy()
        self._below: Blend | None = None

    def step(self, posed: FloatArray, blend: Blend, shows: float) -> None:
        """Take back what the posture will do to the face; less of it as an emotion `shows`.

        Comes before the rules, which keep the sum of posture and look within the joints' range.
        """
        weights = blend.block.weights[:, self._gaze[0]].tolist()
        row = next(
            (
                r
                for r in range(len(weights) - 1, 0, -1)
                if blend.modes[r] != BlendMode.ADD and weights[r]
            ),
            0,
        )
        share = min(1.0, weights[row]) * (1.0 - shows)
        if row == 0 or share <= 0.0:
            return
        below = self._below
        if below is None or len(below.order) != row:
            below = self._below = Blend(blend.block, range(row))
            below.modes = blend.modes
        below.run()
        posture, neutral = self._posture, self._layout.neutral
        np.copyto(posture, below.values)
        below.mask[self._gaze] = 0
        self._rules.apply(below.values, below.mask, posture)
        joints = self._joints
        posed[joints] -= share * (posture[joints] - neutral[joints])


def plain_look_of(body: Body, layout: ChannelLayout, rules: CompiledRules) -> PlainLook | None:
    """None for a body whose face is aimed by a chain, or by nothing."""
    aims = any(chain.aims == "Gazing" for chain in body.chains)
    return None if aims or _GAZE[0] not in body.rules else PlainLook(body, layout, rules)
