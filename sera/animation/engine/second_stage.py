"""The second stage: what works on all joints at once, after the layers.

Design overview: stages run one after the other between enslaving and motion filter, each on the
pose as it stands. `ErikStage` is the one for every body with chains that aim: the layers give the
posture, the gaze or pointing channels the direction, and the chain turns that way while it holds
the posture. `sera.animation.expression` has another one, for emotion while hands work; a program
names its stages in order.

Units and frames: columns of the layout, values in the channels' own units; Y up, facing +Z.
Threading: one owner, the engine.
Safety: what a stage leaves behind still passes the motion filter. A stage that raises is left out
from then on and reported, as a controller would be.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sera.animation.engine.led_chain import LedChain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sera.animation.body import Body
    from sera.animation.engine.sight import Sights
    from sera.animation.frame import Blend, ChannelLayout
    from sera.emotion import Felt

FloatArray = NDArray[np.float64]


class StageFrame(NamedTuple):
    """What a stage sees and changes."""

    posed: FloatArray
    """(channels,) own channels as layers, rules and earlier stages want them; changed in place."""
    blend: Blend
    """What the layers made: values, mask, shares."""
    dt_s: float
    frame: int
    """Counts frames, for stages that need not run in every one."""
    felt: Felt | None = None
    """What the character feels."""
    working_rows: tuple[int, ...] = ()
    """Rows of the blend in which gestures move hands."""
    sights: Sights | None = None
    """Where the ends that aim were wanted; what they seek is to be tried."""


class SecondStage(ABC):
    """A step over the whole body."""

    name: str = ""
    failed: bool = False

    @abstractmethod
    def bind(self, body: Body, layout: ChannelLayout) -> None:
        """Prepare for a body, once."""

    @property
    def takes(self) -> tuple[int, ...]:
        """Columns of generic channels that it handles itself, so that no rule does."""
        return ()

    @abstractmethod
    def step(self, frame: StageFrame) -> None:
        """Change the pose."""

    def start_from(self, own: Mapping[str, float]) -> None:  # noqa: B027 - most remember nothing
        """The body is there now, whatever was asked of it before."""


class ErikStage(SecondStage):
    """Expressive inverse kinematics for every chain of the body that aims."""

    def __init__(self, *, every: int = 1) -> None:
        """Solve in every n-th frame; in between the chains keep their last angles."""
        if every < 1:
            raise ValueError(f"every is {every}; a stage runs in every frame (1) or less often")
        self.name = "erik"
        self.every = every
        self._chains: list[LedChain] = []

    def bind(self, body: Body, layout: ChannelLayout) -> None:
        self._chains = [LedChain(body, chain, layout) for chain in body.chains]

    @property
    def takes(self) -> tuple[int, ...]:
        columns = [(chain.horizontal, chain.vertical, chain.roll) for chain in self._chains]
        return tuple(column for three in columns for column in three if column is not None)

    @property
    def switches(self) -> int:
        """How often a chain had to change its branch."""
        return sum(chain.aiming.switches for chain in self._chains)

    @property
    def last_switches(self) -> list[str]:
        """Why each chain that did so changed its branch the last time."""
        said = [chain.aiming.last_switch for chain in self._chains]
        return [reason for reason in said if reason is not None]

    def step(self, frame: StageFrame) -> None:
        due = frame.frame % self.every == 0
        for chain in self._chains:
            sight = None if frame.sights is None else frame.sights.find(chain.aiming.chain.aims)
            if sight is not None and sight.seeking is not None:
                chain.seek(sight, frame.posed[chain.columns].tolist())
            strength, horizontal, vertical = wanted_of(frame.blend, chain)
            rolls, roll = _opaque(frame.blend, chain.roll)
            if strength <= 0.0 < rolls:  # tilted, wherever the posture looks
                own = dict(zip(chain.aiming.joints, frame.posed[chain.columns], strict=True))
                strength, (horizontal, vertical) = rolls, chain.aiming.looks_at(own)
            if strength <= 0.0:
                chain.rest()
                continue
            posture = frame.posed[chain.columns]
            heads_for = None if sight is None else sight.heads_for
            solved = chain.lead(
                posture.tolist(),
                (horizontal, vertical),
                roll,
                frame.dt_s,
                due=due,
                heads_for=heads_for,
            )
            if sight is not None:
                sight.turns_over = chain.aiming.turns_over
            if strength >= 1.0:
                frame.posed[chain.columns] = solved
            else:
                frame.posed[chain.columns] = posture + strength * (solved - posture)

    def start_from(self, own: Mapping[str, float]) -> None:
        for chain in self._chains:
            chain.start_from(dict(own))


def wanted_of(blend: Blend, chain: LedChain) -> tuple[float, float, float]:
    """How much somebody aims, and where to. A faint aim pulls faintly at the whole direction."""
    strength, horizontal = _opaque(blend, chain.horizontal)
    also, vertical = _opaque(blend, chain.vertical)
    vertical = min(max(vertical, -0.5 * math.pi), 0.5 * math.pi)
    return max(strength, also), math.remainder(horizontal, math.tau), vertical


def _opaque(blend: Blend, column: int | None) -> tuple[float, float]:
    """How opaque a channel is over all layers, and its value as if it were wholly so."""
    if column is None or not blend.mask[column]:
        return 0.0, 0.0
    opacity = min(1.0, max(blend.block.weights[:, column].tolist()))
    value = float(blend.values[column])
    return opacity, value / opacity if opacity > 0.0 else value
