"""Answers that were given, so that a frame that is sent again is answered and not done again.

A page that lost its connection cannot know whether its last frames arrived and sends them again
under the same numbers. The answers of each page are kept for a while under the name of its
session, which the page made up; together with the page's own queue this publishes each message
once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

SESSIONS = 256
ANSWERS_PER_SESSION = 256


class Answers:
    """The answers to the frames of one session, by the page's own number."""

    def __init__(self, limit: int = ANSWERS_PER_SESSION) -> None:
        self._limit = limit
        self._given: OrderedDict[int, asyncio.Future[str]] = OrderedDict()

    async def once(self, ref: int | None, answer: Callable[[], Awaitable[str]]) -> str:
        """Return the answer to a frame, which is worked out only the first time.

        Args:
            ref: the page's number for the frame; None: it is not remembered.
            answer: works it out; where it raises, nothing is remembered.
        """
        if ref is None:
            return await answer()
        while (known := self._given.get(ref)) is not None:
            try:
                return await asyncio.shield(known)
            except asyncio.CancelledError:
                if not known.cancelled():  # it is the asking that was cancelled
                    raise
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._given[ref] = future
        while len(self._given) > self._limit:
            self._given.popitem(last=False)
        try:
            text = await answer()
        except BaseException:
            self._given.pop(ref, None)
            future.cancel()
            raise
        future.set_result(text)
        return text


class Sessions:
    """The answers of many sessions; the one that was used longest ago gives way."""

    def __init__(self, limit: int = SESSIONS) -> None:
        self._limit = limit
        self._sessions: OrderedDict[tuple[str, str], Answers] = OrderedDict()

    def answers(self, role: str, session: str | None) -> Answers:
        """The answers of a session; new ones where the page names none."""
        if not session:
            return Answers()
        key = (role, session)
        answers = self._sessions.setdefault(key, Answers())
        self._sessions.move_to_end(key)
        while len(self._sessions) > self._limit:
            self._sessions.popitem(last=False)
        return answers
