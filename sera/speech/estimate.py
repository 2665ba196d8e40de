"""Times of words where an engine gives none, or not all: from syllables and punctuation.

Rough on purpose: a word is late or early by a fraction of itself, which is enough for gestures;
every time that comes from here is marked as estimated.
"""

# Signs of other scripts are meant where they look like Latin ones.
# ruff: noqa: RUF001
from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sera.speech._tokens import Token, words_of

WORD_S = 0.05
"""What every word costs beside its syllables."""
SYLLABLE_S = 0.14
"""A syllable at the ordinary speed of about 175 words a minute."""
_PAUSES = (
    (re.compile(r"…|\.{3}"), 0.4),
    (re.compile("[.!?。！？\n]"), 0.32),
    (re.compile(r"[,;:،、，؛()]|\s[-–—]+\s"), 0.18),
)

_VOWELS = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœаеёиоуыэюяαεηιουωάέήίόύώ]+")
_ENGLISH_SILENT_E = re.compile(r"[^aeiouyl]e(?:s|d)?\Z")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def syllables(word: str, language: str = "en") -> int:
    """About how many syllables `word` has in `language`; at least 1."""
    lower = word.lower()
    digits = sum(character.isdigit() for character in lower)
    count = digits + digits // 2 + len(_IDEOGRAPH.findall(lower))
    letters = [c for c in lower if c.isalpha() and not _IDEOGRAPH.match(c)]
    if letters:
        groups = len(_VOWELS.findall(lower))
        if groups == 0:
            # An abbreviation is spelled out; scripts without vowels speak one for two letters.
            spelled = word.isupper() and lower.isascii()
            groups = len(letters) if spelled else (len(letters) + 1) // 2
        elif groups > 1 and language.lower().startswith("en") and _ENGLISH_SILENT_E.search(lower):
            groups -= 1
        count += groups
    return max(1, count)


def natural_times(text: str, language: str = "en") -> tuple[list[tuple[float, float]], float]:
    """Start and end of every word at the ordinary speed, and the end of the whole."""
    tokens = words_of(text)
    times: list[tuple[float, float]] = []
    now_s = 0.0
    for token, following in zip(tokens, [*tokens[1:], None], strict=False):
        end_s = now_s + WORD_S + SYLLABLE_S * syllables(token.text, language)
        times.append((now_s, end_s))
        now_s = end_s
        if following is not None:
            now_s += _pause_s(text[token.end_offset : following.offset])
    return times, now_s


def fill_times(
    text: str,
    tokens: Sequence[Token],
    starts_s: Sequence[float | None],
    *,
    language: str,
    sound_s: tuple[float, float],
) -> list[tuple[float, float]]:
    """Start and end of every word, known starts kept and the rest computed between them.

    Args:
        text: what is spoken.
        tokens: its words.
        starts_s: the known start of each, else None; none may lie before an earlier one.
        language: for counting syllables.
        sound_s: when the sound begins and ends, for words before and after the known ones.
    """
    natural, total_s = natural_times(text, language)
    first_s, last_s = sound_s
    anchors = [(-1, 0.0, first_s)] if tokens and starts_s[0] is None else []
    anchors += [(i, natural[i][0], s) for i, s in enumerate(starts_s) if s is not None]
    if not tokens:
        return []
    end_s = max(last_s, anchors[-1][2])
    anchors.append((len(tokens), total_s, end_s))
    times: list[tuple[float, float]] = []
    for (index, from_s, at_s), (following, to_s, until_s) in pairwise(anchors):
        stretch = (until_s - at_s) / (to_s - from_s) if to_s > from_s else 0.0
        times += [
            (at_s + (start - from_s) * stretch, at_s + (end - from_s) * stretch)
            for start, end in natural[max(index, 0) : following]
        ]
    return times


def _pause_s(between: str) -> float:
    return next((pause_s for sign, pause_s in _PAUSES if sign.search(between)), 0.0)
