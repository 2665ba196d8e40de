"""Joints held by hand, over whatever else moves them.

Design overview: an operator names joints and where they shall be. What the layers, rules and stages
want for them is blended with the held values, last of all before the motion filter; a joint that is
named no longer is let go by a blend of its own. Blends have minimum jerk. A held joint that is
given another value moves there evenly, so that a slider which sends many values a second is
followed without steps.

Units and frames: radians, metres for joints that slide.
Threading: one owner, the engine.
Safety: values are kept within the range of the joint, and the motion filter comes after: velocity,
acceleration and jerk stay within the limits of the body whatever is held.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body
from sera.animation.signals import Fade
from sera.runtime.located import nearest_name

FloatArray = NDArray[np.float64]


@dataclass(slots=True)
class _Held:
    """One joint under a hand."""

    column: int
    value: float
    """Where it is held now."""
    goal: float
    """Where it is going to be held."""
    speed: float = 0.0
    """How fast the value goes there, per second."""
    fade: Fade = field(default_factory=Fade)
    """How much the hand counts."""


class Hand:
    """What is held of one body."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._columns = {name: place for place, name in enumerate(body.own)}
        self._held: dict[str, _Held] = {}

    @property
    def weights(self) -> dict[str, float]:
        """How much the hand counts, by joint; joints that it does not touch are left out."""
        return {name: held.fade.value for name, held in self._held.items()}

    def hold(
        self, joints: Mapping[str, float], blend_s: float, let_go_s: float | None = None
    ) -> None:
        """Hold these joints within `blend_s` and let go of all others within `let_go_s`.

        Raises:
            LookupError: the body has no such joint; with the nearest name. Nothing changes then.
            ValueError: a value is no number. Nothing changes then.
        """
        for name, value in joints.items():
            self._check(name, value)
        for name, held in self._held.items():
            if name not in joints:
                held.fade.go(0.0, blend_s if let_go_s is None else let_go_s)
                held.goal, held.speed = held.value, 0.0
        for name, value in joints.items():
            self._take(name, self._body.own[name].clamp(value), blend_s)

    @property
    def holding(self) -> tuple[str, ...]:
        """The joints that it holds, or is letting go of."""
        return tuple(self._held)

    def drop(self) -> None:
        """Let go of everything at once."""
        self._held.clear()

    def adopt(self, old: Hand) -> None:
        """Go on where the hand of another engine of the same body was."""
        self._held = old._held

    def step(self, wanted: FloatArray, dt_s: float) -> None:
        """Blend what is held into what is wanted of the own channels, in their order."""
        if not self._held:
            return
        for name, held in list(self._held.items()):
            weight = held.fade.step(dt_s)
            if weight <= 0.0 and held.fade.goal == 0.0:
                del self._held[name]
                continue
            left = held.goal - held.value
            reach = held.speed * dt_s
            held.value = (
                held.goal if abs(left) <= reach else held.value + math.copysign(reach, left)
            )
            wanted[held.column] += weight * (held.value - wanted[held.column])
            if weight == 1.0:
                wanted[held.column] = held.value

    def _check(self, name: str, value: float) -> None:
        if name not in self._body.joints:
            near = nearest_name(name, self._body.joints)
            hint = f"did you mean '{near}'?" if near else f"it has {', '.join(self._body.joints)}"
            raise LookupError(f"the body of '{self._body.name}' has no joint '{name}'; {hint}")
        if not math.isfinite(value):
            raise ValueError(f"the joint '{name}' cannot be held at {value}; give a number")

    def _take(self, name: str, goal: float, blend_s: float) -> None:
        held = self._held.get(name)
        if held is None:
            held = self._held[name] = _Held(self._columns[name], goal, goal)
        if goal != held.goal:
            held.goal, held.speed = goal, _rate(abs(goal - held.value), blend_s)
        # A stream of orders must not put off the moment when the hand has taken over.
        if held.fade.goal < 1.0 or blend_s < held.fade.remaining_s:
            held.fade.go(1.0, blend_s)


def _rate(distance: float, duration_s: float) -> float:
    """What covers a distance in a time; at once where there is no time."""
    return distance / duration_s if duration_s > 0.0 else math.inf
