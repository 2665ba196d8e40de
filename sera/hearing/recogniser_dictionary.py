"""The dictionary of a recogniser: how words are said, and small dictionaries made of it.

A decoder with all 130,000 words takes seconds for every new grammar; one with a hundred does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sera.hearing.grammar_pronunciation import guessed_pronunciation


class PronouncingDictionary:
    """The words of a file in the format of the CMU dictionary.

    Args:
        file: one word a line, then its phones; `word(2)` is another way to say it.
    """

    def __init__(self, file: Path) -> None:
        self._said: dict[str, str] = {}
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            word, _, phones = line.partition(" ")
            if word and "(" not in word:
                self._said[word] = phones.strip()
        self.guessed: dict[str, str] = {}
        """What was not in the file."""

    def __contains__(self, word: str) -> bool:
        return word in self._said

    def sound_of(self, words: tuple[str, ...]) -> str:
        """The phones of some words, guessed where the file does not have one."""
        return " ".join(self._said.get(word) or self._guess(word) for word in words)

    def _guess(self, word: str) -> str:
        return self.guessed.setdefault(word, guessed_pronunciation(word) or "AH")


def dictionary_text(entries: Mapping[str, str]) -> str:
    """A dictionary file of these entries and their phones."""
    return "".join(f"{entry} {phones}\n" for entry, phones in entries.items())


__all__ = ["PronouncingDictionary", "dictionary_text"]
