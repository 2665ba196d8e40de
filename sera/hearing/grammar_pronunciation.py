"""A pronunciation for words that the recogniser's dictionary does not have, from their letters.

It is a guess by the commonest English rules, longest letter group first: good enough for names
of games and people; the caller says which words were guessed, so that an author can help.
"""

from __future__ import annotations

import unicodedata

_GROUPS = {
    "tion": "SH AH N",
    "sion": "ZH AH N",
    "ough": "OW",
    "eigh": "EY",
    "tch": "CH",
    "igh": "AY",
    "dge": "JH",
    "sch": "SH",
    "ch": "CH",
    "sh": "SH",
    "th": "TH",
    "ph": "F",
    "wh": "W",
    "ck": "K",
    "ng": "NG",
    "qu": "K W",
    "ee": "IY",
    "ea": "IY",
    "oo": "UW",
    "ou": "AW",
    "ow": "OW",
    "oi": "OY",
    "oy": "OY",
    "ai": "EY",
    "ay": "EY",
    "ei": "EY",
    "ey": "IY",
    "ie": "IY",
    "oa": "OW",
    "au": "AO",
    "aw": "AO",
    "ar": "AA R",
    "er": "ER",
    "ir": "ER",
    "ur": "ER",
    "or": "AO R",
    "kn": "N",
    "wr": "R",
    "ce": "S EH",
    "ci": "S IH",
    "cy": "S IY",
    "ge": "JH EH",
    "gi": "JH IH",
}
_LETTERS = {
    "a": "AE",
    "b": "B",
    "c": "K",
    "d": "D",
    "e": "EH",
    "f": "F",
    "g": "G",
    "h": "HH",
    "i": "IH",
    "j": "JH",
    "k": "K",
    "l": "L",
    "m": "M",
    "n": "N",
    "o": "AA",
    "p": "P",
    "q": "K",
    "r": "R",
    "s": "S",
    "t": "T",
    "u": "AH",
    "v": "V",
    "w": "W",
    "x": "K S",
    "y": "IY",
    "z": "Z",
}
_LAST = {"a": "AH", "e": "", "i": "IY", "o": "OW", "u": "UW"}
_LONGEST = max(map(len, _GROUPS))


def guessed_pronunciation(word: str) -> str:
    """Phones of the CMU dictionary for a word; empty where it has no letters that can be said."""
    letters = plain_letters(word)
    phones: list[str] = []
    place = 0
    while place < len(letters):
        taken, said = _next(letters, place)
        if said and (not phones or phones[-1] != said):  # double letters are said once
            phones.append(said)
        place += taken
    if not phones and letters:
        phones = [_LETTERS[letters[0]]]
    return " ".join(phones)


def plain_letters(word: str) -> str:
    """The letters from a to z in a word, accents taken off."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(one for one in parts if one in _LETTERS)


def _next(letters: str, place: int) -> tuple[int, str]:
    for length in range(min(_LONGEST, len(letters) - place), 1, -1):
        group = letters[place : place + length]
        if group in _GROUPS:
            at_end = place + length == len(letters)
            if at_end and group in ("ce", "ge"):  # `fence`, `cage`
                return length, _GROUPS[group].split()[0]
            return length, _GROUPS[group]
    letter = letters[place]
    is_last = place == len(letters) - 1 and place > 0
    return 1, _LAST.get(letter, _LETTERS[letter]) if is_last else _LETTERS[letter]


__all__ = ["guessed_pronunciation", "plain_letters"]
