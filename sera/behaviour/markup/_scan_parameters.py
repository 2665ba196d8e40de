"""The parameters of one instruction, from behind its `(` to whatever ends them."""

from __future__ import annotations

import re

from sera.behaviour.markup._scan_text import TextScanner
from sera.behaviour.markup.syntax import MarkupSyntax
from sera.behaviour.markup.tokens import Argument, Fragment, Literal

_NAME = re.compile(r"\s*([^\W\d]\w*)\s*\Z")


class ParameterScanner(TextScanner):
    """Reads parameters; `arguments`, `problems` and `ended_by` hold the result of `scan`."""

    def __init__(self, text: str, syntax: MarkupSyntax, place: int) -> None:
        super().__init__(text, syntax, place)
        self.ended_by = ""
        """`)` or `>`, which are stepped over; `<`, which is not; nothing at the end of the
        text."""
        self._arguments: list[Argument] = []
        self._parts: list[Fragment] = []
        self._name: str | None = None
        self._began = place
        self._open_brackets = 0

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """What was given; empty brackets give nothing."""
        first = self._arguments[0] if self._arguments else None
        if first is not None and len(self._arguments) == 1 and not (first.value or first.name):
            return ()
        return tuple(self._arguments)

    def scan(self) -> None:
        while self.place < len(self.text) and not self.ended_by:
            start = self.place
            found = self.syntax.plain_in_parameters.match(self.text, start)
            if found is not None:
                self.place = found.end()
                self._add_raw(start)
            else:
                self._scan_sign(self.text[start])
        self._end_argument(self.place - (self.ended_by in {")", ">"} and bool(self.ended_by)))

    def _scan_sign(self, sign: str) -> None:
        start = self.place
        if sign == "<":
            self.ended_by = sign
        elif sign == ">" or (sign == ")" and not self._open_brackets):
            self.ended_by = sign
            self.place += 1
        elif sign in "()":
            self._nested_bracket(sign)
        elif sign == "," and not self._open_brackets:
            self._end_argument(start)
            self.place += 1
            self._began = self.place
        elif sign == "=" and self._named(start):
            self.place += 1
        elif sign == "\\":
            self._scan_backslash()
        else:
            tag = None if sign in ",=" else self.tag_here()
            if tag is not None:
                self._parts.append(tag)
            else:
                self.place += 1
                self._add_raw(start)

    def _nested_bracket(self, sign: str) -> None:
        start = self.place
        self.place += 1
        self._add_raw(start)
        if sign == ")":
            self._open_brackets -= 1
            return
        self._open_brackets += 1
        self.problem(
            "nested-bracket",
            "parameters cannot hold brackets",
            start,
            self.place,
            r"write \( and \) for the signs themselves",
        )

    def _named(self, end: int) -> bool:
        """Whether what was read of this parameter is its name, as in `n=2`."""
        if self._name is not None:
            return False
        found = _NAME.match(self.text[self._began : end])
        whole = len(self._parts) == 1 and isinstance(self._parts[0], Literal)
        if found is None or not whole:
            return False
        self._name = found[1]
        self._parts = []
        return True

    def _scan_backslash(self) -> None:
        start = self.place
        escape = self.escape_here(in_parameters=True)
        if escape is not None:
            self._parts.append(escape)
            return
        if self.control_here() is None:
            self.stray_backslash()
            self._add_raw(start)
            return
        self.problem(
            "nested-control",
            "a speech control cannot stand inside an instruction",
            start,
            self.place,
            "move it in front of the instruction",
        )

    def _add_raw(self, start: int) -> None:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, Literal) and last.end == start and last.text and last.is_raw:
            start = last.start
            self._parts.pop()
        self._parts.append(Literal(self.text[start : self.place], start, self.place))

    def _end_argument(self, end: int) -> None:
        self._arguments.append(
            Argument(_trimmed(self._parts), self._began, max(end, self._began), self._name)
        )
        self._parts, self._name = [], None


def _trimmed(parts: list[Fragment]) -> tuple[Fragment, ...]:
    """Without the blanks at both ends; escaped blanks stay."""
    kept = list(parts)
    if kept and isinstance(first := kept[0], Literal) and first.is_raw:
        text = first.text.lstrip()
        kept[0] = Literal(text, first.end - len(text), first.end)
    if kept and isinstance(last := kept[-1], Literal) and last.is_raw:
        text = last.text.rstrip()
        kept[-1] = Literal(text, last.start, last.start + len(text))
    return tuple(part for part in kept if not (isinstance(part, Literal) and not part.text))
