"""Has lines said and measures: from a word to its step, from a free floor to the first sound."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

from sera import Module, on
from sera.messages import (
    Envelope,
    Highlight,
    PerformUtterance,
    SpeechActivity,
    SpeechStarted,
    SpeechWord,
    UtteranceFinished,
)
from sera.runtime import Role

PERSON = "talker"


class Meter(Module):
    """Who orders the lines, the person who speaks, and the stop-watch, on one clock."""

    role = Role.WIZARD
    hears_everyone = True

    async def start(self) -> None:
        self._word_s = 0.0
        self._free_s: float | None = None
        self._word_to_action_ms: list[float] = []
        self._floor_to_sound_ms: list[float] = []
        self._finished = asyncio.Event()
        self._voices: set[str] = set()

    async def run(self) -> None:
        rounds = int(os.environ["SERA_BENCH_ROUNDS"])
        await self.clock.sleep(2.0)
        for _ in range(rounds):
            await self._say("long")
            await self._hold_the_floor()
        self._write()
        await self.end_run("measured")

    def _write(self) -> None:
        report = {
            "word_to_action_ms": self._word_to_action_ms,
            "floor_to_sound_ms": self._floor_to_sound_ms,
            "voices": sorted(self._voices),
        }
        Path(os.environ["SERA_BENCH_REPORT"]).write_text(json.dumps(report), encoding="utf-8")

    async def _say(self, category: str) -> None:
        self._finished.clear()
        await self.publish(PerformUtterance(category=category), character="ada")
        await asyncio.wait_for(self._finished.wait(), 30.0)

    async def _hold_the_floor(self) -> None:
        await self.publish(SpeechActivity(speaking=True, person=PERSON))
        saying = asyncio.ensure_future(self._say("short"))
        await self.clock.sleep(self.random.uniform(0.4, 0.7))
        self._free_s = self.clock.now()
        await self.publish(SpeechActivity(speaking=False, person=PERSON))
        await saying

    @on(SpeechWord)
    async def hear_word(self, _message: SpeechWord, envelope: Envelope) -> None:
        self._word_s = envelope.time

    @on(Highlight)
    async def see_step(self, _message: Highlight) -> None:
        self._word_to_action_ms.append(1000.0 * (self.clock.now() - self._word_s))

    @on(SpeechStarted)
    async def hear_voice(self, message: SpeechStarted, envelope: Envelope) -> None:
        self._voices.add(message.voice or "")
        if self._free_s is not None:
            self._floor_to_sound_ms.append(1000.0 * (envelope.time - self._free_s))
            self._free_s = None

    @on(UtteranceFinished)
    async def end_line(self, _message: UtteranceFinished) -> None:
        self._finished.set()
