"""Carries out what the performer orders: each order becomes a message, or asks for another line.

Threading: the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sera.behaviour import performing
from sera.messages import (
    OrderConflict,
    QuestionAnswered,
    QuestionAsked,
    Speak,
    SpeechRest,
    StopSpeaking,
)

from ._eyes import Publish
from ._gestures import Gestures
from ._lines import Utterance


class Stagehand:
    """Between the performer and the bus.

    Args:
        publish: sends a message; its id comes back.
        gestures: has steps of lines done.
        backchannel: has one line of a category said at once, after a question.
        give_back: a line that never began may be chosen again.
    """

    def __init__(
        self,
        *,
        publish: Publish,
        gestures: Gestures,
        backchannel: Callable[[str, str], Awaitable[None]],
        give_back: Callable[[str], None],
    ) -> None:
        self._publish, self._gestures, self._backchannel = publish, gestures, backchannel
        self._give_back = give_back
        self._known: dict[str, Utterance] = {}
        self._asked = ""
        self._last_line: str | None = None
        self.library = "none"
        """Name of the library, for the record."""
        self.person: str | None = None
        """Who is looked at, so that it is known who was asked."""
        self.speeches: dict[str, tuple[str, int]] = {}
        """Id of each Speak under way: whose utterance it is, and which segment."""

    def find(self, utterance: str | None) -> Utterance | None:
        """What is known of an utterance that has not ended."""
        return self._known.get(utterance or "")

    def take(self, utterance: Utterance) -> None:
        """Know an utterance before the performer does."""
        self._known[utterance.id] = utterance

    async def carry_out(self, orders: list[performing.Order]) -> None:
        """One after the other, in the order given."""
        for order in orders:
            if isinstance(order, performing.Conflict):
                await self._tell_conflict(order)
            elif isinstance(order, performing.Asked | performing.Answered):
                await self._ask(order)
            elif isinstance(order, performing.Backchannel):
                await self._backchannel(order.utterance, order.category)
            else:
                await self._say(order, self._known[order.utterance])

    async def _say(
        self,
        order: performing.Started
        | performing.Speak
        | performing.StopSpeaking
        | performing.Fire
        | performing.Adjust
        | performing.CallOff
        | performing.Finished
        | performing.Cancelled
        | performing.Refused,
        known: Utterance,
    ) -> None:
        cause = known.id
        if isinstance(order, performing.Started):
            await self._publish(known.started(self.library), cause=cause)
        elif isinstance(order, performing.Speak):
            speak = Speak(
                text=order.text,
                rate=order.rate,
                language=known.language,
                wait_s=order.wait_s,
                rests=[SpeechRest(offset=at, duration_s=for_s) for at, for_s in order.rests],
            )
            known.speech = await self._publish(speak, cause=cause)
            if known.speech is not None:
                self.speeches[known.speech] = (known.id, order.segment)
        elif isinstance(order, performing.StopSpeaking):
            message = StopSpeaking(speech=known.speech, politely=order.politely)
            await self._publish(message, cause=cause)
        elif isinstance(order, performing.Fire):
            await self._gestures.fire(known, order)
        elif isinstance(order, performing.Adjust):
            await self._gestures.adjust(known, order)
        elif isinstance(order, performing.CallOff):
            await self._gestures.call_off(known, order)
        else:
            await self._end(order, known)

    async def _end(
        self,
        order: performing.Finished | performing.Cancelled | performing.Refused,
        known: Utterance,
    ) -> None:
        del self._known[known.id]
        self._last_line = known.line_id
        if isinstance(order, performing.Finished):
            await self._publish(known.finished(order.duration_s), cause=known.id)
        elif isinstance(order, performing.Cancelled):
            ended = known.cancelled(order.reason, order.detail, order.words_said)
            await self._publish(ended, cause=known.id)
        else:
            if known.line_id is not None:
                self._give_back(known.line_id)
            await self._publish(known.cancelled(order.reason, order.detail), cause=known.id)

    async def _tell_conflict(self, order: performing.Conflict) -> None:
        conflict = OrderConflict(
            order=order.same_order,
            kept=order.kept,
            kept_source=order.kept_source,
            dropped=order.dropped,
            dropped_source=order.dropped_source,
            rule=order.rule.value,
        )
        await self._publish(conflict, cause=order.dropped)

    async def _ask(self, order: performing.Asked | performing.Answered) -> None:
        if isinstance(order, performing.Asked):
            asked = QuestionAsked(
                utterance=order.utterance,
                line=self._last_line,
                person=self.person,
                waits_s=order.waits_s,
            )
            self._asked = await self._publish(asked, cause=order.utterance) or ""
            return
        answered = QuestionAnswered(
            question=self._asked,
            answered=order.answered,
            person=order.person,
            text=order.text,
            waited_s=order.waited_s,
        )
        await self._publish(answered, cause=self._asked or None)
