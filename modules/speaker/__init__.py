"""The voice: texts become sound, and each word is told when it is heard.

Design overview
    Texts wait in a queue. Each is synthesised by the voices of `sera.speech` that the settings
    choose and played by a player, which calls back at every word; callbacks go through a second
    queue to the bus, so that a slow bus never makes the sound wait. In virtual time recordings
    keep their times and everything else is silent. The console may hear the voice as well
    (`sera.feeds`), also where there is no sound card.

Units and frames
    Seconds on the clock of the run; word times count from the first sound.

Threading
    The event loop's thread; espeak-ng has a process of its own.

Safety
    An EmergencyStop takes effect before anything is awaited: the sound is cut, what is being made
    and what waits ends as stopped, and nothing is said until an EmergencyRelease. A speaker that
    comes back while the body is stopped is silent, too.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from sera import Module, on
from sera.messages import (
    BodyHealth,
    BodyState,
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    Message,
    SetVoiceGain,
    Speak,
    SpeechFinished,
    SpeechOutcome,
    SpeechWord,
    StopSpeaking,
)
from sera.runtime import Role
from sera.speech import (
    Played,
    PlayedSounds,
    Player,
    RecordedVoice,
    SilentSink,
    Sink,
    Speech,
    VoiceChoice,
    VoiceError,
    VoiceSettings,
    Word,
    best_sink,
    choose_voice,
    with_character,
    with_gain,
    with_rests,
)

from ._told import prepared, started

if TYPE_CHECKING:
    from sera.feeds.sound import VoiceFeed

RUN_LOG = "log.jsonl"
"""Name of the recording in a folder that was made for the run; other places are the user's own."""


