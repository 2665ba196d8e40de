"""What a body really does when it plays an animation: the engine's frames, limits and all.

Design overview: an engine with three layers is made for one performance. At the bottom the body
looks straight ahead, above it takes a posture, and on top a player writes the animation's values,
added or in place of what is below as the animation says. The posture is taken first and given
time to arrive; then the frames are kept.

Units and frames: seconds from the animation's beginning; values in the channels' own units.
Threading: pure; every performance has an engine of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sera.animation.assets.animation import Animation
from sera.animation.assets.posture import Posture
from sera.animation.body import Body
from sera.animation.engine import Aiming, Controller, Engine, Layer, Row
from sera.animation.frame import BlendMode
from sera.kinematics._arrays import FloatArray

SETTLE_S = 2.5
"""Time to arrive at a posture before anything is kept."""
FOLLOW_S = 0.3
"""Frames are kept for so long after the animation's end, since a filtered motion arrives later."""


class _Setting(Controller):
    """Holds values."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = dict(values)

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns = [(row.layout.index(name), value) for name, value in self._values.items()]

    def step(self, dt_s: float) -> None:  # noqa: ARG002 - it holds
        for column, value in self._columns:
            self._row.write(column, value)


class _Player(Controller):
    """Writes an animation's values once it was started."""

    def __init__(self, animation: Animation) -> None:
        self._animation = animation
        self._at_s: float | None = None

    def start(self) -> None:
        self._at_s = 0.0

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns = [row.layout.index(name) for name in self._animation.names]

    def step(self, dt_s: float) -> None:
        if self._at_s is None:
            return
        for column, value in zip(self._columns, self._animation.at(self._at_s), strict=True):
            self._row.write(column, value)
        self._at_s += dt_s


@dataclass(frozen=True, eq=False)
class Performance:
    """Frames of a body's own channels."""

    body: Body
    times_s: FloatArray
    frames: FloatArray
    """One row a time, one column an own channel, in the order of `body.own`."""

    def pose(self, time_s: float) -> dict[str, float]:
        """The own channels in the frame nearest to a time."""
        row = self.frames[int(np.argmin(np.abs(self.times_s - time_s)))]
        return dict(zip(self.body.own, row.tolist(), strict=True))

    def gaze(self) -> FloatArray | None:
        """Where the first chain that aims looks: horizontal and vertical; None without one."""
        if not self.body.chains:
            return None
        aiming = Aiming(self.body, self.body.chains[0])
        names = list(self.body.own)
        return np.array(
            [aiming.looks_at(dict(zip(names, row.tolist(), strict=True))) for row in self.frames]
        )


def perform(
    body: Body,
    animation: Animation | None,
    posture: Posture | None = None,
    *,
    gaze_rad: tuple[float, float] = (0.0, 0.0),
    follow_s: float = FOLLOW_S,
) -> Performance:
    """Play an animation once over a posture; without an animation, one frame of the posture.

    Args:
        body: who plays.
        animation: one of its repertoire.
        posture: one of its repertoire; None: the neutral pose.
        gaze_rad: where it looks meanwhile, to the right and upwards, unless the posture says.
        follow_s: how long frames are kept after the end.
    """
    ahead = dict(zip(("Gazing.Horizontal", "Gazing.Vertical"), gaze_rad, strict=True))
    layers = [
        Layer(
            "gaze",
            [_Setting({name: value for name, value in ahead.items() if name in body.channels})],
            mode=BlendMode.OVERRIDE,
        ),
        Layer(
            "posture",
            [_Setting({} if posture is None else posture.values)],
            mode=BlendMode.OVERRIDE,
        ),
    ]
    player = None
    if animation is not None:
        player = _Player(animation)
        mode = BlendMode.ADD if animation.additive else BlendMode.OVERRIDE
        layers.append(Layer("animation", [player], mode=mode))
    engine = Engine(body, layers, start=body.rest, on_fault=_refuse)
    last = engine.step()
    for _ in range(math.ceil(SETTLE_S / engine.step_s)):
        last = engine.step()
    if animation is None or player is None:
        return Performance(body, np.zeros(1), last.reshape(1, -1).copy())
    player.start()
    length_s = animation.duration_s + (0.0 if animation.loop else follow_s)
    count = math.ceil(length_s / engine.step_s) + 1
    frames = np.array([engine.step().copy() for _ in range(count)])
    return Performance(body, np.arange(count, dtype=np.float64) * engine.step_s, frames)


def _refuse(layer: str, controller: str, sentence: str) -> None:
    """A sheet that leaves out what failed would be believed."""
    raise RuntimeError(f"{layer}, {controller}: {sentence}")


def without_limits(body: Body) -> Body:
    """The same body as fast as one likes: what it does is what was authored."""
    channels = {
        name: replace(spec, max_velocity=math.inf, max_acceleration=math.inf, max_jerk=math.inf)
        for name, spec in body.channels.items()
    }
    return replace(body, channels=channels)


def reached_share(
    body: Body, animation: Animation, posture: Posture | None = None, *, least: float = 0.02
) -> dict[str, float]:
    """How much of its authored swing every own channel reaches within the body's limits.

    Channels that swing by less than `least` (radians, metres or shares) are left out.
    """
    authored = np.ptp(perform(without_limits(body), animation, posture).frames, axis=0)
    reached = np.ptp(perform(body, animation, posture).frames, axis=0)
    return {
        name: float(reached[column] / authored[column])
        for column, name in enumerate(body.own)
        if authored[column] >= least
    }
