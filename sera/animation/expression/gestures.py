"""Whether a gesture uses an arm: by how far the layers that work with hands move it.

Design overview: a wave lifts one arm and lets the other give way by a few degrees. Only the first
works; the second goes on expressing. What counts is how far the channels of an arm are moved, all
together; an arm that points works in any case.

Units and frames: radians. Threading: immutable once made.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sera.animation.channels import OWN_SET
from sera.animation.frame import BlendMode

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.engine.second_stage import StageFrame
    from sera.animation.frame import ChannelLayout

BEGINS_RAD = math.radians(20.0)
"""Moved less than this, an arm does not work."""
WHOLLY_RAD = math.radians(40.0)


class GestureWatch:
    """Watches one arm."""

    def __init__(
        self, body: Body, layout: ChannelLayout, joints: tuple[str, ...], hand: str
    ) -> None:
        wanted = set(joints)
        moving = [f"{OWN_SET}.{joint}" for joint in joints]
        moving += [
            name
            for name, rule in body.rules.items()
            if wanted & set(rule.distribute(body.channels[name].neutral, body.own))
        ]
        pointing = [
            channel
            for chain in body.chains
            if chain.aims == f"Arms.{hand.capitalize()}Point"
            for channel in (chain.horizontal, chain.vertical)
        ]
        self._moving = _columns(layout, moving)
        self._pointing = _columns(layout, pointing)
        self._neutral = layout.neutral[self._moving]

    def share(self, frame: StageFrame) -> float:
        """How much a gesture uses the arm in this frame, 0-1."""
        block, most = frame.blend.block, 0.0
        for row in frame.working_rows:
            if block.layer_weights[row] <= 0.0:
                continue
            if len(self._pointing):
                most = max(most, float(block.weights[row, self._pointing].max()))
            weights = block.weights[row, self._moving]
            if not weights.any():
                continue
            values = block.values[row, self._moving]
            if frame.blend.modes[row] != BlendMode.ADD:
                values = values - self._neutral
            moved = float(np.abs(values) @ weights)
            part = min(max((moved - BEGINS_RAD) / (WHOLLY_RAD - BEGINS_RAD), 0.0), 1.0)
            most = max(most, part)
        return min(most, 1.0)


def _columns(layout: ChannelLayout, names: list[str]) -> NDArray[np.intp]:
    found = [layout.find(name) for name in dict.fromkeys(names)]
    return np.array([column for column in found if column is not None], dtype=np.intp)