class Speaker(Module):
    """Says one text after the other."""

    role = Role.REALISATION

    class Settings(VoiceChoice, Module.Settings):
        """Which voice, and where the sound goes."""

        sound_files: str | None = None
        """Folder for the sound where there is no sound card; left out: beside the recording of
        the run."""
        keep_sound: bool = False
        """True: into `sound_files` also where there is a sound card."""
        share_sound: bool = True
        """Whether microphones of this machine are given what is said, so that they ignore it."""

    _is_ready = False
    _live: VoiceFeed | None = None

    async def start(self) -> None:
        self._waiting: asyncio.Queue[tuple[Speak, str]] = asyncio.Queue()
        self._outgoing: asyncio.Queue[tuple[Message, str]] = asyncio.Queue()
        self._stopped_for_safety = False
        self._told_of_safety = False
        self._said: str | None = None
        self._making: asyncio.Future[Speech] | None = None
        self._gain_db = 0.0
        choice = self._choice()
        self._language = choice.language or "en"
        is_virtual = self.clock.kind == "virtual"
        shares = self.settings.share_sound
        run = self.bus.identity.run
        self._shared = PlayedSounds(run, virtual=is_virtual) if shares else None
        self._voice = await choose_voice(
            choice,
            folder=self.context.folder or Path(),
            language=self._language,
            virtual=is_virtual,
            report=self._warn,
        )
        sink = SilentSink() if is_virtual else self._sink()
        self._player = Player(sink)
        if not is_virtual:
            from sera.feeds.for_modules import offer_voice

            self._live = await offer_voice(self)
        self._is_ready = True

    def _choice(self) -> VoiceChoice:
        """What the settings say, and the character's own table where they do not."""
        choice: VoiceChoice = self.settings
        scenario = self.context.scenario
        who = None if scenario is None else scenario.characters.get(self.character)
        if who is None:
            return choice
        return with_character(choice, who.voice, who.language, self._warn)

    def _warn(self, sentence: str) -> None:
        self.fault(sentence, warning=True)

    def _sink(self) -> Sink:
        name, log = self.settings.sound_files, self.context.options.get("log")
        folder = None if name is None else (self.context.folder or Path()) / name
        if folder is None and isinstance(log, Path) and log.name == RUN_LOG:
            folder = log.parent / "sound" / self.character
        return best_sink(folder, keep=self.settings.keep_sound)

    async def run(self) -> None:
        telling = asyncio.create_task(self._tell())
        preparing = asyncio.create_task(self._prepare())
        try:
            while True:
                speak, speech = await self._waiting.get()
                if self._stopped_for_safety:
                    self._finish(speech, SpeechOutcome.STOPPED)
                else:
                    await self._say(speak, speech)
        finally:
            telling.cancel()
            preparing.cancel()

    async def stop(self) -> None:
        if not self._is_ready:
            return  # it never came so far as to speak
        self._cut()
        if self._live is not None:
            await self._live.stop()
        if self._shared is not None:
            self._shared.close()
        await self._voice.close()

    async def _prepare(self) -> None:
        """Find the words of recordings that come without times, beside everything else."""
        for voice in self._voice.voices:
            if isinstance(voice, RecordedVoice):
                await self.blocking(voice.prepare)

    async def _tell(self) -> None:
        """Publish in order what the player reports."""
        while True:
            message, cause = await self._outgoing.get()
            await self.publish(message, cause=cause)

    # -- orders -----------------------------------------------------------------------------

    @on(Speak)
    async def queue(self, message: Speak, envelope: Envelope) -> None:
        self._waiting.put_nowait((message, envelope.id))

    @on(SetVoiceGain)
    async def change_gain(self, message: SetVoiceGain) -> None:
        self._gain_db = message.gain_db

    @on(StopSpeaking)
    async def be_silent(self, message: StopSpeaking) -> None:
        if message.speech is None or message.speech == self._said:
            self._cut(politely=message.politely)
        self._drop_waiting(message.speech)

    @on(EmergencyStop)
    async def stop_for_safety(self, _message: EmergencyStop) -> None:
        self._stopped_for_safety = self._told_of_safety = True
        self._cut()
        self._drop_waiting(None)

    @on(EmergencyRelease)
    async def release(self, _message: EmergencyRelease) -> None:
        self._stopped_for_safety, self._told_of_safety = False, True

    @on(BodyState)
    async def see_the_body(self, message: BodyState) -> None:
        """Learn of a stop that was ordered before this life of the speaker began."""
        if not self._told_of_safety:
            self._stopped_for_safety = message.health is BodyHealth.STOPPED

    def _cut(self, *, politely: bool = False) -> None:
        if self._making is not None:
            self._making.cancel()  # nothing of it was heard: there is no next word to wait for
        self._player.stop(politely=politely)
        if self._live is not None and not politely:
            self._live.hush()

    def _drop_waiting(self, only: str | None) -> None:
        """End what waits, or one text of it, as stopped."""
        kept = []
        while not self._waiting.empty():
            speak, speech = self._waiting.get_nowait()
            if only is None or speech == only:
                self._finish(speech, SpeechOutcome.STOPPED)
            else:
                kept.append((speak, speech))
        for each in kept:
            self._waiting.put_nowait(each)

    # -- speaking ---------------------------------------------------------------------------

    async def _say(self, speak: Speak, speech: str) -> None:
        self._said = speech
        try:
            spoken = await self._make(speak)
            if spoken is None:
                self._finish(speech, SpeechOutcome.STOPPED)
                return
            spoken = with_rests(spoken, {rest.offset: rest.duration_s for rest in speak.rests})
            starts_in_s = speak.wait_s + self._player.sink.latency_s
            self._outgoing.put_nowait((prepared(speech, spoken, starts_in_s), speech))
            played = await self._play(speak, speech, spoken)
        except VoiceError as error:
            self.fault(f"a line could not be said: {error}")
            self._finish(speech, SpeechOutcome.FAILED, problem=str(error))
            return
        finally:
            self._said = None
        if played.problem:
            self.fault(played.problem, warning=True)
        if spoken.estimated and played.drift_s is not None:
            self.log.info("words of %r were estimated; drift %.3f s", speak.text, played.drift_s)
        self._finish(speech, played.outcome, played, played.problem or spoken.problem)

    async def _make(self, speak: Speak) -> Speech | None:
        """The sound; None where it was stopped meanwhile."""
        settings = VoiceSettings(
            language=speak.language or self._language,
            volume=speak.volume,
            rate=speak.rate,
            pitch=speak.pitch,
        )
        gain_db = self._gain_db
        making = asyncio.ensure_future(
            self._voice.synthesise(speak.text, settings, voice=speak.voice)
        )
        self._making = making
        try:
            await asyncio.wait({making})
        finally:
            self._making = None
            making.cancel()
        if making.cancelled() or self._stopped_for_safety:
            return None
        return with_gain(making.result(), gain_db)

    async def _play(self, speak: Speak, speech: str, spoken: Speech) -> Played:
        def begin() -> None:
            self._outgoing.put_nowait((started(speech, speak.text, spoken), speech))
            if self._live is not None:
                self._live.begin(spoken.pcm, spoken.rate_hz)

        def tell_word(index: int, word: Word) -> None:
            told = SpeechWord(
                speech=speech,
                index=index,
                text=word.text,
                start_s=word.start_s,
                offset=word.offset,
                estimated=word.estimated,
            )
            self._outgoing.put_nowait((told, speech))

        if self._shared is not None:  # not awaited: a stop must find the player playing
            self._shared.put(speech, spoken)
        try:
            return await self._player.play(
                spoken, on_start=begin, on_word=tell_word, wait_s=speak.wait_s
            )
        finally:
            if self._live is not None:
                self._live.hush()

    def _finish(
        self,
        speech: str,
        outcome: SpeechOutcome,
        played: Played | None = None,
        problem: str = "",
    ) -> None:
        finished = SpeechFinished(
            speech=speech,
            outcome=outcome,
            duration_s=0.0 if played is None else played.duration_s,
            words=0 if played is None else played.words,
            drift_s=None if played is None else played.drift_s,
            problem=problem or None,
        )
        self._outgoing.put_nowait((finished, speech))


__all__ = ["Speaker"]
