"""Where the gaze is: a state that lasts, and a glance laid over it that returns to the state.

Design overview: the machine decides, this performs. `state` is what GazeAt or the policy chose;
`excursion` is a glance or a row of glances that ends by itself. All orders go through `_look`, so
that time, target and reason are always together.

Units and frames: seconds of the caller's clock, angles as the robot sees them.
Threading: one thread.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from sera.behaviour.gaze._orders import GazeIgnored, GazeOrder, GazeProposal, Order, Why
from sera.behaviour.space import Angles, Vector
from sera.behaviour.targets import Kind, TargetTable, UnknownTarget


@dataclass(slots=True)
class GazeState:
    """What the gaze rests on."""

    target: str
    ordered: bool
    """True: until the next order; False: the policy chose it and may choose again."""
    since_s: float
    why: Why
    angles: Angles | None = None
    """Where it was when it was looked at; None while it has no place yet."""
    gone_s: float | None = None
    """Since when it has no place any more."""


@dataclass(slots=True)
class Excursion:
    """A glance, or what is left of a row of them."""

    target: str
    row: list[Angles]
    """Places still to come."""
    each_s: float
    until_s: float
    since_s: float
    why: Why
    detail: str
    ordered: bool


class Looking:
    """The gaze itself."""

    def __init__(self, targets: TargetTable, source: random.Random, now_s: float) -> None:
        self.targets = targets
        self.source = source
        ahead = Angles(0.0, 0.0)
        self.state = GazeState("front", ordered=False, since_s=now_s, why=Why.FREE, angles=ahead)
        self.excursion: Excursion | None = None
        self.person: str | None = None
        """Who is being looked at; None: nobody."""
        self.last_person: str | None = None
        self.since_s = now_s
        """Since when the gaze rests where it is, tracking not counted."""
        self.orders: list[Order] = []
        self.proposes = False
        """True: a look that nobody ordered is not taken but noted as wanted."""
        self.wanted: GazeProposal | None = None
        self._angles: Angles | None = ahead
        self._place_m: Vector | None = None

    @property
    def target(self) -> str:
        """The name of what is looked at now."""
        return self.state.target if self.excursion is None else self.excursion.target

    def kind_of_state(self) -> Kind | None:
        """None where the state's target is no more."""
        try:
            return self.targets.kind(self.state.target)
        except UnknownTarget:
            return None

    def rest_on(
        self, target: str, why: Why, detail: str, now_s: float, *, speed: float, ordered: bool
    ) -> None:
        """Make a target the state; where it has no place yet, look as soon as it has one."""
        if self.proposes and not ordered:
            self._want(target, why, detail, now_s)
            return
        angles = self.targets.angles(target, now_s, self.source)
        self.state = GazeState(target, ordered, now_s, why, angles)
        self.excursion = None
        if angles is None:
            self._note_person(None)
            self.orders.append(
                GazeIgnored(now_s, target, "it has no place yet; looked at as soon as it has one")
            )
        else:
            self._look(GazeOrder(now_s, target, angles, speed, why, detail))

    def glance(
        self, target: str, why: Why, detail: str, now_s: float, *, each_s: float, speed: float,
        ordered: bool,
    ) -> bool:  # fmt: skip
        """Look at a target for a while; False where it has no place now, or is only wanted."""
        if self.proposes and not ordered:
            self._want(target, why, detail, now_s, each_s)
            return False
        row = list(self.targets.row(target, now_s, self.source))
        if not row:
            self.orders.append(GazeIgnored(now_s, target, "it has no place now"))
            return False
        first = row.pop(0)
        self.excursion = Excursion(target, row, each_s, now_s + each_s, now_s, why, detail, ordered)
        self._look(GazeOrder(now_s, target, first, speed, why, detail))
        return True

    def advance(self, now_s: float, *, glance_speed: float, gaze_speed: float) -> bool:
        """End a glance whose time is over; True where the gaze came back to its state."""
        under_way = self.excursion
        if under_way is None or now_s < under_way.until_s:
            return False
        if under_way.row:
            under_way.until_s += under_way.each_s
            angles = under_way.row.pop(0)
            target, why, detail = under_way.target, under_way.why, under_way.detail
            self._look(GazeOrder(now_s, target, angles, glance_speed, why, detail))
            return False
        self.come_back(now_s, gaze_speed)
        return True

    def come_back(self, now_s: float, speed: float) -> None:
        """Leave the glance for the state."""
        left = self.target
        self.excursion = None
        angles = self._angles_of_state(now_s)
        if angles is None:
            self._note_person(None)
            self.since_s = now_s
            return
        detail = f"to {self.state.target} after {left}"
        self._look(GazeOrder(now_s, self.state.target, angles, speed, Why.BACK, detail))

    def follow(self, now_s: float, *, deadband_deg: float, speed: float) -> None:
        """Keep up with whatever is looked at, if it moves by itself."""
        target = self.target
        # A glance at a thing is too short to mind its moving; a drawn place does not move.
        moves = (Kind.PERSON, Kind.CLICKS)
        kind = self._kind(target)
        if kind in moves or (self.excursion is None and kind not in _DRAWN):
            self._follow_to(target, now_s, deadband_deg, speed)

    def _follow_to(self, target: str, now_s: float, deadband_deg: float, speed: float) -> None:
        try:
            angles = self.targets.angles(target, now_s, self.source)
        except UnknownTarget:
            return
        if angles is None:
            return
        before, was = self._angles, self.person
        person = self.targets.person_of(target, now_s)
        appeared = self.excursion is None and self.state.angles is None
        if self.excursion is None:
            returned = self.state.gone_s is not None
            self.state.angles, self.state.gone_s = angles, None
        else:
            returned = False
        changed = person != was and person is not None
        if appeared or returned or changed:
            detail = f"{target} is here now" if appeared else f"{person or target} is back"
            if changed and not (appeared or returned):
                detail = f"{person} is now {target}"
            self._look(GazeOrder(now_s, target, angles, speed, Why.TRACKING, detail))
        elif self._has_moved(before, angles, target, now_s, deadband_deg):
            detail = f"{person or target} moved"
            # Tracking is no new look: how long the gaze rests here goes on counting.
            since_s = self.since_s
            self._look(GazeOrder(now_s, target, angles, speed, Why.TRACKING, detail))
            self.since_s = since_s

    def _has_moved(
        self, before: Angles | None, angles: Angles, target: str, now_s: float, deadband_deg: float
    ) -> bool:
        """Whether what is looked at is elsewhere, be it in the same direction."""
        place_m = self.targets.place_m(target, now_s)
        if before == angles and place_m == self._place_m:
            return False
        if before is None or before.apart_deg(angles) > deadband_deg:
            return True
        if place_m is None or self._place_m is None:
            return place_m is not self._place_m
        # The face may be nearer to it than the resting eyes, and see it move by twice as much.
        dead_m = math.radians(2.0 * deadband_deg) * math.hypot(*place_m)
        return math.dist(place_m, self._place_m) > dead_m

    def _angles_of_state(self, now_s: float) -> Angles | None:
        kind = self.kind_of_state()
        if kind is None:
            return None
        if kind in _DRAWN:
            return self.state.angles
        return self.targets.angles(self.state.target, now_s, self.source)

    def _kind(self, target: str) -> Kind | None:
        try:
            return self.targets.kind(target)
        except UnknownTarget:
            return None

    def _want(
        self, target: str, why: Why, detail: str, now_s: float, each_s: float | None = None
    ) -> None:
        by_chance = self._kind(target) in (Kind.RANDOM, Kind.ELSEWHERE)
        proposal = GazeProposal(now_s, target, why, detail, each_s, by_chance)
        self.wanted = self.wanted or proposal

    def _look(self, order: GazeOrder) -> None:
        target, now_s = order.target, order.time_s
        self._place_m = self.targets.place_m(target, now_s)
        means = self.targets.meaning(target, now_s)
        if means.casefold() == target.strip().casefold():
            means = ""
        order = replace(order, place_m=self._place_m, means=means)
        self._angles = order.angles
        self.since_s = order.time_s
        self._note_person(self.targets.person_of(order.target, order.time_s))
        self.orders.append(order)

    def _note_person(self, person: str | None) -> None:
        self.person = person
        if person is not None:
            self.last_person = person


_DRAWN = frozenset({Kind.RANDOM, Kind.ELSEWHERE, Kind.THROUGH_MAP, Kind.ACROSS_ROOM})
"""Kinds that would be somewhere else each time they are asked for."""
