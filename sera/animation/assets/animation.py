"""An animation: curves of channels over one time, with anchors.

Design overview: an `Animation` is data and a few ways to change its shape without loss: faster,
larger, mirrored, or warped so that its anchors (a gesture's stroke) meet given times (a
word). The player asks `at` once a frame, everything else asks `sample`.

Units and frames: seconds from the animation's own beginning; values in each channel's `unit`:
radians, metres, percent (0 to 1) or valence (-1 to 1). In an additive animation they are offsets
that are added to the posture, otherwise they are absolute.
Threading: immutable.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sera.animation.assets.curve import Curve
from sera.animation.channels import ChannelSpec, Unit
from sera.kinematics._arrays import FloatArray
from sera.runtime.located import nearest_name

DEFAULT_FADE_S = 0.2
SIDEWAYS: tuple[str, ...] = (
    *("Gazing.Horizontal", "Gazing.Roll", "Eyes.Horizontal"),
    *("Torso.Sway", "Torso.Twist", "Base.Turn"),
    *("Arms.LeftPointHorizontal", "Arms.RightPointHorizontal"),
)
"""Generic channels that change their sign in the mirror."""
_LEFT, _RIGHT = "Left", "Right"
Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True, slots=True, eq=False)
class AnimatedChannel:
    """A channel's curve."""

    name: str
    unit: Unit
    curve: Curve


