"""What is said about the operators of a run.

Units and frames: times count in seconds from the beginning of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

LISTED = 5_000
"""How many decisions, deviations, corrections and errors are listed one by one."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One order of an operator."""

    at_s: float
    by: str
    action: str
    action_type: str
    character: str
    channel: str
    """Channel of the order; `other` where it has none."""
    suggestion: str | None
    reaction_s: float | None
    seen: int
    """How many facts stood before the operator's eyes."""
    restricted: bool


@dataclass(frozen=True, slots=True)
class Deviation:
    """An operator did something else while a suggestion stood on the same channel."""

    at_s: float
    by: str
    channel: str
    character: str
    suggestion: str
    suggested_type: str
    action: str
    action_type: str


@dataclass(frozen=True, slots=True)
class Correction:
    """An operator took an own order back within two seconds."""

    at_s: float
    by: str
    kind: str
    """`cancelled`, `replaced` or `marked` as an error."""
    order: str
    order_type: str
    correction: str
    correction_type: str
    after_s: float
    channel: str


@dataclass(frozen=True, slots=True)
class ErrorMark:
    """Somebody marked a wizard's error."""

    at_s: float
    by: str
    about: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Spread:
    """How times are spread."""

    count: int = 0
    median_s: float | None = None
    p90_s: float | None = None
    slowest_s: float | None = None

    @classmethod
    def of(cls, times_s: Sequence[float]) -> Spread:
        if not times_s:
            return cls()
        ordered = sorted(times_s)
        return cls(
            len(ordered),
            round(quantile(ordered, 0.5), 3),
            round(quantile(ordered, 0.9), 3),
            round(ordered[-1], 3),
        )


@dataclass(slots=True)
class Figures:
    """What one operator did, or all did on one channel."""

    decisions: int = 0
    answers: int = 0
    """Decisions that answered a suggestion."""
    deviations: int = 0
    corrections: int = 0
    errors: int = 0
    reaction: Spread = field(default_factory=Spread)


@dataclass(slots=True)
class SuggestionFigures:
    """What became of suggestions."""

    offered: int = 0
    accepted: int = 0
    """As they were."""
    edited: int = 0
    """Accepted with a change."""
    rejected: int = 0
    lapsed: int = 0
    open: int = 0
    """Nothing became of them before the recording ended."""
    answer: Spread = field(default_factory=Spread)
    """From a suggestion to the operator's answer."""


@dataclass(slots=True)
class WizardReport:
    """How operators worked."""

    duration_s: float = 0.0
    reaction: Spread = field(default_factory=Spread)
    reactions_s: list[float] = field(default_factory=list)
    """Every reaction time, in the order of decisions."""
    suggestions: SuggestionFigures = field(default_factory=SuggestionFigures)
    operators: dict[str, Figures] = field(default_factory=dict)
    channels: dict[str, Figures] = field(default_factory=dict)
    autonomy: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """Character, channel, mode: share of the time from 0 to 1."""
    decisions: list[Decision] = field(default_factory=list)
    deviations: list[Deviation] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)
    errors: list[ErrorMark] = field(default_factory=list)
    decided: int = 0
    """How many decisions there are, beyond those that are listed."""

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON holds it."""
        return asdict(self)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies, interpolated between two."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
