"""Points with an arm: expressive inverse kinematics aims it, as it aims a head.

Design overview: an order names a direction and, where it likes, an arm; otherwise the arm on that
side points. Near straight ahead the arm that points goes on, so that a target which wanders there
does not make the arms take turns. An order that names a place is aimed from where the hand is
(`engine.sight`). The arm comes in and goes out with a fade: the second stage leads it from its
posture to the direction and back by as much as this controller lets through. It goes as slowly as
the way of its hand needs, and glides from one direction to another. An arm that points is owned by
this gesture; a newer one takes it over.

Units and frames: radians, to the right and upwards, as the body faces forward; metres along its
axes.
Threading: one owner.
Safety: an arm that cannot reach a direction points as near as its limits let it.
"""

from __future__ import annotations

import math
from typing import Any, Self

from pydantic import Field

from sera.animation.assets.animation import SIDES, Side
from sera.animation.channels import OWN_SET
from sera.animation.controllers._places import Place
from sera.animation.controllers.gazing import SEEN_AS_THERE
from sera.animation.engine._turns import looks
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.animation.engine.limbs import Grip
from sera.animation.engine.sight import Pursuit, Sight
from sera.animation.signals import Fade

GLIDES_RAD_S = 1.6
"""How fast an arm goes over from one direction to another, at its quickest."""
_QUICKEST = 1.875
"""Peak speed of a move with minimum jerk, as a multiple of its mean."""
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
        self._places: dict[Side, Place] = {}
        self._pursuits: dict[Side, Pursuit] = {side: Pursuit() for side in SIDES}
        self._left_s = {"left": 0.0, "right": 0.0}
        self._wait_s = {"left": 0.0, "right": 0.0}
        self._fade = {"left": Fade(), "right": Fade()}
        self._glide = {"left": Fade(1.0), "right": Fade(1.0)}
        self._from: dict[Side, tuple[float, float]] = {}
        """Where an arm pointed before it was told to point elsewhere."""
        self._grip: dict[Side, Grip] = {}

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        margin_rad = math.radians(parameters.side_margin_deg)
        return cls(parameters.fade_s, parameters.hold_s, margin_rad)

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns: dict[Side, tuple[int, int]] = {}
        self._sights: dict[Side, Sight] = {}
        for side in SIDES:
            stem = f"Arms.{side.capitalize()}Point"
            pair = row.layout.find(f"{stem}Horizontal"), row.layout.find(f"{stem}Vertical")
            if pair[0] is not None and pair[1] is not None:
                self._columns[side] = (pair[0], pair[1])
            sight = None if row.sights is None else row.sights.find(stem)
            if sight is not None:
                self._sights[side] = sight

    def point(
        self,
        horizontal_rad: float,
        vertical_rad: float,
        *,
        arm: Side | None = None,
        hold_s: float | None = None,
        place_m: Place | None = None,
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
        self._turn(arm, horizontal_rad, vertical_rad)
        self._places.pop(arm, None)
        if place_m is not None and arm in self._sights:
            self._places[arm] = place_m
            self._pursuits[arm].begin(place_m, self._sights[arm])
        self._left_s[arm] = self._fade_s + self.holds_s(hold_s)
        self._wait_s[arm] = 0.0 if self._fade[arm].value > 0.0 else after_s
        if self._fade[arm].goal < 1.0:
            self._fade[arm].go(1.0, self._fade_s)
        limbs = self._row.seams.limbs
        self._grip[arm] = limbs.take("point", [limbs.limb(f"Arms.{arm.capitalize()}PointVertical")])
        return arm

    @property
    def arrives_s(self) -> float:
        """About how long an arm takes to come."""
        return SEEN_AS_THERE * self._fade_s + _LAG_S

    def holds_s(self, wanted_s: float | None) -> float:
        """How long an arm stays there."""
        return self._hold_s if wanted_s is None else wanted_s

    def _turn(self, arm: Side, horizontal_rad: float, vertical_rad: float) -> None:
        """Glide over from where the arm points, if it does."""
        wanted = (horizontal_rad, vertical_rad)
        if self._fade[arm].value > 0.0 and wanted != self._direction[arm]:
            self._from[arm] = self._now(arm)
            self._glide[arm] = Fade(0.0)
            way_rad = math.dist(self._from[arm], wanted)
            self._glide[arm].go(1.0, _QUICKEST * way_rad / GLIDES_RAD_S)
        self._direction[arm] = wanted

    def _now(self, arm: Side) -> tuple[float, float]:
        """Where an arm points on its way from one direction to another."""
        part = self._glide[arm].value
        if part >= 1.0:
            return self._direction[arm]
        pairs = zip(self._from[arm], self._direction[arm], strict=True)
        horizontal, vertical = (old + part * (new - old) for old, new in pairs)
        return horizontal, vertical

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

    def drop(self) -> None:
        """Let go of the arms at once, in an emergency: nothing is left to fade after a release."""
        self.stop()
        self._fade = {side: Fade() for side in SIDES}
        for grip in self._grip.values():
            self._row.seams.limbs.let_go(grip)
        self._grip.clear()

    @property
    def pointing(self) -> bool:
        return any(self._left_s.values())

    @property
    def rests(self) -> bool:
        return not any(self._left_s.values()) and not any(f.value for f in self._fade.values())

    def step(self, dt_s: float) -> None:
        for side, columns in self._columns.items():
            if self._wait_s[side] > 0.0 and self._left_s[side] > 0.0:
                self._wait_s[side] -= dt_s
                continue
            fade, grip = self._fade[side], self._grip.get(side)
            self._left_s[side] = max(0.0, self._left_s[side] - dt_s)
            if grip is not None and (self._left_s[side] == 0.0 or grip.lost):
                self._left_s[side] = 0.0
                self._let_down(side)
            share = fade.step(dt_s)
            if share == 0.0:
                continue
            self._glide[side].step(dt_s)
            if side in self._places:
                self._direction[side] = self._sighted(side, dt_s)
            for column, angle in zip(columns, self._now(side), strict=True):
                self._row.write(column, angle)
                self._row.passthrough[column] = share

    def _let_down(self, side: Side) -> None:
        """From where the body has the arm to where the layers have it."""
        row, seams = self._row, self._row.seams
        grip = self._grip.pop(side)
        seams.limbs.let_go(grip)
        before = seams.posed(seams.blend.values, seams.blend.mask)
        after = before.copy()
        for column, name in enumerate(row.layout.names):
            if name.startswith(f"{OWN_SET}.") and seams.limbs.limb(name) in grip.limbs:
                before[column] = row.measured[column]
        self._fade[side].go(0.0, seams.between_s(before, after, self._fade_s))

    def _sighted(self, side: Side, dt_s: float) -> tuple[float, float]:
        """The direction from the hand to its place."""
        sight, arrived = self._sights[side], self._fade[side].value >= 1.0
        return looks(self._pursuits[side].step(dt_s, self._places[side], sight, arrived=arrived))

    def adopt(self, old: Self) -> None:
        self._direction, self._left_s, self._fade = old._direction, old._left_s, old._fade
        self._places, self._pursuits = old._places, old._pursuits
        self._glide, self._from, self._grip = old._glide, old._from, old._grip
        for grip in self._grip.values():
            self._row.seams.limbs.adopt(grip)
