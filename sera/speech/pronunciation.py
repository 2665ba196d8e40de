"""How single words are said: a list for each language, applied without moving any offset.

As TOML, one table a language (`"*"` for all), a word with its respelling or its phonemes:

    [en]
    SERA = "Sarah"
    NAO = { phonemes = "n'aU", respelling = "now" }

As CSV, with the columns language, word, respelling, phonemes. Phonemes are written as the engine
wants them and are used by voices that speak phonemes; others take the respelling.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """How one word is said."""

    respelling: str | None = None
    phonemes: str | None = None


@dataclass(frozen=True, slots=True)
class Respelled:
    """A text as the engine gets it, and the way back."""

    text: str
    pieces: tuple[tuple[int, int, bool], ...] = ((0, 0, False),)
    """Start here, start in the original, and whether this piece was replaced."""

    def original_offset(self, offset: int) -> int:
        """Where the character at `offset` comes from; inside a respelling, its word's start."""
        piece = bisect_right(self.pieces, offset, key=lambda piece: piece[0]) - 1
        here, there, replaced = self.pieces[max(0, piece)]
        return there if replaced else there + offset - here


@dataclass(frozen=True)
class PronunciationList:
    """Pronunciations by language tag, then by word; upper and lower case are the same."""

    by_language: Mapping[str, Mapping[str, Pronunciation]] = field(default_factory=dict)

    def entries(self, language: str) -> dict[str, Pronunciation]:
        """What counts for a language: `*`, then `pt`, then `pt-PT` over both."""
        entries: dict[str, Pronunciation] = {}
        parts = language.casefold().split("-")
        wanted = ["*", *("-".join(parts[:count]) for count in range(1, len(parts) + 1))]
        tables = {tag.casefold(): table for tag, table in self.by_language.items()}
        for tag in wanted:
            for word, said in tables.get(tag, {}).items():
                entries[word.casefold()] = said
        return entries

    def respell(self, text: str, language: str, *, phonemes: bool) -> Respelled:
        """`text` as it is to be said.

        Args:
            text: what is asked for.
            language: whose list is used.
            phonemes: whether the engine speaks `[[phonemes]]`.
        """
        said = {}
        for word, entry in self.entries(language).items():
            if phonemes and entry.phonemes is not None:
                said[word] = f"[[{entry.phonemes}]]"
            elif entry.respelling is not None:
                said[word] = entry.respelling
        if not said:
            return Respelled(text)
        out: list[str] = []
        pieces: list[tuple[int, int, bool]] = [(0, 0, False)]
        length = copied = 0
        for match in _any_of(tuple(sorted(said, key=len, reverse=True))).finditer(text):
            new = said.get(match[0].casefold())
            if new is None:
                continue
            out += [text[copied : match.start()], new]
            length += match.start() - copied
            pieces.append((length, match.start(), True))
            length += len(new)
            copied = match.end()
            pieces.append((length, copied, False))
        out.append(text[copied:])
        return Respelled("".join(out), tuple(pieces))

    def fingerprint(self, language: str) -> str:
        """Changes whenever something is said otherwise in `language`."""
        entries = sorted(self.entries(language).items())
        if not entries:
            return ""
        plain = repr([(word, said.respelling, said.phonemes) for word, said in entries])
        return hashlib.sha256(plain.encode()).hexdigest()[:8]


def merge_pronunciations(lists: Iterable[PronunciationList]) -> PronunciationList:
    """One list of several; a word in a later one counts over the same word in an earlier one."""
    together: dict[str, dict[str, Pronunciation]] = {}
    for each in lists:
        for language, words in each.by_language.items():
            together.setdefault(language.casefold(), {}).update(words)
    return PronunciationList(together)


@lru_cache(maxsize=32)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
