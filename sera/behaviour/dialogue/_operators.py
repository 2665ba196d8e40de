"""The words and signs for comparisons, as people write them."""

from __future__ import annotations

from sera.behaviour.dialogue._tokens import Token, TokenKind
from sera.behaviour.dialogue.conditions import Operator

_SIGNS = {
    "=": Operator.EQUALS,
    "==": Operator.EQUALS,
    "!=": Operator.DIFFERS,
    "<>": Operator.DIFFERS,
    "\u2260": Operator.DIFFERS,
    "<": Operator.LESS,
    "<=": Operator.AT_MOST,
    "=<": Operator.AT_MOST,
    "\u2264": Operator.AT_MOST,
    ">": Operator.MORE,
    ">=": Operator.AT_LEAST,
    "=>": Operator.AT_LEAST,
    "\u2265": Operator.AT_LEAST,
}

_PHRASES = {
    "is": Operator.EQUALS,
    "equals": Operator.EQUALS,
    "is equal to": Operator.EQUALS,
    "is not": Operator.DIFFERS,
    "isn't": Operator.DIFFERS,
    "differs from": Operator.DIFFERS,
    "is not equal to": Operator.DIFFERS,
    "is not one of": Operator.DIFFERS,
    "is not in": Operator.DIFFERS,
    "is one of": Operator.EQUALS,
    "is any of": Operator.EQUALS,
    "is in": Operator.EQUALS,
    "one of": Operator.EQUALS,
    "any of": Operator.EQUALS,
    "in": Operator.EQUALS,
    "contains": Operator.CONTAINS,
    "contain": Operator.CONTAINS,
    "contains one of": Operator.CONTAINS,
    "contains any of": Operator.CONTAINS,
    "includes": Operator.CONTAINS,
    "does not contain": Operator.LACKS,
    "doesn't contain": Operator.LACKS,
    "matches": Operator.MATCHES,
    "match": Operator.MATCHES,
    "does not match": Operator.MATCHES_NOT,
    "doesn't match": Operator.MATCHES_NOT,
    "starts with": Operator.STARTS,
    "begins with": Operator.STARTS,
    "ends with": Operator.ENDS,
    "is less than": Operator.LESS,
    "less than": Operator.LESS,
    "is below": Operator.LESS,
    "below": Operator.LESS,
    "is under": Operator.LESS,
    "is more than": Operator.MORE,
    "more than": Operator.MORE,
    "is greater than": Operator.MORE,
    "greater than": Operator.MORE,
    "is above": Operator.MORE,
    "above": Operator.MORE,
    "is over": Operator.MORE,
    "is at least": Operator.AT_LEAST,
    "at least": Operator.AT_LEAST,
    "is at most": Operator.AT_MOST,
    "at most": Operator.AT_MOST,
}
_BY_WORDS = {tuple(phrase.split()): operator for phrase, operator in _PHRASES.items()}
_LONGEST = max(map(len, _BY_WORDS))
_LISTS = frozenset({"of", "in"})

SHOWN = "= != < <= > >= contains, matches, starts with, ends with, is one of"
"""For sentences about operators."""
NAMES = tuple(_PHRASES)


def operator_at(tokens: list[Token], place: int) -> tuple[Operator, int, bool] | None:
    """The operator there, how many tokens it takes, and whether a list with commas may follow."""
    if place >= len(tokens):
        return None
    first = tokens[place]
    if first.kind is TokenKind.SIGN:
        operator = _SIGNS.get(first.text)
        return None if operator is None else (operator, 1, False)
    words = tuple(token.word.replace("\u2019", "'") for token in tokens[place : place + _LONGEST])
    for length in range(len(words), 0, -1):
        found = _BY_WORDS.get(words[:length])
        if found is not None:
            return found, length, words[length - 1] in _LISTS
    return None
