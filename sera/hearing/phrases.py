"""The phrases that each state of a dialogue waits for, from the When cells of its sheet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sera.behaviour.dialogue import After, FieldTest, Heard, Operator, Otherwise, Script, When
from sera.hearing.grammar import Grammar

SPEECH = "SpeechHeard"
_WORDED = (Operator.EQUALS, Operator.CONTAINS, Operator.STARTS, Operator.ENDS)
_NOT_PLAIN = re.compile(r"[\\^$.*+?{}\[\]]")
_GROUP = re.compile(r"^\(?(?:\?:)?([^()]*)\)?$")


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a state waits to hear."""

    grammar: Grammar = field(default_factory=Grammar)
    anything: bool = False
    """Whether other speech matters, too: a bare SpeechHeard, `otherwise`, a pattern, `!=`."""


def awaited_in(script: Script, state: str) -> Awaited:
    """What one state of the script waits to hear, rows for every state included."""
    phrases: list[str] = []
    anything = listens = otherwise = False
    for row in script.rows_in(state):
        found, all_else = _of(row.when)
        phrases += found
        anything = anything or all_else
        listens = listens or SPEECH in row.when.messages
        otherwise = otherwise or row.when.is_otherwise
    return Awaited(Grammar.of(phrases), anything or (listens and otherwise))


def awaited_by_state(script: Script) -> dict[str, Awaited]:
    """The same for all states, by key."""
    states = dict.fromkeys(row.state for row in script.rows)
    return {state: awaited_in(script, state) for state in states}


def _of(when: When) -> tuple[list[str], bool]:
    phrases: list[str] = []
    anything = False
    for alternative in when.alternatives:
        if isinstance(alternative, After | Otherwise) or alternative.message != SPEECH:
            continue
        found = _tested(alternative)
        anything = anything or found is None
        phrases += found or []
    return phrases, anything


def _tested(heard: Heard) -> list[str] | None:
    """The phrases of an alternative; None where any speech may fit."""
    tests = [test for test in heard.tests if test.path == ("text",)]
    lists = [found for test in tests if (found := _phrases_of(test)) is not None]
    return [phrase for found in lists for phrase in found] if lists else None


def _phrases_of(test: FieldTest) -> list[str] | None:
    if test.operator in _WORDED:
        # `inform*` stands for words that only an open vocabulary can tell.
        open_ended = any("*" in value for value in test.values)
        plain = [value for value in test.values if "*" not in value]
        return plain or (None if open_ended else [])
    if test.operator is Operator.MATCHES:
        found: list[str] = []
        for pattern in test.values:
            group = _GROUP.match(pattern.strip())
            if group is None or _NOT_PLAIN.search(group[1]):
                return None
            found += [part for part in group[1].split("|") if part.strip()]
        return found
    return None


__all__ = ["Awaited", "awaited_by_state", "awaited_in"]
