"""What a When cell means once it is read: messages with tests, time-outs, and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sera.behaviour.dialogue import _texts
from sera.behaviour.dialogue._fields import value_at
from sera.messages import Message

_TRUE = frozenset({"yes", "y", "true", "1", "on", "sim", "s\u00ed", "si", "verdadeiro"})
_FALSE = frozenset({"no", "n", "false", "0", "off", "n\u00e3o", "nao", "falso"})


class Operator(StrEnum):
    """How a field is compared."""

    EQUALS = "="
    DIFFERS = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"
    LACKS = "does not contain"
    MATCHES = "matches"
    MATCHES_NOT = "does not match"
    STARTS = "starts with"
    ENDS = "ends with"

    @property
    def negates(self) -> bool:
        return self in (Operator.DIFFERS, Operator.LACKS, Operator.MATCHES_NOT)

    @property
    def is_order(self) -> bool:
        """Whether it asks for more or less."""
        return self in (Operator.LESS, Operator.AT_MOST, Operator.MORE, Operator.AT_LEAST)


_POSITIVE = {
    Operator.DIFFERS: Operator.EQUALS,
    Operator.LACKS: Operator.CONTAINS,
    Operator.MATCHES_NOT: Operator.MATCHES,
}


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A field, an operator, and values of which one is enough (with `!=`: none may fit)."""

    path: tuple[str, ...]
    operator: Operator
    values: tuple[str, ...]

    def holds(self, message: Message) -> bool:
        """Whether a message passes; an empty field is like nothing."""
        actual = value_at(message, self.path)
        operator = _POSITIVE.get(self.operator, self.operator)
        fits = actual is not None and any(_fits(actual, operator, one) for one in self.values)
        return fits != self.operator.negates

    def __str__(self) -> str:
        return f"{'.'.join(self.path)} {self.operator} {' or '.join(self.values)}"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that passes all tests."""

    message: str
    tests: tuple[FieldTest, ...] = ()

    def holds(self, message: Message) -> bool:
        if type(message).__name__ != self.message:
            return False
        # A recogniser's first guesses would be answered twice, once wrongly.
        if getattr(message, "final", True) is False and not self._asks_for("final"):
            return False
        return all(test.holds(message) for test in self.tests)

    def _asks_for(self, field: str) -> bool:
        return any(test.path == (field,) for test in self.tests)

    def __str__(self) -> str:
        return " ".join([self.message, " and ".join(map(str, self.tests))]).strip()


@dataclass(frozen=True, slots=True)
class After:
    """A time-out, from when the state was entered."""

    seconds: float

    def __str__(self) -> str:
        return f"after {self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A message of a kind that the state's other rows wait for, and that fits none of them."""

    def __str__(self) -> str:
        return "otherwise"


Alternative = Heard | After | Otherwise


@dataclass(frozen=True, slots=True)
class When:
    """What must happen for a row to apply: one of the alternatives; without any: nothing."""

    alternatives: tuple[Alternative, ...] = ()

    @property
    def at_once(self) -> bool:
        return not self.alternatives

    @property
    def messages(self) -> tuple[str, ...]:
        """The names of the messages it waits for."""
        named = (each.message for each in self.alternatives if isinstance(each, Heard))
        return tuple(dict.fromkeys(named))

    @property
    def after_s(self) -> float | None:
        """The time-out, None where there is none."""
        return min((e.seconds for e in self.alternatives if isinstance(e, After)), default=None)

    @property
    def is_otherwise(self) -> bool:
        return any(isinstance(each, Otherwise) for each in self.alternatives)

    def holds(self, message: Message) -> bool:
        """Whether this message is what it waits for; `otherwise` is the machine's to judge."""
        return any(each.holds(message) for each in self.alternatives if isinstance(each, Heard))

    def __str__(self) -> str:
        return " or ".join(map(str, self.alternatives))


def truth_of(written: str) -> bool | None:
    """Yes or no, None where it is neither."""
    word = written.strip().casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def number_of(written: str) -> float | None:
    """The number, with a point or a comma, None where it is none."""
    text = written.strip()
    if text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _fits(actual: Any, operator: Operator, written: str) -> bool:
    if isinstance(actual, list | tuple | set | frozenset):
        return any(_fits(each, Operator.EQUALS, written) for each in actual)
    if isinstance(actual, bool):
        return actual == truth_of(written)
    if isinstance(actual, int | float):
        number = number_of(written)
        return number is not None and _compared(float(actual), operator, number)
    if not isinstance(actual, str):
        return False
    if operator.is_order:  # a number that an activity sent as text
        left, right = number_of(actual), number_of(written)
        return left is not None and right is not None and _compared(left, operator, right)
    comparison = {
        Operator.EQUALS: _texts.same,
        Operator.CONTAINS: _texts.contains,
        Operator.STARTS: _texts.starts_with,
        Operator.ENDS: _texts.ends_with,
        Operator.MATCHES: _texts.matches,
    }[operator]
    return comparison(actual, written)


def _compared(actual: float, operator: Operator, number: float) -> bool:
    return {
        Operator.LESS: actual < number,
        Operator.AT_MOST: actual <= number,
        Operator.MORE: actual > number,
        Operator.AT_LEAST: actual >= number,
    }.get(operator, actual == number)
