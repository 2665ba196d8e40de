"""How lines are written: the signs around a tag, and the verbs in use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from sera.behaviour.markup.builtin import BUILT_IN_VERBS
from sera.behaviour.markup.verbs import VerbRegistry

TAG_NAME = r"[^\W\d]\w*(?:[-.]\w+)*"
_RESERVED = re.compile(r"[\w\s<>\\(),=.\-]")


@dataclass(frozen=True)
class TagDelimiters:
    r"""The signs around a tag's name: `/name/` unless a laboratory writes `|name|` or others.

    A slash is also an ordinary sign, so with slashes a tag must not touch a letter, a digit or
    another slash: "and/or/both", dates and addresses are no tags. Where a tag must touch a word,
    the escape that stands for nothing parts them: `/count/\-th`.
    """

    opening: str = "/"
    closing: str = "/"

    def __post_init__(self) -> None:
        for sign in (self.opening, self.closing):
            if not sign or _RESERVED.search(sign):
                raise ValueError(
                    f"a tag cannot be delimited by {sign!r}: take signs such as / | # or {{ }}, "
                    "not letters, digits, blanks or any of < > \\ ( ) , = . - _"
                )

    @cached_property
    def signs(self) -> str:
        """Every character that is part of a delimiter."""
        return "".join(sorted(set(self.opening + self.closing)))

    @property
    def stands_apart(self) -> bool:
        """Whether a tag must not touch a word."""
        return "/" in self.signs

    @cached_property
    def tag(self) -> re.Pattern[str]:
        return re.compile(f"{re.escape(self.opening)}({TAG_NAME}){re.escape(self.closing)}")

    @cached_property
    def unclosed(self) -> re.Pattern[str]:
        """A tag without what closes it."""
        return re.compile(re.escape(self.opening) + TAG_NAME)

    def around(self, name: str) -> str:
        return f"{self.opening}{name}{self.closing}"

    def binds(self, character: str) -> bool:
        """Whether a tag beside this character would not be read as one."""
        return self.stands_apart and (is_word_character(character) or character in self.signs)


@dataclass(frozen=True)
class MarkupSyntax:
    """What a reader of lines must know beforehand."""

    verbs: VerbRegistry = field(default=BUILT_IN_VERBS)
    delimiters: TagDelimiters = field(default_factory=TagDelimiters)

    @cached_property
    def plain_in_text(self) -> re.Pattern[str]:
        """A run of characters that mean nothing but themselves in the text."""
        return re.compile(rf"[^<>\\{re.escape(self.delimiters.signs)}]+")

    @cached_property
    def plain_in_parameters(self) -> re.Pattern[str]:
        """The same inside the brackets of an instruction."""
        return re.compile(rf"[^<>\\(),={re.escape(self.delimiters.signs)}]+")

    @cached_property
    def escapable(self) -> frozenset[str]:
        r"""What a backslash makes ordinary; `\-` stands for nothing at all."""
        return frozenset("<>\\(),=-" + self.delimiters.signs)


DEFAULT_SYNTAX = MarkupSyntax()


def is_word_character(character: str) -> bool:
    """Letters, digits and the underscore, in any script."""
    return character.isalnum() or character == "_"
