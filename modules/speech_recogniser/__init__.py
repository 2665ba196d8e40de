"""The speech recogniser: what people say becomes SpeechHeard, with words, times and confidence.

Design overview
    Sound of a source is cut into utterances by SpeechActivity of a sound detector, or by loudness
    where there is none, and recognised by an engine of `sera.hearing` in a process of its own. With
    a dialogue sheet the engine expects what the state at hand waits for; DialogueMoved switches.
    While a character speaks, and a moment after, nothing is recognised.

Units and frames
    Seconds of the run's clock; the time of a SpeechHeard is when its sound was captured.

Threading
    The event loop's thread; decoding is in a child, in virtual time in the loop.

Safety
    It only reports. A lost microphone, a missing model and a child that died are a SensorState with
    one sentence, and come back by themselves; no device ends the module.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sera import Module, on
from sera.hearing import SoundMissing, SoundProblem, SoundSource, sound_source
from sera.hearing.recogniser import Expectation, Mode, Recognised, RecogniserError
from sera.messages import (
    DialogueMoved,
    Envelope,
    HeardWord,
    ModulePresence,
    PresenceStatus,
    SensorState,
    SensorStatus,
    SpeechActivity,
    SpeechFinished,
    SpeechHeard,
    SpeechStarted,
)
from sera.runtime import Role

from ._awaited import Expectations
from ._own_speech import OwnSpeech

if TYPE_CHECKING:
    from sera.hearing.recogniser_cutter import Piece
    from sera.hearing.recogniser_process import InlineRecogniser, RecogniserProcess

AGAIN_AFTER_S = 1.0
LAST_RESULTS_S = 3.0
"""How long results are waited for when a sound file is over."""
MOST_REMEMBERED = 32


class SpeechRecogniser(Module):
    """Hears what people say."""

    role = Role.PERCEPTION
    hears_everyone = True

    class Settings(Module.Settings):
        """Which microphone, which engine, what is waited for."""

        source: str | int | None = None
        """A WAV file, the number or part of the name of a device; left out: the system's own."""
        repeat: bool = False
        """Whether a file begins again at its end."""
        engine: str = "pocketsphinx"
        """Name of the engine, or `package.module:Class`."""
        language: str | None = None
        """Language tag; left out: the character's, else English."""
        mode: Mode = "grammar"
        """grammar, strict, keywords or open."""
        phrases: tuple[str, ...] = ()
        """What matters in every state, beside the sheet's phrases."""
        sheet: str | None = None
        """The dialogue sheet whose states are followed."""
        min_confidence: float = 0.3
        """Results that are less sure are not told."""
        guesses: bool = True
        """Whether first guesses are told, too."""
        own_voice: Literal["muted", "cleaned"] = "muted"
        """cleaned: the source has the characters' voices taken out already."""
        echo_s: float = 0.4
        """How long the room sounds after a character spoke."""

    async def start(self) -> None:
        from sera.hearing.recogniser_cutter import UtteranceCutter

        folder, settings = self.context.folder or Path(), self.settings
        sheet = None if settings.sheet is None else folder / settings.sheet
        self._expectations = await self.blocking(
            Expectations, settings.mode, settings.phrases, sheet
        )
        if self._expectations.problem is not None:
            self.fault(self._expectations.problem, warning=True)
        self._state_now: str | None = None
        self._expected: Expectation | None = None
        self._cutter = UtteranceCutter()
        self._own = OwnSpeech(settings.echo_s)
        self._worker: InlineRecogniser | RecogniserProcess | None = None
        self._utterances: dict[int, tuple[float, str | None]] = {}
        self._person: str | None = None
        self._detector: str | None = None
        self._last_guess = ""
        self._results: asyncio.Queue[tuple[int, Recognised | None, bool]] = asyncio.Queue()
        self._shown: tuple[SensorStatus, str | None] | None = None
        self._engine_problem: str | None = None
        self._counts = {"utterances": 0, "recognised": 0, "dropped": 0, "restarts": 0}
        self._source: SoundSource = sound_source(
            settings.source, self.clock, folder=folder, repeat=settings.repeat
        )
        await self._show(SensorStatus.STARTING)

    def _language(self) -> str:
        scenario = self.context.scenario
        who = None if scenario is None else scenario.characters.get(self.character)
        own = None if who is None else who.language
        return self.settings.language or own or "en"

    async def run(self) -> None:
        async with asyncio.TaskGroup() as work:
            deciding = work.create_task(self._recognise())
            telling = work.create_task(self._tell())
            await work.create_task(self._listen())
            if self.clock.kind != "virtual":
                await self.clock.sleep(LAST_RESULTS_S)
            while not self._results.empty():
                await self.clock.sleep(0.01)
            deciding.cancel()
            telling.cancel()

    async def stop(self) -> None:
        self._source.close()

    # -- the engine -------------------------------------------------------------------------

    async def _recognise(self) -> None:
        """Keep an engine at work; one that cannot serve is tried again now and then."""
        from sera.hearing import recogniser_process

        virtual = self.clock.kind == "virtual"
        kind = (
            recogniser_process.InlineRecogniser if virtual else recogniser_process.RecogniserProcess
        )
        while True:
            try:
                self._worker = kind(
                    self.settings.engine, self._language(), self._heard, self._report
                )
                self._expected = None
                self._expect()
                await self._worker.run()
                break
            except RecogniserError as error:
                self._worker = None
                self._engine_problem = str(error)
                await self._show(SensorStatus.DEGRADED, str(error))
                await self.clock.sleep(10 * AGAIN_AFTER_S)

    def _expect(self) -> None:
        wanted = self._expectations.in_state(self._state_now)
        if self._worker is not None and wanted != self._expected and not self._cutter.is_open:
            self._expected = wanted
            self._worker.expect(wanted)

    def _report(self, sentence: str) -> None:
        self.fault(sentence, warning=True)
        worker = self._worker
        if worker is None:
            return
        before = self._counts["dropped"] + self._counts["restarts"]
        self._counts.update(dropped=worker.dropped, restarts=worker.restarts)
        if worker.dropped + worker.restarts > before:
            self._engine_problem = sentence

    def _heard(self, number: int, recognised: Recognised | None, final: bool) -> None:
        self._results.put_nowait((number, recognised, final))

    # -- sound ------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Take sound until a file is over; a source that fails is opened again."""
        while True:
            try:
                await self._source.open()
                await self._take_blocks()
                break
            except SoundProblem as problem:
                missing = isinstance(problem, SoundMissing)
                status = SensorStatus.MISSING if missing else SensorStatus.LOST
                await self._show(status, str(problem))
                self._pass_on(self._cutter.finish(self.clock.now()))
                self._source.close()
                await self.clock.sleep(AGAIN_AFTER_S)

    async def _take_blocks(self) -> None:
        while (block := await self._source.read()) is not None:
            problem = self._engine_problem
            status = SensorStatus.OK if problem is None else SensorStatus.DEGRADED
            await self._show(status, problem)
            muted = self.settings.own_voice == "muted" and self._own.sounds(block.time_s)
            self._pass_on(self._cutter.take(block, muted=muted))
        self._pass_on(self._cutter.finish(self.clock.now()))

    def _pass_on(self, pieces: list[Piece]) -> None:
        worker = self._worker
        for piece in pieces:
            if piece.begins:
                self._counts["utterances"] += 1
                self._utterances[piece.utterance] = (piece.time_s, self._person)
                if len(self._utterances) > MOST_REMEMBERED:
                    del self._utterances[next(iter(self._utterances))]
                if worker is not None:
                    worker.begin(piece.utterance)
            if piece.given_up:
                self._utterances.pop(piece.utterance, None)
            if worker is not None and piece.pcm:
                worker.feed(piece.utterance, piece.pcm)
            if worker is not None and piece.ends:
                worker.end(piece.utterance)
            if piece.ends:
                self._expect()  # the dialogue may have moved meanwhile

    # -- the bus ----------------------------------------------------------------------------

    async def _tell(self) -> None:
        while True:
            number, recognised, final = await self._results.get()
            if final:
                self._engine_problem = None
            if recognised is None or number not in self._utterances:
                continue
            if final and recognised.confidence < self.settings.min_confidence:
                continue
            if not final and (not self.settings.guesses or recognised.text == self._last_guess):
                continue
            self._last_guess = "" if final else recognised.text
            self._counts["recognised"] += final
            time_s, person = self._utterances[number]
            await self.publish(
                SpeechHeard(
                    text=recognised.text,
                    words=[
                        HeardWord(
                            text=word.text,
                            start_s=word.start_s,
                            end_s=word.end_s,
                            confidence=word.confidence,
                        )
                        for word in recognised.words
                    ],
                    person=person,
                    confidence=recognised.confidence,
                    language=self._language(),
                    final=final,
                ),
                time_s=time_s,
            )

    async def _show(self, status: SensorStatus, problem: str | None = None) -> None:
        if self._shown == (status, problem):
            return
        self._shown = (status, problem)
        device = self._source.describe()
        await self.publish(
            SensorState(
                sense="speech",
                status=status,
                problem=problem,
                device=device,
                counts=dict(self._counts),
            )
        )

    @on(SpeechActivity)
    async def cut(self, message: SpeechActivity, envelope: Envelope) -> None:
        self._detector = envelope.source
        if message.speaking:
            self._person = message.person
            last = next(reversed(self._utterances), None)
            if last is not None and self._cutter.is_open:  # loudness was quicker
                self._utterances[last] = (self._utterances[last][0], message.person)
        self._cutter.speech(speaking=message.speaking, time_s=envelope.time)

    @on(ModulePresence)
    async def do_without_detector(self, message: ModulePresence, envelope: Envelope) -> None:
        present = message.status in (PresenceStatus.STARTING, PresenceStatus.PRESENT)
        if envelope.source == self._detector and not present:
            self._detector = self._person = None
            self._cutter.forget_detector()

    @on(SpeechStarted)
    async def mute(self, message: SpeechStarted, envelope: Envelope) -> None:
        self._own.began(message.speech, envelope.time, message.expected_duration_s)

    @on(SpeechFinished)
    async def listen_again(self, message: SpeechFinished, envelope: Envelope) -> None:
        self._own.ended(message.speech, envelope.time)

    @on(DialogueMoved)
    async def follow_dialogue(self, message: DialogueMoved, envelope: Envelope) -> None:
        if self.character in ("world", envelope.source.split(".")[0]):
            self._state_now = message.state
            self._expect()


__all__ = ["SpeechRecogniser"]
