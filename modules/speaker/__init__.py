"""The voice: texts become sound, and each word is told when it is heard.

Design overview
    Texts wait in a queue. Each is synthesised by a voice of `sera.speech` and played by a player,
    which calls back at every word; callbacks go through a second queue to the bus, so that a slow
    bus never makes the sound wait. In virtual time the silent voice keeps the time.

Units and frames
    Seconds on the clock of the run; word times count from the first sound.

Threading
    The event loop's thread; espeak-ng has a process of its own.

Safety
    An EmergencyStop takes effect before anything is awaited: the sound is cut, what waits ends as
    stopped, and nothing is said until an EmergencyRelease.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from sera import Module, on
from sera.messages import (
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    Message,
    Speak,
    SpeechFinished,
    SpeechOutcome,
    SpeechStarted,
    SpeechWord,
    StopSpeaking,
)
from sera.runtime import Role
from sera.speech import (
    Player,
    RecordedVoice,
    SilentSink,
    SilentVoice,
    Speech,
    Voice,
    VoiceError,
    VoiceSettings,
    Word,
    best_sink,
    best_voice,
    load_pronunciations,
)


class Speaker(Module):
    """Says one text after the other."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """Which voice, and where the sound goes."""

        voice: Literal["auto", "silent", "recorded"] = "auto"
        """auto: espeak-ng where it is installed, else silence that keeps time."""
        language: str = "en"
        recordings: str | None = None
        """Folder beside the scenario with rendered lines, for the recorded voice."""
        pronunciations: str | None = None
        """File beside the scenario that says how single words are spoken."""
        sound_files: str | None = None
        """Folder for the sound where there is no sound card; left out: it is not kept."""

    async def start(self) -> None:
        self._waiting: asyncio.Queue[tuple[Speak, str]] = asyncio.Queue()
        self._outgoing: asyncio.Queue[tuple[Message, str]] = asyncio.Queue()
        self._stopped_for_safety = False
        self._said: str | None = None
        self._dropped: set[str] = set()
        self._voice = await self._make_voice()
        sink = (
            SilentSink() if self.clock.kind == "virtual" else best_sink(self._beside("sound_files"))
        )
        self._player = Player(sink)

    async def _make_voice(self) -> Voice:
        settings = self.settings
        silent = SilentVoice()
        recordings = self._beside("recordings")
        if settings.voice == "recorded" and recordings is not None:
            voice = RecordedVoice(recordings, fallback=silent)
            for problem in voice.problems:
                self.fault(str(problem), warning=True)
            return voice
        if settings.voice == "silent" or self.clock.kind == "virtual":
            return silent
        pronounced = self._beside("pronunciations")
        return await best_voice(
            language=settings.language,
            pronunciations=None if pronounced is None else load_pronunciations(pronounced),
            report=lambda sentence: self.fault(sentence, warning=True),
        )

    def _beside(self, setting: str) -> Path | None:
        name = getattr(self.settings, setting)
        return None if name is None else (self.context.folder or Path()) / name

    async def run(self) -> None:
        telling = asyncio.create_task(self._tell())
        try:
            while True:
                speak, speech = await self._waiting.get()
                if self._stopped_for_safety or speech in self._dropped:
                    self._dropped.discard(speech)
                    self._finish(speech, SpeechOutcome.STOPPED)
                    continue
                await self._say(speak, speech)
        finally:
            telling.cancel()

    async def stop(self) -> None:
        self._player.stop()
        await self._voice.close()

    async def _tell(self) -> None:
        """Publish in order what the player reports."""
        while True:
            message, cause = await self._outgoing.get()
            await self.publish(message, cause=cause)

    @on(Speak)
    async def queue(self, message: Speak, envelope: Envelope) -> None:
        self._waiting.put_nowait((message, envelope.id))

    @on(StopSpeaking)
    async def be_silent(self, message: StopSpeaking) -> None:
        if message.speech is None or message.speech == self._said:
            self._player.stop(politely=message.politely)
        elif message.speech is not None:
            self._dropped.add(message.speech)
        if message.speech is None:
            self._drop_waiting()

    @on(EmergencyStop)
    async def stop_for_safety(self, _message: EmergencyStop) -> None:
        self._stopped_for_safety = True
        self._player.stop()
        self._drop_waiting()

    @on(EmergencyRelease)
    async def release(self, _message: EmergencyRelease) -> None:
        self._stopped_for_safety = False

    def _drop_waiting(self) -> None:
        while not self._waiting.empty():
            _, speech = self._waiting.get_nowait()
            self._finish(speech, SpeechOutcome.STOPPED)

    async def _say(self, speak: Speak, speech: str) -> None:
        settings = VoiceSettings(
            language=speak.language or self.settings.language,
            volume=speak.volume,
            rate=speak.rate,
            pitch=speak.pitch,
        )
        try:
            spoken = await self._voice.synthesise(speak.text, settings)
        except VoiceError as error:
            self.fault(f"a line could not be said: {error}")
            self._finish(speech, SpeechOutcome.FAILED)
            return
        if self._stopped_for_safety or speech in self._dropped:  # while it was made
            self._dropped.discard(speech)
            self._finish(speech, SpeechOutcome.STOPPED)
            return
        self._said = speech
        played = await self._player.play(
            spoken,
            on_start=lambda: self._begin(speech, speak.text, spoken),
            on_word=lambda index, word: self._word(speech, index, word),
        )
        self._said = None
        if played.problem:
            self.fault(played.problem, warning=True)
        self._finish(
            speech,
            played.outcome,
            duration_s=played.duration_s,
            words=played.words,
            drift_s=played.drift_s,
        )

    def _begin(self, speech: str, text: str, spoken: Speech) -> None:
        started = SpeechStarted(
            speech=speech,
            text=text,
            voice=spoken.voice,
            expected_duration_s=spoken.duration_s,
        )
        self._outgoing.put_nowait((started, speech))

    def _word(self, speech: str, index: int, word: Word) -> None:
        told = SpeechWord(
            speech=speech,
            index=index,
            text=word.text,
            start_s=word.start_s,
            offset=word.offset,
            estimated=word.estimated,
        )
        self._outgoing.put_nowait((told, speech))

    def _finish(
        self,
        speech: str,
        outcome: SpeechOutcome,
        *,
        duration_s: float = 0.0,
        words: int = 0,
        drift_s: float | None = None,
    ) -> None:
        finished = SpeechFinished(
            speech=speech, outcome=outcome, duration_s=duration_s, words=words, drift_s=drift_s
        )
        self._outgoing.put_nowait((finished, speech))


__all__ = ["Speaker"]
