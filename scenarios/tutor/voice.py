"""One line at a time: order it, wait until it was said, and for an answer if it asks.

Threading: the event loop's thread. Nothing here waits without bound.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from sera.messages import (
    CancelUtterance,
    Message,
    PerformUtterance,
    QuestionAnswered,
    QuestionAsked,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)

LONGEST_LINE_S = 45.0
LONGEST_GESTURE_S = 3.0
"""How long a line without words is waited for; it may go on by itself."""
LONGEST_ANSWER_S = 60.0

T = TypeVar("T")
Publish = Callable[..., Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a line."""

    said: bool
    """False where it was not said to its end."""
    answered: bool | None = None
    """None where it asked nothing."""
    text: str | None = None
    """What was understood of the answer."""


class Voice:
    """Orders lines and waits for their end.

    Args:
        publish: `Module.publish`.
    """

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._utterance: str | None = None
        self._asks = False
        self._asked: str | None = None
        self._ended: asyncio.Future[bool] | None = None
        self._answer: asyncio.Future[QuestionAnswered] | None = None

    @property
    def busy(self) -> bool:
        """Whether a line is under way."""
        return self._utterance is not None

    async def say(
        self,
        category: str,
        tags: dict[str, str],
        cause: str | None = None,
        longest_s: float = LONGEST_LINE_S,
    ) -> Said:
        """Say one line of a category."""
        message = PerformUtterance(category=category, words=tags)
        loop = asyncio.get_running_loop()
        self._ended, self._answer = loop.create_future(), loop.create_future()
        self._asked, self._asks = None, False
        self._utterance = await self._publish(message, cause=cause)
        if self._utterance is None:  # the autonomy dial keeps it back
            return Said(said=False)
        try:
            async with asyncio.timeout(longest_s):
                said = await self._ended
            if not (said and self._asks):
                return Said(said)
            async with asyncio.timeout(LONGEST_ANSWER_S):
                answer = await self._answer
            return Said(said=True, answered=answer.answered, text=answer.text)
        except TimeoutError:
            return Said(said=False)
        finally:
            self._utterance = None

    async def break_off(self, cause: str | None = None) -> None:
        """End the line under way at its next word."""
        if self._utterance is not None and self._ended is not None and not self._ended.done():
            await self._publish(CancelUtterance(utterance=self._utterance), cause=cause)

    def heard(self, message: Message, message_id: str) -> None:
        """What the behaviour manager reports."""
        ended, answer = self._ended, self._answer
        if ended is None or answer is None:
            return
        if isinstance(message, UtteranceFinished | UtteranceCancelled):
            if message.utterance == self._utterance:
                _settle(ended, isinstance(message, UtteranceFinished))
        elif isinstance(message, UtteranceStarted):
            if message.utterance == self._utterance:
                self._asks = message.question
        elif isinstance(message, QuestionAsked):
            if message.utterance == self._utterance:
                self._asked = message_id
        elif isinstance(message, QuestionAnswered) and message.question == self._asked:
            _settle(answer, message)


def _settle(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)
