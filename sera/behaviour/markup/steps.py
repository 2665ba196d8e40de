"""What a line has the robot do, beside speaking, and at which word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sera.behaviour.markup.tokens import TagUse

Value = str | int | float | tuple[str, ...] | None
_NOTHING: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One verb with its parameters; joined verbs are several steps at one word."""

    verb: str
    """In capitals."""
    word: int
    """Done when the voice reaches this word, counted from 0; as many as there are words: after
    the last."""
    arguments: Mapping[str, Value] = field(default_factory=lambda: _NOTHING)
    """By parameter, with the defaults filled in."""
    start: int = 0
    """Where the instruction begins in the cell."""
    end: int = 0
    """The first character after it."""
    open_tags: tuple[TagUse, ...] = ()
    """Tags in its parameters that have no value yet: it cannot be performed so."""
    means: str | None = None
    """The ability of the body by which it is performed; known after `resolve`."""
    leads_hand: bool = False
    """A look at what a hand goes to a moment later: the eyes are there first."""

    @property
    def at_once(self) -> bool:
        """Before the first word: it does not wait for the voice."""
        return self.word == 0

    @property
    def target(self) -> str | None:
        """Whom or what it is about, where its verb is on a target."""
        target = self.arguments.get("target")
        return target if isinstance(target, str) else None

    def __str__(self) -> str:
        given = [value for value in self.arguments.values() if value is not None]
        flat: list[str] = []
        for value in given:
            flat += value if isinstance(value, tuple) else [_short(value)]
        return f"{self.verb}({', '.join(flat)})"


def _short(value: str | float | None) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value}"


@dataclass(frozen=True, slots=True)
class Pause:
    """The voice is silent for a while before a word."""

    word: int
    duration_s: float
    start: int
    """Where it stands in the cell."""


@dataclass(frozen=True, slots=True)
class Rate:
    """From this word on the voice speaks at this speed."""

    word: int
    rate: float
    """1 is the voice's own."""
    start: int
    """Where it stands in the cell."""
