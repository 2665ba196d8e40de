"""An emotion as a point: pleasure, arousal and dominance, each from -1 to 1.

    from sera.emotion import PAD

    fear = PAD.named("fear")
    fear.octant                      # Octant.ANXIOUS
    PAD.corner("LHL").features()     # jerkiness 0.875, activity 0.875, gaze 0.125

The three axes are those of Mehrabian (1996), nearly independent of each other. The signs of the
three make an octant, which has the name of a temperament.

Design overview: a value, without a clock and without a file; names come from the built-in
emotions (`sera.emotion.emotions`), which are read when one is first asked for.
Units and frames: none; -1 to 1 on each axis, neutral is nought on all.
Threading: immutable.
Safety: what is not a finite number is refused. What lies beyond -1 to 1 is clipped, because half
an emotion is better than none, and `clipped` says on which axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sera.emotion.features import Features

AXES = ("pleasure", "arousal", "dominance")
STUDY_SIZE = 0.75
"""How far out the eight points of the published study lie on each axis."""


class Octant(StrEnum):
    """The temperament of an octant of the space."""

    EXUBERANT = "Exuberant"
    DEPENDENT = "Dependent"
    RELAXED = "Relaxed"
    DOCILE = "Docile"
    HOSTILE = "Hostile"
    ANXIOUS = "Anxious"
    DISDAINFUL = "Disdainful"
    BORED = "Bored"
    NEUTRAL = "Neutral"
    """No octant: the middle of the space."""

    @property
    def signs(self) -> tuple[int, int, int]:
        """The signs of pleasure, arousal and dominance; noughts for neutral."""
        return _SIGNS[self]

    @property
    def opposite(self) -> Octant:
        """The octant with all signs turned."""
        pleasure, arousal, dominance = self.signs
        return _OCTANTS[-pleasure, -arousal, -dominance]


_SIGNS = {
    Octant.EXUBERANT: (1, 1, 1),
    Octant.DEPENDENT: (1, 1, -1),
    Octant.RELAXED: (1, -1, 1),
    Octant.DOCILE: (1, -1, -1),
    Octant.HOSTILE: (-1, 1, 1),
    Octant.ANXIOUS: (-1, 1, -1),
    Octant.DISDAINFUL: (-1, -1, 1),
    Octant.BORED: (-1, -1, -1),
    Octant.NEUTRAL: (0, 0, 0),
}
_OCTANTS = {signs: octant for octant, signs in _SIGNS.items()}


@dataclass(frozen=True, slots=True)
class PAD:
    """An emotion, or a mood, or a temperament: they differ in how long they last.

    Raises:
        ValueError: one of the three is not a finite number.
    """

    pleasure: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.0
    clipped: tuple[str, ...] = field(default=(), init=False, compare=False, repr=False)
    """The axes on which the point was given beyond -1 to 1."""

    def __post_init__(self) -> None:
        beyond = []
        for axis in AXES:
            given = _finite(axis, getattr(self, axis))
            # Adding nought turns -0.0 into 0.0, so that equal points also look the same.
            held = min(max(given, -1.0), 1.0) + 0.0
            if held != given:
                beyond.append(axis)
            object.__setattr__(self, axis, held)
        object.__setattr__(self, "clipped", tuple(beyond))

    @classmethod
    def neutral(cls) -> PAD:
        """The middle of the space."""
        return cls()

    @classmethod
    def named(cls, name: str) -> PAD:
        """The point of a built-in emotion; `load_emotions` has those of a workspace, too.

        Raises:
            LookupError: there is none; with the nearest name and all of them.
        """
        from sera.emotion.emotions import built_in

        return built_in().named(name)

    @staticmethod
    def named_nearest(pad: PAD) -> str:
        """The name of the built-in emotion that lies nearest to a point."""
        from sera.emotion.emotions import built_in

        return built_in().nearest(pad)

    @classmethod
    def corner(cls, letters: str, size: float = STUDY_SIZE) -> PAD:
        """The point of the letters L (low) and H (high) for the three axes, such as "LHL".

        Raises:
            ValueError: other letters, or a size that is not above 0 and at most 1.
        """
        signs = {"L": -1.0, "H": 1.0}
        if len(letters) != len(AXES) or not set(letters.upper()) <= set(signs):
            raise ValueError(
                f"a corner has three letters L or H, for {', '.join(AXES)}; given was '{letters}'"
            )
        if not 0.0 < size <= 1.0:
            raise ValueError(f"the size of a corner is above 0 and at most 1, not {size:g}")
        return cls(*(signs[letter] * size for letter in letters.upper()))

    @property
    def octant(self) -> Octant:
        """Where the point lies.

        A nought takes the sign of the first of pleasure, arousal, dominance that has one, so that
        the opposite point always lies in the opposite octant. Neutral lies in none.
        """
        values = self.values
        first = next((value for value in values if value != 0.0), 0.0)
        signs = tuple(_sign(value if value != 0.0 else first) for value in values)
        return _OCTANTS[signs[0], signs[1], signs[2]]

    @property
    def values(self) -> tuple[float, float, float]:
        """Pleasure, arousal and dominance."""
        return self.pleasure, self.arousal, self.dominance

    @property
    def opposite(self) -> PAD:
        """The point on the other side of neutral."""
        return PAD(-self.pleasure, -self.arousal, -self.dominance)

    @property
    def strength(self) -> float:
        """How far from neutral, from 0 to 1, which is a corner of the space."""
        return min(1.0, math.hypot(*self.values) / math.sqrt(len(AXES)))

    def blend(self, other: PAD, share: float) -> PAD:
        """The point on the way to another: itself at share 0, the other at 1, exactly."""
        part = min(max(_finite("share", share), 0.0), 1.0)
        if part == 1.0:
            return other
        return PAD(*(a + part * (b - a) for a, b in zip(self.values, other.values, strict=True)))

    def distance(self, other: PAD) -> float:
        """The straight way to another point."""
        return math.dist(self.values, other.values)

    def features(self) -> Features:
        """How a body moves that feels so, by the document's map."""
        from sera.emotion.features import features_of

        return features_of(self)


def extroversion(pad: PAD) -> float:
    """How extrovert a temperament is, by Mehrabian's regression."""
    return 0.21 * pad.pleasure + 0.17 * pad.arousal + 0.50 * pad.dominance


def nurturance(pad: PAD) -> float:
    """How caring a temperament is, by Mehrabian's regression."""
    return 0.41 * pad.pleasure + 0.12 * pad.arousal + 0.17 * pad.dominance


def _sign(value: float) -> int:
    return (value > 0.0) - (value < 0.0)


def _finite(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, str | bool) or not math.isfinite(number):
        raise ValueError(f"{name} is {value!r}; give a number from -1 to 1")
    return number
