"""Random strings against the whole of this package: it must survive all of them.

Strings are made of pieces of markup, ordinary text and arbitrary characters, because characters
alone hardly ever make an instruction. Each string is parsed, written back, filled, resolved and
linted; what must hold for any text at all is checked.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from sera.behaviour.markup.fill import fill
from sera.behaviour.markup.lint import Vocabulary, lint_line
from sera.behaviour.markup.parsed import ParsedLine, parse
from sera.behaviour.markup.resolve import Abilities, resolve
from sera.behaviour.markup.syntax import MarkupSyntax, TagDelimiters

_PIECES = (
    *("<", ">", "(", ")", ",", "\\", "/", "|", "{", "}", "=", " ", "\t", "\n", "-", "\\-"),
    *("<GAZE(", "<gaze(board)>", "GLANCE", "AND", "<GAZEANDPOINT(", "</b>", "<HEADNOD(", "<GAME("),
    *("\\pau=", "\\pau=300\\", "\\rspd=80\\", "\\rspd=", "/name/", "|name|", "{name}", "\\vol=1\\"),
    *("hello", "and/or", "12/11/2026", "http://a.b/c/", "n=2", "2", "-1", "1e9", "ação", "日本"),
    *("\u0301", "\u200b", "\ud800", "\x00", "\U0001f600", "\u00a0", "ß", "²", "İ"),
)
_SYNTAXES = (
    MarkupSyntax(),
    MarkupSyntax(delimiters=TagDelimiters("|", "|")),
    MarkupSyntax(delimiters=TagDelimiters("{", "}")),
    MarkupSyntax(delimiters=TagDelimiters("[[", "]]")),
)
_VOCABULARY = Vocabulary(
    targets=("board", "clicks"), animations=("nod",), faces=("joy",), sounds=("bell",), tags=("n",)
)
_ABILITIES = Abilities(channels=frozenset({"gaze", "lights"}), targets=("board", "clicks"))
_TAGS = {"name": "<GAZE(x)> /a/ \\pau=9\\ \\", "n": "3"}


class FuzzFailure(AssertionError):
    """A string for which something that must hold does not."""


@dataclass(frozen=True, slots=True)
class FuzzReport:
    """What was met on the way, to show that the strings were worth trying."""

    strings: int
    steps: int
    problems: int
    sound: int
    """How many strings are lines without an error."""


def random_line(source: random.Random) -> str:
    """One string: up to 11 pieces, and in some of them up to 11 characters of any kind."""
    pieces = source.choices(_PIECES, k=source.randrange(1, 12))
    if source.random() < 0.3:
        pieces += (chr(source.randrange(0x110000)) for _ in range(source.randrange(12)))
        source.shuffle(pieces)
    return "".join(pieces)


def fuzz(strings: int, source: random.Random) -> FuzzReport:
    """Try so many random strings.

    Raises:
        FuzzFailure: one of them breaks a rule; any other exception is a failure as well.
    """
    steps = problems = sound = 0
    for number in range(strings):
        text = random_line(source)
        line = try_one(text, _SYNTAXES[number % len(_SYNTAXES)])
        steps += len(line.steps)
        problems += len(line.problems)
        sound += not line.problems
    return FuzzReport(strings, steps, problems, sound)


def try_one(text: str, syntax: MarkupSyntax) -> ParsedLine:
    """Everything that this package does with one text."""
    line = parse(text, syntax)
    filled = fill(line, _TAGS)
    _require(text, len(filled.line.steps) <= len(line.steps) + len(line.tag_uses), "new steps")
    _covers(text, line)
    written = line.to_text()
    again = parse(written, syntax)
    _require(text, again.text == line.text, "another text after writing")
    _require(text, again.to_text() == written, "writing twice differs")
    _require(text, again.tags == line.tags, "other tags after writing")
    _require(text, _acts(again) == _acts(line), "other steps after writing")
    _require(text, not again.form_problems, "what was written is not well formed")
    refilled = parse(filled.line.to_text(), syntax)
    _require(text, refilled.text == filled.text, "a tag's value became markup")
    _require(text, _acts(refilled) == _acts(filled.line), "a tag's value became a step")
    _require(text, refilled.tags == filled.line.tags, "a tag's value became a tag")
    lint_line(line, _VOCABULARY)
    resolve(filled, _ABILITIES)
    return line


def _acts(line: ParsedLine) -> list[tuple[object, ...]]:
    return [
        *((one.verb, dict(one.arguments), one.word) for one in line.steps),
        *((one.word, one.duration_s) for one in line.pauses),
        *((one.word, one.rate) for one in line.rates),
    ]


def _covers(text: str, line: ParsedLine) -> None:
    """Tokens stand in order and inside the text, and so do the places of the findings."""
    place = 0
    for token in line.tokens:
        _require(text, place <= token.start <= token.end <= len(text), "a token out of place")
        place = token.end
    for problem in line.problems:
        start = -1 if problem.start is None else problem.start
        _require(text, 0 <= start <= len(text), "a finding out of place")
    for word in line.words:
        _require(text, line.text[word.start : word.end] == word.text, "a word out of place")
        _require(text, 0 <= word.source_start < len(text), "a word out of the cell")


def _require(text: str, holds: bool, what: str) -> None:
    if not holds:
        raise FuzzFailure(f"{what}: {text!r}")
