r"""From tokens back to the text of a cell, escaped as far as needed and no further.

What the writer keeps in mind is the reader's rule for tags: which character stands before. The
sign of a delimiter is escaped only where the reader would see a tag, so that "and/or" stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from sera.behaviour.markup.controls import LONGEST_VALUE
from sera.behaviour.markup.syntax import MarkupSyntax, is_word_character
from sera.behaviour.markup.tokens import (
    Argument,
    Fragment,
    Instruction,
    Literal,
    SpeechControl,
    TagUse,
    Token,
)


def write(tokens: Iterable[Token], syntax: MarkupSyntax) -> str:
    """The text that is read as these tokens."""
    writer = _Writer(syntax)
    run = ""
    for token in tokens:
        if isinstance(token, Literal):
            run += token.text
            continue
        writer.literal(run)
        run = ""
        if isinstance(token, TagUse):
            writer.tag(token)
        elif isinstance(token, Instruction):
            writer.instruction(token)
        else:
            writer.control(token)
    writer.literal(run)
    return "".join(writer.out)


class _Writer:
    def __init__(self, syntax: MarkupSyntax) -> None:
        self.out: list[str] = []
        self._delimiters = syntax.delimiters
        self._unfit = frozenset("\\<>=" + self._delimiters.signs)
        self._last = ""
        """The character before, where it could keep a tag from being one."""
        self._behind_tag = False

    def tag(self, tag: TagUse) -> None:
        if self._last and self._delimiters.binds(self._last):
            self._put("\\-", "")
        self._put(self._delimiters.around(tag.name), "")
        self._behind_tag = True

    def control(self, control: SpeechControl) -> None:
        # There are no escapes in here: what is no number becomes none by being written.
        value, last = "", ""
        for part in control.value:
            if isinstance(part, TagUse):
                touches = bool(last) and self._delimiters.binds(last)
                value += f"{'?' if touches else ''}{self._delimiters.around(part.name)}"
                last = ""
            elif part.text.strip():
                fit = "".join(
                    "?" if sign in self._unfit or sign.isspace() else sign
                    for sign in part.text.strip()
                )
                touches = bool(value) and not last and self._delimiters.binds(fit[0])
                value += f"{'?' if touches else ''}{fit}"
                last = fit[-1]
        self._put(f"\\{control.name}={value if len(value) <= LONGEST_VALUE else '?'}\\", "\\")

    def instruction(self, instruction: Instruction) -> None:
        self._put(f"<{instruction.verb}", ">")
        if instruction.arguments:
            for number, argument in enumerate(instruction.arguments):
                self._put(", " if number else "(", "(")
                self._argument(argument)
            self._put(")", ")")
        self._put(">", ">")

    def literal(self, run: str, *, in_parameters: bool = False) -> None:
        reserved = "<>\\(),=" if in_parameters else "<>\\"
        for place, sign in enumerate(run):
            if sign in reserved or self._opens_tag(run, place):
                self._put("\\" + sign, "")
                continue
            if self._behind_tag and self._delimiters.stands_apart and is_word_character(sign):
                self._put("\\-", "")
            self._put(sign, sign)

    def _argument(self, argument: Argument) -> None:
        if argument.name is not None:
            self._put(f"{argument.name}=", "=")
        for number, part in enumerate(_merged(argument.value)):
            if isinstance(part, TagUse):
                self.tag(part)
                continue
            text = part.text
            # Blanks at the ends of a parameter are kept only where they are escaped.
            front = 0 if number else len(text) - len(text.lstrip())
            for blank in text[:front]:
                self._put("\\" + blank, "")
            inner = text[front:].rstrip()
            self.literal(inner, in_parameters=True)
            for blank in text[front + len(inner) :]:
                self._put("\\" + blank, "")

    def _opens_tag(self, run: str, place: int) -> bool:
        """Whether the reader would see the beginning of a tag at this place."""
        delimiters = self._delimiters
        if not run.startswith(delimiters.opening, place) or (
            self._last and delimiters.binds(self._last)
        ):
            return False
        found = delimiters.tag.match(run, place)
        if found is None:
            # What follows the run could close it.
            rest = delimiters.unclosed.match(run, place)
            return rest is not None and delimiters.closing.startswith(run[rest.end() :])
        after = run[found.end() : found.end() + 1]
        return not after or after in delimiters.signs or not delimiters.binds(after)

    def _put(self, text: str, last: str) -> None:
        self.out.append(text)
        if text:
            self._last = last
            self._behind_tag = False


def _merged(value: Iterable[Fragment]) -> list[Fragment]:
    """With neighbouring literals in one piece."""
    merged: list[Fragment] = []
    for part in value:
        last = merged[-1] if merged else None
        if isinstance(part, Literal) and isinstance(last, Literal):
            merged[-1] = Literal(last.text + part.text, last.start, part.end)
        else:
            merged.append(part)
    return merged
