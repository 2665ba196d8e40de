"""Where the character looks and points: the gaze machine and its targets, on the bus.

Two modules that order the gaze within a moment are in conflict: the newest order stands, and
that is told.

Threading: the event loop's thread.
"""

from __future__ import annotations

import math
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from sera.behaviour.gaze import (
    LEAST_FIXATION_S,
    GazeIgnored,
    GazeMachine,
    GazeOrder,
    GazePolicy,
    GazeProposal,
    GazeProposalLapsed,
    Order,
    Reach,
    Why,
    find_policy,
    position_of,
)
from sera.behaviour.space import Angles
from sera.behaviour.targets import Kind, TargetTable, place_of
from sera.messages import (
    AutonomyMode,
    Clicked,
    Direction,
    Gaze,
    HeadDirection,
    Message,
    OrderConflict,
    PersonDetected,
    PersonMoved,
    Point,
    SetGazePolicy,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
    TargetUpdated,
)
from sera.runtime import Clock

from ._steps import Place

_DRAWN = frozenset({Kind.RANDOM, Kind.ELSEWHERE, Kind.THROUGH_MAP, Kind.ACROSS_ROOM})
CONFLICT_WITHIN_S = 1.0
"""Orders of two modules that are this close together were not meant to follow each other."""


Pace = Callable[[float, float], float]
"""The speed of a look of so many radians that would have another speed."""


