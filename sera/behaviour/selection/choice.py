"""What came of a choice: the line, or why there is none, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from sera.behaviour.selection.choosable import Choosable

LineT = TypeVar("LineT", bound=Choosable)
LineT_co = TypeVar("LineT_co", bound=Choosable, covariant=True)


class Rule(StrEnum):
    """How a line was chosen among the candidates; goes into LineChoice.rule."""

    ID = "id"
    SHUFFLE_BAG = "shuffle_bag"
    WEIGHTS = "weights"
    NONE = "none"


class Bar(StrEnum):
    """Why a line that was meant could not be taken."""

    SAID_THIS_SESSION = "said_this_session"
    SAID_BEFORE = "said_before"
    SAID_LAST = "said_last"
    NO_WEIGHT = "no_weight"


class Lack(StrEnum):
    """Why there is no line at all."""

    UNKNOWN_ID = "unknown_id"
    UNKNOWN_CATEGORY = "unknown_category"
    NO_MATCH = "no_match"
    EXHAUSTED = "exhausted"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One line that was left out."""

    id: str
    bar: Bar

    def __str__(self) -> str:
        return f"'{self.id}' {_BAR_SENTENCES[self.bar]}"


_BAR_SENTENCES = {
    Bar.SAID_THIS_SESSION: "was said in this session and may be said once in a session",
    Bar.SAID_BEFORE: "was said to this participant before and may be said once and for ever",
    Bar.SAID_LAST: "was the last of them to be said",
    Bar.NO_WEIGHT: "has the weight 0, or one that is no number from 0.001 to 100",
}


@dataclass(frozen=True, slots=True)
class BagState:
    """What the bag held for this choice."""

    left: int
    """Draws left among the candidates after this one, before they are put in again."""
    refilled: bool
    """Whether the candidates were put in again for this choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Generic[LineT_co]):
    """The line that was chosen, or None with the reason, and how it came about."""

    line: LineT_co | None
    rule: Rule
    candidates: int = 0
    """How many lines could have been chosen."""
    excluded: tuple[Exclusion, ...] = ()
    """Lines that were meant but left out, and why."""
    bag: BagState | None = None
    """None where no bag was used."""
    lack: Lack | None = None
    """Why there is no line."""
    detail: str = ""
    """One sentence about a lack, without a full stop."""

    @property
    def excluded_by_repetition(self) -> int:
        """How many lines their repetition rule ruled out, for LineChoice.excluded."""
        rules = (Bar.SAID_THIS_SESSION, Bar.SAID_BEFORE)
        return sum(exclusion.bar in rules for exclusion in self.excluded)
