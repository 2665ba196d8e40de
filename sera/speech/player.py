"""Plays a speech and tells each word at its time.

Design overview: the sink makes the sound, the clock gives the words; both start together. What
the sink measures against what was expected comes back as drift.
Units and frames: seconds of the injected clock; word times count from the first sound.
Threading: one event loop, one speech at a time; `stop` may be called from any callback or task.
Safety: however playing ends (stop, error, cancellation, a sink that hangs), the sink is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from sera.messages.speech import SpeechOutcome
from sera.speech.sink import LoopClock, PlayClock, SilentSink, Sink, SinkError
from sera.speech.speech import Speech, Word


class PlayerBusy(RuntimeError):
    """A speech is being played; stop it first."""


@dataclass(frozen=True, slots=True)
class Played:
    """How playing went."""

    outcome: SpeechOutcome
    duration_s: float
    """From the first sound to the last."""
    words: int
    """How many words were told."""
    drift_s: float | None = None
    """Measured minus expected duration; None where it was not played to its end."""
    problem: str = ""
    """Why it failed."""


class Player:
    """Plays one speech at a time.

    Args:
        sink: where the sound goes.
        clock: None: the event loop's time.
        patience_s: how much longer than expected a sink may take before it counts as hung.
    """

    def __init__(
        self, sink: Sink, clock: PlayClock | None = None, *, patience_s: float = 2.0
    ) -> None:
        self.sink = sink
        self._clock = clock or LoopClock()
        self._patience_s = patience_s
        self._stop: asyncio.Event | None = None
        self._polite = False

    @property
    def playing(self) -> bool:
        return self._stop is not None

    def stop(self, *, politely: bool = False) -> None:
        """Be silent: at once, or where the next word would begin."""
        if politely:
            self._polite = self._stop is not None
        elif self._stop is not None:
            self._stop.set()

    async def play(
        self,
        speech: Speech,
        *,
        on_start: Callable[[], None] | None = None,
        on_word: Callable[[int, Word], None] | None = None,
        wait_s: float = 0.0,
    ) -> Played:
        """Play to the end, or until stopped.

        Args:
            speech: what to play.
            wait_s: how long to be silent before it.
            on_start: called with the first sound.
            on_word: called when each word begins, with its number from 0.

        Raises:
            PlayerBusy: something is being played.
        """
        if self._stop is not None:
            raise PlayerBusy("a speech is being played; stop it first")
        stop, self._polite = asyncio.Event(), False
        self._stop = stop
        sink = self.sink if speech.audible else SilentSink(self._clock)
        run = _Run(sink, self._clock, stop, speech)
        try:
            if wait_s > 0.0 and (not await run.rest(wait_s) or self._polite):
                return run.result(SpeechOutcome.STOPPED)
            return await self._played(run, on_start, on_word)
        except SinkError as error:
            return run.result(SpeechOutcome.FAILED, problem=str(error))
        finally:
            try:
                await run.close()
            finally:
                self._stop = None

    async def _played(
        self,
        run: _Run,
        on_start: Callable[[], None] | None,
        on_word: Callable[[int, Word], None] | None,
    ) -> Played:
        await run.begin()
        if on_start is not None and await run.until(0.0):
            on_start()
        for number, word in enumerate(run.speech.words):
            if not await run.until(word.start_s) or self._polite:
                return await run.stopped()
            run.words = number + 1
            if on_word is not None:
                on_word(number, word)
        if not await run.until_end(self._patience_s):
            return await run.stopped()
        return run.result(SpeechOutcome.COMPLETED)


class _Run:
    """One speech on its way."""

    def __init__(self, sink: Sink, clock: PlayClock, stop: asyncio.Event, speech: Speech) -> None:
        self.speech = speech
        self.words = 0
        self._sink = sink
        self._clock = clock
        self._stopping = asyncio.create_task(stop.wait(), name="stop of a speech")
        self._ending: asyncio.Task[None] | None = None
        self._first_s: float | None = None

    async def rest(self, for_s: float) -> bool:
        """Be silent; False: it was stopped meanwhile."""
        sleep = self._clock.sleep_until_s(self._clock.now_s() + for_s)
        sleeping = asyncio.ensure_future(sleep)
        try:
            await asyncio.wait({sleeping, self._stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
        return not self._stopping.done()

    async def begin(self) -> None:
        await self._sink.begin(self.speech)
        self._first_s = self._clock.now_s() + self._sink.latency_s
        self._ending = asyncio.create_task(self._sink.finished(), name="end of a speech")

    async def until(self, time_s: float) -> bool:
        """Wait for a moment of the speech; False: it was stopped before.

        A sink that ends early has nothing more to wait for: the rest comes at once.
        """
        assert self._first_s is not None
        sleep = self._clock.sleep_until_s(self._first_s + time_s)
        await self._first_of(sleep)
        return not self._stopping.done()

    async def until_end(self, patience_s: float) -> bool:
        """Wait for the last sound; False: it was stopped before."""
        assert self._ending is not None
        assert self._first_s is not None
        latest_s = self._first_s + self.speech.duration_s + patience_s
        await self._first_of(self._clock.sleep_until_s(latest_s))
        if not self._ending.done() and not self._stopping.done():
            raise SinkError(f"{self._sink.name} did not end {patience_s:g} s after its time")
        return self._ending.done()

    async def stopped(self) -> Played:
        await self._sink.cut()
        return self.result(SpeechOutcome.STOPPED)

    def result(self, outcome: SpeechOutcome, *, problem: str = "") -> Played:
        heard_s = 0.0
        if self._first_s is not None:
            heard_s = max(0.0, self._clock.now_s() - self._first_s)
        whole = outcome is SpeechOutcome.COMPLETED
        drift_s = heard_s - self.speech.duration_s if whole else None
        return Played(outcome, heard_s, self.words, drift_s, problem)

    async def close(self) -> None:
        tasks = [task for task in (self._stopping, self._ending) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # Whatever the sink says now, it is to be silent.
        with contextlib.suppress(SinkError):
            await self._sink.cut()

    async def _first_of(self, sleep: Coroutine[Any, Any, None]) -> None:
        assert self._ending is not None
        sleeping = asyncio.ensure_future(sleep)
        try:
            await asyncio.wait(
                {sleeping, self._stopping, self._ending}, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            if not sleeping.done():
                sleeping.cancel()
        if self._ending.done() and not self._stopping.done():
            self._ending.result()
