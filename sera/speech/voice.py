"""The interface of every voice: text in, `Speech` out, with a time for every word.

A new voice writes `_render` alone: sound, and the word times it knows. What all voices share is
done here: hostile characters, the pronunciation list, words whose time is missing, sentences.

Threading: voices belong to one event loop. Virtual time refuses processes and threads, so that
only the silent voice and the recorded one speak there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sera.speech._assemble import Rendering, assemble
from sera.speech._tokens import speakable, words_of
from sera.speech.pronunciation import PronunciationList
from sera.speech.settings import VoiceSettings
from sera.speech.speech import Speech

LONGEST_TEXT = 50_000
"""Characters in one line: about an hour of speech."""


class VoiceError(RuntimeError):
    """A voice could not speak; the message says which, why, and what to do."""


class NotRecorded(VoiceError):
    """A line of which there is no recording; the voice itself is well."""


@dataclass(frozen=True, slots=True)
class Request:
    """What an engine is asked to say: checked text and settings with a language."""

    text: str
    original: str
    """What was asked for, before the pronunciation list; recorded voices know their lines by it."""
    language: str
    settings: VoiceSettings


class Voice(ABC):
    """A voice.

    Args:
        name: how messages and files call it.
        language: what it speaks where a line does not say.
        pronunciations: how single words are said.
    """

    speaks_phonemes = False
    """True where `[[phonemes]]` in the text are spoken as such."""

    def __init__(
        self, name: str, *, language: str = "en", pronunciations: PronunciationList | None = None
    ) -> None:
        self.name = name
        self.language = language
        self.pronunciations = pronunciations or PronunciationList()

    async def synthesise(self, text: str, settings: VoiceSettings | None = None) -> Speech:
        """Speak `text`; the sound is whole when this returns.

        Raises:
            VoiceError: the engine failed, or the text is too long.
        """
        if len(text) > LONGEST_TEXT:
            raise VoiceError(
                f"voice '{self.name}': the text has {len(text)} characters, "
                f"more than {LONGEST_TEXT}; say it in several lines"
            )
        settings = (settings or VoiceSettings()).with_language(self.language)
        language = settings.language or self.language
        safe = speakable(text)
        spoken = self.pronunciations.respell(safe, language, phonemes=self.speaks_phonemes)
        if not safe.strip():
            rendering = Rendering(pcm=b"", rate_hz=16_000, duration_s=0.0)
        else:
            request = Request(spoken.text, text, language, settings)
            rendering = await self._render(request)
        return assemble(
            text, safe, words_of(safe), spoken, rendering, voice=self.name, language=language
        )

    def fingerprint(self, _language: str) -> str:
        """Changes whenever the same text in this language sounds otherwise, beside settings."""
        return ""

    async def close(self) -> None:  # noqa: B027 - most voices hold nothing
        """Let go of processes and connections; a later line opens them again."""

    @abstractmethod
    async def _render(self, request: Request) -> Rendering:
        """The sound of `request.text`, and the times that the engine knows."""
