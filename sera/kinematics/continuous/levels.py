"""What is asked of a continuous hierarchy, level by level, and how it is told to work.

Units and frames: those of the levels; errors in the unit of the gate. Threading: immutable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.continuous.activation import error_gate


class Recursion(StrEnum):
    """What a level takes from N."""

    PROJECTED = "projected"
    """J^{N⊕}·J·N: nothing leaks upwards where all rows are fully on or off."""
    DOCUMENT = "document"
    """J^{N⊕}·J, as it is printed; for comparison."""


class Watch(StrEnum):
    """Which of a level's errors the levels below give way to."""

    LARGEST = "largest"
    """The largest of them: orientation is protected like place."""
    FIRST = "first"
    """The first alone: place, in a level of place and orientation."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Up to which error of a level the ones below take part."""

    start: float = 0.001
    """Below this they do in full."""
    end: float = 0.002
    """Above this not at all."""
    watch: Watch = Watch.LARGEST

    def __post_init__(self) -> None:
        object.__setattr__(self, "watch", Watch(self.watch))
        self.share((0.0,))

    def share(self, errors: Sequence[float]) -> float:
        """How much of the levels below may pass."""
        return error_gate(
            errors[0] if self.watch is Watch.FIRST else max(errors), self.start, self.end
        )


DOCUMENT_GATE = Gate()
"""With the null-space document's numbers."""


class Level(NamedTuple):
    """What is asked at one level."""

    jacobian: ArrayLike  # (m, n)
    velocity: ArrayLike  # (m,) wanted velocities of the rows
    activations: ArrayLike | None = None  # (m,) None: all rows are fully on
    errors: Sequence[float] | None = None
    """How far the level is from its targets, such as (metres, sine of half an angle); None: it
    never holds back the levels below."""


class LevelReport(NamedTuple):
    """How one level fared."""

    partial_inverses: int
    snapped: int
    """Activations that were taken as 0 or 1 because too many were in transition."""
    share: float
    """How much of it passed the gates of the levels above, 0-1."""
    greatest_singular: float
    """Of what it leaves, N, before that was bounded."""


def clamp_error(error: ArrayLike, most: float) -> FloatArray:
    """An error of the same direction that is no longer than `most` (Buss and Kim).

    Without it a far target asks for velocities that throw the body about.
    """
    if not (math.isfinite(most) and most > 0.0):
        raise ValueError(f"The most that an error may be is {most}; give a length above 0.")
    vector = np.array(error, dtype=np.float64)
    size = float(np.linalg.norm(vector))
    if not math.isfinite(size):
        raise ValueError(f"The error is {error!r}; give finite numbers.")
    return vector * (most / size) if size > most else vector
