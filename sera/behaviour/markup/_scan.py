r"""From the text of a cell to tokens, with every problem found on the way.

Design overview: one pass from left to right; regular expressions only at a known place, and none
that looks beyond the next `<`, so that the time grows with the length of the text alone. Nothing
is raised: a problem is written down and the scan goes on at the place where the author most
probably meant the fault to end, so that one error does not hide the next and half an instruction
is not read out aloud.

Escapes: `\<`, `\>`, `\\`, the signs of the tag delimiters, `\(`, `\)`, `\,`, `\=`; `\-` stands for
nothing and parts a tag from a word; inside parameters `\ ` is a blank that is kept.
"""

from __future__ import annotations

import re

from sera.behaviour.findings import Finding
from sera.behaviour.markup._scan_parameters import ParameterScanner
from sera.behaviour.markup._scan_text import TextScanner
from sera.behaviour.markup.syntax import MarkupSyntax
from sera.behaviour.markup.tokens import Instruction, Literal, SpeechControl, Token

_VERB = re.compile(r"<\s*([^\W\d]\w*)\s*")
_OTHER_BRACKETS = re.compile(r"<\s*(?:/[^<>]*)?>")
_BRACKET = re.compile(r"[<>]")
_REST_OF_OUTER = re.compile(r"\s*\)\s*>")
_FIRST_WORD = re.compile(r"[^\s<>()]*")
_CLOSING = re.compile(r"\s*>")
_FORM = "write <VERB(parameters)>, or take it away"


class LineScanner(TextScanner):
    """Reads one line once: `tokens` and `problems` hold the result of `scan`."""

    def __init__(self, text: str, syntax: MarkupSyntax) -> None:
        super().__init__(text, syntax)
        self.tokens: list[Token] = []
        self._outer = 0
        """Instructions that were left open around the place of the scan."""

    def scan(self) -> None:
        text = self.text
        while self.place < len(text):
            start = self.place
            found = self.syntax.plain_in_text.match(text, start)
            if found is not None:
                self.place = found.end()
                self._add_raw(start, self.place)
            elif text[start] == "<":
                self._scan_instruction()
            elif text[start] == ">":
                self.problem(
                    "unbalanced-bracket",
                    "this > closes nothing",
                    start,
                    start + 1,
                    r"take it away, or write \> for the sign itself",
                )
                self.place += 1
                self._add_raw(start, self.place)
            elif text[start] == "\\":
                self._scan_backslash()
            else:
                tag = self.tag_here()
                if tag is None:
                    self.place += 1
                    self._add_raw(start, self.place)
                else:
                    self.tokens.append(tag)

    def _add_raw(self, start: int, end: int) -> None:
        last = self.tokens[-1] if self.tokens else None
        if isinstance(last, Literal) and last.end == start and last.text and last.is_raw:
            self.tokens[-1] = Literal(self.text[last.start : end], last.start, end)
        else:
            self.tokens.append(Literal(self.text[start:end], start, end))

    def _scan_backslash(self) -> None:
        start = self.place
        escape = self.escape_here(in_parameters=False)
        if escape is not None:
            self.tokens.append(escape)
            return
        control = self.control_here()
        if control is None:
            self.stray_backslash()
            self._add_raw(start, self.place)
        elif isinstance(control, SpeechControl):
            self.tokens.append(control)

    def _scan_instruction(self) -> None:
        start = self.place
        head = _VERB.match(self.text, start)
        if head is None:
            self._scan_odd_bracket()
            return
        verb, place = head[1], head.end()
        following = self.text[place : place + 1]
        if following == ">":
            self._finish(Instruction(verb, (), start, place + 1))
        elif following == "(":
            self._scan_with_parameters(verb, start, place + 1)
        else:
            self._scan_without_brackets(verb, start, place)

    def _scan_odd_bracket(self) -> None:
        start = self.place
        odd = _OTHER_BRACKETS.match(self.text, start)
        if odd is not None:
            self.place = odd.end()
            self.problem(
                "bad-instruction",
                "this is no instruction",
                start,
                self.place,
                _FORM,
            )
            return
        self.place += 1
        self.problem(
            "unbalanced-bracket",
            "no instruction begins at this <",
            start,
            self.place,
            r"take it away, or write \< for the sign itself",
        )
        self._add_raw(start, self.place)

    def _scan_without_brackets(self, verb: str, start: int, place: int) -> None:
        known = bool(self.syntax.verbs.split(verb))
        bracket = _BRACKET.search(self.text, place)
        if bracket is not None and bracket[0] == ">":
            self.place = bracket.end()
            inside = self.text[place : bracket.start()].strip()
            self.problem(
                "bad-instruction",
                f"the parameters of {verb} stand in no brackets"
                if known
                else "this is no instruction",
                start,
                self.place,
                f"write <{verb}({inside.strip('()')})>" if known else _FORM,
            )
            return
        self.place = start + (len(self.text[start:place].rstrip()) if known else 1)
        self.problem(
            "unbalanced-bracket",
            f"<{verb} is not closed" if known else "this < is not closed",
            start,
            self.place,
            f"write <{verb}(parameters)>, or \\< for the sign itself",
        )
        if not known:
            self._add_raw(start, self.place)

    def _scan_with_parameters(self, verb: str, start: int, inside: int) -> None:
        parameters = ParameterScanner(self.text, self.syntax, inside)
        parameters.scan()
        if parameters.ended_by in {")", ">"}:
            self.problems += parameters.problems
            self._close(verb, start, parameters)
            return
        # Never closed: what stands before the first blank was probably meant to be inside.
        meant = _FIRST_WORD.match(self.text, inside)
        assert meant is not None
        nested = parameters.ended_by == "<"
        self._outer += nested
        self.place = meant.end()
        self.problem(
            "nested-instruction" if nested else "unbalanced-bracket",
            f"another instruction begins before <{verb}( is closed"
            if nested
            else f"<{verb}( is not closed",
            start,
            self.place,
            f"write <{verb}({meant[0] or 'parameters'})>"
            + ("; instructions cannot stand inside each other" if nested else ""),
        )
        if meant[0]:
            part = ParameterScanner(self.text[: meant.end()], self.syntax, inside)
            part.scan()
            self.problems += part.problems
            self._finish(Instruction(verb, part.arguments, start, meant.end()))

    def _close(self, verb: str, start: int, parameters: ParameterScanner) -> None:
        end = parameters.place
        closing = _CLOSING.match(self.text, end) if parameters.ended_by == ")" else None
        if closing is not None:
            end = closing.end()
        elif parameters.ended_by == ")":
            self.problem(
                "unbalanced-bracket",
                f"<{verb}(…) lacks its >",
                start,
                end,
                f"write {self.text[start:end]}>",
            )
        else:
            self.problem(
                "unbalanced-bracket",
                f"<{verb}( lacks its )",
                start,
                end,
                f"write {self.text[start : end - 1].rstrip()})>",
            )
        self._finish(Instruction(verb, parameters.arguments, start, end))

    def _finish(self, instruction: Instruction) -> None:
        self.tokens.append(instruction)
        self.place = instruction.end
        if self._outer:
            rest = _REST_OF_OUTER.match(self.text, self.place)
            if rest is not None:
                self._outer -= 1
                self.place = rest.end()


def scan(text: str, syntax: MarkupSyntax) -> tuple[tuple[Token, ...], tuple[Finding, ...]]:
    """The tokens of a text and what is wrong with its form."""
    scanner = LineScanner(text, syntax)
    scanner.scan()
    return tuple(scanner.tokens), tuple(scanner.problems)
