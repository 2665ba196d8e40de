"""Gaze: where a body looks.

Design overview: an order, or the wires, name a direction; the eyes, or the head, travel there along
an arc. An order that names a place is aimed from where the face is (`engine.sight`): the arc's end
follows the direction from there, whatever the body does meanwhile. Who is looked at and moves is
followed; a new target, or one that has leapt, is travelled to. Bodies with a chain for it are then
aimed by the second stage.

The same direction has many angles, whole turns apart. A body that can look all around takes the one
nearest to where it looks: what passes behind it is followed behind it. A neck with two ends cannot;
it stays at the end where it is until the other one is nearer by far, so that what stands right
behind does not swing it to and fro, and then travels through the front.

Units and frames: radians inside, degrees in files; to the right and upwards. Places in metres along
the body's axes.
Threading: one owner.
Safety: a direction that is no number is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from sera.animation.body import Body
from sera.animation.controllers._places import MovingPlace, Place
from sera.animation.controllers._units import parameters_of, settings_from
from sera.animation.engine._turns import looks
from sera.animation.engine.controller import Controller, Making, Row
from sera.animation.engine.sight import Pursuit, Sight
from sera.animation.signals import GazeArc, GazeArcSettings

_LEAP_RAD = math.radians(20.0)
"""A target that moves by more at once is looked at anew rather than followed."""


LOYAL_RAD = math.radians(15.0)
"""How far beyond straight behind a target may be before a neck goes over to its other end."""
EYES_BEFORE_HAND_S = 0.25
SEEN_AS_THERE = 0.8
"""Part of a look's time after which nearly all of its way is gone."""
_AT_ONCE_S = 0.05
"""A look that was ordered so short before the hand was ordered with it."""
_ELSEWHERE_RAD = math.radians(3.0)
_EYES_FROM_RAD = math.radians(2.0)
"""So far a head may be off before the eyes turn on."""
_EYES_S = 0.12
_STILL_RAD = math.radians(0.05)
_FAR_RAD = math.radians(45.0)
_UPWARDS_RAD = math.radians(75.0)
_GENTLY = 0.7
"""Share of the usual speed with which a body that was put somewhere goes to its first target."""
_LONGEST_START_S = 3.0
_SAME_RAD = 1e-9


@dataclass(slots=True)
class Glance:
    """A look laid over the one that was ordered, for as long as a hand is at work."""

    direction: tuple[float, float]
    after_s: float
    for_s: float


