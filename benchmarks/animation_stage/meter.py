"""Moves a person and measures how long it takes until a frame that follows arrives."""

from __future__ import annotations

import json
import os
from pathlib import Path

from sera import Module, on
from sera.messages import (
    EngineState,
    Envelope,
    Gaze,
    GazeAt,
    JointFrame,
    PersonDetected,
    PersonMoved,
    Position,
)
from sera.runtime import Role

PERSON = "walker"


class Meter(Module):
    """The person and the stop-watch, on one clock."""

    role = Role.PERCEPTION
    hears_everyone = True

    async def start(self) -> None:
        self._sent_s: dict[str, float] = {}
        self._gazes: dict[str, str] = {}
        self._taken_ms: list[float] = []
        self._states: list[EngineState] = []
        self._frames = 0

    async def run(self) -> None:
        seconds = float(os.environ["SERA_BENCH_SECONDS"])
        await self.clock.sleep(8.0)  # everybody is there and has settled
        place = Position(x_m=0.0, y_m=1.2, z_m=1.5)
        await self.publish(PersonDetected(person=PERSON, position=place))
        await self.publish(GazeAt(target=PERSON), character="ada")
        ends_s = self.clock.now() + seconds
        while self.clock.now() < ends_s:
            across_m = self.random.uniform(-0.5, 0.5)
            moved = PersonMoved(person=PERSON, position=Position(x_m=across_m, y_m=1.2, z_m=1.5))
            sent_s = self.clock.now()
            message_id = await self.publish(moved)
            self._sent_s[message_id or ""] = sent_s
            # Not in step with the engine's frames.
            await self.clock.sleep(self.random.uniform(0.09, 0.17))
        await self.clock.sleep(0.5)
        self._write()
        await self.end_run("measured")

    def _write(self) -> None:
        first, last = self._states[0], self._states[-1]
        report = {
            "taken_ms": self._taken_ms,
            "steps": len(self._sent_s),
            "frames": self._frames,
            "late": last.counts["late"] - first.counts["late"],
            "made": last.counts["frames"] - first.counts["frames"],
            "slowest_ms": max(state.slowest_frame_ms for state in self._states[1:]),
        }
        Path(os.environ["SERA_BENCH_REPORT"]).write_text(json.dumps(report), encoding="utf-8")

    @on(Gaze)
    async def trace(self, _message: Gaze, envelope: Envelope) -> None:
        if envelope.cause is not None:
            self._gazes[envelope.id] = envelope.cause

    @on(JointFrame)
    async def arrive(self, _message: JointFrame, envelope: Envelope) -> None:
        now_s = self.clock.now()
        self._frames += 1
        step = self._gazes.pop(envelope.cause or "", None)
        if step in self._sent_s:
            self._taken_ms.append(1000.0 * (now_s - self._sent_s[step]))

    @on(EngineState)
    async def note_state(self, message: EngineState) -> None:
        self._states.append(message)
