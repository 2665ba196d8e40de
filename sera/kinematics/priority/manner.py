"""How a priority controller works: its forms, its inverses, its limits.

Units and frames: singular values as the rows have them (metres and radians a second per radian a
second).
Threading: immutable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """How a level takes what the levels above leave."""

    STRICT = "strict"
    """Exactly as far as possible; wants damping near algorithmic singularities."""
    CHIAVERINI = "chiaverini"
    """Only in part, but calm there: the null-space document's."""


class Limits(StrEnum):
    """How ends of joints are respected."""

    DAMPED = "damped"
    """A joint is held the more the nearer it comes, while it moves towards its end."""
    DOCUMENT = "document"
    """In a band at each end a joint is driven to its middle, above all tasks."""
    NONE = "none"
    """Not at all, but for the clamp at the very end."""


@dataclass(frozen=True, slots=True)
class Damping:
    """What is done with small singular values."""

    truncate: float = 0.0
    """Directions with a smaller singular value are left out; the document has 0.001."""
    damping: float = 0.05
    near: float = 0.05
    """Singular values below this are damped, without a jump; math.inf: all are, alike."""
    far_damping: float = 0.3
    far_near: float = 0.5
    """What is added to both where a target is far away: one that cannot be reached pulls a
    stretched arm about; a path that is followed closely is not touched by it."""

    def __post_init__(self) -> None:
        for name in ("truncate", "damping", "near", "far_damping", "far_near"):
            value = getattr(self, name)
            if not value >= 0.0:
                raise ValueError(f"{name} is {value}; give a number of 0 or more.")

    @property
    def row(self) -> tuple[float, float, float, float, float]:
        return (self.truncate, self.damping, self.near, self.far_damping, self.far_near)

    @classmethod
    def truncated(cls, smallest: float = 0.001) -> Damping:
        """The null-space document's: small ones are nought, the others as they are."""
        return cls(smallest, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def everywhere(cls, damping: float) -> Damping:
        """Classic damped least squares."""
        return cls(0.0, damping, math.inf, 0.0, 0.0)

    @classmethod
    def guard(cls) -> Damping:
        """For the rows that keep the balance."""
        return cls(0.0, 0.02, 0.02, 0.0, 0.0)
