"""Looks that grow over each other: how faces and the light of the eyes come and go.

Design overview: a look is a set of values by channel with an opacity. A new one grows over those
before it, which go on with what they were about underneath until they are covered. So the result is
always between looks that were asked for, never beyond, and whenever a look comes, position,
velocity and acceleration go on. A look without values lets go: what the layers below made appears.

Units and frames: values in the channels' own units; seconds.
Threading: one owner.
Safety: nothing jumps unless a change of no length was asked for. The number of looks is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sera.animation.controllers._rows import lay_over
from sera.animation.engine.controller import Row
from sera.animation.signals import EaseShape, ease

_MOST = 24
"""So many may be on their way at once; somebody who orders faster sees the eldest end early."""


@dataclass(slots=True)
class _Look:
    values: Mapping[int, float]
    """By column."""
    opacity: float
    rate: float
    """How much of the change a second brings."""
    share: float = 0.0


class Looks:
    """What is shown, and what it becomes."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._looks: list[_Look] = []

    def show(self, values: Mapping[int, float], *, opacity: float, blend_s: float) -> None:
        """Go over to a look within `blend_s`; one without values lets go."""
        if not values and not self._looks:
            return
        if blend_s <= 0.0:
            self._looks = []
        self._looks.append(_Look(dict(values), opacity, 1.0 / blend_s if blend_s > 0.0 else 0.0))
        if blend_s <= 0.0:
            self._looks[0].share = 1.0
        del self._looks[:-_MOST]

    @property
    def empty(self) -> bool:
        """Whether nothing is shown, nor on its way."""
        return not self._looks

    def step(self, dt_s: float, row: Row) -> None:
        """Lay what is shown `dt_s` later over the row."""
        for look in self._looks:
            look.share = min(1.0, look.share + look.rate * dt_s)
        covering = [number for number, look in enumerate(self._looks) if look.share >= 1.0]
        if covering:  # what lies under it is over
            del self._looks[: covering[-1]]
            if not self._looks[0].values and len(self._looks) == 1:
                self._looks = []
        for column, (covered, weighed) in self._now().items():
            lay_over(row, column, weighed / covered if covered > 0.0 else 0.0, covered)

    def _now(self) -> dict[int, tuple[float, float]]:
        """Opacity, and value times opacity, by column."""
        columns = {column for look in self._looks for column in look.values}
        now = {}
        for column in sorted(columns):
            covered = weighed = 0.0
            for look in self._looks:
                come = ease(EaseShape.MINIMUM_JERK, look.share)
                opacity = look.opacity if column in look.values else 0.0
                covered += come * (opacity - covered)
                weighed += come * (opacity * look.values.get(column, 0.0) - weighed)
            now[column] = (covered, weighed)
        return now
