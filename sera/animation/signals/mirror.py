"""Mirror: the same motion as seen in a looking-glass.

Design overview: a single channel is reflected about its centre (yaw and roll of a head). A pair of
channels changes sides; whether their signs flip too depends on how the joints are mounted, and is
a setting.
Units and frames: the unit of the signal.
Threading: no state.
"""

from __future__ import annotations

from dataclasses import dataclass

from sera.animation.signals._checks import LARGEST, bounded, check


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorSettings:
    """About which value, and whether a pair's signs flip."""

    centre: float = 0.0
    pair_flips_sign: bool = False

    def __post_init__(self) -> None:
        check("centre", self.centre, -LARGEST, LARGEST)


class Mirror:
    """Reflects a value, or swaps the two sides of a pair."""

    __slots__ = ("settings",)

    def __init__(self, settings: MirrorSettings) -> None:
        self.settings = settings

    def reset(self) -> None:
        """Nothing is remembered."""

    def step(self, dt_s: float, value: float) -> float:  # noqa: ARG002
        """The value on the other side of the centre."""
        return bounded(2.0 * self.settings.centre - bounded(value))

    def step_pair(self, dt_s: float, left: float, right: float) -> tuple[float, float]:
        """Left and right after they have changed sides."""
        if self.settings.pair_flips_sign:
            return self.step(dt_s, right), self.step(dt_s, left)
        return bounded(right), bounded(left)
