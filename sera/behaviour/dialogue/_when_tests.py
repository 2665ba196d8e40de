"""Reads the tests behind a message in a When cell, and checks them against its fields."""

from __future__ import annotations

from collections.abc import Callable

from sera.behaviour.dialogue._fields import FieldFound, FieldKind, FieldMissing, find_field
from sera.behaviour.dialogue._operators import NAMES, SHOWN, operator_at
from sera.behaviour.dialogue._texts import pattern_problem
from sera.behaviour.dialogue._tokens import Token, TokenKind
from sera.behaviour.dialogue.conditions import FieldTest, Operator, number_of, truth_of
from sera.behaviour.findings import Finding
from sera.messages import Message
from sera.runtime.located import nearest_name

_FIELD_WORDS = 3
_TEXTUAL = (
    *(Operator.CONTAINS, Operator.LACKS, Operator.MATCHES, Operator.MATCHES_NOT),
    *(Operator.STARTS, Operator.ENDS),
)


class FieldTestReader:
    """Reads `field operator value` for one message.

    Args:
        text: the cell.
        tokens: its tokens.
        message: whose fields are meant.
        starts_alternative: whether another message, time-out or key begins at a token.
        findings: where to put what is wrong.
    """

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        message: type[Message],
        *,
        starts_alternative: Callable[[int], bool],
        findings: list[Finding],
    ) -> None:
        self._text = text
        self._tokens = tokens
        self._message = message
        self._starts_alternative = starts_alternative
        self._findings = findings
        self.place = 0
        """The first token that was not read."""

    def read(self, place: int) -> tuple[FieldTest, ...] | None:
        """All tests from there on, None where they cannot be read."""
        self.place = place
        tests: list[FieldTest] = []
        if self._word(place) in ("with", "where") and place + 1 < len(self._tokens):
            self.place += 1
        while self.place < len(self._tokens) and self._word(self.place) != "or":
            test = self._test()
            if test is None:
                return None
            tests.append(test)
            if self._word(self.place) == "and":
                self.place += 1
                if self.place == len(self._tokens):
                    self._complain(
                        "nothing-after-and",
                        "nothing stands behind `and`",
                        "write another test behind `and`, or take it away",
                        self._tokens[-1],
                    )
                    return None
            elif self.place < len(self._tokens) and self._word(self.place) != "or":
                break
        return tuple(tests)

    def looks_like_test(self, place: int) -> bool:
        """Whether a field and an operator stand there, or a field that is yes or no by itself."""
        if self._word(place) == "not":
            place += 1
        if place >= len(self._tokens) or not self._word(place):
            return False
        field, length = self._field(place)
        behind = place + length
        if isinstance(field, FieldFound) and field.kind is FieldKind.TRUTH:
            return behind == len(self._tokens) or bool(operator_at(self._tokens, behind))
        return operator_at(self._tokens, behind) is not None

    def values(self, place: int, *, takes_commas: bool = False) -> list[str]:
        """The values from there on; several where `or` or commas part them."""
        self.place = place
        found: list[str] = []
        while self.place < len(self._tokens):
            value = self._value(takes_commas)
            if value is not None:
                found.append(value)
            if self.place >= len(self._tokens):
                break
            comma = takes_commas and self._tokens[self.place].text == ","
            another = self._word(self.place) == "or" and self._is_value(self.place + 1)
            if not (comma or another):
                break
            self.place += 1
        return found

    def _test(self) -> FieldTest | None:
        negated = self._word(self.place) == "not"
        self.place += int(negated)
        if self.place >= len(self._tokens):
            self._missing_value(self._tokens[-1])
            return None
        start = self._tokens[self.place]
        field, length = self._field(self.place)
        operator = operator_at(self._tokens, self.place + length)
        if isinstance(field, FieldMissing):
            self._unknown_field(start, field)
            return None
        self.place += length
        if operator is None or negated:
            return self._truth(field, start, negated=negated)
        kind, taken, takes_commas = operator
        sign = self._tokens[self.place]
        self.place += taken
        if kind in (Operator.MATCHES, Operator.MATCHES_NOT):
            values = self.values(self.place)
        else:
            values = self._split(self.values(self.place, takes_commas=takes_commas))
        if not values:
            self._missing_value(sign)
            return None
        return self._checked(field, kind, values, sign)

    def _truth(self, field: FieldFound, start: Token, *, negated: bool) -> FieldTest | None:
        """`attentive` alone is enough where the field is yes or no."""
        ends = self.place >= len(self._tokens) or self._word(self.place) in ("and", "or")
        if field.kind is FieldKind.TRUTH and ends:
            return FieldTest(field.path, Operator.EQUALS, ("no" if negated else "yes",))
        name = ".".join(field.path)
        if ends or negated:
            self._complain(
                "no-operator",
                f"nothing says what {name} must be",
                f"write such as `{name} = …`",
                start,
            )
            return None
        token = self._tokens[self.place]
        near = nearest_name(token.text[:60], NAMES)
        self._complain(
            "unknown-operator",
            f"there is no comparison {token.text[:40]}"
            + (f"; did you mean {near}?" if near else ""),
            f"write one of {SHOWN}",
            token,
        )
        return None

    def _checked(
        self, field: FieldFound, operator: Operator, values: list[str], token: Token
    ) -> FieldTest | None:
        name = ".".join(field.path)
        wrong: tuple[str, str, str] | None = None
        if field.kind is FieldKind.GROUP:
            inner = f"{name}.{field.parts[0]}" if field.parts else f"{name}.something"
            wrong = ("field-of-fields", f"{name} is made of several fields", f"write {inner} …")
        elif field.kind in (FieldKind.NUMBER, FieldKind.TRUTH) and operator in _TEXTUAL:
            wrong = ("wrong-operator", f"{name} is {field.kind}, not text", f"write `{name} = …`")
        elif operator.is_order and field.kind not in (FieldKind.NUMBER, FieldKind.ANYTHING):
            wrong = ("wrong-operator", f"{name} is {field.kind} and has no order", "compare with =")
        elif operator.is_order and any(number_of(value) is None for value in values):
            wrong = ("wrong-value", f"{name} is compared with a number", "write such as > 3")
        for value in values:
            wrong = wrong or _value_problem(field, name, operator, value)
        if wrong is not None:
            self._complain(*wrong, token)
            return None
        return FieldTest(field.path, operator, tuple(values))

    def _field(self, place: int) -> tuple[FieldFound | FieldMissing, int]:
        """The field named there and how many words it takes: `looks at` is looks_at."""
        for length in range(_FIELD_WORDS, 1, -1):
            words = [self._word(place + offset) for offset in range(length)]
            if all(words) and "." not in "".join(words):
                found = find_field(self._message, "_".join(words))
                if isinstance(found, FieldFound):
                    return found, length
        return find_field(self._message, self._tokens[place].text), 1

    def _value(self, takes_commas: bool) -> str | None:
        """One value: a quoted text, or everything up to what cannot belong to it."""
        first = self._tokens[self.place]
        if first.kind is TokenKind.QUOTED:
            self.place += 1
            return first.text
        begin = self.place
        while self.place < len(self._tokens):
            token = self._tokens[self.place]
            if token.word == "or" or (takes_commas and token.text == ","):
                break
            if token.word == "and" and (
                self.place + 1 == len(self._tokens) or self.looks_like_test(self.place + 1)
            ):
                break
            self.place += 1
        if begin == self.place:
            return None
        return self._text[first.start : self._tokens[self.place - 1].end]

    def _is_value(self, place: int) -> bool:
        if place >= len(self._tokens):
            return False
        return not (self._starts_alternative(place) or self.looks_like_test(place))

    def _split(self, values: list[str]) -> list[str]:
        parts = [part.strip() for value in values for part in value.split("|")]
        return [part for part in parts if part]

    def _word(self, place: int) -> str:
        return self._tokens[place].word if place < len(self._tokens) else ""

    def _unknown_field(self, token: Token, missing: FieldMissing) -> None:
        name, near = self._message.__name__, missing.nearest
        operator = operator_at(self._tokens, self.place)
        some = ", ".join(missing.known[:8]) or "none"
        fix = f"write {near}" if near else f"{name} has {some}"
        if operator is not None and missing.known:
            first = "text" if "text" in missing.known else missing.known[0]
            fix = f"write the field before it: `{name} {first} {operator[0]} …`"
        self._complain(
            "unknown-field",
            f"{name} has no field {token.text[:40]}" + (f"; did you mean {near}?" if near else ""),
            fix,
            token,
        )

    def _missing_value(self, token: Token) -> None:
        self._complain(
            "no-value", "nothing stands behind the comparison", "write the value, or quotes", token
        )

    def _complain(self, code: str, message: str, fix: str, token: Token) -> None:
        self._findings.append(
            Finding(code=code, message=message, fix=fix, text=token.text[:40], start=token.start)
        )


def _value_problem(
    field: FieldFound, name: str, operator: Operator, value: str
) -> tuple[str, str, str] | None:
    """Why a value can never stand in the field: code, message, fix."""
    shown = value[:40]
    if field.kind is FieldKind.TRUTH and truth_of(value) is None:
        return "wrong-value", f"{name} is yes or no, never {shown}", "write yes or no"
    if field.kind is FieldKind.NUMBER and number_of(value) is None:
        return "wrong-value", f"{name} is a number, never {shown}", "write a number"
    if operator in (Operator.MATCHES, Operator.MATCHES_NOT):
        problem = pattern_problem(value)
        fix = "write words with | between them, such as yes|yeah"
        return None if problem is None else ("bad-pattern", problem, fix)
    if field.kind is FieldKind.CHOICE and operator not in _TEXTUAL:
        known = {choice.casefold() for choice in field.choices}
        if value.strip().casefold() not in known:
            near = nearest_name(value[:60], field.choices)
            guess = f"; did you mean {near}?" if near else ""
            fix = f"write one of {', '.join(field.choices)}"
            return "wrong-value", f"{name} is never {shown}{guess}", fix
    return None
