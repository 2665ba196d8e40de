"""Reads the When column: a message with tests, a time-out, a key, or `otherwise`.

    when        = [alternative {"or" alternative}]
    alternative = "after" number unit | "key" [name] | "otherwise" | message [test {"and" test}]
    test        = field operator value {"or" value} | ["not"] field

Words may be in any case, values may stand in quotes. Behind `or` comes another message, another
test of the same message, or simply another value: `SpeechHeard text contains yes or yeah`.
No text makes this raise: what cannot be read becomes findings with their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sera.behaviour.dialogue._tokens import Token, TokenKind, tokens_of
from sera.behaviour.dialogue._when_tests import FieldTestReader
from sera.behaviour.dialogue.conditions import (
    After,
    Alternative,
    FieldTest,
    Heard,
    Operator,
    Otherwise,
    When,
    number_of,
)
from sera.behaviour.findings import Finding, Severity
from sera.messages import KeyPressed, Message, message_types
from sera.runtime.located import nearest_name

LONGEST_CELL = 2000
LONGEST_WAIT_S = 24 * 3600.0
_UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "segundo", "segundos"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "minuto", "minutos"), 60.0),
    **dict.fromkeys(("h", "hour", "hours", "hora", "horas"), 3600.0),
}
_OTHERWISE = frozenset({"otherwise", "else"})
_NUMBER_AND_UNIT = re.compile(r"([\d.,]+)([^\W\d]+)?\Z")
_CAMEL_CASE = re.compile(r"[A-Z]+[a-z0-9]+(?:[A-Z][a-z0-9]*)+\Z")
_MESSAGE_WORDS = 4


@dataclass(frozen=True, slots=True)
class WhenReading:
    """What a cell gave."""

    when: When | None
    """None where the cell cannot be used."""
    findings: tuple[Finding, ...] = ()


def parse_when(text: str, vocabulary: Mapping[str, type[Message]] | None = None) -> WhenReading:
    """Read one cell.

    Args:
        text: what stands in the cell.
        vocabulary: message types by name; None: all that are known.
    """
    if len(text) > LONGEST_CELL:
        finding = Finding(
            code="when-too-long",
            message=f"the cell has {len(text)} characters, at most {LONGEST_CELL} are read",
            fix="make several rows of it",
            text=text[:40],
            start=LONGEST_CELL,
        )
        return WhenReading(None, (finding,))
    reader = _Reader(text, message_types() if vocabulary is None else vocabulary)
    return reader.read()


def unknown_messages(text: str) -> tuple[str, ...]:
    """Words that look like names of messages and are none that is known here."""
    known = {name.casefold() for name in message_types()}
    words = (token.text for token in tokens_of(text[:LONGEST_CELL]) if token.word)
    return tuple(w for w in words if _CAMEL_CASE.match(w) and w.casefold() not in known)


class _Reader:
    def __init__(self, text: str, vocabulary: Mapping[str, type[Message]]) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._place = 0
        self._findings: list[Finding] = []
        self._vocabulary = vocabulary
        self._by_lower = {name.casefold(): name for name in vocabulary}

    def read(self) -> WhenReading:
        alternatives: list[Alternative] = []
        for token in self._tokens:
            if not token.closed:
                self._complain(
                    "open-quote", "a quote is opened and not closed", "close the quote", token
                )
                return WhenReading(None, tuple(self._findings))
        while self._place < len(self._tokens):
            found = self._alternative(alternatives[-1] if alternatives else None)
            if found is None:
                return WhenReading(None, tuple(self._findings))
            alternatives.append(found)
            if self._place < len(self._tokens) and not self._next_alternative():
                return WhenReading(None, tuple(self._findings))
        usable = not any(finding.severity is Severity.ERROR for finding in self._findings)
        return WhenReading(When(tuple(alternatives)) if usable else None, tuple(self._findings))

    def _next_alternative(self) -> bool:
        """Pass over `or`; False where something else stands there, or nothing behind it."""
        token = self._tokens[self._place]
        if token.word != "or":
            self._complain(
                "unexpected-word",
                f"nothing is expected behind {self._text[: token.start].strip()[-40:]}",
                "write `or` before another possibility, `and` before another test",
                token,
            )
            return False
        self._place += 1
        if self._place == len(self._tokens):
            fix = "write what else may happen behind `or`, or take it away"
            self._complain("nothing-after-or", "nothing stands behind `or`", fix, token)
            return False
        return True

    def _alternative(self, before: Alternative | None) -> Alternative | None:
        first = self._tokens[self._place]
        if first.word == "after":
            return self._after()
        if first.word in _OTHERWISE:
            self._place += 1
            return Otherwise()
        message = self._message_at(self._place)
        if message is not None:
            name, length = message
            self._place += length
            return self._tested(name)
        if first.word == "key" or (first.word == "any" and self._word_at(self._place + 1) == "key"):
            return self._key()
        if isinstance(before, Heard) and before.message in self._vocabulary:
            tests = self._tests_reader(before.message)
            if tests.looks_like_test(self._place):
                return self._tested(before.message)
        self._unknown_message(first)
        return None

    def _after(self) -> After | None:
        start = self._tokens[self._place]
        self._place += 1
        written: list[str] = []
        # A decimal comma is a token of its own.
        while self._place < len(self._tokens) and len(written) < 5:
            token = self._tokens[self._place]
            if token.word == "or" or token.kind is TokenKind.QUOTED:
                break
            written.append(token.text)
            self._place += 1
            if token.word in _UNITS or token.text[-1:].isalpha():
                break
        match = _NUMBER_AND_UNIT.match("".join(written))
        number = None if match is None else number_of(match[1])
        if match is None or number is None or number < 0:
            self._complain(
                "bad-time-out", "a time-out is a number of seconds", "write `after 5 s`", start
            )
            return None
        unit = 1.0
        if match[2] is None:
            fix = f"write `after {match[1]} s`"
            self._complain(
                "no-unit", "the time-out has no unit; seconds are meant", fix, start, warning=True
            )
        elif match[2].casefold() not in _UNITS:
            near = nearest_name(match[2], _UNITS)
            guess = f"; did you mean {near}?" if near else ""
            self._complain(
                "unknown-unit",
                f"there is no unit {match[2]}{guess}",
                "write s, min, h or ms",
                start,
            )
            return None
        else:
            unit = _UNITS[match[2].casefold()]
        if number * unit > LONGEST_WAIT_S:
            self._complain("bad-time-out", "a time-out is at most a day", "wait less", start)
            return None
        return After(number * unit)

    def _key(self) -> Heard | None:
        if self._tokens[self._place].word == "any":
            self._place += 1
        self._place += 1
        name = KeyPressed.__name__
        tests = self._tests_reader(name)
        if self._place < len(self._tokens) and self._tokens[self._place].text in ("=", "is"):
            self._place += 1
        keys = tests.values(self._place, takes_commas=True)
        self._place = tests.place
        wanted = FieldTest(("key",), Operator.EQUALS, tuple(keys))
        return Heard(name, (wanted,) if keys else ())

    def _tested(self, name: str) -> Heard | None:
        reader = self._tests_reader(name)
        tests = reader.read(self._place)
        self._place = reader.place
        return None if tests is None else Heard(name, tests)

    def _tests_reader(self, message: str) -> FieldTestReader:
        return FieldTestReader(
            self._text,
            self._tokens,
            self._vocabulary.get(message, KeyPressed),
            starts_alternative=self._starts_alternative,
            findings=self._findings,
        )

    def _starts_alternative(self, place: int) -> bool:
        """Whether something other than a value or a test begins there."""
        word = self._word_at(place)
        if word == "after":
            return self._word_at(place + 1)[:1].isdigit()
        if word in _OTHERWISE:
            return place + 1 == len(self._tokens) or self._word_at(place + 1) == "or"
        if word == "key" and place + 1 < len(self._tokens):
            return True
        token = self._tokens[place] if place < len(self._tokens) else None
        if token is None or token.kind is not TokenKind.WORD:
            return False
        return self._message_at(place) is not None or bool(_CAMEL_CASE.match(token.text))

    def _message_at(self, place: int) -> tuple[str, int] | None:
        """The message named there and how many words it takes: `person detected` is one too."""
        words = [self._word_at(place + offset) for offset in range(_MESSAGE_WORDS)]
        for length in range(_MESSAGE_WORDS, 0, -1):
            if all(words[:length]):
                name = self._by_lower.get("".join(words[:length]))
                if name is not None:
                    return name, length
        return None

    def _word_at(self, place: int) -> str:
        return self._tokens[place].word if place < len(self._tokens) else ""

    def _unknown_message(self, token: Token) -> None:
        name = token.text[:60]
        keywords = ("after", "key", "otherwise")
        near = nearest_name(name, (*self._vocabulary, *keywords))
        self._complain(
            "unknown-message",
            f"there is no message {name}" + (f"; did you mean {near}?" if near else ""),
            f"write {near}" if near else "`sera messages` lists what can happen; or `after 5 s`",
            token,
        )

    def _complain(
        self, code: str, message: str, fix: str, token: Token, *, warning: bool = False
    ) -> None:
        finding = Finding(
            code=code,
            message=message,
            fix=fix,
            severity=Severity.WARNING if warning else Severity.ERROR,
            text=token.text[:40],
            start=token.start,
        )
        self._findings.append(finding)
