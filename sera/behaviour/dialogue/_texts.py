"""How what people said is compared with what an author wrote: by words, blind to case."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]  # no public way to look inside

LONGEST_TEXT = 300
"""Patterns look at this many characters, so that none can keep the robot waiting."""
LONGEST_PATTERN = 300
MOST_REPEATS = 3
_WITHOUT_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_EDGE = " \t.,;:!?\u2026\u00a1\u00bf\"'()[]\u201c\u201d\u2018\u2019\u00ab\u00bb\u3002\uff01\uff1f"


def plain(text: str) -> str:
    """Lower case, single blanks, one way to write accents and apostrophes."""
    folded = unicodedata.normalize("NFC", text).casefold().replace("\u2019", "'")
    return " ".join(folded.split())


def same(said: str, written: str) -> bool:
    """Whether both are the same words; punctuation around them does not count."""
    return _bare(said) == _bare(written)


def contains(said: str, written: str) -> bool:
    """Whether the words occur among those said: `no` is not in `I know`; `inform*` takes all."""
    return _search(written).search(plain(said)) is not None


def starts_with(said: str, written: str) -> bool:
    """Whether what was said begins with these words."""
    found = _search(written).search(plain(said).lstrip(_EDGE))
    return found is not None and found.start() == 0


def ends_with(said: str, written: str) -> bool:
    """Whether what was said ends with these words."""
    text = plain(said).rstrip(_EDGE)
    return any(found.end() == len(text) for found in _search(written).finditer(text))


def matches(said: str, pattern: str) -> bool:
    """Whether a regular expression fits whole words somewhere in what was said."""
    compiled = _pattern(pattern)
    return compiled is not None and compiled.search(plain(said)[:LONGEST_TEXT]) is not None


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a regular expression, None where it can be used."""
    if len(pattern) > LONGEST_PATTERN:
        return f"the pattern is longer than {LONGEST_PATTERN} characters"
    try:
        re.compile(_whole_words(pattern), re.IGNORECASE)
        parsed = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError, ValueError) as error:
        return f"the pattern cannot be read: {error}"
    if _repeats(parsed) > MOST_REPEATS or _nested(parsed, inside=False):
        return "the pattern could take for ever: it repeats something that repeats or branches"
    return None


def _bare(text: str) -> str:
    return plain(text).strip(_EDGE)


@lru_cache(maxsize=1024)
def _search(written: str) -> re.Pattern[str]:
    wanted = plain(written)
    open_before, open_after = wanted.startswith("*"), wanted.endswith("*")
    wanted = wanted.strip("*").strip(_EDGE) or wanted.strip("*")
    before = "" if open_before or not wanted or not _bounded(wanted[0]) else r"(?<!\w)"
    after = "" if open_after or not wanted or not _bounded(wanted[-1]) else r"(?!\w)"
    return re.compile(before + re.escape(wanted) + after)


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str] | None:
    if pattern_problem(pattern) is not None:
        return None
    return re.compile(_whole_words(pattern), re.IGNORECASE)


def _whole_words(pattern: str) -> str:
    if not all(_bounded(character) for character in pattern if character.isalpha()):
        return pattern
    return rf"(?<!\w)(?:{pattern})(?!\w)"


def _bounded(character: str) -> bool:
    """Whether blanks part words in the script of the character."""
    if not (character.isalnum() or character == "_"):
        return character.isascii()
    return not unicodedata.name(character, "").startswith(_WITHOUT_BLANKS)


def _parts(parsed: object) -> list[tuple[object, object]]:
    return list(parsed) if isinstance(parsed, _parser.SubPattern) else []


def _inside(argument: object) -> list[object]:
    """The patterns within an item of a parsed pattern."""
    found: list[object] = []
    waiting = [argument]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _parser.SubPattern):
            found.append(part)
        elif isinstance(part, list | tuple):
            waiting += part
    return found


def _is_repeat(operator: object, argument: object) -> bool:
    repeats = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
    return operator in repeats and isinstance(argument, tuple) and argument[1] > 1


def _repeats(parsed: object) -> int:
    return sum(
        int(_is_repeat(operator, argument)) + sum(map(_repeats, _inside(argument)))
        for operator, argument in _parts(parsed)
    )


def _nested(parsed: object, *, inside: bool) -> bool:
    for operator, argument in _parts(parsed):
        repeat = _is_repeat(operator, argument)
        branches = operator in (_constants.BRANCH, _constants.GROUPREF)
        if inside and (repeat or branches):
            return True
        if any(_nested(part, inside=inside or repeat) for part in _inside(argument)):
            return True
    return False
