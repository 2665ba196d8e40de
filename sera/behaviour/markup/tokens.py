"""The pieces of a line as written, each with its place in the cell.

Places are counted in characters from 0, the end is the first character after the piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """Ordinary text. An escape is a piece of its own, one character for two in the cell."""

    text: str
    start: int
    end: int

    @property
    def is_raw(self) -> bool:
        """Whether it stands in the cell just like this."""
        return len(self.text) == self.end - self.start


@dataclass(frozen=True, slots=True)
class TagUse:
    """A tag, to be replaced when the line is performed."""

    name: str
    start: int
    end: int


Fragment = Literal | TagUse
Template = tuple[Fragment, ...]
"""Text with tags in it."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter that an instruction gives."""

    value: Template
    start: int
    end: int
    name: str | None = None
    """Where it is written as `name=value`."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """`<VERB(parameters)>`."""

    verb: str
    """As written, which may be several joined with AND."""
    arguments: tuple[Argument, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SpeechControl:
    r"""`\pau=ms\` or `\rspd=percent\`."""

    name: str
    """In lower case."""
    value: Template
    start: int
    end: int


Token = Literal | TagUse | Instruction | SpeechControl


def shown(template: Iterable[Fragment]) -> str:
    """A template as plain text, with an unfilled tag shown by its name."""
    return "".join(part.text if isinstance(part, Literal) else part.name for part in template)


def tag_uses(tokens: Iterable[Token]) -> list[TagUse]:
    """Every use of a tag, in the text and in parameters, in their order."""
    uses: list[TagUse] = []
    for token in tokens:
        if isinstance(token, TagUse):
            uses.append(token)
        elif isinstance(token, SpeechControl):
            uses += (part for part in token.value if isinstance(part, TagUse))
        elif isinstance(token, Instruction):
            for argument in token.arguments:
                uses += (part for part in argument.value if isinstance(part, TagUse))
    return uses