@dataclass(frozen=True, eq=False)
class Animation:
    """A named motion of some channels."""

    name: str
    channels: tuple[AnimatedChannel, ...]
    title: str = ""
    layer: str | None = None
    """The layer that plays it; None: the program's own choice."""
    fade_s: float = DEFAULT_FADE_S
    loop: bool = False
    additive: bool = True
    """Values are added to the posture; otherwise they replace it."""
    body_sets: tuple[str, ...] = ()
    anchors: Mapping[str, float] = field(default_factory=dict)
    """Times by name, for meeting something else in time."""
    side: Side | None = None
    """The side that it is made for, such as the arm that waves; None: no side."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The channels, in the order of `sample`'s columns."""
        return tuple(channel.name for channel in self.channels)

    @cached_property
    def duration_s(self) -> float:
        """When the last key of any channel is reached."""
        return max((channel.curve.last_s for channel in self.channels), default=0.0)

    def channel(self, name: str) -> AnimatedChannel:
        """The channel of that name.

        Raises:
            LookupError: with the nearest name.
        """
        for channel in self.channels:
            if channel.name == name:
                return channel
        near = nearest_name(name, self.names)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the animation '{self.name}' does not move '{name}'{hint}")

    def anchor_s(self, name: str) -> float:
        """When a named moment comes.

        Raises:
            LookupError: with the nearest name.
        """
        if name in self.anchors:
            return self.anchors[name]
        near = nearest_name(name, self.anchors)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the animation '{self.name}' has no anchor '{name}'{hint}")

    def at(self, time_s: float) -> list[float]:
        """The values of all channels at one time, in the order of `names`."""
        if self.loop and self.duration_s > 0.0:
            time_s %= self.duration_s
        return [channel.curve.at(time_s) for channel in self.channels]

    def sample(self, times_s: ArrayLike) -> FloatArray:
        """The values at many times: one row a time, one column a channel."""
        times = np.atleast_1d(np.asarray(times_s, dtype=np.float64))
        if self.loop and self.duration_s > 0.0:
            times = np.mod(times, self.duration_s)
        if not self.channels:
            return np.empty((len(times), 0))
        return np.stack([channel.curve.sample(times) for channel in self.channels], axis=-1)

    # Other shapes of the same motion

    def scaled(self, amplitude: float = 1.0, speed: float = 1.0) -> Animation:
        """Larger and faster: an additive one about nothing, others about where they begin.

        Raises:
            ValueError: the speed is not above zero, or a number is not finite.
        """
        if not (np.isfinite(amplitude) and np.isfinite(speed) and speed > 0.0):
            raise ValueError(
                f"amplitude {amplitude} and speed {speed} do not make a motion: the speed must be "
                "above zero, and both must be finite"
            )

        def change(curve: Curve) -> Curve:
            centre = 0.0 if self.additive else curve.at(0.0)
            return curve.scaled(amplitude, speed, centre)

        anchors = {name: time_s / speed for name, time_s in self.anchors.items()}
        channels = tuple(replace(each, curve=change(each.curve)) for each in self.channels)
        return replace(self, channels=channels, anchors=anchors)

    def warped(self, anchor_times: Mapping[str, float]) -> Animation:
        """The same motion with its anchors at other times, and all between them in proportion.

        The beginning stays at zero; what follows the last moved anchor keeps its own speed.

        Raises:
            LookupError: there is no such anchor; with the nearest name.
            ValueError: the times are not in the order of the anchors.
        """
        authored, played = self._joints(anchor_times)
        if len(authored) < 2:
            return self
        # The last piece goes on at its own speed, past the end of the animation.
        beyond_s = max(self.duration_s - authored[-1], 0.0) + 1.0
        authored_s = np.array([*authored, authored[-1] + beyond_s])
        played_s = np.array([*played, played[-1] + beyond_s])
        channels = tuple(
            replace(each, curve=each.curve.warped(authored_s, played_s)) for each in self.channels
        )
        anchors = {
            name: float(np.interp(time_s, authored_s, played_s))
            for name, time_s in self.anchors.items()
        }
        return replace(self, channels=channels, anchors=anchors)

    def mirrored(
        self,
        pairs: Mapping[str, str] | None = None,
        negated: Collection[str] = SIDEWAYS,
    ) -> Animation:
        """Left and right exchanged.

        Args:
            pairs: channels that change places; None: each `Left…` with its `Right…`.
            negated: channels that keep their name and change their sign.
        """
        both = {**(pairs or {}), **{other: name for name, other in (pairs or {}).items()}}

        def mirror(channel: AnimatedChannel) -> AnimatedChannel:
            name = both.get(channel.name, channel.name if pairs is not None else "")
            name = name or _other_side(channel.name)
            curve = channel.curve.scaled(-1.0, 1.0) if channel.name in negated else channel.curve
            return AnimatedChannel(name, channel.unit, curve)

        return replace(self, channels=tuple(mirror(channel) for channel in self.channels))

    def for_channels(self, specs: Mapping[str, ChannelSpec]) -> Animation:
        """What a body can play of it, in the body's own units.

        Channels that the body does not have are left out. Percent and valence of a channel that
        has another unit mean a share of its range.
        """
        channels = tuple(
            _in_unit_of(channel, specs[channel.name], additive=self.additive)
            for channel in self.channels
            if channel.name in specs
        )
        return replace(self, channels=channels)

    def _joints(self, anchor_times: Mapping[str, float]) -> tuple[list[float], list[float]]:
        """Where the warp bends: authored and played times, from the beginning on."""
        wanted = sorted((self.anchor_s(name), float(at_s)) for name, at_s in anchor_times.items())
        authored, played = [0.0], [0.0]
        for authored_s, played_s in wanted:
            if (authored_s, played_s) == (authored[-1], played[-1]):
                continue
            if not (played_s > played[-1] and authored_s > authored[-1] and np.isfinite(played_s)):
                raise ValueError(
                    f"the anchor at {authored_s:g} s of '{self.name}' cannot come at "
                    f"{played_s:g} s: what comes before it takes until {played[-1]:g} s"
                )
            authored.append(authored_s)
            played.append(played_s)
        return authored, played


def _other_side(name: str) -> str:
    body_set, dot, own = name.partition(".")
    if own.startswith(_LEFT):
        return f"{body_set}{dot}{_RIGHT}{own.removeprefix(_LEFT)}"
    if own.startswith(_RIGHT):
        return f"{body_set}{dot}{_LEFT}{own.removeprefix(_RIGHT)}"
    return name


def _in_unit_of(channel: AnimatedChannel, spec: ChannelSpec, *, additive: bool) -> AnimatedChannel:
    """Shares of a range as values of the channel; offsets stay offsets."""
    if channel.unit is spec.unit:
        return channel
    if channel.unit is Unit.PERCENT:
        curve = channel.curve.scaled(spec.upper - spec.lower, 1.0)
        base = spec.lower
    elif channel.unit is Unit.VALENCE:
        reaches = (spec.neutral - spec.lower, spec.upper - spec.neutral)
        curve, base = channel.curve.two_sided(*reaches), spec.neutral
    else:
        raise ValueError(
            f"'{spec.name}' is in {spec.unit.value}, the animation moves it in {channel.unit.value}"
        )
    return AnimatedChannel(channel.name, spec.unit, curve if additive else curve.moved(base))
