"""The sound detector: who speaks, from where and how loudly; the robots themselves do not count.

Design overview
    Blocks from a microphone or a WAV file go through `sera.hearing`: SoundLevel many times a
    second, SpeechActivity when somebody begins or ceases to speak. SpeechStarted and
    SpeechFinished of every robot say what is their own voice; a speaker on the same machine
    leaves the samples for us (`sera.speech.reference`), otherwise times and loudness decide.

Units and frames
    Seconds on the clock of the run; `time` of a message is when the sound was captured. Directions
    are in the scenario's space, seen from its origin.

Threading
    The event loop's thread; a frame of 32 ms takes a few of them. PortAudio has its own.

Safety
    A device that is missing, lost, muted or clipped is a SensorState with a sentence, and is tried
    again by itself. Nothing of what is heard is kept, unless a participant has consented to
    `media_recorder`; the console may listen in, on this machine and by token.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from sera import Module, on
from sera.messages import (
    Envelope,
    SensorState,
    SensorStatus,
    SoundLevel,
    SpeechFinished,
    SpeechStarted,
)
from sera.runtime import Role
from sera.speech.reference import played_sound

from ._placing import placing_of
from ._telling import Telling

if TYPE_CHECKING:
    from sera.feeds.sound import SoundFeed
    from sera.hearing.detector import SoundDetector as Ears
    from sera.hearing.steady import Listening, SteadySound
    from sera.hearing.voice_model import VoiceModel

STATE_EVERY_S = 10.0
"""How often the numbers of the state are told where nothing else changes."""
STATUS = {
    "ok": SensorStatus.OK,
    "degraded": SensorStatus.DEGRADED,
    "lost": SensorStatus.LOST,
    "missing": SensorStatus.MISSING,
    "over": SensorStatus.LOST,
}


class SoundDetector(Module):
    """Listens to one microphone, pair or array."""

    role = Role.PERCEPTION
    hears_everyone = True  # every robot's voice is to be known

    class Settings(Module.Settings):
        """Which microphone, and when somebody speaks."""

        source: str | int | None = None
        """WAV file beside the scenario, number or part of the name of a device; left out: the
        system's microphone."""
        microphones: str | None = None
        """Which of `[space.microphones]` it is; left out, the only one."""
        arrangement: Literal["auto", "one", "each", "pair"] = "auto"
        """One voice from all channels, one from each, or one with a direction from two; auto:
        what `worn_by` and `spacing_m` of the microphones ask for."""
        channels: int | None = Field(default=None, ge=1, le=32)
        """Channels of a device; left out: what the arrangement needs."""
        rate_hz: int | None = Field(default=None, ge=4000, le=192_000)
        """Samples a second of a device; left out: its own."""
        repeat: bool = False
        """Whether a file begins again at its end."""
        swap_sides: bool = False
        """True where the first channel of two is the right one."""
        crosstalk_db: float = Field(default=3.0, ge=0, le=20)
        """How much louder a voice is in the microphone of who wears it."""
        model: Literal["best", "silero", "energy"] = "best"
        """What tells voices from noise; best: silero's network where it is installed."""
        likely: float = Field(default=0.5, gt=0, lt=1)
        """How likely a voice must be for speech to begin."""
        starts_after_s: float = Field(default=0.09, ge=0, le=2)
        """How long it must be likely."""
        ends_after_s: float = Field(default=0.4, gt=0, le=10)
        """How long a pause ends speech."""
        echo_s: float = Field(default=0.7, ge=0, le=5)
        """How long after its end a robot's voice may still be heard: delay and room."""
        louder_db: float = Field(default=9.0, ge=0, le=60)
        """How much louder than the robot a voice must be while the robot's is not known."""
        distance_m: float = Field(default=1.5, gt=0, le=50)
        """How far from the microphones people usually are; two microphones do not tell."""

    _steady: SteadySound | None = None
    _feed: SoundFeed | None = None
    _model_problem: str | None = None

    async def start(self) -> None:
        settings = self.settings
        self._placing = placing_of(self.context.scenario, settings.microphones)
        self._telling = Telling(
            self._placing, swapped=settings.swap_sides, distance_m=settings.distance_m
        )
        self._detector: Ears = await self.blocking(self._made)
        self._counts = {"blocks": 0, "speeches": 0, "losses": 0, "own_lines": 0, "own_sounds": 0}
        self._channels = 1
        self._delays_s: list[float] = []
        self._told: SensorState | None = None
        self._told_s = 0.0

    def _made(self) -> Ears:
        from sera.hearing.activity import ActivitySettings
        from sera.hearing.detector import DetectorSettings
        from sera.hearing.detector import SoundDetector as Ears
        from sera.hearing.own_voice import OwnSettings

        settings = self.settings
        chosen = settings.arrangement
        arrangement = self._placing.arrangement() if chosen == "auto" else chosen
        if arrangement == "pair" and self._placing.spacing_m is None:
            raise ValueError(
                "arrangement = 'pair' needs the distance of the microphones: "
                "add spacing_m to [space.microphones.NAME]"
            )
        activity = ActivitySettings(
            likely=settings.likely,
            unlikely=0.7 * settings.likely,
            starts_after_s=settings.starts_after_s,
            ends_after_s=settings.ends_after_s,
        )
        return Ears(
            self._model(),
            DetectorSettings(
                arrangement=arrangement,
                spacing_m=self._placing.spacing_m,
                crosstalk_db=settings.crosstalk_db,
                activity=activity,
                own=OwnSettings(settings.echo_s, settings.louder_db),
            ),
        )

    def _model(self) -> Callable[[], VoiceModel]:
        from sera.hearing.voice_model import EnergyVoice, SileroVoice, VoiceModelMissing

        if self.settings.model == "energy":
            return EnergyVoice
        try:
            SileroVoice()
        except VoiceModelMissing as error:
            self._model_problem = str(error)
            return EnergyVoice
        return SileroVoice

    async def run(self) -> None:
        from sera.feeds.for_modules import offer_sound
        from sera.hearing.source import sound_source
        from sera.hearing.steady import SteadySound

        settings = self.settings
        wanted = settings.channels or {"one": 1, "pair": 2}.get(
            self._detector.settings.arrangement, max(2, len(self._placing.worn_by))
        )
        source = sound_source(
            settings.source,
            self.clock,
            folder=self.context.folder,
            channels=wanted,
            rate_hz=settings.rate_hz,
            repeat=settings.repeat,
        )
        self._steady = SteadySound(source, self.clock)
        self._device = source.describe
        self._feed = await offer_sound(self, source.describe(), settings.source)
        async for listening in self._steady.listen():
            await self._hear(listening)

    async def stop(self) -> None:
        if self._steady is not None:
            self._steady.close()
        if self._feed is not None:
            await self._feed.stop()

    # -- the robots' own voices ---------------------------------------------------------------

    @on(SpeechStarted)
    async def begin_to_speak(self, message: SpeechStarted, envelope: Envelope) -> None:
        import numpy as np

        self._counts["own_lines"] += 1
        is_virtual = self.clock.kind == "virtual"
        run = self.bus.identity.run
        sound = await self.blocking(played_sound, run, message.speech, virtual=is_virtual)
        samples = None
        if sound is not None:
            self._counts["own_sounds"] += 1
            samples = np.frombuffer(sound.pcm, dtype="<i2").astype(np.float64) / 32768.0
        self._detector.own_sounds.began(
            message.speech,
            envelope.source,
            envelope.time,
            expected_s=message.expected_duration_s,
            samples=samples,
            rate_hz=16_000 if sound is None else sound.rate_hz,
        )

    @on(SpeechFinished)
    async def cease_to_speak(self, message: SpeechFinished, envelope: Envelope) -> None:
        self._detector.own_sounds.ended(message.speech, envelope.time)

    # -- people -------------------------------------------------------------------------------

    async def _hear(self, listening: Listening) -> None:
        from sera.hearing.detector import Level

        block = listening.block
        if block is not None and self._feed is not None:
            self._feed.hear(block.samples, block.time_s, block.rate_hz)
        told = self._detector.close() if block is None else self._detector.feed(block)
        if block is not None:
            self._channels = block.channels
        for one in told:
            if isinstance(one, Level):
                level = SoundLevel(
                    loudness_dbfs=[round(each, 1) for each in one.loudness_dbfs],
                    voice=round(one.voice, 3),
                )
                await self.publish(level, time_s=one.time_s)
                continue
            self._counts["speeches"] += one.speaking
            for message in self._telling.told(one, self._channels):
                await self.publish(message, time_s=one.time_s)
        if block is not None:
            self._counts["blocks"] += 1
            self._delays_s = [*self._delays_s[-49:], max(0.0, self.clock.now() - block.time_s)]
        await self._tell_state(listening)

    async def _tell_state(self, listening: Listening) -> None:
        assert self._steady is not None
        self._counts["losses"] = self._steady.losses
        status, problem = STATUS[listening.condition], listening.problem
        if status is SensorStatus.OK and self._model_problem is not None:
            status, problem = SensorStatus.DEGRADED, self._model_problem
        device = self._device()
        told, now_s = self._told, self.clock.now()
        is_news = told is None or (told.status, told.problem, told.device) != (
            status,
            problem,
            device,
        )
        if not is_news and now_s - self._told_s < STATE_EVERY_S:
            return
        block = listening.block
        state = SensorState(
            sense="microphone",
            status=status,
            problem=problem,
            device=device,
            rate_hz=0.0 if block is None else round(1 / block.duration_s, 2),
            delay_s=round(statistics.median(self._delays_s), 4) if self._delays_s else None,
            counts=dict(self._counts),
        )
        self._told, self._told_s = state, now_s
        await self.publish(state)


__all__ = ["SoundDetector"]
