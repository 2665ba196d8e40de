"""The robot's own ear for the game: finds what was said in its word list.

It makes a symbol of a sentence: where in the list of this round it stands, and how sure the
recogniser was. That is all the hearing a policy may use that is learned from the Wizard, since
words themselves are personal and are not kept.
"""

from __future__ import annotations

from pathlib import Path

from sera import Module, on
from sera.messages import FormOffered, SessionState, SpeechHeard
from sera.runtime import Role

from .messages import RoundBegan, RoundEnded, WordSpotted
from .words import load_words


class WordSpotter(Module):
    """Looks every final sentence up."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Which lists."""

        words: str = "words.toml"
        """File beside the scenario."""
        language: str = "en"
        """Until a session says another."""

    async def start(self) -> None:
        settings = self.settings
        path = (self.context.folder or Path()) / settings.words
        self._words = load_words(path, settings.language)
        self._language = settings.language
        self._round: RoundBegan | None = None

    @on(FormOffered, SessionState)
    async def session_speaks(self, message: FormOffered | SessionState) -> None:
        """Forms, wall and ear are in one language; the game says so where there is no list."""
        language = message.language
        if language and all(language in word.languages for word in self._words.values()):
            self._language = language

    @on(RoundBegan)
    async def round_began(self, message: RoundBegan) -> None:
        self._round = message

    @on(RoundEnded)
    async def round_ended(self, _message: RoundEnded) -> None:
        self._round = None

    @on(SpeechHeard)
    async def heard(self, message: SpeechHeard) -> None:
        if self._round is None or not message.final:
            return
        word = self._words.get(self._round.word)
        if word is None:
            return
        listed = word.languages[self._language].listed(message.text)
        await self.publish(
            WordSpotted(
                round=self._round.round,
                listed=listed,
                confidence=round(message.confidence, 3),
                word=message.text,
            )
        )