class Publish(Protocol):
    """`Module.publish`."""

    def __call__(self, message: Message, *, cause: str | None = None) -> Awaitable[str | None]: ...


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order from another module, or from a line."""

    id: str
    source: str
    time_s: float
    target: str = ""


class Eyes:
    """Hands facts and orders to the gaze machine, and what it wants to the bus."""

    def __init__(
        self,
        targets: TargetTable,
        policies: Mapping[str, GazePolicy],
        policy: str,
        *,
        publish: Publish,
        note: Callable[[str], None],
        clock: Clock,
        source: random.Random,
        reach: Reach,
    ) -> None:
        """Begin to look.

        Args:
            targets: everything that can be looked at.
            policies: by name; the built-in ones and the scenario's.
            policy: the one that counts first; a ValueError with the nearest name.
            publish: sends a message.
            note: told what could not be looked at, for the log.
            clock: of the run.
            source: the only source of chance.
            reach: whether the body can look somewhere; what it cannot reach no policy chooses.
        """
        self.targets, self._policies = targets, policies
        self._publish, self._note, self._clock, self._source = publish, note, clock, source
        chosen = find_policy(policy, policies)
        self._machine = GazeMachine(targets, source, chosen, clock.now(), reach)
        self._last: Ordered | None = None
        self._sent: tuple[str | None, Gaze] | None = None
        self._looked_s = -math.inf
        self._suggestion: str | None = None
        self.target: str | None = None
        self.reason: str | None = None
        self.stirred = True
        """Whether anything has changed that is told of the eyes; whoever tells it says so."""

    @property
    def held_s(self) -> float:
        """How long a look must still wait, because the one before could not be seen yet."""
        return max(0.0, self._looked_s + LEAST_FIXATION_S - self._clock.now())

    @property
    def policy(self) -> str:
        return self._machine.policy.name

    @property
    def owner(self) -> str | None:
        """Module whose order the gaze follows; None: it is free."""
        return None if self._last is None else self._last.source

    @property
    def person(self) -> str | None:
        """Who is looked at."""
        return self._machine.person

    async def step(self) -> None:
        """Let time pass."""
        orders = self._machine.step(self._clock.now())
        if orders:
            await self._carry_out(orders)

    async def look_again(self, action: str) -> None:
        """The engine was not ready for an order; where it is the last one, it still counts."""
        if self._sent is not None and self._sent[0] == action:
            gaze = self._sent[1]
            self._sent = (await self._publish(gaze, cause=action), gaze)

    # -- orders -----------------------------------------------------------------------------

    async def gaze_at(
        self, target: str, order: Ordered, detail: str = "GazeAt", *, pace: Pace | None = None
    ) -> None:
        """Look at a target until the next order; UnknownTarget where there is none."""
        orders = self._machine.gaze_at(target, order.time_s, detail)
        await self._settle(order)
        await self._carry_out(self._paced(orders, pace), order.id)

    async def glance(
        self,
        target: str,
        order: Ordered,
        for_s: float | None,
        detail: str = "Glance",
        *,
        pace: Pace | None = None,
    ) -> None:
        """Look at a target for a moment; UnknownTarget where there is none."""
        orders = self._machine.glance(target, order.time_s, for_s, detail)
        await self._carry_out(self._paced(orders, pace), order.id)

    def _paced(self, orders: list[Order], pace: Pace | None) -> list[Order]:
        """Looks as quick as they have to be."""
        if pace is None:
            return orders
        return [
            replace(each, speed=pace(self._way_rad(each.angles), each.speed))
            if isinstance(each, GazeOrder)
            else each
            for each in orders
        ]

    async def take_back(self, order: Ordered) -> None:
        """What was looked at ahead of a word that is not said any more is left again."""
        await self._carry_out(self._machine.take_back(order.target, order.time_s), order.id)

    async def point(
        self,
        target: str,
        order: Ordered,
        for_s: float | None,
        hand: Literal["left", "right"] | None = None,
    ) -> Point | None:
        """Point at a target; None where nobody knows where it is now.

        Raises:
            UnknownTarget: there is no such target.
        """
        angles = self.angles(target)
        if angles is None:
            return None
        direction = Direction(
            horizontal_deg=angles.horizontal_deg, vertical_deg=angles.vertical_deg
        )
        pointing = Point(
            direction=direction,
            place=position_of(self.targets.place_m(target, self._clock.now())),
            hold_s=for_s,
            arm=hand,
            target=target,
        )
        await self._publish(pointing, cause=order.id)
        return pointing

    async def set_policy(self, message: SetGazePolicy) -> None:
        """Behave differently; ValueError with the nearest name."""
        policy = find_policy(message.policy, self._policies).with_options(message.options)
        self._last, self.stirred = None, True
        await self._carry_out(self._machine.set_policy(policy, self._clock.now()))

    async def follow_dial(self, mode: AutonomyMode) -> None:
        """How much the gaze does by itself: everything, propose only, or nothing."""
        await self._carry_out(self._machine.set_initiative(mode, self._clock.now()))

    async def resolve(self, resolved: SuggestionResolved, cause: str) -> None:
        """An operator has answered a suggestion, perhaps the one that the gaze made."""
        if self._suggestion is None or resolved.suggestion != self._suggestion:
            return
        self._suggestion = None
        # What the operator has edited the operator has sent.
        accepted = resolved.outcome is SuggestionOutcome.ACCEPTED and not resolved.edited
        await self._carry_out(self._machine.resolve(accepted, self._clock.now()), cause)

    async def _suggest(self, wanted: GazeProposal, cause: str | None) -> None:
        action = wanted.message()
        self._suggestion = await self._publish(
            Suggestion(
                action_type=type(action).__name__,
                action=action.model_dump(mode="json"),
                channel=action.channel,
                reason=wanted.reason,
                lapses_after_s=wanted.lapses_after_s,
            ),
            cause=cause,
        )

    async def _let_lapse(self) -> None:
        suggestion, self._suggestion = self._suggestion, None
        if suggestion is not None:
            lapsed = SuggestionResolved(suggestion=suggestion, outcome=SuggestionOutcome.LAPSED)
            await self._publish(lapsed, cause=suggestion)

    async def _settle(self, order: Ordered) -> None:
        before, self._last = self._last, order
        self.stirred = True
        if before is None or before.source == order.source or before.target == order.target:
            return
        if order.time_s - before.time_s < CONFLICT_WITHIN_S:
            conflict = OrderConflict(
                order="gaze",
                kept=order.id,
                kept_source=order.source,
                dropped=before.id,
                dropped_source=before.source,
                rule="newest",
            )
            await self._publish(conflict, cause=order.id)

    # -- places -----------------------------------------------------------------------------

    def angles(self, target: str) -> Angles | None:
        """Where a target is now; None where that is not known, UnknownTarget where it is none."""
        return self.targets.angles(target, self._clock.now(), self._source)

    def angles_if_fixed(self, target: str) -> Angles | None:
        """Where a target is; None where that is not known, or is drawn when it is looked at."""
        if not self.targets.knows(target) or self.targets.kind(target) in _DRAWN:
            return None
        return self.angles(target)

    def way_rad(self, target: str, *, if_drawn: float) -> float | None:
        """How far the gaze has to go to a target; None: it is looked at, or has no place."""
        if not self.targets.knows(target):
            return None
        angles = self.angles_if_fixed(target)
        if angles is None:
            return if_drawn if self.targets.kind(target) in _DRAWN else None
        return self._way_rad(angles)

    def _way_rad(self, to: Angles) -> float:
        now = Angles(0.0, 0.0) if self._sent is None else self._sent[1].direction
        across_deg = to.horizontal_deg - now.horizontal_deg
        return math.radians(math.hypot(across_deg, to.vertical_deg - now.vertical_deg))

    def speed_of(self, verb: str) -> float:
        """The factor on the usual speed with which the gaze goes."""
        policy = self._machine.policy
        return policy.glance_speed if verb == "GLANCE" else policy.gaze_speed

    def place_of(self, target: str | None) -> Place:
        """What is known of where a target is; nothing where it is unknown."""
        if target is None or not self.targets.knows(target):
            return Place()
        return Place(self.angles(target), self.targets.pixel(target))

    async def place(self, message: TargetUpdated) -> None:
        """A target is here; LookupError or ValueError where it cannot be."""
        self.targets.place(message.target, place_of(message))
        await self._carry_out(self._machine.target_changed(self._clock.now()))

    async def remove(self, target: str) -> None:
        """A target is gone; LookupError or ValueError where it cannot go."""
        self.targets.remove(target)
        await self._carry_out(self._machine.target_changed(self._clock.now()))

    # -- facts ------------------------------------------------------------------------------

    async def see(self, message: PersonDetected | PersonMoved, cause: str) -> None:
        """Somebody is there; a sighting that says neither place nor direction changes nothing."""
        place, seen, seen_from = message.position, message.direction, message.seen_from
        if place is None and seen is None:
            return
        orders = self._machine.person_seen(
            message.person,
            self._clock.now(),
            position_m=None if place is None else (place.x_m, place.y_m, place.z_m),
            direction=None if seen is None else Angles(seen.horizontal_deg, seen.vertical_deg),
            seen_from_m=(0.0, 0.0, 0.0)
            if seen_from is None
            else (seen_from.x_m, seen_from.y_m, seen_from.z_m),
        )
        await self._carry_out(orders, cause)

    async def lose(self, person: str, cause: str) -> None:
        await self._carry_out(self._machine.person_lost(person, self._clock.now()), cause)

    async def follow_head(self, message: HeadDirection) -> None:
        orders = self._machine.head_direction(
            message.person,
            self._clock.now(),
            looks_at=message.looks_at,
            eye_contact=message.eye_contact,
        )
        await self._carry_out(orders)

    async def click(self, message: Clicked) -> None:
        """Somebody touched something; a screen that is unknown is a ValueError."""
        now_s = self._clock.now()
        if message.point is not None:
            self.targets.click(message.point.screen, message.point.x_px, message.point.y_px)
        elif message.element is not None and (
            self.targets.click_on(message.element, now_s, self._source) is None
        ):
            return  # nobody knows where that is
        await self._carry_out(self._machine.clicked(now_s))

    async def hear(self, person: str, speaking: bool) -> None:
        await self._carry_out(self._machine.speech(person, speaking, self._clock.now()))

    async def robot_speaks(self, speaking: bool) -> None:
        await self._carry_out(self._machine.robot_speaks(speaking, self._clock.now()))

    async def robot_thinks(self, thinking: bool) -> None:
        await self._carry_out(self._machine.robot_thinks(thinking, self._clock.now()))

    async def _carry_out(self, orders: list[Order], cause: str | None = None) -> None:
        for order in orders:
            if isinstance(order, GazeIgnored):
                self._note(f"{order.target} was not looked at: {order.reason}")
                continue
            if isinstance(order, GazeProposal):
                await self._suggest(order, cause)
                continue
            if isinstance(order, GazeProposalLapsed):
                await self._let_lapse()
                continue
            if isinstance(order, GazeOrder) and order.why is not Why.TRACKING:
                self.target, self.reason = order.target, order.reason
                self._looked_s = self._clock.now()
                self.stirred = True
            message = order.message()
            sent = await self._publish(message, cause=cause)
            if isinstance(message, Gaze):
                self._sent = (sent, message)
