"""What a dialogue wants done: say a line, tell where it is, tell that it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sera.behaviour.library import DialogueRow


@dataclass(frozen=True, slots=True)
class Say:
    """Say this line; the dialogue goes on when it was said."""

    text: str
    """With its markup."""
    row: DialogueRow
    tags: Mapping[str, str] = field(default_factory=dict)
    """Values for the tags in the text, from messages that came."""
    cause: str | None = None
    """Id of the message that led to it."""
    personal: frozenset[str] = frozenset()
    """Tags whose values are personal, such as names and what somebody said."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The dialogue is in another state now."""

    previous: str | None
    """The state before, as written; None at the start."""
    state: str
    row: DialogueRow | None = None
    """The row that led there."""
    because: str = ""
    """What happened, as the sheet's When says it."""
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The dialogue is over."""

    state: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something in the sheet does not work, and what was done about it."""

    sentence: str


Order = Say | Moved | Ended | Trouble
