"""Recorded lines as a voice: actors' recordings, or a library that was rendered beforehand.

Lines are found by their text; spaces and upper and lower case do not matter. Of several renderings
the one at the wanted speed is taken. What was never recorded goes to the fallback voice where there
is one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sera.runtime.located import FileProblem, nearest_name
from sera.speech._assemble import Mark, Rendering
from sera.speech._word_times import TimedWord, marks_on, rendering_of
from sera.speech.align import align, can_align
from sera.speech.pronunciation import PronunciationList
from sera.speech.recording_file import Recording, read_recording
from sera.speech.settings import VoiceSettings
from sera.speech.speech import Speech
from sera.speech.voice import NotRecorded, Request, Voice, VoiceError
from sera.speech.wav import Sound, louder


class RecordedVoice(Voice):
    """Plays what lies in a folder.

    Args:
        folder: WAV files, each with its text or words beside it.
        name: how messages and files call it.
        language: of recordings that do not say.
        fallback: speaks what was not recorded; None: that is an error.
        aligner: finds word times where a file tells none; None: pocketsphinx where it is
            installed, for English.

    Speed and pitch of a recording are what they are; loudness is obeyed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str = "recorded",
        language: str = "en",
        fallback: Voice | None = None,
        aligner: Callable[[str, Sound], list[TimedWord]] | None = None,
    ) -> None:
        # A recording is said as it was said: no list is applied here.
        super().__init__(name, language=language, pronunciations=PronunciationList())
        self.folder = folder
        self.problems: list[FileProblem] = []
        """Recordings that cannot be used, and why."""
        self._fallback = fallback
        self._aligner = aligner
        self._aligned: dict[Path, list[TimedWord]] = {}
        self._by_text: dict[tuple[str, str], list[Recording]] = {}
        self._preparing = False
        self.reload()

    def reload(self) -> None:
        """Look into the folder again."""
        self._by_text.clear()
        self._aligned.clear()
        self.problems.clear()
        for wav in sorted(self.folder.glob("*.wav")):
            try:
                recording = read_recording(wav)
            except FileProblem as problem:
                self.problems.append(problem)
                continue
            tag = (recording.language or self.language).lower()
            self._by_text.setdefault((tag, _key(recording.text)), []).append(recording)

    def prepare(self) -> None:
        """Align everything that has no word times now, so that no line has to wait for it.

        May run in a thread beside the event loop: words of lines that are wanted meanwhile and
        are not aligned yet are estimated.
        """
        self._preparing = True
        try:
            for (language, _), recordings in list(self._by_text.items()):
                for recording in recordings:
                    self._prepare(recording, language)
        finally:
            self._preparing = False

    def _prepare(self, recording: Recording, language: str) -> None:
        if recording.words or recording.wav in self._aligned:
            return
        try:
            self._aligned[recording.wav] = self._words(recording, language, recording.sound())
        except FileProblem as problem:
            self.problems.append(problem)

    @property
    def texts(self) -> list[str]:
        """Everything that can be said."""
        return [recordings[0].text for recordings in self._by_text.values()]

    async def synthesise(self, text: str, settings: VoiceSettings | None = None) -> Speech:
        asked = (settings or VoiceSettings()).with_language(self.language)
        if self._fallback is not None and text.strip():
            language = asked.language or self.language
            if self._find(text, language, asked.rate) is None:
                return await self._fallback.synthesise(text, settings)
        return await super().synthesise(text, settings)

    async def close(self) -> None:
        if self._fallback is not None:
            await self._fallback.close()

    async def _render(self, request: Request) -> Rendering:
        recording = self._find(request.original, request.language, request.settings.rate)
        if recording is None:
            raise NotRecorded(self._unknown(request))
        try:
            sound = recording.sound()
        except FileProblem as problem:
            raise VoiceError(f"voice '{self.name}': {problem}") from None
        volume = request.settings.volume
        if volume is not None:
            sound = Sound(louder(sound.pcm, volume), sound.rate_hz)
        words = recording.words or tuple(self._align(recording, request.language, sound))
        rendering = rendering_of(request.text, sound, words)
        doubtful = {recording.words[number].start_s for number in recording.estimated}
        marks: tuple[Mark, ...] = rendering.marks
        if doubtful:
            marks = tuple(m for m in marks_on(request.text, words) if m.start_s not in doubtful)
        return Rendering(
            pcm=rendering.pcm,
            rate_hz=rendering.rate_hz,
            duration_s=rendering.duration_s,
            marks=marks,
            phonemes=recording.phonemes,
            sound_s=rendering.sound_s,
        )

    def _align(self, recording: Recording, language: str, sound: Sound) -> list[TimedWord]:
        if recording.wav not in self._aligned:
            if self._preparing:
                return []
            self._aligned[recording.wav] = self._words(recording, language, sound)
        return self._aligned[recording.wav]

    def _words(self, recording: Recording, language: str, sound: Sound) -> list[TimedWord]:
        aligner = self._aligner or (align if can_align(language) else None)
        return aligner(recording.text, sound) if aligner is not None else []

    def _find(self, text: str, language: str, rate: float) -> Recording | None:
        key, parts = _key(text), language.lower().split("-")
        for length in range(len(parts), 0, -1):
            found = self._by_text.get(("-".join(parts[:length]), key))
            if found is not None:
                return _at_rate(found, rate)
        # Portuguese of another country is nearer than another voice.
        for (tag, text_key), recordings in self._by_text.items():
            if text_key == key and tag.partition("-")[0] == parts[0]:
                return _at_rate(recordings, rate)
        return None

    def _unknown(self, request: Request) -> str:
        nearest = nearest_name(request.original, self.texts)
        hint = f"; the nearest is {nearest[:60]!r}" if nearest else ""
        return (
            f"voice '{self.name}' has no recording of {request.original[:60]!r} in "
            f"'{request.language}' among the {len(self._by_text)} in {self.folder.name}{hint} "
            "(record or render it, or give the voice a fallback)"
        )


def _at_rate(recordings: list[Recording], rate: float) -> Recording:
    """What somebody spoke, else what was rendered at this speed, else at the nearest one."""
    return min(recordings, key=lambda one: abs((rate if one.rate is None else one.rate) - rate))


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
