"""A module that tries out a scenario's body, voice and clock, for the checks before a session.

Safety
    It stops every body and releases it again, so that nobody learns in a session that the stop does
    not work. A body that is stopped already is left alone: somebody had a reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from pydantic import Field

from sera.messages import (
    BodyHealth,
    BodyState,
    ClockProbe,
    ClockReply,
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    PersonDetected,
    PersonMoved,
    SensorState,
    SensorStatus,
    SoundLevel,
    Speak,
    SpeechFinished,
)
from sera.runtime.module import Module, Role, on
from sera.study.preflight import BodyFact, SensorFact, VoiceFact

TEST_LINES = {"en": "This is a test of my voice.", "pt": "Este é um teste da minha voz."}
BODY_WAIT_S = 8.0
VOICE_WAIT_S = 12.0
STOP_WAIT_S = 3.0
LISTEN_S = 2.0
PROBES = 5
_LOOK_EVERY_S = 0.02


@dataclass
class Tried:
    """What was found."""

    bodies: list[BodyFact] = field(default_factory=list)
    voices: list[VoiceFact] = field(default_factory=list)
    levels_dbfs: list[float] = field(default_factory=list)
    people: set[str] = field(default_factory=set)
    sensors: dict[str, SensorState] = field(default_factory=dict)
    round_trip_s: float | None = None


class Preflight(Module):
    """Asks everybody for a sign of life."""

    role = Role.ACTIVITY
    hears_everyone = True

    class Settings(Module.Settings):
        """Whom to try out."""

        bodies: list[str] = Field(default_factory=list)
        """Characters with a body."""
        simulated: list[str] = Field(default_factory=list)
        """Those whose body is simulated."""
        voices: dict[str, str | None] = Field(default_factory=dict)
        """Characters with a voice, and their languages."""
        listens: bool = True
        """Whether there is a sense that needs a while to tell something."""

    async def start(self) -> None:
        self.tried = Tried()
        self.done = asyncio.Event()
        self._states: dict[str, BodyState] = {}
        self._spoken: dict[str, SpeechFinished] = {}
        self._replies: dict[str, float] = {}

    async def run(self) -> None:
        await self._try_clock()
        await self._until(lambda: set(self.settings.bodies) <= set(self._states), BODY_WAIT_S)
        if self.settings.listens:
            await self.clock.sleep(LISTEN_S)
        levels = list(self.tried.levels_dbfs)  # before the robot itself makes a noise
        at_first = dict(self._states)
        for character, language in self.settings.voices.items():
            self.tried.voices.append(await self._try_voice(character, language))
        for character in self.settings.bodies:
            self.tried.bodies.append(await self._try_stop(character, at_first.get(character)))
        self.tried.levels_dbfs = levels
        self.done.set()

    @on(BodyState)
    async def see_body(self, state: BodyState, envelope: Envelope) -> None:
        self._states[envelope.character] = state

    @on(SensorState)
    async def see_sensor(self, state: SensorState, envelope: Envelope) -> None:
        self.tried.sensors[envelope.source] = state

    @on(PersonDetected, PersonMoved)
    async def see_person(self, seen: PersonDetected | PersonMoved) -> None:
        self.tried.people.add(seen.person)

    @on(SoundLevel)
    async def hear_level(self, level: SoundLevel) -> None:
        self.tried.levels_dbfs.append(max(level.loudness_dbfs))

    @on(SpeechFinished)
    async def hear_end(self, finished: SpeechFinished) -> None:
        self._spoken[finished.speech] = finished

    @on(ClockReply)
    async def hear_time(self, reply: ClockReply) -> None:
        self._replies[reply.probe] = self.clock.now()

    async def _try_clock(self) -> None:
        trips = []
        for number in range(PROBES):
            sent_s = self.clock.now()
            probe = str(await self.publish(ClockProbe(sequence=number)))
            if await self._until(partial(self._replies.__contains__, probe), 1.0):
                trips.append(self._replies[probe] - sent_s)
        # The first one finds everybody still busy with starting.
        self.tried.round_trip_s = min(trips) if trips else None

    async def _try_voice(self, character: str, language: str | None) -> VoiceFact:
        simulated = character in self.settings.simulated
        text = TEST_LINES.get((language or "en").partition("-")[0], TEST_LINES["en"])
        speech = await self.publish(Speak(text=text), character=character)
        await self._until(lambda: speech in self._spoken, VOICE_WAIT_S)
        said = self._spoken.get(str(speech))
        if said is None:
            return VoiceFact(character, simulated=simulated)
        return VoiceFact(character, said.outcome, said.problem, simulated)

    async def _try_stop(self, character: str, first: BodyState | None) -> BodyFact:
        simulated = character in self.settings.simulated
        if first is None or first.health in (BodyHealth.STOPPED, BodyHealth.UNREACHABLE):
            health, problem = (None, None) if first is None else (first.health, first.problem)
            return BodyFact(character, health, problem, simulated)
        asked_s = self.clock.now()
        why = "a check before the session"
        await self.publish(EmergencyStop(by="preflight", reason=why), character=character)
        obeyed = await self._until(lambda: self._is_stopped(character), STOP_WAIT_S)
        took_s = self.clock.now() - asked_s if obeyed else None
        await self.publish(EmergencyRelease(by="preflight"), character=character)
        released = await self._until(lambda: not self._is_stopped(character), STOP_WAIT_S)
        return BodyFact(
            character, first.health, first.problem, simulated, took_s, released=released
        )

    def _is_stopped(self, character: str) -> bool:
        return self._states[character].health is BodyHealth.STOPPED

    async def _until(self, true: Callable[[], bool], longest_s: float) -> bool:
        """Wait for something; False where it did not come."""
        deadline_s = self.clock.now() + longest_s
        while not true():
            if self.clock.now() > deadline_s:
                return False
            await self.clock.sleep(_LOOK_EVERY_S)
        return True


def sensor_facts(tried: Tried, sense: str) -> list[SensorFact]:
    """How the cameras or microphones of a run are."""
    working = (SensorStatus.OK, SensorStatus.DEGRADED)
    return [
        SensorFact(source, state.status in working, state.problem)
        for source, state in sorted(tried.sensors.items())
        if state.sense == sense
    ]
