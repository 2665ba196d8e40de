"""Pseudonyms such as `~P07.3` in place of names and free text.

Design overview: a *text* (transcript, free answer) gets a new pseudonym each time. A *name* gets
one pseudonym for each participant, and is looked for as a whole word, in any case, in every string
that is recorded afterwards, because the robot may say it. Another spelling of a known name
(`MARTA`) becomes `~P07.3v2`, so that originals can be restored exactly. Words of a name of several
words are hidden where they stand alone, because a voice reports its speech word by word.

Numbers come from a counter for each participant: the same messages give the same log.

Not personal are values of fewer than two characters, ids of tracked persons and of participants.
A value without any letter is hidden in its own field but not looked for elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from sera.recording._format import json_bytes
from sera.recording._participants import UNASSIGNED, Original, ParticipantFiles, Scalar

PSEUDONYM = re.compile(r"~([A-Za-z0-9_-]+)\.\d+(?:v\d+)?")
"""A pseudonym inside a text; its group is the label of the participant."""

_NEVER = re.compile(r"(?!)")
_LETTER = re.compile(r"[^\W\d_]")
_PUNCTUATION_AROUND = re.compile(r"\A\W+|\W+\Z")


class _Name(NamedTuple):
    owner: str
    pseudonym: str


class Pseudonyms:
    """Who is called what, and what it is replaced by."""

    def __init__(self, files: ParticipantFiles) -> None:
        self.participant = UNASSIGNED
        """The current participant."""
        self._files = files
        self._ids: set[str] = set()
        self._names: dict[str, list[_Name]] = {}  # by folded spelling, newest owner last
        self._spellings: dict[tuple[str, str], str] = {}  # (pseudonym of the name, spelling)
        self._variants: dict[str, int] = {}
        self._parts: dict[str, str] = {}  # folded word of a longer name: its owner
        self._lone_words: dict[tuple[str, str], str] = {}
        self._sought = _NEVER
        self._hint = _NEVER
        self._patterns: dict[str, str] = {}
        self._hints: dict[str, str] = {}
        for participant, original in files.resume():
            self._relearn(participant, original)

    @property
    def knows_names(self) -> bool:
        """Whether any string could hold something to hide."""
        return self._sought is not _NEVER

    def note_person(self, person: str) -> None:
        """A tracker's id for somebody, which is not personal (unless it was a name before)."""
        if person not in self._ids and fold(person) not in self._names:
            self._ids.add(person)

    def note_participant(self, participant: str, *, current: bool) -> None:
        """The study's id for somebody; with `current`, originals are theirs from here on."""
        if fold(participant) in self._names:  # the id of a careless study: keep it out of the log
            self._files.label(participant, wish="participant")
        else:
            self._ids.add(participant)
            self._files.label(participant)
        if current:
            self.participant = participant

    def is_personal_name(self, value: str) -> bool:
        """Whether a value of a name field is one to hide."""
        return len(value.strip()) >= 2 and value not in self._ids

    def name(self, value: str, owner: str, field: str) -> str:
        """What stands in the log for a value of a field that holds names."""
        if not self.is_personal_name(value):
            return value
        known = self._names.get(fold(value), [])
        mine = next((name for name in known if name.owner == owner), None)
        if mine is None:
            pseudonym = self._files.new_pseudonym(owner)
            self._keep(owner, pseudonym, "name", field, value)
            self._learn(owner, value, pseudonym)
            return pseudonym
        return self._spelling(mine, value, field)

    def text(self, value: Scalar, owner: str, field: str) -> Scalar:
        """What stands in the log for a transcript, a free answer, or a number that is personal."""
        if isinstance(value, str) and not value.strip():
            return value
        pseudonym = self._files.new_pseudonym(owner)
        self._keep(owner, pseudonym, "text", field, value)
        return pseudonym

    def may_hold_name(self, json_text: str) -> bool:
        """False where no known name can be in there: a quick look at a whole message."""
        return self._hint.search(_loosely(json_text)) is not None

    def without_names(self, text: str, field: str, *, is_word: bool = False) -> str:
        """A text with all known names replaced.

        Args:
            text: what may contain names.
            field: where it stands.
            is_word: the text may be one word of a longer text.
        """
        if is_word and (word := _PUNCTUATION_AROUND.sub("", text)):
            owner = self._parts.get(fold(word))
            if owner is not None and fold(word) not in self._names:
                return text.replace(word, self._part(owner, word, field), 1)
        return self._sought.sub(lambda match: self._matched(match[0], field), text)

    def _matched(self, spelling: str, field: str) -> str:
        names = self._names.get(fold(spelling))
        if names is None:  # letters whose two cases are not each other's, such as a long s
            key = next(
                key
                for key, pattern in self._patterns.items()
                if re.fullmatch(pattern, spelling, re.IGNORECASE)
            )
            names = self._names[key]
        mine = (name for name in names if name.owner == self.participant)
        return self._spelling(next(mine, names[-1]), spelling, field)

    def _spelling(self, name: _Name, spelling: str, field: str) -> str:
        known = self._spellings.get((name.pseudonym, spelling))
        if known is not None:
            return known
        variant = self._variants.get(name.pseudonym, 1) + 1
        self._variants[name.pseudonym] = variant
        pseudonym = f"{name.pseudonym}v{variant}"
        self._spellings[name.pseudonym, spelling] = pseudonym
        self._keep(name.owner, pseudonym, "name", field, spelling)
        return pseudonym

    def _part(self, owner: str, word: str, field: str) -> str:
        known = self._lone_words.get((owner, word))
        if known is None:
            known = self._lone_words[owner, word] = self._files.new_pseudonym(owner)
            self._keep(owner, known, "word", field, word)
        return known

    def _keep(self, owner: str, pseudonym: str, kind: str, field: str, value: Scalar) -> None:
        self._files.add(owner, Original(pseudonym, kind, field, value))

    def _relearn(self, owner: str, original: Original) -> None:
        """Take over what an earlier writer of the same log found out."""
        stem, _, variant = original.pseudonym.rpartition("v")
        value = str(original.original)
        if original.kind == "word":
            self._lone_words[owner, value] = original.pseudonym
        elif original.kind == "name" and variant.isdecimal() and "." in stem:
            self._spellings[stem, value] = original.pseudonym
            self._variants[stem] = max(int(variant), self._variants.get(stem, 1))
        elif original.kind == "name":
            self._learn(owner, value, original.pseudonym)

    def _learn(self, owner: str, value: str, pseudonym: str) -> None:
        key = fold(value)
        self._names.setdefault(key, []).append(_Name(owner, pseudonym))
        self._spellings[pseudonym, value] = pseudonym
        if key in self._patterns or not _LETTER.search(value):
            return
        words = value.split()
        for part in words if len(words) > 1 else []:
            word = _PUNCTUATION_AROUND.sub("", part)
            if len(word) >= 2 and _LETTER.search(word):
                self._parts[fold(word)] = owner
                self._hints[fold(word)] = _hint(word)
        self._patterns[key] = "|".join(_pattern(form) for form in _forms(value))
        self._hints[key] = _hint(words[0])
        # Longest first, so that a name that contains another one is found as a whole.
        longest_first = sorted(self._patterns, key=lambda known: (-len(known), known))
        self._sought = re.compile(
            "|".join(self._patterns[known] for known in longest_first), re.IGNORECASE
        )
        self._hint = re.compile("|".join(dict.fromkeys(self._hints.values())))


def fold(value: str) -> str:
    """The form in which spellings of one name are the same."""
    return " ".join(unicodedata.normalize("NFC", value).casefold().split())


def _forms(value: str) -> Iterable[str]:
    composed = unicodedata.normalize("NFC", value)
    return dict.fromkeys((value, composed, unicodedata.normalize("NFD", value)))


def _pattern(value: str) -> str:
    """A name as a whole word, whatever blanks stand between its own words."""
    core = r"\s+".join(re.escape(word) for word in value.split())
    before = r"(?<!\w)" if re.match(r"\w", value.lstrip()) else ""
    after = r"(?!\w)" if re.match(r"\w", value.rstrip()[-1]) else ""
    return f"{before}{core}{after}"


def _hint(word: str) -> str:
    forms = (_loosely(json_bytes(form).decode()[1:-1]) for form in _forms(word))
    return "|".join(re.escape(form) for form in dict.fromkeys(forms))


def _loosely(text: str) -> str:
    """Lower case in which all letters are the same that a search without case takes as the same."""
    folded = text.casefold()
    return folded if folded.isascii() else folded.replace("\u0131", "i").replace("i\u0307", "i")
