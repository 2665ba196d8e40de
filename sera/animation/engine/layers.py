"""Layers: chains of controllers with a weight, in a hierarchy.

Design overview: a layer owns one row of the frame block. Its controllers step one after the other
and write into that row: generators set channels, operators change what is there. The layer's
weight fades towards its goal with minimum jerk, so that layers come and go without a jump, and the
engine makes a fade longer by which a hand would be thrown; a mask says which channels it may touch
at all. A layer may lie inside another: its weight then counts as a part of that one's, so that a
whole group is switched or faded as one.

Units and frames: values in the channels' own units.
Threading: one owner, the engine.
Safety: a weight never leaves 0 to 1, and never jumps unless a fade of no length was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.sets import GENERIC, GENERIC_SETS
from sera.animation.channels import OWN_SET
from sera.animation.engine.controller import Controller
from sera.animation.frame import BlendMode, ChannelLayout
from sera.animation.signals import Fade

FloatArray = NDArray[np.float64]
_LOOK_EVERY_S = 0.2
"""What a layer does may grow while it fades."""
_SLACK = 1.3
"""What is left of a fade needs no more time than is left of it, unless what it does has grown."""


class Layer:
    """A chain of controllers with a weight."""

    def __init__(
        self,
        name: str,
        controllers: Sequence[Controller],
        *,
        mode: BlendMode = BlendMode.ADD,
        weight: float = 1.0,
        active: bool = True,
        fade_s: float = 0.3,
        only: Iterable[str] | None = None,
        inside: Layer | None = None,
    ) -> None:
        """Make a layer; `only` names channels or body sets that it may touch, None: all."""
        if not 0.0 <= weight <= 1.0:
            raise ValueError(f"layer {name!r} has the weight {weight}; it lies between 0 and 1")
        if not fade_s >= 0.0:
            raise ValueError(f"layer {name!r} fades in {fade_s} s; that cannot be negative")
        self.name = name
        self.controllers = list(controllers)
        self.mode = mode
        self.fade_s = fade_s
        self.only = None if only is None else tuple(only)
        self.inside = inside
        self._full, self._on = weight, active
        self._fade = Fade(weight if active else 0.0)
        self._was: float | None = None
        """What it counted before it was switched or weighed, until the engine has seen to that."""
        self._looked_s = 0.0
        self.asked = False
        """Whether the engine should look at how long its fade takes."""
        self.fading = True
        """Whether its weight has changed or is on its way to another, so that `fade` is due."""

    @property
    def weight(self) -> float:
        """What it counts now, fades and the layers around it included."""
        now = self._fade.value
        return now if self.inside is None else now * self.inside.weight

    @property
    def goal(self) -> float:
        """What it is going to count."""
        goal = self._fade.goal
        return goal if self.inside is None else goal * self.inside.goal

    @property
    def may_rest(self) -> bool:
        """Whether all of its controllers are of a kind that rests at times."""
        return all(type(each).rests is not Controller.rests for each in self.controllers)

    @property
    def rests(self) -> bool:
        """Whether none of its controllers has anything to do in this frame."""
        for each in self.controllers:  # noqa: SIM110 - asked in every frame: no generator
            if each.pulls or each.muted or not each.rests:
                return False
        return True

    @property
    def active(self) -> bool:
        """Whether it is switched on, whatever its weight."""
        return self._on

    def adopt(self, old: Layer) -> None:
        """Be as switched, weighed and faded as the layer of the same name was."""
        self._full, self._on = old._full, old._on
        self._fade = old._fade
        self.fading = True

    def set(
        self,
        *,
        active: bool | None = None,
        weight: float | None = None,
        fade_s: float | None = None,
    ) -> None:
        """Switch or weigh it; the change takes `fade_s` (its own fade where None)."""
        if weight is not None:
            if not 0.0 <= weight <= 1.0:
                raise ValueError(f"the weight {weight} of layer {self.name!r} is not within 0 to 1")
            self._full = weight
        self._on = self._on if active is None else active
        self._was = self._fade.value
        self._fade.go(self._full if self._on else 0.0, self.fade_s if fade_s is None else fade_s)
        self.asked = self.fading = True

    def settle(self, least_s: float) -> None:
        """Take at least so long for what is left of the change."""
        self.asked, self._looked_s = False, 0.0
        slack = _SLACK if self._was is None else 1.0
        if least_s > slack * self._fade.remaining_s:
            goal = self._fade.goal
            if self._was is not None:
                self._fade = Fade(self._was)
            self._fade.go(goal, least_s)
            self.fading = True
        self._was = None

    def fade(self, dt_s: float) -> None:
        """Move the weight towards its goal, which may have to be looked at again on the way."""
        self._fade.step(dt_s)
        self.fading = self._fade.moving
        self._looked_s += dt_s
        self.asked = self.asked or (self.fading and self._looked_s >= _LOOK_EVERY_S)

    def mask(self, layout: ChannelLayout) -> FloatArray:
        """One for every channel that the layer may touch."""
        if self.only is None:
            return np.ones(len(layout))
        allowed = np.zeros(len(layout))
        for name in self.only:
            if name in GENERIC_SETS or name == OWN_SET:
                allowed[layout.of_set(name)] = 1.0
            elif name not in GENERIC or name in layout:  # bodies lack some generic channels
                allowed[layout.index(name)] = 1.0
        return allowed
