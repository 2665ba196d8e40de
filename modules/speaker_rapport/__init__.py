"""Speaker rapport: the robot looks at whoever speaks, and speaks about as loudly as they do.

Design overview
    `sera.behaviour.rapport` says whom to look at and how loud to be; this module carries messages
    to it and orders GazeAt and SetVoiceGain where something changes. While several people speak
    each has a turn; when nobody does the gaze goes to random places.

Units and frames
    Seconds on the clock of the run, decibels relative to full scale.

Threading
    The event loop's thread.

Safety
    The robot's own voice is never taken for a person's: while it speaks, and a moment longer for
    the room's echo, loudness is not measured and a voice without a name waits for its end.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sera import Module, on
from sera.behaviour.rapport import ActiveSpeakers, LoudnessMatch, LoudnessSettings, speakers_of
from sera.behaviour.targets import RANDOM
from sera.messages import (
    GazeAt,
    PersonLost,
    SetVoiceGain,
    SoundLevel,
    SpeechActivity,
    SpeechFinished,
    SpeechStarted,
)
from sera.runtime import Role

from ._own_voice import OwnVoice

STEP_S = 0.05
LIKELY_A_VOICE = 0.5


class SpeakerRapport(Module):
    """Looks at the active speaker and matches the loudness."""

    role = Role.BEHAVIOUR

    class Settings(Module.Settings):
        """How it follows people."""

        gaze: bool = True
        """Whether it looks at who speaks."""
        alternate_s: float = Field(default=2.0, gt=0)
        """How long each is looked at while several speak."""
        when_nobody: Literal["random", "stay"] = "random"
        """Where the gaze goes when nobody speaks any more: to random places, or nowhere else."""
        nobody_after_s: float = Field(default=1.0, ge=0)
        """How long it must be quiet for that: people breathe."""
        loudness: bool = True
        """Whether the voice follows how loud people speak."""
        reference_dbfs: float = -30.0
        """Speech as loud as this is answered at the usual loudness."""
        follow: float = Field(default=0.5, ge=0, le=1)
        """Decibels that the robot goes with each of the speaker's."""
        quieter_db: float = Field(default=-9.0, ge=-40, le=0)
        """The least gain."""
        louder_db: float = Field(default=6.0, ge=0, le=12)
        """The greatest gain."""
        settles_s: float = Field(default=3.0, gt=0)
        """Time constant with which the gain follows."""
        least_change_db: float = Field(default=0.5, gt=0)
        """Smaller changes of the gain are not ordered."""
        echo_s: float = Field(default=0.3, ge=0)
        """How long the room sounds after the robot's own voice."""

    async def start(self) -> None:
        settings = self.settings
        self._speakers = ActiveSpeakers(settings.alternate_s)
        self._match = LoudnessMatch(
            LoudnessSettings(
                reference_dbfs=settings.reference_dbfs,
                follow=settings.follow,
                quieter_db=settings.quieter_db,
                louder_db=settings.louder_db,
                settles_s=settings.settles_s,
            )
        )
        self._own = OwnVoice(settings.echo_s)
        self._doubtful: dict[str, None] = {}
        self._looked_at: str | None = None
        self._quiet_since_s: float | None = None
        self._sent_db = 0.0

    async def run(self) -> None:
        while True:
            await self.clock.sleep(STEP_S)
            now_s = self.clock.now()
            if self._doubtful and not self._own.sounds(now_s):
                # It went on when the robot was silent again: somebody did speak.
                for speaker in self._doubtful:
                    self._speakers.heard(speaker, speaking=True, now_s=now_s)
                self._doubtful.clear()
            await self._look()

    @on(SpeechActivity)
    async def hear(self, message: SpeechActivity) -> None:
        now_s = self.clock.now()
        if message.person == self.character:
            return
        unnamed = message.person is None
        for speaker in speakers_of(message):
            if message.speaking and unnamed and self._own.sounds(now_s):
                self._doubtful[speaker] = None
                continue
            self._doubtful.pop(speaker, None)
            self._speakers.heard(speaker, speaking=message.speaking, now_s=now_s)
        if message.speaking and message.loudness_dbfs is not None:
            await self._follow(message.loudness_dbfs)
        await self._look()

    @on(SoundLevel)
    async def measure(self, message: SoundLevel) -> None:
        speaks = bool(self._speakers.speakers)
        if speaks if message.voice is None else message.voice >= LIKELY_A_VOICE:
            await self._follow(max(message.loudness_dbfs))

    @on(PersonLost)
    async def lose(self, message: PersonLost) -> None:
        self._speakers.heard(message.person, speaking=False, now_s=self.clock.now())
        await self._look()

    @on(SpeechStarted)
    async def begin_to_speak(self, message: SpeechStarted) -> None:
        self._own.began(message.speech, self.clock.now(), message.expected_duration_s)

    @on(SpeechFinished)
    async def cease_to_speak(self, message: SpeechFinished) -> None:
        self._own.ended(message.speech, self.clock.now())

    async def _look(self) -> None:
        """Order the gaze where it is somebody else's turn."""
        if not self.settings.gaze:
            return
        now_s = self.clock.now()
        whom = self._speakers.whom(now_s)
        if whom is not None:
            self._quiet_since_s = None
        elif self._looked_at is None or self._looked_at == RANDOM:
            return
        else:
            if self._quiet_since_s is None:
                self._quiet_since_s = now_s
            if now_s - self._quiet_since_s < self.settings.nobody_after_s:
                return
            if self.settings.when_nobody == "stay":
                self._looked_at = None
                return
            whom = RANDOM
        if whom != self._looked_at:
            self._looked_at = whom
            await self.publish(GazeAt(target=whom))

    async def _follow(self, loudness_dbfs: float) -> None:
        """Let the gain follow a person's loudness; order it where people would hear the change."""
        now_s = self.clock.now()
        if not self.settings.loudness or self._own.sounds(now_s):
            return
        gain_db = self._match.heard(loudness_dbfs, now_s)
        if abs(gain_db - self._sent_db) >= self.settings.least_change_db:
            self._sent_db = gain_db
            how = "loudly" if gain_db > 0 else "quietly"
            await self.publish(
                SetVoiceGain(gain_db=round(gain_db, 2), reason=f"people speak {how}")
            )


__all__ = ["SpeakerRapport"]
