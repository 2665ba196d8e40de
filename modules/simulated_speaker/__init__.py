"""A voice that makes no sound: it reports each word when a voice would reach it.

Design overview
    Texts wait in a queue; one is spoken at a time, word by word.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    An EmergencyStop takes effect before anything is awaited: no word begins after it, what is being
    said and what waits ends as stopped, and nothing is said until an EmergencyRelease.
"""

from __future__ import annotations

import asyncio
import contextlib

from sera import Module, on
from sera.messages import (
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    Speak,
    SpeechFinished,
    SpeechOutcome,
    SpeechStarted,
    SpeechWord,
    StopSpeaking,
)
from sera.runtime import Role


class SimulatedSpeaker(Module):
    """Speaks one text after the other, in the time that a person would need."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """How fast it speaks."""

        words_per_minute: float = 170.0

    async def start(self) -> None:
        self._queue: asyncio.Queue[tuple[Speak, str]] = asyncio.Queue()
        self._silenced = asyncio.Event()
        self._stopped_for_safety = False

    async def run(self) -> None:
        while True:
            speak, speech = await self._queue.get()
            await self._say(speak, speech)

    @on(Speak)
    async def queue(self, message: Speak, envelope: Envelope) -> None:
        if self._stopped_for_safety:
            await self._finished(envelope.id, SpeechOutcome.STOPPED, 0.0, 0)
        else:
            self._queue.put_nowait((message, envelope.id))

    @on(StopSpeaking)
    async def be_silent(self, _message: StopSpeaking) -> None:
        await self._silence()

    @on(EmergencyStop)
    async def stop_for_safety(self, _message: EmergencyStop) -> None:
        self._stopped_for_safety = True
        await self._silence()

    @on(EmergencyRelease)
    async def release(self, _message: EmergencyRelease) -> None:
        self._stopped_for_safety = False

    async def _silence(self) -> None:
        self._silenced.set()
        while not self._queue.empty():
            _, speech = self._queue.get_nowait()
            await self._finished(speech, SpeechOutcome.STOPPED, 0.0, 0)

    async def _say(self, speak: Speak, speech: str) -> None:
        if self._stopped_for_safety:  # it was taken from the queue a moment before
            await self._finished(speech, SpeechOutcome.STOPPED, 0.0, 0)
            return
        self._silenced.clear()
        words = speak.text.split()
        per_letter_s = 60.0 / self.settings.words_per_minute / 5.0 / speak.rate
        lengths_s = [(len(word) + 1) * per_letter_s for word in words]
        started_s = self.clock.now()
        await self.publish(
            SpeechStarted(speech=speech, text=speak.text, expected_duration_s=sum(lengths_s)),
            cause=speech,
        )
        elapsed_s = 0.0
        for index, (word, length_s) in enumerate(zip(words, lengths_s, strict=True)):
            await self.publish(
                SpeechWord(
                    speech=speech, index=index, text=word, start_s=elapsed_s, estimated=True
                ),
                cause=speech,
            )
            elapsed_s += length_s
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, started_s + elapsed_s - self.clock.now())):
                    await self._silenced.wait()
            # Asked for itself: a stop in the moment in which a word ends is one, too.
            if not self._silenced.is_set():
                continue
            spoken_s = self.clock.now() - started_s
            await self._finished(speech, SpeechOutcome.STOPPED, spoken_s, index + 1)
            return
        spoken_s = self.clock.now() - started_s
        await self._finished(speech, SpeechOutcome.COMPLETED, spoken_s, len(words))

    async def _finished(
        self, speech: str, outcome: SpeechOutcome, duration_s: float, words: int
    ) -> None:
        await self.publish(
            SpeechFinished(speech=speech, outcome=outcome, duration_s=duration_s, words=words),
            cause=speech,
        )
