"""Has the steps of lines done: looks, gestures, sounds, each so that it meets its word.

Design overview: the performer says when a step begins and when it shall say what it says; `Timing`
knows how the body gets there. What cannot be done, or comes late, is reported with the line.

Threading: the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sera.animation.strokes import STROKE
from sera.behaviour import performing
from sera.behaviour.markup import Step, VerbRegistry
from sera.behaviour.targets import UnknownTarget
from sera.messages import (
    Message,
    PlayAnimation,
    PlayMedia,
    Point,
    RetimeAnimation,
    StopAnimation,
)
from sera.runtime import Clock

from ._eyes import Eyes, Ordered, Publish
from ._lines import Utterance
from ._steps import message_of
from ._timing import Timing

ACTIONS_REMEMBERED = 256
TOLD_FROM_S = 0.1
"""A stroke that comes so much after its word is reported."""


@dataclass(slots=True)
class Gestures:
    """Between the steps of lines and the bus."""

    timing: Timing
    eyes: Eyes
    verbs: VerbRegistry
    publish: Publish
    warn: Callable[[str], None]
    clock: Clock
    sent: dict[tuple[str, int], tuple[str, Message]] = field(default_factory=dict)
    """By utterance and step: id and message of what may end or be called off."""

    def ended(self, action: str) -> tuple[str, int] | None:
        """Whose step ends with an action."""
        return next((step for step, (sent, _) in self.sent.items() if sent == action), None)

    async def fire(self, entry: Utterance, order: performing.Fire) -> None:
        """Have a step done; what cannot be done is reported with the line."""
        step = order.step
        assert isinstance(step, Step)
        try:
            why_not = await self._do(entry, step, order)
        except (UnknownTarget, ValueError) as error:
            why_not = str(error.args[0])
            self.warn(f"{step}: {why_not}")
        if why_not is not None:
            entry.not_done(str(step), why_not)

    async def adjust(self, entry: Utterance, order: performing.Adjust) -> None:
        """The word comes at another time: a gesture on its way meets it there."""
        action, message = self.sent.get((entry.id, order.index), ("", None))
        if isinstance(message, PlayAnimation):
            retimed = RetimeAnimation(action=action, anchors={STROKE: order.stroke_in_s})
            await self.publish(retimed, cause=entry.id)

    async def call_off(self, entry: Utterance, order: performing.CallOff) -> None:
        """The word will not be said: what was ordered ahead of it is taken back."""
        step = order.step
        assert isinstance(step, Step)
        _action, message = self.sent.pop((entry.id, order.index), ("", None))
        if step.verb in {"GAZE", "GLANCE"}:
            await self.eyes.take_back(self._ordered(entry, step))
        elif isinstance(message, PlayAnimation):
            await self.publish(StopAnimation(animation=message.animation), cause=entry.id)
        elif isinstance(message, Point):
            await self.publish(message.model_copy(update={"hold_s": 0.0}), cause=entry.id)

    async def _do(self, entry: Utterance, step: Step, order: performing.Fire) -> str | None:
        """Why a step cannot be done; None: it is."""
        target, seconds, in_s = step.target or "", step.arguments.get("seconds"), order.stroke_in_s
        ordered = self._ordered(entry, step)
        for_s = float(seconds) if isinstance(seconds, int | float) else None
        pace = None if in_s is None else self.timing.quickened(step, in_s)
        if step.verb == "GAZE":
            await self.eyes.gaze_at(target, ordered, str(step), pace=pace)
        elif step.verb == "GLANCE":
            if not (step.leads_hand and self.timing.is_there(step)):
                await self.eyes.glance(target, ordered, for_s, str(step), pace=pace)
        elif step.verb == "POINT":
            pointing = await self.eyes.point(target, ordered, for_s)
            if pointing is None:
                return f"nobody knows where {target} is now"
            self._remember(entry, order.index, "", pointing)
        else:
            return await self._send(entry, step, order)
        return None

    async def _send(self, entry: Utterance, step: Step, order: performing.Fire) -> str | None:
        message = message_of(step, self.verbs, self.eyes.place_of(step.target))
        if message is None:
            return "nothing here performs it"
        if isinstance(message, PlayAnimation) and order.stroke_in_s is not None:
            message, late_s = self.timing.fit(message, order.stroke_in_s)
            if late_s > TOLD_FROM_S:
                entry.late(str(step), late_s)
        sent = await self.publish(message, cause=entry.id)
        if sent is not None and isinstance(message, PlayAnimation | PlayMedia):
            self._remember(entry, order.index, sent, message)
        return None

    def _remember(self, entry: Utterance, index: int, action: str, message: Message) -> None:
        """What may end or be called off; what never does is forgotten some day."""
        self.sent[entry.id, index] = (action, message)
        if len(self.sent) > ACTIONS_REMEMBERED:
            del self.sent[next(iter(self.sent))]

    def _ordered(self, entry: Utterance, step: Step) -> Ordered:
        return Ordered(entry.id, entry.source, self.clock.now(), step.target or "")