class Gaze(Controller):
    """Looks where it is told, along an arc."""

    Parameters = parameters_of(
        GazeArcSettings,
        horizontal_deg=(float, 0.0, "Where it looks, to the right, degrees; an order changes it."),
        vertical_deg=(float, 0.0, "Where it looks, upwards, degrees; an order changes it."),
    )
    wires = frozenset({"horizontal_deg", "vertical_deg"})

    def __init__(self, settings: GazeArcSettings | None = None) -> None:
        """Make it; nobody is looked at before the first `look`."""
        self.name = "gaze"
        self.horizontal_deg = self.vertical_deg = 0.0
        """Where wires want it to look; orders by `look` stand until a wire changes."""
        self._wired = self._authored = (0.0, 0.0)
        self._arc = GazeArc(settings or GazeArcSettings())
        self._target: tuple[float, float] | None = None
        self._speed = self._pace = 1.0
        self._gentle_s = 0.0
        """How long the pace stays below the usual one."""
        self._round_it = False
        """Whether the body can look all around."""
        self._towards = (0.0, 0.0)
        """The target, as the way round has it."""
        self._last = self._sent = self._written = (0.0, 0.0)
        self._sight: Sight | None = None
        self._place: MovingPlace | None = None
        self._pursuit = Pursuit()
        self._eyes: tuple[int | None, int | None] = (None, None)
        self._eyes_by = [0.0, 0.0]
        """How far the eyes turn on where the head is at its end, to the right and upwards."""
        self._glance: Glance | None = None
        self._ordered_s = 0.0
        """How long ago the last look was ordered."""
        self.label: str | None = None
        """Whom or what it looks at, as the order had it."""

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls(settings_from(GazeArcSettings, parameters))
        made.horizontal_deg, made.vertical_deg = parameters.horizontal_deg, parameters.vertical_deg
        made._round_it = goes_round(making.body)
        made._look_as_wired()
        made._authored = made._wired
        made._arc.reset(math.radians(made.horizontal_deg), math.radians(made.vertical_deg))
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        self._horizontal = row.layout.find("Gazing.Horizontal")
        self._vertical = row.layout.find("Gazing.Vertical")
        self._eyes = row.layout.find("Eyes.Horizontal"), row.layout.find("Eyes.Vertical")
        self._sight = None if row.sights is None else row.sights.find("Gazing")

    @property
    def target(self) -> tuple[float, float] | None:
        """Where it was told to look, to the right and upwards, radians, from the resting eyes."""
        return self._target

    @property
    def place_m(self) -> Place | None:
        """The place that it looks at; None: a direction alone."""
        return None if self._place is None else self._place.here_m

    @property
    def direction(self) -> tuple[float, float]:
        """Where it sends the face in this frame, before others add to it."""
        return self._written

    @property
    def arrived(self) -> bool:
        return not self._arc.moving

    @property
    def eyes_rad(self) -> float:
        """How far the eyes help."""
        return math.hypot(*self._eyes_by)

    @property
    def nearest_only(self) -> bool:
        """Whether no pose faces the place, and the nearest one stands."""
        return self._pursuit.held

    def look(
        self,
        horizontal_rad: float,
        vertical_rad: float,
        speed: float = 1.0,
        *,
        place_m: Place | None = None,
        label: str | None = None,
    ) -> None:
        """Look there from now on: to the right, upwards; `speed` is a factor on the usual one.

        Args:
            horizontal_rad: as the resting eyes see it.
            vertical_rad: the same.
            speed: on the usual one.
            place_m: where that is, along the body's axes; None: far away in that direction.
            label: what it is: what is looked at already is followed.
        """
        if not (math.isfinite(horizontal_rad) and math.isfinite(vertical_rad)):
            raise ValueError(f"no direction: {horizontal_rad}, {vertical_rad}; give two angles")
        self._target, self._glance, self._ordered_s = (horizontal_rad, vertical_rad), None, 0.0
        yaw = self._counted_on(horizontal_rad)
        if abs(yaw - self._towards[0]) > _SAME_RAD or vertical_rad != self._towards[1]:
            self._towards = yaw, vertical_rad  # by a rounding alone nothing sets out anew
        self._speed = speed
        self._turn_to(place_m, label)
        self.label = label

    def _turn_to(self, place_m: Place | None, label: str | None) -> None:
        sight, before = self._sight, self._place
        if place_m is None or sight is None:
            self._place = None
            return
        if (
            before is not None
            and label is not None
            and label == self.label
            and before.leap_rad(place_m, sight.position_m) < _LEAP_RAD
        ):
            before.go(place_m)
            return
        self._place = MovingPlace(place_m)
        self._pursuit.begin(place_m, sight)

    def lead(
        self, horizontal_rad: float, vertical_rad: float, hand_s: float, hold_s: float
    ) -> float:
        """Be there a moment before a hand, and stay while it does; how long the hand waits for it.

        Args:
            horizontal_rad: where the hand goes, to the right.
            vertical_rad: the same, upwards.
            hand_s: how long it takes.
            hold_s: how long it stays.
        """
        target = (horizontal_rad, vertical_rad)
        is_there = self._target is not None and math.dist(self._target, target) < _ELSEWHERE_RAD
        if is_there and self._ordered_s > _AT_ONCE_S:
            return 0.0  # whoever ordered the look before the hand has timed it
        eyes_s = SEEN_AS_THERE * self._arc.settings.duration_s(math.dist(target, self._last))
        eyes_s /= self._speed if is_there else 1.0
        first_s = eyes_s + EYES_BEFORE_HAND_S - hand_s
        if not is_there:
            waits_s = max(0.0, first_s)
            self._glance = Glance(target, max(0.0, -first_s), waits_s + hand_s + hold_s)
        return max(0.0, first_s)

    def _glanced(self, dt_s: float) -> tuple[float, float] | None:
        """Where a hand at work draws the eyes now."""
        glance = self._glance
        if glance is None:
            return None
        glance.after_s -= dt_s
        if glance.after_s > 0.0:
            return None
        glance.for_s -= dt_s
        if glance.for_s <= 0.0:
            self._glance = None
            self._target = self._target or (0.0, 0.0)
            return None
        yaw_rad, pitch_rad = glance.direction
        return self._counted_on(yaw_rad), pitch_rad

    def _look_as_wired(self) -> None:
        self._wired = (self.horizontal_deg, self.vertical_deg)
        self.look(math.radians(self.horizontal_deg), math.radians(self.vertical_deg))

    def step(self, dt_s: float) -> None:
        if (self.horizontal_deg, self.vertical_deg) != self._wired:
            self._look_as_wired()
        self._ordered_s += dt_s
        if self._sight is not None and self._sight.put:
            self._set_out_from(self._sight)
        towards = self._glanced(dt_s)
        if towards is None and self._target is None:
            return
        if towards is None:
            towards = self._towards if self._place is None else self._sighted(dt_s, self._place)
        self._sent = self._last  # what the pose that stands was asked for
        yaw, pitch = self._last = self._arc.step(dt_s * self._speed * self._pace, *towards)
        if self._horizontal is not None:
            # It was counted on beyond half a turn; a neck with ends stays at the one where it is.
            within = max(-math.pi, min(yaw, math.pi))
            there = math.remainder(yaw, math.tau) if self._round_it else within
            self._row.write(self._horizontal, there)
            self._written = there, pitch
        if self._vertical is not None:
            self._row.write(self._vertical, pitch)
        if self._sight is not None:
            self._sight.heads_for = self._heads_for(self._sight.heads_for is not None)
        self._gentle_s -= dt_s
        if not self._arc.moving or self._gentle_s <= 0.0:
            self._pace = 1.0
        self._turn_eyes(dt_s)

    def _heads_for(self, already: bool) -> tuple[float, float] | None:
        """Where a travel ends that goes far; who is followed is never far."""
        arc = self._arc
        far = already or math.dist(self._last, arc.target) > _FAR_RAD
        return arc.target if arc.moving and far else None

    def _set_out_from(self, sight: Sight) -> None:
        """The body was put somewhere: the gaze travels from where its face looks there."""
        sight.put = False
        yaw, pitch = sight.looks()
        # Who looks at the ceiling is turned nowhere.
        self._arc.reset(self._towards[0] if abs(pitch) > _UPWARDS_RAD else yaw, pitch)
        self._pace, self._gentle_s = self._gently()
        if self._place is not None:
            self._pursuit.begin(self._place.here_m, sight)

    def _gently(self) -> tuple[float, float]:
        """At what share of the usual speed no face is thrown that a body carries, and how long."""
        turn = [there - here for here, there in zip(self._arc.target, self._towards, strict=True)]
        arc_s = self._arc.settings.duration_s(math.hypot(*turn))
        columns = self._horizontal, self._vertical
        ways = zip(columns, self._arc.target, self._towards, strict=True)
        known = [(column, here, there) for column, here, there in ways if column is not None]
        lasts_s = min(max(self._row.seams.gone_s(known, arc_s), arc_s / _GENTLY), _LONGEST_START_S)
        return arc_s / lasts_s, lasts_s

    def _turn_eyes(self, dt_s: float) -> None:
        """Where the head has not come as far as it was sent, the eyes turn on."""
        if self._sight is None or self._eyes == (None, None):
            return
        short = self.arrived and bool(self._sight.at_end())
        if not short and self._eyes_by == [0.0, 0.0]:
            return
        looks = self._sight.looks()
        for number, column in enumerate(self._eyes):
            if column is None:
                continue
            lacks = math.remainder(self._sent[number] - looks[number], math.tau)
            goal = lacks if short and abs(lacks) > _EYES_FROM_RAD else 0.0
            by = self._eyes_by[number]
            by += min(1.0, dt_s / _EYES_S) * (goal - by)
            lower, upper = self._row.layout.lower[column], self._row.layout.upper[column]
            self._eyes_by[number] = by = min(float(upper), max(float(lower), by))
            if abs(by) > _STILL_RAD:
                self._row.write(column, by)
                self._row.passthrough[column] = min(1.0, abs(by) / _EYES_FROM_RAD)
            elif goal == 0.0:
                self._eyes_by[number] = 0.0

    def _sighted(self, dt_s: float, place: MovingPlace) -> tuple[float, float]:
        """The direction from the face to the place, near which the arc ends."""
        assert self._sight is not None
        before = self._pursuit.direction
        here_m = place.step(dt_s)
        now = self._pursuit.step(dt_s, here_m, self._sight, arrived=self.arrived)
        if now is before:
            return self._arc.target
        yaw, pitch = looks(now)
        yaw = self._counted_on(yaw)
        if before is None or abs(yaw - self._arc.target[0]) > math.pi:
            return yaw, pitch
        self._arc.steer(yaw, pitch)
        return self._arc.target

    def _counted_on(self, yaw_rad: float) -> float:
        return counted_on(yaw_rad, self._arc.target[0], round_it=self._round_it)

    def adopt(self, old: Self) -> None:
        """Go on looking there, unless the file now says another direction or way."""
        self._last, self._pace, self._gentle_s = old._last, old._pace, old._gentle_s
        if self._authored == old._authored:
            self._target, self._speed, self._wired = old._target, old._speed, old._wired
            self._place, self._pursuit, self.label = old._place, old._pursuit, old.label
            self._towards = old._towards
            self.horizontal_deg, self.vertical_deg = old._wired
        if old._arc.settings == self._arc.settings:
            self._arc = old._arc
        else:
            self._arc.reset(*old._last)


def goes_round(body: Body) -> bool:
    """Whether the body can look all around: upside down too, or by a joint without an end."""
    return any(
        (chain.symmetric and chain.upright)
        or bool(body.tree.chain(chain.end_point).continuous.any())
        for chain in body.chains
        if chain.aims == "Gazing"
    )


def counted_on(yaw_rad: float, last_rad: float, *, round_it: bool) -> float:
    """The angle of a direction, counted on from the last one."""
    on = last_rad + math.remainder(yaw_rad - last_rad, math.tau)
    if round_it or abs(on) <= math.pi + LOYAL_RAD:
        return on
    return math.remainder(yaw_rad, math.tau)
