"""Points with an arm: expressive inverse kinematics aims it, as it aims a head.

Design overview: an order names a direction and, where it likes, an arm; otherwise the arm on that
side points. Near straight ahead the arm that points goes on, so that a target which wanders there
does not make the arms take turns. The arm comes in and goes out with a fade: the second stage leads
it from its posture to the direction and back by as much as this controller lets through.

Units and frames: radians, to the right and upwards, as the body faces forward.
Threading: one owner.
Safety: an arm that cannot reach a direction points as near as its limits let it.
"""

from __future__ import annotations

import math
from typing import Any, Self

from pydantic import Field

from sera.animation.assets.animation import SIDES, Side
from sera.animation.controllers.gazing import SEEN_AS_THERE
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row

_LAG_S = 0.06
"""What body and limits add to the fade."""


class Point(Controller):
    """Points in directions, for a while or until told otherwise."""

    moves_hands = True

    class Parameters(ControllerParameters):
        """How it comes and goes."""

        fade_s: float = 0.5
        """How long the arm takes to come and to go, seconds."""
        hold_s: float = 2.0
        """How long it points where an order does not say."""
        side_margin_deg: float = Field(default=10.0, ge=0.0, le=90.0)
        """How far on the other side a direction may lie before the other arm takes over."""

    def __init__(
        self,
        fade_s: float = 0.5,
        hold_s: float = 2.0,
        side_margin_rad: float = math.radians(10.0),
    ) -> None:
        """Take times, and how faithful an arm is to its task."""
        if not (fade_s > 0.0 and hold_s >= 0.0):
            raise ValueError(f"fade_s {fade_s} must be above 0, and hold_s {hold_s} not below")
        self._fade_s, self._hold_s, self._side_margin_rad = fade_s, hold_s, side_margin_rad
        self._direction: dict[Side, tuple[float, float]] = {}
        self._left_s = {"left": 0.0, "right": 0.0}
        self._share = {"left": 0.0, "right": 0.0}
        self._wait_s = {"left": 0.0, "right": 0.0}

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        margin_rad = math.radians(parameters.side_margin_deg)
        return cls(parameters.fade_s, parameters.hold_s, margin_rad)

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns: dict[Side, tuple[int, int]] = {}
        for side in SIDES:
            stem = f"Arms.{side.capitalize()}Point"
            pair = row.layout.find(f"{stem}Horizontal"), row.layout.find(f"{stem}Vertical")
            if pair[0] is not None and pair[1] is not None:
                self._columns[side] = (pair[0], pair[1])

    def point(
        self,
        horizontal_rad: float,
        vertical_rad: float,
        *,
        arm: Side | None = None,
        hold_s: float | None = None,
        after_s: float = 0.0,
    ) -> Side:
        """Point there, after a moment in which the eyes go first; which arm does.

        Raises:
            LookupError: the body has no such arm that points.
            ValueError: that is no direction.
        """
        if not (math.isfinite(horizontal_rad) and math.isfinite(vertical_rad)):
            raise ValueError(f"no direction: {horizontal_rad}, {vertical_rad}; give two angles")
        if arm is None:
            arm = self._arm_for(horizontal_rad)
        if arm not in self._columns:
            known = " and ".join(self._columns) or "no"
            raise LookupError(f"this body cannot point with a {arm} arm; it has {known} arm for it")
        for other in SIDES:
            if other != arm:
                self._left_s[other] = 0.0
        self._direction[arm] = (horizontal_rad, vertical_rad)
        self._left_s[arm] = self._fade_s + self.holds_s(hold_s)
        self._wait_s[arm] = 0.0 if self._share[arm] > 0.0 else after_s
        return arm

    @property
    def arrives_s(self) -> float:
        """About how long an arm takes to come."""
        return SEEN_AS_THERE * self._fade_s + _LAG_S

    def holds_s(self, wanted_s: float | None) -> float:
        """How long an arm stays there."""
        return self._hold_s if wanted_s is None else wanted_s

    def _arm_for(self, horizontal_rad: float) -> Side:
        """The arm on that side; the one that points already, a little beyond straight ahead."""
        to_the_right = horizontal_rad
        if self._left_s["right"] > 0.0:
            to_the_right += self._side_margin_rad
        elif self._left_s["left"] > 0.0:
            to_the_right -= self._side_margin_rad
        arm: Side = "right" if to_the_right >= 0.0 else "left"
        return arm if arm in self._columns else next(iter(self._columns), arm)

    def stop(self) -> None:
        """Let the arms down."""
        self._left_s = dict.fromkeys(SIDES, 0.0)

    @property
    def pointing(self) -> bool:
        return any(self._left_s.values())

    @property
    def rests(self) -> bool:
        return not any(self._left_s.values()) and not any(self._share.values())

    def step(self, dt_s: float) -> None:
        for side, columns in self._columns.items():
            if self._wait_s[side] > 0.0:
                self._wait_s[side] -= dt_s
                continue
            self._left_s[side] = max(0.0, self._left_s[side] - dt_s)
            reach = dt_s / self._fade_s
            wanted = self._share[side] + (reach if self._left_s[side] > 0.0 else -reach)
            share = self._share[side] = min(1.0, max(0.0, wanted))
            if share == 0.0:
                continue
            eased = share * share * (3.0 - 2.0 * share)
            for column, angle in zip(columns, self._direction[side], strict=True):
                self._row.write(column, angle)
                self._row.passthrough[column] = eased

    def adopt(self, old: Self) -> None:
        self._direction, self._left_s, self._share = old._direction, old._left_s, old._share
